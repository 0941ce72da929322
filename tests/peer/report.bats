#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What dwell says of perf's recordings, against what perf says of them.

load rows.bash

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	perf --version >/dev/null 2>&1 && "$DWELL_BUILD/tests/probe" || return 0
	cd "$FILES"
	compile "$DWELL_SOURCE/tests/bench/chain.c" chain
	perf record -q -e cpu-clock -F 5000 -g -o chain.data \
		./chain 2 400000 >/dev/null
	perf record -q -z -e cpu-clock -F 5000 -g -o z.data \
		./chain 2 400000 >/dev/null
	perf record -q -e cpu-clock,page-faults -F 2000 -g -o two.data \
		./chain 2 100000 >/dev/null
	# Two programs of one name: their functions stay apart.
	mkdir other
	compile "$DWELL_SOURCE/tests/bench/chainr.c" other/chain \
		-I "$DWELL_SOURCE"
	made_lock
	perf record -q -a -e cpu-clock -F 2000 -g -o all.data -- \
		sh -c 'for i in 1 2 3 4; do ls -lR /usr/include | sort |
			gzip | wc -c; ./chain 1 20000; other/chain 1 20000
			done' >/dev/null
	exec 8>&-
	if command -v c++ >/dev/null; then
		c++ -O2 -g -fno-omit-frame-pointer \
			"$DWELL_SOURCE/tests/peer/words.cpp" -o words
		perf record -q -e cpu-clock -F 5000 -g -o words.data \
			./words 10 >/dev/null
	fi
}

setup() {
	need_perf
	need_live
	cd "$FILES"
}

@test "live: flat rows of a threaded program" {
	same_rows chain.data --no-children
}

@test "live: rows with callers of a threaded program" {
	same_caller_rows chain.data
}

@test "live: flat rows of a compressed recording" {
	same_rows z.data --no-children
}

@test "live: rows with callers of a compressed recording" {
	same_caller_rows z.data
}

# with_made RECORDER...: of a program that tells its code's names in $map.
with_made() {
	made_lock -s
	cc -O1 -static "$DWELL_SOURCE/tests/cli/made.c" -o made
	./made map 60 3>&- &
	made=$!
	map=/tmp/perf-$made.map
	until [ -s "$map" ]; do :; done
	"$@" -e cpu-clock -F 2000 -g -o made.data -p "$made" -- sleep 0.5 \
		>/dev/null || failed=1
	kill -KILL "$made"
	[ -z "${failed:-}" ] || rm "$map"
	[ -z "${failed:-}" ]
}

@test "live: flat rows of code that perf recorded, made at run time" {
	with_made perf record -q -N
	same_rows made.data --no-children
	grep -q first_made "$map"
	rm "$map"
}

@test "live: flat rows of code that dwell recorded, made at run time" {
	with_made dwell record -q
	perf_rows -i made.data --no-children >theirs
	rm "$map"
	dwell_rows -i made.data --no-children >ours
	grep first_made ours
	diff ours theirs
}

@test "live: flat rows of two events" {
	same_rows two.data --no-children
}

@test "live: flat rows of the whole machine" {
	same_rows all.data --no-children
}

@test "live: rows with callers of the whole machine" {
	same_caller_rows all.data
}

@test "live: rows by command, by library, by symbol" {
	same_rows all.data --no-children -s comm
	same_rows all.data --no-children -s dso
	same_rows all.data --no-children -s comm,dso
	same_rows all.data --no-children -s dso,sym
}

@test "live: rows of a C++ program, its names demangled" {
	[ -e words.data ] || skip "no C++ compiler"
	same_rows words.data --no-children
	same_caller_rows words.data
	dwell report --stdio -g none -i words.data >words.text
	grep -F '[.] std::_Rb_tree' words.text
	run ! grep -F '[.] _Z' words.text
}

@test "live: rows filtered by command, library and symbol" {
	# perf drops the column of a list of one.
	same_rows all.data --no-children -c chain,sort
	same_rows all.data --no-children -d libc.so.6,chain
	same_rows chain.data --no-children -S leaf,north
}

@test "live: rows above a limit" {
	same_rows all.data --no-children --percent-limit 1
}

@test "live: percentages of call graphs" {
	percentages() {
		grep -o -- '--[0-9.]*%--' | sort
	}
	for order in "" -G "-g callee" "--no-children" "--no-children -G"; do
		perf report --stdio $order -i chain.data 2>/dev/null |
			percentages >perf.shares
		dwell report --stdio $order -i chain.data |
			percentages >dwell.shares
		[ -s perf.shares ]
		diff perf.shares dwell.shares
	done
}

@test "live: the text of every sample" {
	for file in chain z two; do
		perf script --max-stack 512 -i $file.data 2>/dev/null >perf.text
		dwell script -i $file.data >dwell.text
		[ -s perf.text ]
		diff perf.text dwell.text
	done
}

@test "live: counts of records" {
	for file in chain z two all; do
		perf report --stats -i $file.data 2>/dev/null >perf.stats
		dwell report --stats -i $file.data >dwell.stats
		diff perf.stats dwell.stats
	done
}

@test "live: a stream from standard input" {
	perf record -q -e cpu-clock -F 2000 -g -o - ./chain 1 50000 \
		2>/dev/null >pipe.data
	same_rows pipe.data --no-children
	dwell report --stdio -g none -i - <pipe.data >stdin.text
	dwell report --stdio -g none -i pipe.data >file.text
	diff stdin.text file.text
}
