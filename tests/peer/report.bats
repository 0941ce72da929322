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
	perf_of_all -q -e cpu-clock -F 2000 -g -o all.data -- \
		sh -c 'for i in 1 2 3 4; do ls -lR /usr/include | sort |
			gzip | wc -c; ./chain 1 20000; other/chain 1 20000
			done' >/dev/null
	exec 8>&-
	# Several programs one after the other, with their CPUs.
	perf record -q --sample-cpu -e cpu-clock -F 5000 -g -o mix.data -- \
		sh -c 'ls -lR /usr/include | sort | gzip | wc -c
			./chain 1 20000' >/dev/null
	# Before perf 5.17 there are no folders.
	perf record -q --threads -z -e cpu-clock -F 5000 -g -o folder \
		./chain 2 400000 >/dev/null 2>&1 || true
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

@test "live: rows with callers of the folder of several threads of perf" {
	[ -d folder ] || skip "this perf has no --threads"
	[ -s folder/data.0 ]
	same_caller_rows folder
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

# A time, so many seconds behind the first sample of mix.data.
later() {
	perf report --header-only -i mix.data |
		awk -v by="$1" '/time of first/ { printf "%.6f", $NF + by }'
}

@test "live: rows of one CPU, of processes and of a part of the names" {
	same_rows mix.data --no-children -C 1
	same_caller_rows mix.data -C 0
	same_rows mix.data --no-children --pid \
		"$(perf script -i mix.data -c chain -F pid 2>/dev/null |
			awk 'NF { print $1; exit }'),1"
	same_rows mix.data --no-children --symbol-filter sys
	same_caller_rows mix.data --symbol-filter sys
}

@test "live: rows of a part of the time" {
	for part in 30% 10%/2,10%/4 10%-20%,50%-60% 0%-100% "$(later 0.05)," \
		",$(later 0.05)" "$(later 0.03),$(later 0.06)" \
		"$(later 0.03),$(later 0.06) $(later 0.08),"; do
		echo "$part"
		same_rows mix.data --no-children --time "$part"
		same_caller_rows mix.data --time "$part"
	done
}

@test "live: the text of chosen samples, and a recording of them" {
	for choice in "-c chain" "-S leaf" "-C 1" "--time 10%/3,10%/9" \
		"--time $(later 0.05),"; do
		perf script --max-stack 512 $choice -i mix.data 2>/dev/null \
			>perf.text
		dwell script $choice -i mix.data >dwell.text
		[ -s perf.text ]
		diff perf.text dwell.text
		dwell export --format perf-data $choice -i mix.data -o some.data
		perf script --max-stack 512 -i some.data 2>/dev/null |
			diff perf.text -
	done
	dwell script -e page-faults -i two.data >some.text
	grep -q page-faults: some.text
	run ! grep cpu-clock: some.text
	dwell script -i two.data >dwell.text
	dwell script -e 'cpu*,page-faults' -i two.data | diff dwell.text -
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
