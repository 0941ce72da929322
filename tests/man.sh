#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that manual pages have every option that the programs print with --help,
# and no other long option; and that the pages are valid roff. Prints TAP.

build=${DWELL_BUILD:-.}
source=${DWELL_SOURCE:-$(dirname "$0")/..}
number=0

# check NAME PROBLEMS: prints a TAP line, "ok" if PROBLEMS is empty.
check() {
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

help_of() {
	case $1 in
	record) "$build/dwell-record" --help ;;
	doctor | list | stat) "$build/dwell-record" "--$1" --help ;;
	*) "$build/dwell-report" "$1" --help ;;
	esac
}

# long_options: prints the long options of --help, without the column of
# descriptions.
long_options() {
	grep -oE '^  (-.,|   ) --[a-z-]+' | grep -oE -- '--[a-z-]+'
}
short_options() {
	grep -oE '^  -[A-Za-z]' | grep -oE -- '-[A-Za-z]'
}

# text_of PAGE: prints the text of a manual page without font escapes.
text_of() {
	sed -e 's/\\f[BIRP]//g' -e 's/\\-/-/g' -e "s/[\"\\[]/ /g" "$1"
}

# without LIST WORD...: prints the words that are not in LIST.
without() {
	list=$1
	shift
	{ echo "$list" && echo : && printf '%s\n' "$@"; } | awk '
		is_behind && $0 != "" && !($0 in listed) { print $0 " is missing" }
		!is_behind { listed[$0] }
		$0 == ":" { is_behind = 1 }'
}

# in_page PAGE WORD...: prints the words that are in the page's text, not as
# parts of longer options.
in_page() {
	text=$(text_of "$1" | grep -oE '[A-Za-z0-9-]+')
	shift
	without "$text" "$@"
}

# besides VERB: prints long options that begin a paragraph of VERB's page but
# are not in --help.
besides() {
	known=$(help_of "$1" | long_options)
	text_of "$source/doc/dwell-$1.1" | grep -A1 '^\.TP' |
		grep -oE -- '--[a-z-]+' | sort -u | while read -r option; do
		echo "$known" | grep -qxF -e "$option" ||
			echo "$option is not in --help"
	done
}

# json_elsewhere VERB: prints the page that --help names for the JSON of VERB,
# if VERB's own page describes it.
json_elsewhere() {
	grep -q '^\.SH JSON' "$source/doc/dwell-$1.1" || return
	help_of "$1" | grep 'documented in' | grep -vF "dwell-$1(1)"
}

# roff_problems PAGE: prints the messages on standard error.
roff_problems() {
	# shellcheck disable=SC2069
	LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$1" 2>&1 >/dev/null
}

verbs="record stat list report annotate diff script export evlist buildid-list pack unpack doctor"
pages="dwell"
for verb in $verbs; do
	pages="$pages dwell-$verb"
done
echo 1..70

for verb in $verbs; do
	page=$source/doc/dwell-$verb.1
	long=$(help_of "$verb" | long_options)
	short=$(help_of "$verb" | short_options)
	# One per line; none of them holds a blank.
	# shellcheck disable=SC2086
	{
		check "dwell $verb --help lists options" "$([ -n "$long" ] || echo none)"
		check "dwell-$verb(1) has every option of --help" \
			"$(in_page "$page" $long $short)"
		check "dwell-$verb(1) has no option that --help lacks" \
			"$(besides "$verb" | grep -v -- '--version')"
		check "dwell $verb names the page that has its JSON" \
			"$(json_elsewhere "$verb")"
	}
done

# The names of fields in the message about a field that does not exist.
# shellcheck disable=SC2046
set -- $("$build/dwell-report" report -s '?' 2>&1 | sed 's/.*one of: //; s/,//g')
# shellcheck disable=SC2086
check "dwell-report(1) has every field" "$([ $# -gt 40 ] || echo "$# only"
	without "$(sed -n '/^.SH FIELDS/,/^.SH JSON/p' \
		"$source/doc/dwell-report.1" | grep -oE '[a-z_]+')" "$@")"

# keys_missing PAGE TABLE: prints the keys of an interactive view that its page
# lacks.
keys_missing() {
	sed -n 's/^	{ KEYS([^"]*), "\([^"]*\)",.*/\1/p' "$source/report/tui/$2" |
		while read -r key; do
			text_of "$source/doc/$1" | grep -qxF -e ".B $key" ||
				echo "$key is missing"
		done
	grep -q '^	{ KEYS(' "$source/report/tui/$2" || echo "$2 has none"
}

check "dwell-report(1) has every key of the interactive view" \
	"$(keys_missing dwell-report.1 tui.c)"
check "dwell-diff(1) has every key of its own" \
	"$(keys_missing dwell-diff.1 tui_diff.c)"

check "dwell(1) names the other pages" "$(for verb in $verbs; do
	grep -q "dwell.\?-$(echo "$verb" | sed 's/-/.*-/') (1)" "$source/doc/dwell.1" || echo "$verb"
done)"

# man in Debian's minimal images is a stub that prints nothing.
has_man=
if command -v man >/dev/null && man --version >/dev/null 2>&1 &&
	command -v groff >/dev/null; then
	has_man=yes
fi
for page in $pages; do
	if [ "$has_man" ]; then
		check "$page(1) has no roff warnings" \
			"$(roff_problems "$source/doc/$page.1")"
	else
		skip "$page(1) has no roff warnings" "needs man"
	fi
done
