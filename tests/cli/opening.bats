#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a report opens with if no option selects it: rows of threads that share a
# program, and waits.

load named.bash
load pool.bash

setup() {
	enter_test
	make_pool 8
}

teardown() {
	ends
	leave_test
}

# rows OPTION...: prints the periods and keys of rows.
rows() {
	dwell report --csv --no-children -i data "$@" | sed 1d | cut -d, -f4-5,7-
}

# library_waits FILE NAME: prints to "out" where a thread waits that calls NAME in FILE
# from mine() in a program, and NAME calls the kernel.
library_waits() {
	more_symbols=$(names "$1" 256 "$2")$(names /bin/own 256 mine) \
		make_pool 0 "record MMAP2 pid=7 tid=7 addr=0x700000 len=0x10000 prot=5
		 maj=8 ino=6 filename=$1 time=2500000
		record MMAP2 pid=7 tid=7 addr=0x800000 len=0x10000 prot=5
		 maj=8 ino=5 filename=/bin/own time=2500000
		$(wait_sample 7 4000000 40 0x700110,0x800110)"
	rows --off-cpu -s waits_in >out
	cat out
}

@test "report: --off-cpu: waits_in is the innermost function outside of libc, runtimes and glue" {
	local file name

	rows --off-cpu -s waits_in >out
	diff out - <<-'END'
		8,16000,next_job in pool
		1,3000,futex_wait in libc.so.6
	END
	for file in /usr/bin/python3.11 /lib/libjvm.so /usr/bin/node; do
		library_waits "$file" wait
		diff out - <<<"1,3000,futex_wait in libc.so.6
1,40,mine in own"
	done
	for name in runtime.futexsleep java.lang.Object.wait \
		'wait node:internal/timers:1'; do
		library_waits /bin/other "$name"
		diff out - <<<"1,3000,futex_wait in libc.so.6
1,40,mine in own"
	done
	library_waits /bin/other wait
	grep -x '1,40,wait in other' out
}

@test "report: threads of one program with at least 4 names share rows, and a note states it" {
	run -0 dwell report --stdio --no-children -g none -i data
	echo "$output"
	[[ $output == "# Total Lost Samples: 0 (0.00 %)
#
# Waits: they were recorded, and are not counted below. To count them: --off-cpu
#
# Threads: 9 threads of process 7 (pool) have 9 names, whose rows are merged. For rows of each name: -s +comm
#
# Samples: 8 of event 'cpu-clock'
# Event count (approx.): 8000
#
# Overhead  Shared Object  Symbol
# ........  .............  ..........
#
   100.00%  pool           [.] square
"* ]]
	# The names remain in tables for programs, and with -s.
	for option in --csv --json -t: "-s +comm" "-s comm,dso,sym"; do
		dwell report --no-children -g none $option -i data >out
		[ "$(grep -c 'worker-[0-7].*square' out)" = 8 ]
	done
	# Few names, and a process with few samples.
	make_pool 2
	run -0 dwell report --stdio --no-children -g none -i data
	[[ $output == *"  worker-1  pool "* ]]
	make_pool 4 "record COMM pid=9 tid=9 comm=other misc=exec time=4
		$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
			echo "record SAMPLE ip=0x1000 pid=9 tid=9 time=400000$i
			 period=1 chain=user,0x1000"
		done)"
	run -0 dwell report --stdio --no-children -g none -i data
	[[ $output == *"  worker-2  pool "* ]]
}

@test "report: 600 rows of threads that are merged into one do not exceed the memory limit" {
	seq 8 607 | awk '
		BEGIN {
			print "file\nevent name=cpu-clock type=software ids=1",
				"sample_type=IP|TID|CALLCHAIN sample_period=1"
			for (i = 1; i <= 250; i++)
				callers = callers "," 4096 * i
		}
		{
			print "record COMM pid=7 tid=" $1 " comm=worker-" $1
			print "record SAMPLE ip=0x10 pid=7 tid=" $1,
				"chain=user,0x10" callers
		}' | "$DWELL_BUILD/tests/made/make_data" - data
	dwell report --stdio -g none -i data >out
	[ "$(grep -c '^ *100.00% .* 0x' out)" = 251 ]
}

@test "report: by default, --off-cpu shows the functions in which threads wait" {
	run -0 dwell report --stdio --off-cpu -g none -i data
	echo "$output"
	[[ $output == *"
# Thread time: 19.00 us (9 threads, 2.00 ms)
#
# Overhead        Period  State    Waits In
# ........  ............  .......  .......................
#
    84.21%      16.00 us  blocked  next_job in pool
    15.79%       3.00 us  blocked  futex_wait in libc.so.6" ]]
	[[ $output != *"# Waits:"* ]]
	# The command that a note names adds the names to these columns.
	[[ $output == *"whose rows are merged. For rows of each name: -s +comm"* ]]
	for keys in "-s +comm" "-F +comm"; do
		# shellcheck disable=SC2086
		run -0 dwell report --stdio --off-cpu -g none $keys -i data
		echo "$output"
		[[ $output == *"# Overhead        Period  "* ]]
		[[ $output == *"  blocked  "*" next_job in pool"* ]]
		[[ $output == *" worker-7 "* && $output != *Children* ]]
	done
	# The other note, for few rows of many names.
	run -0 dwell report --stdio --off-cpu -g none -s comm,waits_in -i data
	[[ $output == *"To merge these rows: -s state,waits_in"* ]]
	# A key for waits has no rows of callers, unless these are requested.
	[[ $output != *Children* ]]
	run -0 dwell report --stdio --off-cpu -g none --children -s comm,waits_in \
		-i data
	[[ $output == *Children* ]]
	run -0 dwell report --stdio --off-cpu --children -g none -i data
	[[ $output == *"  State    Shared Object  "* && $output != *"Waits In"* ]]
}

@test "tui: the first screen shows the functions that used the time; the key w shows the waits" {
	need tmux ncurses
	on_terminal "report -i data"
	shows first-screen
	keys w
	sees "by state,waits_in"
	shows waits-of-threads
	keys w
	sees "by dso,sym"
	keys o
	sees "Children"
	ends
	# Without waits.
	make_named
	on_terminal "report -i data"
	sees 1/
	keys w
	sees "no waits were recorded; 'dwell record --off-cpu' records them"
}
