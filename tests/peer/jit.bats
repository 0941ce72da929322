#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# JIT code: perf's recordings in dwell, compared with perf after `perf inject
# --jit`.

load rows.bash

setup() {
	enter_test
	need perf
}

# same_names FILE PATTERN: compares the rows that match PATTERN.
same_names() {
	perf inject --jit -i "$1" -o injected.data
	perf_rows -i injected.data --no-children -s dso,sym |
		sed 's/.*|\([0-9]*\)|[^|]*|/\1|/' | grep -E "$2" | sort >theirs
	dwell_rows -i "$1" --no-children -s dso,sym |
		sed 's/.*|\([0-9]*\)|[^|]*|/\1|/' | grep -E "$2" | sort >ours
	cat ours
	[ -s theirs ]
	diff theirs ours
}

build_made() {
	cc -O1 -static "$DWELL_SOURCE/tests/cli/made.c" -o made
}

@test "live: report: JIT code has the name in the jitdump at the sample's time, without perf inject" {
	build_made
	perf_record -k mono -e cpu-clock:u -F 2000 -g -o made.data ./made dump
	same_names made.data '(early|late)_'
	[ "$(grep -c . ours)" = 4 ]
}

# Without perf_record: if mappings have build IDs, perf inject lists none for its
# files, and nothing proves that they are the recorded ones.
@test "live: report: lines of the files that perf inject makes are those of perf report" {
	build_made
	perf record -q -k mono -e cpu-clock:u -F 2000 -o made.data ./made lines
	perf inject --jit -i made.data -o injected.data
	lines_of() {
		"$@" -i injected.data -s srcline | grep -oE 'code\.js:[0-9]+' | sort
	}
	lines_of perf report --stdio >theirs
	lines_of dwell report --stdio --no-children >ours
	diff theirs ours
	printf 'code.js:%d\n' 10 20 30 40 | diff - ours
}

@test "live: report: stack copies of perf are unwound by the rules of a jitdump to complete stacks" {
	need x86_64
	build_made
	perf_record -k mono -e cpu-clock:u -F 1000 --call-graph dwarf,8192 \
		-o made.data ./made rules
	dwell script -i made.data -F ip,sym | awk '
		function count() { all += seen; good += found && rooted
			seen = found = rooted = 0 }
		/^$/ { count() }
		/ called$/ { seen = 1 }
		/ caller$/ && seen { found = 1 }
		/ _start$/ { rooted = found }
		END { count(); print good, all; exit good < 50 || good < all }'
}

@test "live: report: the rows with the jitdump of node equal those after perf inject" {
	need node
	cat >calls.js <<-'END'
		"use strict";
		function odd(n) { return n < 2 ? n : even(n - 1) + even(n - 2); }
		function even(n) { return n < 2 ? n : odd(n - 1) + odd(n - 2); }
		const { cpuUsage } = process, ms = 1000;
		let s = 0;
		while (cpuUsage().user < ms * 1000)
			s += odd(20);
	END
	perf_record -k mono -e cpu-clock:u -F 1000 --call-graph dwarf,16384 \
		-o node.data node --perf-prof --perf-prof-unwinding-info \
		--max-inlined-bytecode-size=1 calls.js
	same_names node.data ' JS:'
	# Each of the two functions calls the other one, however short it runs.
	dwell script -i node.data -F ip,sym | awk '
		/^$/ { n = 0; next }
		/ JS:\*(odd|even) / { split($2, name, "*"); n++
			if (n == 1) mine = name[2]
			if (n == 2) { all++; bad += name[2] == mine } }
		!/ JS:\*(odd|even) / { n = 9 }
		END { print bad, all; exit all < 50 || bad * 100 > all }'
}

@test "live: report: stack copies of Python by perf are complete with its jitdump" {
	need python-perf-jit
	python=$(perf_python perf_jit)
	cat >hot.py <<-'END'
		import os, time
		open("pid", "w").write(str(os.getpid()))
		def leaf(n):
		    x = 1
		    for i in range(n):
		        x = (x * 31 + i) & 0xffffffff
		    return x
		end = time.process_time() + 1
		while time.process_time() < end:
		    leaf(3000)
	END
	perf_record -k mono -e cpu-clock:u -F 1000 --call-graph dwarf,16384 \
		-o python.data "$python" -X perf_jit hot.py
	dwell report -i python.data --stdio --children -s sym -g none >shown
	rm -f "/tmp/jit-$(cat pid).dump"
	grep -E '^# Copied Stacks: [0-9]+ \((100|9[0-9])\.' shown
	grep -E '^ *[89][0-9].*py::leaf:' shown
}

@test "live: report: a jitdump of another user is ignored, and a message reports this" {
	need root
	build_made
	perf_record -k mono -e cpu-clock:u -F 1000 -g -o made.data ./made dump
	chown 12345 jit-*.dump
	run dwell report -i made.data --stdio --no-children -s sym
	echo "$output"
	[[ $output == *"jit-"*".dump: ignored: it is owned by user 12345"* ]]
	[[ $output != *early_first* ]]
}

# record_mapped WAY: perf records a program that writes names to $map.
record_mapped() {
	build_made
	background ./made "$1" 60
	map=/tmp/perf-$last.map
	until_true test -s "$map"
	perf_record -e cpu-clock:u -F 2000 -g -o made.data -p "$last" \
		-- "${while_run[@]}" "$last"
}

@test "live: report: of overlapping lines of a perf map, the last one is used" {
	record_mapped again
	dwell report -i made.data --stdio --no-children -s sym >shown
	rm "$map"
	cat shown
	grep first_made shown
	run ! grep stale shown
}

@test "live: report: a perf map of another user is ignored, and a message reports this" {
	need root
	record_mapped map
	chown 12345 "$map"
	run dwell report -i made.data --stdio --no-children -s sym
	rm "$map"
	echo "$output"
	[[ $output == *"/tmp/perf-$last.map: ignored: it is owned by user 12345"* ]]
	[[ $output != *first_made* ]]
}
