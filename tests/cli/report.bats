#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a user types and gets, of dwell and dwell-report, without recording:
# help, bad input, exit status.

load common.bash

@test "help names every verb" {
	run -0 dwell --help
	for verb in record report script export evlist buildid-list; do
		[[ $output == *$verb* ]]
	done
}

@test "help of each verb is text with options" {
	for verb in report script export evlist buildid-list; do
		run -0 dwell $verb --help
		[[ $output == usage:\ dwell\ $verb* ]]
		[[ $output == *--input* ]]
	done
}

@test "version is told" {
	run -0 dwell --version
	[[ $output == dwell\ [0-9]* ]]
	run -0 dwell-report --version
	[[ $output == dwell\ [0-9]* ]]
}

@test "an unknown verb is refused with the list" {
	run -2 dwell frobnicate
	[[ $output == *"no verb 'frobnicate'"* ]]
	[[ $output == *record* ]]
}

@test "no such file: says which, and what to do without a name" {
	refuses 1 dwell report -i gone.data
	[[ $line == *gone.data*"No such file"* ]]
	refuses 1 dwell report
	[[ $line == *dwell.data*"No such file"*"dwell record"* ]]
}

@test "perf.data is taken where there is no dwell.data" {
	echo nonsense >perf.data
	refuses 1 dwell report
	[[ $line == *perf.data*"not a perf.data file"* ]]
}

@test "not a recording, a directory, an empty file" {
	echo "some words, more than sixteen" >words
	: >empty
	mkdir folder
	refuses 1 dwell report -i words
	[[ $line == *words*"not a perf.data file"* ]]
	refuses 1 dwell report -i empty
	[[ $line == *empty*"is empty"* ]]
	refuses 1 dwell report -i folder
	[[ $line == *folder*"no recording is in it"* ]]
	refuses 1 dwell report -i /dev/null
	[[ $line == */dev/null*"not a regular file"* ]]
}

@test "a file that may not be read" {
	[ "$(id -u)" != 0 ] || command -v setpriv >/dev/null ||
		skip "needs setpriv to be an ordinary user"
	: >secret
	chmod 0 secret
	if [ "$(id -u)" = 0 ]; then
		chmod 755 .
		refuses 1 setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$DWELL_BUILD/dwell-report" report \
			-i "$BATS_TEST_TMPDIR/secret"
	else
		refuses 1 dwell report -i secret
	fi
	[[ $line == *secret*"ermission denied"* ]]
}

@test "a header that points nowhere is refused" {
	printf 'PERFILE2\150\0\0\0\0\0\0\0\200\0\0\0\0\0\0\0%080d' 0 >odd
	refuses 1 dwell report -i odd
	[[ $line == *odd* ]]
}

@test "only the samples of a control group" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/memory.txt" memory.data
	count() {
		dwell script --cgroup "$1" -i memory.data | grep -c ': '
	}
	all=$(dwell script -i memory.data | grep -c ': ')
	run count /made/group
	some=$output
	[ "$some" -gt 0 ]
	[ "$some" -lt "$all" ]
	run -0 count '/made/*'
	[ "$output" = "$some" ]
	run count /other
	[ "$output" = 0 ]
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/branches.txt" branches.data
	refuses 1 dwell script --cgroup / -i branches.data
	[[ $line == *--cgroup*--all-cgroups* ]]
}

@test "columns with separators, and as wide as they shall be" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/first.txt" first.data
	run -0 dwell report -t '|' --no-children -g none -n -i first.data
	grep '^# Overhead|Samples|Command|Shared Object|Symbol$' <<<"$output"
	grep -E '^[0-9.]+%\|[0-9]+\|[^|]+\|[^|]+\|\[.\] [^|]+$' <<<"$output"
	run -0 dwell report -t e --no-children -g none -s comm -i first.data
	grep '^# Ov.rh.adeCommand$' <<<"$output"
	run -0 dwell report -w 12,3 --no-children -g none -s comm,sym \
		-i first.data
	grep '^#     Overhead  Com  Symbol' <<<"$output"
	grep -E '^ {6,9}[0-9.]+%  [^ ]{1,3} *  \[' <<<"$output"
}

@test "wrong options: which, and status 2" {
	refuses 2 dwell report --frob
	[[ $line == *--frob* ]]
	refuses 2 dwell report -s 'comm,shoe!'
	[[ $line == *"no field 'shoe!'"*comm* ]]
	refuses 2 dwell report -g spiral
	[[ $line == *spiral* ]]
	refuses 2 dwell report --call-graph=graph,0.5,many
	[[ $line == *many*fractal* ]]
	refuses 2 dwell report --call-graph=200
	[[ $line == *200*"not a percentage"* ]]
	refuses 2 dwell report --percent-limit many
	[[ $line == *many* ]]
	refuses 2 dwell report -i
	[[ $line == *-i*"needs a value"* ]]
	refuses 2 dwell report one two
	[[ $line == *two* ]]
	refuses 2 dwell export
	[[ $line == *--format* ]]
	refuses 2 dwell export --format opera
	[[ $line == *opera*folded* ]]
	refuses 2 dwell report -C 3-1
	[[ $line == *--cpu*3-1*"no list of CPUs"* ]]
	refuses 2 dwell script --time 5
	[[ $line == *--time*"'5'"*START,STOP* ]]
	refuses 2 dwell export --format folded --time 10%/11
	[[ $line == *--time*10%/11* ]]
	refuses 2 dwell report -p '('
	[[ $line == *--parent*"'('"* ]]
	refuses 2 dwell report --ignore-callees '['
	[[ $line == *--ignore-callees*"'['"* ]]
	refuses 2 dwell report -t .
	[[ $line == *--field-separator*"'.'"* ]]
	refuses 2 dwell report -w 3,wide
	[[ $line == *--column-widths*wide* ]]
	refuses 2 dwell report --percentage half
	[[ $line == *half*relative*absolute* ]]
	refuses 2 dwell script --max-stack 0
	[[ $line == *--max-stack*0* ]]
	refuses 2 dwell report --pid you
	[[ $line == *--pid*you*"not a number"* ]]
	refuses 2 dwell report --tid me
	[[ $line == *me*"not a number"* ]]
}
