#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# When a recording samples, when it ends, and where it goes, as its users ask
# for it. The tests named "live" sample something.

bats_require_minimum_version 1.5.0

setup() {
	: "${DWELL_BUILD:=$PWD}" "${DWELL_SOURCE:=$BATS_TEST_DIRNAME/../..}"
	record=$DWELL_BUILD/dwell-record
	report=$DWELL_BUILD/dwell-report
	if [[ $BATS_TEST_DESCRIPTION == live:* ]]; then
		"$DWELL_BUILD/tests/probe" ||
			skip "perf_event_open: not permitted here"
	fi
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	if [ -n "${started:-}" ]; then
		kill -KILL "$started" 2>/dev/null || true
		wait "$started" 2>/dev/null || true
	fi
}

# One line on stderr, nothing on stdout, the status: refuses STATUS WORD...
# leaves the line in $line.
refuses() {
	local status=$1
	shift
	run -"$status" --separate-stderr "$@"
	[ -z "$output" ]
	line=$stderr
	echo "$line"
	[ "${#stderr_lines[@]}" = 1 ]
}

need_perf() {
	command -v perf >/dev/null && perf --version >/dev/null 2>&1 ||
		skip "perf is not installed"
}

# "N samples, N lost, ..." of the summary in FILE.
told_samples() {
	sed -n 's/^dwell record: \([0-9]*\) samples, .*/\1/p' "$1"
}

### -o - #######################################################################

@test "live: a stream has all samples, for perf and for dwell" {
	need_perf
	for options in "" "-g -z0"; do
		"$record" -e cpu-clock:u $options -o - \
			awk 'BEGIN { while (i < 5e6) i++ }' >stream 2>said
		cat said
		[ "$(told_samples said)" -gt 2 ]
		# Through a pipe, and as the file that it lies in.
		[ "$(perf script -i - <stream | grep -c ' cpu-clock:u: ')" = \
			"$(told_samples said)" ]
		[ "$(perf script -i stream | grep -c ' cpu-clock:u: ')" = \
			"$(told_samples said)" ]
		for tool in perf "$report"; do
			"$tool" report --stdio -i - --no-children -g none \
				-n -s comm,dso <stream 2>/dev/null |
				grep '^ .*%' | tr -s ' ' | sed 's, $,,' >rows."${tool##*/}"
		done
		diff rows.*
	done
}

@test "live: a stream carries its symbols" {
	cat >busy.c <<-END
		int main(void) { for (volatile long i = 0; i < 200000000; i++); }
	END
	${CC:-cc} -O0 -o busy busy.c
	"$record" -q -e cpu-clock:u -o - ./busy >stream
	rm busy
	"$report" report --stdio -i - -s sym <stream >text
	cat text
	grep -q '\[\.\] main' text
}

@test "live: the command's output doesn't get into the stream" {
	"$record" -q -e cpu-clock:u -o - echo from the command >stream 2>said
	[ "$(cat said)" = "from the command" ]
	[ "$(head -c 8 stream)" = PERFILE2 ]
	run ! grep -q "from the command" stream
}

@test "live: a stream that nobody reads ends the recording with one line" {
	mkfifo pipe
	head -c 100 pipe >/dev/null &
	refuses 1 timeout 60 sh -c "'$record' -e cpu-clock:u -o - \
		sh -c 'while :; do :; done' >pipe"
	[[ $line == *"standard output: "*"Broken pipe" ]]
}

@test "live: a stream to a terminal is refused" {
	command -v script >/dev/null || skip "script(1) is not installed"
	run -2 script -qec "$record -e cpu-clock:u -o - true" /dev/null
	[[ $output == *"-o -: standard output is a terminal"* ]]
}
