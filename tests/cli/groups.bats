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

@test "report: counts of a group of events belong to one thread, also if its ID was used before" {
	make_inherited data
	"$report" report -n -F period,tid -s tid -i data | grep -v '^#' |
		awk 'NF { print $3, $1, $2 }' | sort >rows
	diff rows - <<-'END'
	7 14 8
	8 10 3
	END
	"$dwell" script -F tid,event,period -i data |
		awk '{ print $1, $2, $3 }' >samples
	prints samples-of-threads <samples
}

### Ratios ####################################################################

# cells OPTION...: prints the rows of a table without blanks before them.
cells() {
	"$report" report --stdio "$@" 2>messages | grep -v '^#' |
		sed -n 's/^ *//; /./p'
}

@test "report: ipc and other ratios of events are columns, by which rows can be sorted" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/group.txt" data
	"$report" report --stdio -F ipc,overhead,dso -i data >text
	grep -A5 IPC text >table
	prints ipc-column <table
	# By the keys of -s first; a row without instructions is last.
	cells -s cycles/instructions,dso,sym -i data >rows
	diff rows - <<-'END'
	37.50%  38.10%  78.57%                 0.53  libmade.so     [.] 0x0000000000000100
	39.29%  61.90%  21.43%                 0.34  made           [.] 0x0000000000000100
	23.21%   0.00%   0.00%                    -  made           [.] 0x0000000000000200
	END
	cells -F cache-misses/instructions,sample,dso -i data >rows
	diff rows - <<-'END'
	0.03             2           2           2  libmade.so
	0.0046             4           2           1  made
	END
	cells -t : -F ipc,cache-misses/cycles,sym -i data >rows
	diff rows - <<-'END'
	2.95:0.01:[.] 0x0000000000000100
	1.90:0.05:[.] 0x0000000000000100
	0.00:0.00:[.] 0x0000000000000200
	END
	# Without a ratio, the percentages are the sort keys.
	cells -F overhead,ipc,dso -i data | head -n 1 | grep -q ' made$'
}

@test "report: small ratios of events are printed with a unit in text, and as plain numbers in JSON and CSV" {
	local n text

	while read -r n text; do
		"$DWELL_BUILD/tests/made/make_data" - data <<-END
			file
			event name=task-clock type=software config=1 sample_period=1 ids=1
			 sample_type=IDENTIFIER|IP|TID|READ read_format=ID|GROUP
			event name=page-faults type=software config=2 ids=2
			 sample_type=IDENTIFIER|IP|TID|READ read_format=ID|GROUP
			event name=minor-faults type=software config=5 ids=3
			 sample_type=IDENTIFIER|IP|TID|READ read_format=ID|GROUP
			feature EVENT_DESC events
			feature GROUP_DESC u32=1 str={anon_group} u32=0 u32=3
			record COMM pid=7 tid=7 comm=made
			record SAMPLE ip=0x1000 pid=7 tid=7 id=1
			 read=3,1000000000000,1,$n,2,1000000000000,3
		END
		echo "$n"
		cells -F page-faults/task-clock,page-faults/minor-faults,comm \
			-i data | sed 's/  */ /g' | grep -x "$text made"
		"$report" report --csv -F page-faults/task-clock,comm -i data |
			tail -n 1 | awk -F, -v n="$n" '{
				for (i = 1; i <= NF; i++)
					if ($i + 0 == n / 1e12)
						found = 1
				exit !found
			}'
	done <<-'END'
		3000000000000 3.00/ns 3.00
		9200000000 9.20/us 0.0092
		50000000 50.00/ms 50.00/1M
		9200 9.20/s 9.20/1G
	END
}

