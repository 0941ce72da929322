#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs shellcheck on all scripts, bats files and the completion of bash, with
# .shellcheckrc. A file in which the last run in this build folder found nothing is left
# out until it, shellcheck or the options change. Prints TAP.

top=$(cd "${DWELL_SOURCE:-$(dirname "$0")/..}" && pwd)
passed=${DWELL_BUILD:-$PWD}/tests/shellcheck.passed

# What bats files do on purpose:
#   SC1003, SC1010, SC1112  texts that look like syntax: keys for tmux, "done"
#   SC2010, SC2012          ls in folders that the test made
#   SC2030, SC2031          a test, and "run", is a subshell
#   SC2034, SC2154          variables of bats and of files that are loaded
#   SC2046, SC2086, SC2207  lists of options and names are split at blanks
#   SC2089, SC2090          texts with quotes: scripts for a browser
#   SC2094                  a file named like an argument of another command
#   SC2017                  shares of large numbers
#   SC2022                  grep's "samples*"
#   SC2119, SC2120          arguments that a test may omit
#   SC2128, SC2178          $output is a text, as in bats
#   SC2164                  a test ends where a command fails, cd as well
#   SC2238                  files named like a command
in_bats=SC1003,SC1010,SC1112,SC2010,SC2012,SC2030,SC2031,SC2034,SC2154,SC2046,SC2086
in_bats=$in_bats,SC2017,SC2022,SC2119,SC2120,SC2207,SC2089,SC2090,SC2094,SC2128,SC2178,SC2164,SC2238

# scripts FOLDER: prints the scripts below FOLDER that begin with "#! ... sh".
scripts() {
	(cd "$1" && find quickstart .ci debian doc packaging report tests -type f \
		! -path 'tests/fuzz/corpus/*' ! -name '*.bats' ! -name '*.bash' \
		-size -200k 2>/dev/null |
		xargs grep -lIE -m 1 '^#!/bin/(ba)?sh' | sort
	find report -name embed.sh 2>/dev/null)
}

bats_files() {
	(cd "$1" && find tests -name '*.bats' -o -name '*.bash' | sort)
}

# findings FOLDER OPTION...: prints the findings in the files of standard input.
findings() {
	(cd "$1" && shift && xargs -r -n 6 -P 2 shellcheck -S info -f gcc "$@" 2>&1 | sort)
}

# changed FOLDER: prints the files of standard input that the list $passed lacks with
# their contents, and adds them all to the next list.
changed() {
	(cd "$1" && xargs sha256sum) | sed "s/$/ $way/" | sort | tee -a "$made/passed" |
		comm -23 - "$passed" | cut -d ' ' -f 3
}

number=0 failed=
check() {
	number=$((number + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $number - $1"
	else
		failed=yes
		echo "not ok $number - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

if ! bash "$top/tests/needs.bash" check shellcheck; then
	echo "1..0 # SKIP needs shellcheck"
	exit 0
fi
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
mkdir "$made/tests"
way=$({ shellcheck --version && cat "$top/.shellcheckrc" "$0"; } | sha256sum | cut -c 1-64)
[ -e "$passed" ] || : >"$passed"
printf '%s\n' '#!/bin/sh' 'cat $1' >"$made/tests/a.sh"
printf '%s\n' '#!/usr/bin/env bats' '@test "a" {' 'foo = 1' '}' >"$made/tests/a.bats"

echo 1..6
check "scripts are found to check" "$([ "$(scripts "$top" | wc -l)" -gt 25 ] && echo yes)" yes
check "bats files are found to check" "$([ "$(bats_files "$top" | wc -l)" -gt 90 ] && echo yes)" yes
check "shellcheck finds nothing in scripts" "$(scripts "$top" | changed "$top" | findings "$top")" ""
check "shellcheck finds nothing in bats files and the completion" \
	"$( (bats_files "$top"; echo completions/dwell) | changed "$top" |
		findings "$top" -s bash -e "$in_bats")" ""
check "the check finds a fault in a script" \
	"$(scripts "$made" | findings "$made" | sed 's/.*\[//')" "SC2086]"
check "the check finds a fault in a bats file" \
	"$(bats_files "$made" | findings "$made" -e "$in_bats" | sed 's/.*\[//')" "SC2283]"
[ "$failed" ] || sort "$made/passed" >"$passed"
