#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs that go offline and return. `make check-all` runs this file after all
# others: a recording of another test would lose the CPU, too.

load common.bash

teardown() {
	[ -z "${cpu:-}" ] || echo 1 >"$cpu" || true
	leave_test
}

# has_newest_on CPU: succeeds if the newest samples of dwell.data include that
# CPU. perf 6.1 ends with a failed assertion at some recordings of other programs.
has_newest_on() {
	dwell script -i dwell.data -F cpu,time 2>/dev/null | tail -n 500 |
		grep -q "\[0*$1\]"
}

@test "live: record: a CPU that goes offline and online again is recorded again" {
	need root perf cpu-offline
	cpu=$(ls -d /sys/devices/system/cpu/cpu[0-9]*/online | tail -n 1)
	number=$(sed 's/.*cpu\([0-9]*\).online/\1/' <<<"$cpu")
	cp "$(command -v awk)" ./late-awk
	start_busy
	busy=$last
	for target in -a "-p $busy"; do
		# Samples of the last recording are not those of this one.
		rm -f dwell.data
		background "$record" -e cpu-clock,task-clock -F 999 \
			$target 2>said
		recorder=$last
		until_true has_recorded dwell.data 1000
		echo 0 >"$cpu"
		until_true grep -q "CPU $number went offline" said
		echo 1 >"$cpu"
		until_true grep -q "CPU $number is online again" said
		taskset -c "$number" ./late-awk 'BEGIN { while (i < 5e6) i++ }'
		taskset -cp "$number" "$busy"
		until_ran "$busy" 1000
		kill -INT "$recorder"
		wait "$recorder"
		cat said
		perf script -i dwell.data -F comm,cpu,event,ip,sym,dso \
			2>/dev/null >samples
		for event in cpu-clock task-clock; do
			tail -n $((250 * $(nproc))) samples |
				grep "\[0*$number\].*$event"
		done | wc -l >late
		[ "$(cat late)" -gt 100 ]
		run ! grep 'late-awk.*(\[unknown\])' samples
		[ "$target" != -a ] || grep -q late-awk samples
	done
	# Stacks are unwound in the kernel on this CPU again.
	if meets gcc bpf; then
		gcc -O2 -fomit-frame-pointer -pthread -o deep \
			"$DWELL_SOURCE/tests/cli/deep.c"
		rm -f dwell.data
		background "$record" -v -a --call-graph bpf -F 999 2>said
		recorder=$last
		until_true has_recorded dwell.data 1000
		echo 0 >"$cpu"
		until_true grep -q "CPU $number went offline" said
		echo 1 >"$cpu"
		until_true grep -q "CPU $number is online again" said
		taskset -c "$number" ./deep 40 0.5
		kill -INT "$recorder"
		wait "$recorder"
		cat said
		dwell script -i dwell.data -F comm,cpu,ip,sym >samples
		awk -v cpu="$number" 'BEGIN { RS = "" }
			$1 == "deep" && $2 ~ "^\\[0*" cpu "\\]$" {
				all++; if (/ (main|start_thread)/) whole++ }
			END { print all + 0, whole + 0
				exit !(all > 100 && whole > all * 0.9) }' samples
	fi
	# Offline for less than the second after which CPUs are checked;
	# counters of a group are found by their IDs.
	rm -f dwell.data
	background "$record" -e '{cpu-clock,cs}:S' -F 999 -a 2>said
	recorder=$last
	until_true has_recorded dwell.data 1000
	echo 0 >"$cpu"
	echo 1 >"$cpu"
	until_true grep "CPU $number is online again" said
	# An idle CPU has no samples.
	taskset -cp "$number" "$busy"
	until_true has_newest_on "$number"
	kill -INT "$recorder"
	wait "$recorder"
}
