#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that words and phrases of a short list are not in help texts, messages
# and manual pages. Plain technical English has better words for those in the
# list: programs report or print, they do not tell. Prints TAP.

top=${srcdir:-$(dirname "$0")/..}
build=${DWELL_BUILD:-.}

# One extended regular expression per line, for whole words in any case.
stop_list='everybody
everyone
nobody
somebody
whom
in vain
as far as'

# Prints "PLACE: MATCH: TEXT" for each line "PLACE<tab>TEXT" of standard input
# whose TEXT contains an expression of the stop list.
find_stop_words() {
	expressions=$(echo "$stop_list" | paste -sd '|' -)
	grep -iE "	(.*[^a-z_])?($expressions)([^a-z_]|\$)" |
		while IFS='	' read -r place text; do
		match=$(echo "$text" | grep -oiwE -e "$expressions" | head -n 1)
		echo "$place: $match: $text"
	done
}

# Prints the help texts of the program DWELL and of its commands.
help_texts() {
	"$1" --help | sed 's/^/dwell --help	/'
	for verb in $("$1" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do
		"$1" "$verb" --help | sed "s/^/dwell $verb --help	/"
	done
}

# Prints the string literals in calls of error_*() and log_*() in the source
# files below FOLDER, those of one call as one line.
messages() {
	(cd "$1" && find common record report -name '*.c' 2>/dev/null | sort | xargs awk '
		FNR == 1 { inside = 0 }
		!inside && match($0, /(^|[^a-z_])(error|log)_[a-z_]+\(/) {
			inside = 1
			place = FILENAME ":" FNR
			text = ""
			$0 = substr($0, RSTART + RLENGTH)
		}
		inside {
			rest = $0
			while (match(rest, /"([^"\\]|\\.)*"/)) {
				text = text substr(rest, RSTART + 1, RLENGTH - 2)
				rest = substr(rest, 1, RSTART - 1) \
					substr(rest, RSTART + RLENGTH)
			}
			if (rest ~ /;/) {
				if (text != "")
					print place "\t" text
				inside = 0
			}
		}')
}

# Prints the text of the manual pages in FOLDER/doc, one paragraph per line,
# without comments and fonts.
man_pages() {
	for page in "$1"/doc/*.1; do
		sed -e '/^\.\\"/d' -e 's/\\f[BIRP]//g' -e 's/\\-/-/g' \
			-e 's/\\(aq/'"'"'/g' -e 's/^\.\(TP\|PP\|IP\|SH\|SS\).*//' \
			-e 's/^\.[A-Za-z]* *//' "$page" |
			awk -v place="doc/${page##*/}" '
			BEGIN { RS = "" }
			{ gsub(/[\n\t]+/, " "); print place "\t" $0 }'
	done
}

number=0
check() {
	number=$((number + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

# is_over COUNT: prints yes if standard input has more than COUNT lines.
is_over() {
	[ "$(wc -l)" -gt "$1" ] && echo yes
}

# A made-up program, source file and manual page with one fault each.
fault=$(mktemp -d) || exit 1
trap 'rm -rf "$fault"' EXIT
mkdir -p "$fault/record" "$fault/doc"
cat >"$fault/dwell" <<'END'
#!/bin/sh
case $1 in
--help) printf 'Commands:\n  record       sample a command\n' ;;
record) printf '  -x           as far as it goes\n' ;;
esac
END
chmod +x "$fault/dwell"
cat >"$fault/record/a.c" <<'END'
	/* in vain: a comment is no message */
	log_note("cannot open \"%s\"; "
		"the event was opened in "
		"vain", path);
	puts("in vain: not a message");
END
cat >"$fault/doc/a.1" <<'END'
.\" A comment for everybody.
.TP
.B \-a
The files of
.B everybody
are read.
END

echo 1..9
check "help texts are read from the programs" \
	"$(help_texts "$build/dwell" | is_over 300)" yes
check "messages are read from the sources" "$(messages "$top" | is_over 400)" yes
check "manual pages are found to check" "$(man_pages "$top" | is_over 400)" yes
check "help texts have no word of the stop list" \
	"$(help_texts "$build/dwell" | find_stop_words)" ""
check "messages have no word of the stop list" \
	"$(messages "$top" | find_stop_words)" ""
check "manual pages have no word of the stop list" \
	"$(man_pages "$top" | find_stop_words)" ""
check "the check finds a word of the stop list in a help text" \
	"$(help_texts "$fault/dwell" | find_stop_words)" \
	"dwell record --help: as far as:   -x           as far as it goes"
check "the check finds a word of the stop list in a message" \
	"$(messages "$fault" | find_stop_words)" \
	'record/a.c:2: in vain: cannot open \"%s\"; the event was opened in vain'
check "the check finds a word of the stop list in a manual page" \
	"$(man_pages "$fault" | find_stop_words)" \
	"doc/a.1: everybody: -a The files of everybody are read."
