#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Samples with the counts of a group (the modifier S): of all threads and
# processes, and as ratios.

load common.bash

# make_inherited FILE: a group that two threads inherit, one after the other with
# the same ID, and the counts that Linux 6.13 gives each of them.
make_inherited() {
	local event='sample_type=IDENTIFIER|IP|TID|TIME|READ read_format=ID|GROUP inherit'

	"$DWELL_BUILD/tests/made/make_data" - "$1" <<-END
		file
		event name=page-faults type=software config=2 sample_period=1 $event sample_id_all comm task ids=1
		event name=minor-faults type=software config=5 $event ids=2
		feature EVENT_DESC events
		feature GROUP_DESC u32=1 str={anon_group} u32=0 u32=2
		record COMM pid=7 tid=7 comm=made time=100
		record SAMPLE ip=0x1000 pid=7 tid=7 time=200 id=1 read=2,10,1,5,2
		record FORK pid=7 ppid=7 tid=8 ptid=7 time=300
		record SAMPLE ip=0x1000 pid=7 tid=8 time=400 id=1 read=2,3,1,2,2
		record SAMPLE ip=0x1000 pid=7 tid=7 time=500 id=1 read=2,14,1,8,2
		record SAMPLE ip=0x1000 pid=7 tid=8 time=600 id=1 read=2,4,1,2,2
		record EXIT pid=7 ppid=7 tid=8 ptid=7 time=700
		record FORK pid=7 ppid=7 tid=8 ptid=7 time=800
		record SAMPLE ip=0x1000 pid=7 tid=8 time=900 id=1 read=2,6,1,1,2
	END
}

@test "group: each thread has counts of its own, also one with the ID of an ended thread" {
	make_inherited data
	"$report" report -n -F period,tid -s tid -i data | grep -v '^#' |
		awk 'NF { print $3, $1, $2 }' | sort >rows
	diff rows - <<-'END'
	7 14 8
	8 10 3
	END
	"$dwell" script -F tid,event,period -i data |
		awk '{ print $1, $2, $3 }' >samples
	diff samples - <<-'END'
	7 10 page-faults:
	7 5 minor-faults:
	8 3 page-faults:
	8 2 minor-faults:
	7 4 page-faults:
	7 3 minor-faults:
	8 1 page-faults:
	8 6 page-faults:
	8 1 minor-faults:
	END
}

# tasks EVENTS [OPTION]...: records tests/cli/tasks.c, and writes the sum of the
# periods of each of its threads and processes to the file counted: its ID, and one
# number for each event.
tasks() {
	local events=$1
	shift
	need cc root tracefs syscall-tracepoints
	cc -O1 -pthread -o tasks "$DWELL_SOURCE/tests/cli/tasks.c"
	"$record" -q "$@" -o data -e "$events" -- ./tasks >done
	"$report" report --comm tasks -g none --no-children -F period,tid -s tid \
		-i data 2>messages | grep -v '^#' |
		awk 'NF { print $3, $1, $2 }' >counted
	cat counted
}

calls=syscalls:sys_enter_getppid

@test "live: group: the counts of all threads and children add up to what they do" {
	need inherited-counts
	for options in "" "--call-graph fp"; do
		# shellcheck disable=SC2086
		tasks "{page-faults/period=1/,$calls}:S" $options
		while read -r tid n; do
			[ "$(awk -v t="$tid" '$1 == t { print $3 }' counted)" = "$n" ]
		done <done
		tasks "{$calls/period=1/,page-faults}:S" $options
		while read -r tid n; do
			awk -v t="$tid" -v n="$n" '$1 == t && $2 == n && $3 >= n / 2 {
				found = 1 } END { exit !found }' counted
		done <done
	done
}

@test "live: group: new threads are not sampled with -i and with a probe, which is reported" {
	tasks "{page-faults/period=1/,$calls}:S" -i
	[ "$(wc -l <counted)" = 1 ]
	# The kernel cannot count a probe for each new thread.
	run -0 --separate-stderr "$record" -o data \
		-e "{page-faults/period=1/,uprobe:./tasks:run_task}:S" -- ./tasks
	[[ $stderr == *"page-faults/period=1/: with :S, threads and processes created after the start are not sampled: the kernel does not count a probe for each of them. To sample them, use -a"* ]]
	[ "$("$report" report --csv -s tid -i data | grep -c ^page-faults)" = 1 ]
}

@test "live: group: the counts of a CPU are not per thread" {
	tasks "{$calls/period=1/,page-faults}:S" -a
	while read -r tid n; do
		[ "$(awk -v t="$tid" '$1 == t { print $2 }' counted)" = "$n" ]
	done <done
}

# Linux before 6.13, simulated: it refuses samples with counts of inherited events.
@test "live: group: a kernel that cannot count each thread is reported once, and the rest is recorded" {
	need cc dynamic-recorder unsanitized
	cat >old.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <errno.h>
	#include <linux/perf_event.h>
	#include <sys/syscall.h>

	long syscall(long n, long a, long b, long c, long d, long e, long f)
	{
		static long (*next)(long, ...);
		const struct perf_event_attr *attr = (const void *)a;

		if (n == SYS_perf_event_open && attr->inherit &&
			attr->sample_type & PERF_SAMPLE_READ) {
			errno = EINVAL;
			return -1;
		}
		if (!next)
			next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
		return next(n, a, b, c, d, e, f);
	}
	END
	cc -shared -fPIC -o old.so old.c -ldl
	LD_PRELOAD=$PWD/old.so run -0 --separate-stderr "$record" -o data \
		-e '{page-faults/period=1/,cs}:S,{cpu-clock,cs}' true
	[ "$(grep -c "page-faults/period=1/: with :S, threads and processes created after the start are not sampled: this needs Linux 6.13" <<<"$stderr")" = 1 ]
	[ "$(grep -c "with :S\|not recorded" <<<"$stderr")" = 1 ]
	"$dwell" evlist -v -i data >attrs
	grep '^page-faults.*READ.*' attrs | absent grep 'inherit: 1'
	grep '^cpu-clock' attrs | grep -q 'inherit: 1'
	run -0 --separate-stderr "$record" -o data -e '{page-faults,cs}:S' true
	if meets inherited-counts; then
		[[ $stderr != *"with :S"* ]]
	fi
}
