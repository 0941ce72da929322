#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of doc/from-perf.md and doc/from-other-profilers.md: those that are the
# same with perf and with dwell, and dwell's commands in place of others.

load ../cli/common.bash

setup() {
	enter_test
	need perf root tracefs cc
	cat >simulate.c <<-'END'
		volatile double sink;
		__attribute__((noinline)) void step(void)
		{
			for (int i = 0; i < 1000000; i++)
				sink = sink * 1.000001 + 1;
		}
		int main(void)
		{
			for (int i = 0; i < 20; i++)
				step();
			return 0;
		}
	END
	cc -O1 -g -fno-omit-frame-pointer simulate.c -o simulate
	dwell record -q -e cpu-clock --call-graph fp -o recorded.data -- ./simulate
	start_busy
	export -f perf
}

# rows FILE EXPRESSION: prints the lines of the document that match, with short times
# and the PID of this test's process.
rows() {
	grep -E "$2" "$DWELL_SOURCE/doc/$1" |
		sed -e "s/1234/$last/g" -e 's/sleep 1/sleep 0.2/' \
			-e 's/--duration 1/--duration 0.2/'
}

# Makes recordings of ./simulate with the names of the documents.
put_recordings() {
	local name
	rm -f page.html page.svg flame.svg ./*.json
	for name in before after perf dwell profile; do
		cp recorded.data $name.data
	done
}

# runs COMMAND: runs a command of the document. A report or a count must contain the
# function or the event.
runs() {
	echo "$1"
	bash -c "$1" >output 2>&1 </dev/null || {
		cat output
		return 1
	}
	case $1 in
	*'script -D') grep -q RECORD_MMAP output ;;
	*srcline*) grep -q 'simulate\.c:[0-9]' output ;;
	*'report --stdio'* | *annotate* | *' diff '* | *' script'*)
		grep -qw step output ;;
	*' stat '*) grep -q 'task-clock\|cpu-clock' output ;;
	esac
}

@test "live: from-perf: the commands documented as equal run with perf and with dwell" {
	local row command n=0
	while read -r row; do
		command=${row#*\`}
		command=${command%%\`*}
		put_recordings
		runs "$command"
		put_recordings
		runs "dwell${command#perf}"
		n=$((n + 1))
	done < <(rows from-perf.md '^\| `perf .*` \| same')
	[ "$n" -ge 40 ]
}

# run_dwell FILE EXPRESSION: runs the commands of dwell in these lines of the document.
# Returns their number in $n.
run_dwell() {
	local row command
	n=0
	while read -r row; do
		put_recordings
		while read -r command; do
			runs "$command"
			n=$((n + 1))
		done < <(grep -o '`dwell [^`]*`' <<<"$row" | tr -d '`')
	done < <(rows "$1" "$2")
}

@test "live: from-perf: the documented dwell commands that replace perf commands run" {
	local n
	run_dwell from-perf.md '^\| `perf .*` \| different'
	[ "$n" -ge 9 ]
}

@test "live: from-other-profilers: the documented dwell commands run" {
	local n
	need python3
	echo 'sum(i * i for i in range(3000000))' >app.py
	run_dwell from-other-profilers.md '^\| '
	[ "$n" -ge 25 ]
}