@test "report: JSON and CSV have ratios of events as numbers, and one table for the group" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/group.txt" data
	"$report" report --json -F ipc,cycles/instructions,dso,sym -i data >out
	grep -q '"ipc": 2.95455, "cycles/instructions": 0.338462, "dso": "made"' out
	grep -q '"ipc": 0, "cycles/instructions": null, "dso": "made"' out
	[ "$(grep -c '"rows": ' out)" = 1 ]
	"$report" report --csv -F cycles/instructions,dso,sym -i data |
		cut -d, -f1,5,7- >rows
	prints ratios-in-csv <rows
}

# make_events FILE NAME...: a group of these events, with counts of 10, 20, 30, ...,
# and an event of its own named alone.
make_events() {
	local file=$1 name i=0 ids='' values=''
	shift

	for name; do
		i=$((i + 1))
		values+=,$((i * 10)),$i
		ids+="event name=$name type=raw config=$i ids=$i sample_id_all
			sample_type=IDENTIFIER|IP|TID|TIME|READ read_format=ID|GROUP
"
	done
	"$DWELL_BUILD/tests/made/make_data" - "$file" <<-END
		file
		$(sed 's/^\t*s/ s/' <<<"$ids")
		event name=alone type=raw ids=99 sample_type=IDENTIFIER|IP|TID|TIME
		feature EVENT_DESC events
		feature GROUP_DESC u32=1 str={anon_group} u32=0 u32=$i
		record COMM pid=7 tid=7 comm=made time=100
		record SAMPLE ip=0x1000 pid=7 tid=7 time=200 id=1 read=$i$values
	END
}

@test "report: the events of a ratio are found without modifiers, terms and PMU, and by their aliases" {
	make_events data cpu-cycles:u cpu/instructions/ sched:cycles \
		page-faults/period=1/ msr/tsc,config=9/ cs:k cs:u \
		branches:u branch-instructions
	while read -r ratio value; do
		echo "$ratio"
		[ "$(cells -F "$ratio",comm -i data)" = "$value  made" ]
	done <<-'END'
	ipc 2.00
	cycles/cs:u 0.14
	cpu-cycles/sched:cycles 0.33
	cycles/cpu-cycles:u 1.00
	instructions/cpu/instructions/ 1.00
	page-faults/period=1//faults 1.00
	tsc/cs 0.83
	context-switches/cs:u 0.86
	branches/cpu-cycles:u 8.00
	branch-instructions/cpu-cycles:u 9.00
	END
	for ratio in cycles:k/cs alone/cs sched/cs cs/ /cs / period/cs; do
		refuses 1 "$report" report --stdio -F "$ratio",comm -i data
		[[ $line == "dwell report: data: field '$ratio': no group has both events; the events are {cpu-cycles:u,cpu/instructions/,sched:cycles,page-faults/period=1/,msr/tsc,config=9/,cs:k,cs:u,branches:u,branch-instructions}, alone; to record a group: dwell record -e '{EVENT,EVENT}:S'" ]]
	done
}

@test "report: the ratio of a caller without own samples is printed as unknown" {
	local event='sample_type=IDENTIFIER|IP|TID|TIME|READ|CALLCHAIN read_format=ID|GROUP'

	"$DWELL_BUILD/tests/made/make_data" - data <<-END
		file
		event name=cycles type=hardware $event sample_id_all ids=1
		event name=instructions type=hardware config=1 $event ids=2
		feature EVENT_DESC events
		feature GROUP_DESC u32=1 str={anon_group} u32=0 u32=2
		record KSYMBOL addr=0xffffffffd0000000 len=0x100 ksym_type=2 name=main
		record KSYMBOL addr=0xffffffffd0001000 len=0x100 ksym_type=2 name=work
		record COMM pid=7 tid=7 comm=made time=100
		record SAMPLE misc=kernel ip=0xffffffffd0001010 pid=7 tid=7 time=200 id=1
		 read=2,10,1,25,2 chain=kernel,0xffffffffd0001010,0xffffffffd0000010
	END
	cells --children -g none -F overhead_children,ipc,sym -i data >rows
	diff rows - <<-'END'
	100.00% 100.00%      2.50  [k] work
	100.00% 100.00%         -  [k] main
	END
}

