#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that each term of doc/glossary.md occurs in a header or a manual page, that the
# terms are in the order of the alphabet, and that the page is short. Prints TAP.

top=${DWELL_SOURCE:-$(dirname "$0")/..}
number=0

# check NAME PROBLEMS: prints a TAP line, "ok" if PROBLEMS is empty.
check() {
	number=$((number + 1))
	[ -z "$2" ] || printf 'not '
	echo "ok $number - $1"
	[ -z "$2" ] || echo "$2" | sed 's/^/# /'
}

# first_terms FILE: prints the first term of each line, and terms also its others:
# "- **TERM**, **TERM** (short: TERM): ...".
first_terms() {
	sed -n 's/^- \*\*\([^*]*\)\*\*.*/\1/p' "$1"
}
terms() {
	sed -n 's/^- \(\*\*[^:]*\(: [^:]*)\)\{0,1\}\):.*/\1/p' "$1" |
		sed -e 's/(short: \([^)]*\))/**\1**/' | grep -o '\*\*[^*]*\*\*' | tr -d '*'
}

# Prints the headers and the manual pages of FOLDER as one line.
vocabulary() {
	find "$1/common" "$1/record" "$1/report" "$1/include" "$1/doc" \
		-name '*.h' -o -name '*.1' | sort | xargs cat |
		sed -e 's/\\f[BIRP]//g' -e 's/\\-/-/g' -e 's/^ \* //' \
			-e 's/^\.[A-Z][A-Za-z]* //' | tr -s '\n\t ' ' '
}

# unknown_terms FOLDER: prints the terms of FOLDER/doc/glossary.md that do not occur.
unknown_terms() {
	vocabulary "$1" >"$folder/vocabulary"
	terms "$1/doc/glossary.md" | while read -r term; do
		grep -qiwF -e "$term" -e "${term}s" "$folder/vocabulary" || echo "$term"
	done
}

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/common" "$folder/record" "$folder/report" "$folder/include" \
	"$folder/doc"
printf '/*\n * Stack\n * copies are unwound.\n */\n' >"$folder/common/a.h"
cat >"$folder/doc/glossary.md" <<'END'
- **stack**, **gone** (short: short): a text.
END

echo 1..5
check "doc/glossary.md has terms" \
	"$([ "$(terms "$top/doc/glossary.md" | wc -l)" -gt 60 ] || echo few)"
check "each term of doc/glossary.md occurs in a header or a manual page" \
	"$(unknown_terms "$top")"
check "the terms are in the order of the alphabet" \
	"$(first_terms "$top/doc/glossary.md" | tr -d ' -' | LC_ALL=C sort -fc 2>&1)"
check "doc/glossary.md has at most 120 lines" \
	"$([ "$(wc -l <"$top/doc/glossary.md")" -le 120 ] || echo more)"
check "terms that do not occur are found" \
	"$([ "$(unknown_terms "$folder" | paste -sd ,)" = gone,short ] ||
		unknown_terms "$folder")"
