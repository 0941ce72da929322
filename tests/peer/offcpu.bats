#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Off-CPU time compared with perf sched timehist, which uses the kernel's
# tracepoints, recorded at the same time.

load rows.bash

setup_file() {
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer \
		-o "$BATS_FILE_TMPDIR/away" "$DWELL_SOURCE/tests/cli/away.c" \
		-lpthread
}

setup() {
	enter_test
	need perf root taskset tracefs perf-tracepoints
	# Some kernels take no samples of idle CPUs other than the first one:
	# then perf does not see the end of the wait.
	first=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')")
}

# perf_rows_by_thread: prints rows of perf.data as "TID COMM WAIT DELAY" in ms.
perf_rows_by_thread() {
	perf sched -i perf.data timehist --state 2>/dev/null |
		sed -nE 's|^ *[0-9.]+ \[[0-9]+\] +(.*)\[([0-9]+)(/[0-9]+)?\] +([0-9.]+) +([0-9.]+) +[0-9.]+ .*|\2 \1 \4 \5|p'
}

# perf_times: prints perf's microseconds of the command away as "AWAY RUNNABLE":
# off the CPU, and of these since its wakeup. A row has the time before the
# thread ran; the first row of away is the wait before its exec, which is not
# its own.
perf_times() {
	perf_rows_by_thread | awk '
		$2 == "away" && seen[$1]++ { wait += $3; delay += $4 }
		END { printf "%d %d", wait * 1000, delay * 1000 }'
}

dwell_us() {
	dwell report --off-cpu --csv --no-children -c away -s state |
		awk -F, -v wanted="$1" '$7 ~ wanted { n += $5 }
			END { printf "%d", n / 1000 }'
}

# near ONE OTHER PERCENT: succeeds if the numbers differ by at most PERCENT or 2
# ms.
near() {
	echo "$1 $2"
	awk -v a="$1" -v b="$2" -v percent="$3" 'BEGIN {
		d = a > b ? a - b : b - a
		exit !(d <= (a > b ? a : b) * percent / 100 || d < 2000) }'
}

# both COMMAND...: records COMMAND with perf and with dwell. The ring buffers hold
# the switches of the whole machine if the recorder stalls.
both() {
	background "$record" -q --off-cpu -e dummy -m 8M -a -o dwell.data
	recorder=$last
	until_true test -s dwell.data
	perf sched record -q --buildid-mmap -o perf.data -- "$@" >/dev/null 2>&1
	kill -INT "$recorder"
	wait "$recorder"
}

@test "live: report: the blocked time of a sleeping program is that of perf sched" {
	both "${first[@]}" "$BATS_FILE_TMPDIR/away" sleep 10 30
	read -r wait delay <<<"$(perf_times)"
	near "$(dwell_us .)" "$wait" 10
	near "$(dwell_us runnable)" "$delay" 30
}

@test "live: report: off-CPU times of a recording of perf sched are those of perf sched" {
	perf sched record -q --buildid-mmap -o perf.data -- "${first[@]}" \
		"$BATS_FILE_TMPDIR/away" sleep 10 30 >/dev/null 2>&1
	cp perf.data dwell.data
	read -r wait delay <<<"$(perf_times)"
	near "$(dwell_us .)" "$wait" 10
	near "$(dwell_us runnable)" "$delay" 30
}

@test "live: report: a recording of switches by perf is read as one by dwell" {
	perf_record -g -e context-switches/period=1/ --switch-events \
		-o dwell.data "$BATS_FILE_TMPDIR/away" sleep 10 30
	dwell report --off-cpu --csv --no-children -c away -s state >out
	# 30 sleeps of 10 ms, less if the machine stalls before a switch.
	[ "$(awk -F, '$7 == "blocked" { print $5 }' out)" -ge 150000000 ]
	dwell report --off-cpu --csv -c away -s state,sym >out
	grep -q ',blocked,.* main$' out
}

@test "live: perf reads a recording with --off-cpu" {
	"$record" -q --off-cpu --call-graph fp -e cpu-clock -- "${first[@]}" \
		"$BATS_FILE_TMPDIR/away" sleep 10 30
	perf script -F event,comm --force -i dwell.data 2>complaints >script
	[ ! -s complaints ]
	# A sleep that ends before the thread has left its CPU is no switch.
	[ "$(grep -c '^ *away .*context-switches' script)" -ge 20 ]
	grep -q sched:sched_waking script
	perf script --show-switch-events --force -i dwell.data 2>/dev/null |
		grep -q "away.*PERF_RECORD_SWITCH *OUT"
}

@test "live: report: off-CPU times of two programs on one CPU are those of perf sched" {
	both "${first[@]}" sh -c "'$BATS_FILE_TMPDIR/away' spin 200 &
		'$BATS_FILE_TMPDIR/away' spin 200; wait"
	read -r wait delay <<<"$(perf_times)"
	near "$(dwell_us .)" "$wait" 10
}