@test "report: a ratio of events is refused if no group of the recording has both events" {
	make_inherited data
	refuses 1 "$report" report --json -F ipc,sym -i data
	[[ $line == "dwell report: data: field 'ipc', which is instructions/cycles: no group has both events; the events are {page-faults,minor-faults}; to record a group: dwell record -e '{EVENT,EVENT}:S'" ]]
	for option in --no-group --off-cpu; do
		refuses 2 "$report" report $option -F faults/minor-faults -i data
		[[ $line == *"ratios of events exclude --no-group, --off-cpu and --wall" ]]
	done
	refuses 2 "$dwell" diff -s dso,ipc data data
	[[ $line == *"--sort: rows cannot be grouped by the number 'ipc'"* ]]
	refuses 2 "$dwell" diff -s cs/faults data data
	[[ $line == *"--sort: rows cannot be grouped by the number 'cs/faults'"* ]]
	# Events that sample for themselves form a group with --group.
	"$DWELL_BUILD/tests/made/make_data" - alone <<-'END'
		file
		event name=cs type=software config=3 ids=1 sample_period=6 sample_id_all
		 sample_type=IDENTIFIER|IP|TID|TIME
		event name=faults type=software config=2 ids=2 sample_period=8
		 sample_type=IDENTIFIER|IP|TID|TIME
		event name=dummy type=software config=9 ids=3
		 sample_type=IDENTIFIER|IP|TID|TIME
		record COMM pid=7 tid=7 comm=made time=100
		record SAMPLE ip=0x1000 pid=7 tid=7 time=200 id=1
		record SAMPLE ip=0x1000 pid=7 tid=7 time=300 id=2
	END
	refuses 1 "$report" report --stdio -F cs/faults,comm -i alone
	[[ $line == *"the events are context-switches:HG, page-faults:HG; to record a group: "* ]]
	[ "$(cells --group -F cs/faults,comm -i alone)" = "0.75  made" ]
}

@test "live: report: ratios of page faults are right in recordings of dwell and perf" {
	cc -O1 -pthread -o tasks "$DWELL_SOURCE/tests/cli/tasks.c"
	for recorder in dwell $(! meets perf || echo perf); do
		$recorder record -q -o data -e '{page-faults,minor-faults}:S' -c 1 \
			-- ./tasks >done
		# The kernel counts a minor fault after the sample of the fault.
		cells -F minor-faults/faults,comm --comm tasks -i data >row
		grep -xE '(0\.9[0-9]|1\.00)  tasks' row
	done
}

### Recordings #################################################################

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

@test "live: record: the counts of a group add up to what all threads and child processes did" {
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

@test "live: record: a group with -i or a probe does not sample new threads, and a message states it" {
	tasks "{page-faults/period=1/,$calls}:S" -i
	[ "$(wc -l <counted)" = 1 ]
	# The kernel cannot count a probe for each new thread.
	run -0 --separate-stderr "$record" -o data \
		-e "{page-faults/period=1/,uprobe:./tasks:run_task}:S" -- ./tasks
	[[ $stderr == *"page-faults/period=1/: with :S, threads and processes created after the start are not sampled: the kernel does not count a probe for each of them. To sample them, use -a"* ]]
	[ "$("$report" report --csv -s tid -i data | grep -c ^page-faults)" = 1 ]
}

@test "live: record: with -a, the counts of a group add up although they are of CPUs, not of threads" {
	tasks "{$calls/period=1/,page-faults}:S" -a
	while read -r tid n; do
		[ "$(awk -v t="$tid" '$1 == t { print $2 }' counted)" = "$n" ]
	done <done
}

# Linux before 6.13, simulated: it refuses samples with counts of inherited events.
@test "live: record: if the kernel cannot count a group per thread, one message states it" {
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
