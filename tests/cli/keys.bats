#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Fields of -s and -F, with recordings made from a text.

load common.bash

make_data() {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/$1.txt" "$1.data"
}

@test "report: -F selects the columns and their order" {
	make_data memory
	dwell report -i memory.data -F sample,cpu,overhead >text
	grep -A5 '^# .*CPU' text | sed 's/ *$//' >rows
	prints selected-columns <rows
}

@test "report: with -F and -s, rows are sorted by the fields of -s first" {
	make_data memory
	dwell report --csv -i memory.data -F overhead,cpu -s cpu |
		cut -d, -f4,7 >rows
	prints sorted-by-keys-first <rows
}

@test "report: -s accepts overhead_children and children for the percentage with callees" {
	make_data plain
	dwell report --csv -i plain.data -s overhead_children,comm >long
	dwell report --csv -i plain.data -s children,comm | diff long -
}

@test "report: a percentage field among the keys of -s sorts the rows" {
	make_data memory
	dwell report --csv -i memory.data -s overhead_us,cpu | cut -d, -f7- >rows
	prints sorted-by-percentage <rows
}

@test "report: -s +FIELD and -F +FIELD add to the default fields" {
	make_data memory
	dwell report -i memory.data -s +cpu -F +period >text
	grep -q '^# Overhead        Period  Command  Shared Object  .*Symbol *CPU' \
		text
}

@test "report: -s time prints microseconds, and with --ns nanoseconds" {
	make_data places
	dwell report --csv --ns --time-quantum 1us -i places.data -s time |
		cut -d, -f5,7- >rows
	grep -qx '600,0.000012000' rows
	dwell report --csv --time-quantum 1us -i places.data -s time |
		cut -d, -f5,7- >rows
	grep -qx '600,0.000012' rows
}

@test "report: --branch-history and -g branch are refused, and the message names -b" {
	make_data branches
	refuses 2 dwell report --branch-history -i branches.data
	[[ $line == *"--branch-history"*"-b counts branches"* ]]
	refuses 2 dwell report -g caller,branch -i branches.data
	[[ $line == *"--call-graph"*"use -b to count branches"* ]]
}

@test "report: -s socket,node groups by CPU topology if the recording has it" {
	make_data memory
	dwell report --csv -i memory.data -s socket,node | cut -d, -f4,7- >rows
	prints sockets-and-nodes <rows
	dwell report --header -I -i memory.data >text
	grep -qx '# CPU 3: Core ID 1, Socket ID 1' text
	grep -qx '# node1 cpu list : 1,3' text
	make_data branches
	refuses 1 dwell report -i branches.data -s node
	[[ $line == *"no nodes of CPUs"* ]]
}

@test "report: --mem-mode counts each memory access by its weight" {
	make_data memory
	dwell report --json --mem-mode -i memory.data -s mem >got
	grep -q '"samples": 6, "period": 1227' got
	grep -q '"samples": 3, "self_period": 26, .*"mem": "L1 hit"' got
	dwell report --json -i memory.data -s mem >got
	grep -q '"samples": 6, "period": 6000' got
}

@test "report: -s cgroup_id is the cgroup namespace of the thread at the time of the sample" {
	make_data places
	dwell report --csv -i places.data -s tid,cgroup_id |
		cut -d, -f4,5,7- >rows
	prints cgroup-id <rows
	make_data memory
	refuses 1 dwell report -i memory.data -s cgroup_id
	[[ $line == *"no namespaces"*"record --namespaces"* ]]
}

@test "report: -s dso_size separates two sizes of one mapped library" {
	make_data places
	dwell report --csv -i places.data -s dso,dso_size | cut -d, -f5,7- >rows
	prints dso-size <rows
	dwell report --csv -i places.data -s dso | cut -d, -f5,7- >rows
	grep -qx '900,libmade.so' rows
}

