#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that each term of doc/glossary.md occurs in a header or a manual page, that the
# terms are in the order of the alphabet, that the page is short, and that the comments
# of headers do not use a word that the page excludes: "Not: WORD, WORD.". Prints TAP.

top=${DWELL_SOURCE:-$(dirname "$0")/..}
# Names of things outside of dwell, and terms of its file format, that contain an
# excluded word. Words in capital letters, names of options, members and files, and
# names with an underscore are left out, too.
outside='section directory'

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

# excluded FILE: prints the words behind "Not:" in the terms of FILE.
excluded() {
	{ cat "$1" && echo '- '; } | sed 's/^- /\x01/' | tr '\n' ' ' | tr '\001' '\n' | tr -s ' ' |
		sed -n 's/.* Not: \([^.]*\)\. *$/\1/p' | sed 's/, /\n/g'
}

# headers FOLDER: prints the headers of FOLDER. comments FOLDER: prints one line for each
# of them, with the text of its comments.
headers() {
	(cd "$1" && find common record report -name '*.h' | sort)
}
comments() {
	(cd "$1" && headers . | xargs awk '
		FNR == 1 {
			printf "%s", (NR > 1 ? "\n" : "")
			is_comment = 0
		}
		{
			rest = $0
			while (rest != "") {
				if (!is_comment) {
					at = index(rest, "/*")
					if (!at)
						break
					rest = substr(rest, at + 2)
				}
				at = index(rest, "*/")
				is_comment = !at
				text = at ? substr(rest, 1, at - 1) " ;" : rest
				rest = at ? substr(rest, at + 2) : ""
				sub(/^[ \t]*\*?/, "", text)
				gsub(/[a-z0-9_\/.]+\.[ch]/, "", text)
				gsub(/--[a-z-]+|\.[a-z_]+/, "", text)
				printf " %s", text
			}
		}
		END { print "" }') |
		tr -s ' ' | sed -E -e 's/\<[A-Z][A-Z0-9_]+\>//g' -e "s/$outside//g"
}

# wrong_words FOLDER: prints "FILE: WORD" for the words that headers must not use.
wrong_words() {
	comments "$1" >"$folder/comments"
	excluded "$1/doc/glossary.md" | while read -r word; do
		grep -niwF -e "$word" -e "${word}s" -e "${word%y}ies" "$folder/comments" |
			sed 's/:.*//' | while read -r line; do
				echo "$(headers "$1" | sed -n "${line}p"): $word"
			done
	done
}

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/common" "$folder/record" "$folder/report" "$folder/include" \
	"$folder/doc"
printf '/*\n * Stack\n * copies are unwound. A Call\n * chain has FRAMES.\n */\n' >"$folder/common/a.h"
printf '/* As b_call chain. */\nint call; /* chain */ /* of old.h */' >"$folder/common/b.h"
printf 'int a; /* an old */' >"$folder/common/c.h"
cat >"$folder/doc/glossary.md" <<'END'
- **stack**, **gone** (short: short): a text. Not:
  call chain, old.
END

echo 1..8
check "terms are read from doc/glossary.md" \
	"$([ "$(terms "$top/doc/glossary.md" | wc -l)" -gt 60 ] || echo few)"
check "each term of doc/glossary.md occurs in a header or a manual page" \
	"$(unknown_terms "$top")"
check "the terms of doc/glossary.md are in the order of the alphabet" \
	"$(first_terms "$top/doc/glossary.md" | tr -d ' -' | LC_ALL=C sort -fc 2>&1)"
check "doc/glossary.md has at most 120 lines" \
	"$([ "$(wc -l <"$top/doc/glossary.md")" -le 120 ] || echo more)"
check "the check finds terms that do not occur" \
	"$([ "$(unknown_terms "$folder" | paste -sd ,)" = gone,short ] ||
		unknown_terms "$folder")"
check "excluded words are read from doc/glossary.md" \
	"$([ "$(excluded "$top/doc/glossary.md" | wc -l)" -ge 10 ] || echo few)"
check "the comments of headers do not use words that doc/glossary.md excludes" \
	"$(wrong_words "$top")"
check "the check finds excluded words in a comment" \
	"$([ "$(wrong_words "$folder" | paste -sd ,)" = \
		"common/a.h: call chain,common/c.h: old" ] || wrong_words "$folder")"