@test "report: -s dcacheline marks shared data with [s], and data outside of mappings with [X]" {
	make_data places
	dwell report --csv -i places.data -s dcacheline | cut -d, -f5,7- >rows
	prints dcacheline sort rows
}

@test "report: -s local_weight is the weight of a sample, weight the sum of its row" {
	make_data memory
	dwell report --csv -i memory.data -s local_weight,weight \
		-F overhead_us | cut -d, -f4,7- >rows
	prints weights <rows
}

@test "report: recorded branches are counted; --no-branch-stack counts samples instead" {
	make_data branches
	dwell report --json -i branches.data -s dso_to >got
	grep -q '"samples": 8, "period": 8,' got
	grep -q '"samples": 2, .*"dso_to": "\[kernel.kallsyms\]"' got
	dwell report --json --no-branch-stack -i branches.data -s dso >got
	grep -q '"samples": 4, "period": 400,' got
}

@test "report: -s cycles prints numbers of cycles above 32767, which perf prints as negative" {
	sed 's/0x400120,0x400100,0x12/0x400120,0x400100,0xffff2/' \
		"$DWELL_SOURCE/tests/made/branches.txt" |
		"$DWELL_BUILD/tests/made/make_data" - many.data
	dwell report --csv -i many.data -s cycles | grep -q ',65535$'
}

@test "report: recordings of either byte order have the same rows" {
	for name in memory branches; do
		make_data $name
		"$DWELL_BUILD/tests/made/make_data" -b \
			"$DWELL_SOURCE/tests/made/$name.txt" big.data
		for sort in cpu,comm mispredict,cycles,abort,in_tx \
			mem,snoop,tlb,locked,blocked local_weight,ins_lat; do
			if dwell report --csv -i $name.data -s $sort \
				>little 2>/dev/null; then
				dwell report --csv -i big.data -s $sort |
					diff little -
			fi
		done
	done
}

@test "report: --group prints the events of a group in one table" {
	make_data group
	dwell report -n -s dso -i group.data >text
	grep -q "^# Samples: 13 of events 'anon group { cycles, instructions,\
 cache-misses }'" text
	grep -A4 Overhead text | sed 's/ *$//' >rows
	prints group-in-one-table <rows
	dwell report --no-group -n -s dso -i group.data >text
	[ "$(grep -c '^# Samples: [0-9]* of event ' text)" = 3 ]
}

@test "report: JSON and CSV have one table per group with --group" {
	make_data group
	dwell report --json -s dso -i group.data >got
	[ "$(grep -c '"event": ' got)" = 3 ]
	run ! grep -q '"group"' got
	dwell report --json --group -s dso -i group.data >got
	[ "$(grep -c '"rows": ' got)" = 1 ]
	grep -q '"dso": "made", "group": \[{"self": 61.9048,' got
	dwell report --csv --group -s dso -i group.data | cut -d, -f1,4- >got
	prints group-in-csv <got
}

# hex TEXT: prints its bytes.
hex() {
	printf '%b' "$1" | od -An -v -tx1 | tr -d ' \n'
}

@test "report: a string field of a tracepoint is printed with its spaces" {
	local format
	need libtraceevent
	format='name: sched_stop\nID: 302\nformat:\n'
	format+='\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n'
	format+='\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n'
	format+='\tfield:int prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\n'
	format+='print fmt: "prev_comm=%s prev_pid=%d", REC->prev_comm, REC->prev_pid\n'
	"$DWELL_BUILD/tests/made/make_data" - trace.data <<-END
	file
	event name=sched:sched_stop type=tracepoint config=302 ids=1
	  sample_type=IDENTIFIER|IP|TID|TIME|CPU|RAW sample_id_all
	feature EVENT_DESC events
	feature TRACING_DATA bytes=17084474726163696e67 text=0.6 u8=0 u8=8
	  u32=4096 text=header_page u64=0 text=header_event u64=0 u32=0
	  u32=1 text=sched u32=1 u64=$(printf '%b' "$format" | wc -c)
	  bytes=$(hex "$format") u32=0 u32=0 u64=0
	record SAMPLE ip=0x10 pid=7 tid=7 time=10
	  raw=2e01000000000000$(hex 'tmux: server\0\0\0\0')0700000000000000
	END
	dwell report --csv -s prev_comm,prev_pid -i trace.data >rows
	cat rows
	sed 1d rows | grep ',tmux: server,7$'
}

@test "live: report: fields of tracepoints are keys, also if only some events have them" {
	need tracefs libtraceevent
	# Woken by a task, because some kernels take no samples of idle CPUs.
	cp "$(command -v cat)" asleep
	mkfifo pipe
	background ./asleep pipe >/dev/null
	asleep=$last
	background sh -c 'while sleep 0.01; do echo; done >pipe'
	dwell record -q -a -R -e sched:sched_wakeup -e sched:sched_switch \
		-o trace.data -- "${while_blocked[@]}" "$asleep"
	dwell report --csv -i trace.data -s sched_wakeup.comm,prev_comm >rows
	head -n 1 rows | grep -q ',sched_wakeup.comm,prev_comm$'
	grep -q '^sched:sched_wakeup,.*,asleep,N/A$' rows
	grep -q '^sched:sched_switch,.*,N/A,asleep$' rows
	dwell report --csv -i trace.data -s 'sched:sched_sw*.next_pid' >rows
	grep -q '^sched:sched_wakeup,100.*,N/A$' rows
	dwell report -i trace.data -s trace | grep -q 'comm=asleep pid='
	refuses 2 dwell report -i trace.data -s sched_wakeup.prev_comm
	[[ $line == *"unknown field 'sched_wakeup.prev_comm'"* ]]
}

@test "report: the error for a key without data names the option that records the data" {
	make_data branches
	refuses 1 dwell report -i branches.data -s mem
	[[ $line == *branches.data*"no data sources"*"'mem'"*"record -d"* ]]
	refuses 2 dwell report -i branches.data --no-branch-stack -s cycles
	[[ $line == *"'cycles'"*--branch-stack* ]]
	make_data memory
	refuses 1 dwell report -i memory.data -s symbol_from
	[[ $line == *"no branch stacks"*"record -b"* ]]
	refuses 2 dwell report -i memory.data -b --mem-mode
	[[ $line == *--mem-mode*--branch-stack* ]]
	refuses 2 dwell report -i memory.data -s type
	[[ $line == *"'type'"*"the types of variables"* ]]
	refuses 1 dwell report -i memory.data -s srcline_from
	[[ $line == *"no branch stacks"* ]]
	refuses 2 dwell report --time-quantum 3h
	[[ $line == *"'3h'"*"ms"* ]]
	refuses 2 dwell report -i memory.data -F overhead,shoe
	[[ $line == *--fields*"unknown field 'shoe'"* ]]
}

@test "report: code without a symbol is named by its offset in the file, in all processes" {
	"$DWELL_BUILD/tests/made/make_data" - made.data <<-'END'
		file
		event name=cycles sample_type=IP|TID|TIME|CALLCHAIN sample_id_all sample_period=1
		record COMM pid=7 tid=7 comm=made time=1
		record MMAP2 pid=7 tid=7 addr=0x700000 len=0x1000 filename=/nowhere/made prot=5 flags=2 time=2
		record COMM pid=8 tid=8 comm=made time=1
		record MMAP2 pid=8 tid=8 addr=0x400000 len=0x1000 filename=/nowhere/made prot=5 flags=2 time=2
		record SAMPLE ip=0x700123 pid=7 tid=7 time=3 chain=user,0x700123,0x700456
		record SAMPLE ip=0x400123 pid=8 tid=8 time=4 chain=user,0x400123,0x400456
	END
	dwell report -i made.data --no-children -g callee >text
	grep -q ' 0x456$' text
	absent grep -qE '0x[47]00456' text
}
