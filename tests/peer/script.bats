#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The text of samples compared with perf script's, field by field.

load recordings.bash

needed=(perf)

record_files() {
	local sample=(-d --phys-data --data-page-size --code-page-size -W
		-e page-faults,cpu-clock)
	perf_record "${sample[@]}" -F 1000 -o memory.data \
		ls -lR /usr/include >/dev/null
	"$DWELL_BUILD/dwell" record -q "${sample[@]}" -F 1000 -I \
		-o memory.dwell ls -lR /usr/include >/dev/null
	perf_record -e '{task-clock,page-faults}:S' -c 1000000 -g \
		-o group.data ls -lR /usr/include >/dev/null
	"$DWELL_BUILD/dwell" record -q -e '{task-clock,page-faults}:S' \
		-c 1000000 -o group.dwell ls -lR /usr/include >/dev/null
	perf_record -e cpu-clock -F 1000 -I --user-regs=ip,sp \
		-o registers.data ls -lR /usr/include >/dev/null
	perf_record -e cpu-clock,page-faults -F 1000 -g -o chain.data \
		ls -lR /usr/include >/dev/null
	meets tracefs || return 0
	local events=sched:sched_switch,sched:sched_process_exec
	events+=,syscalls:sys_enter_openat,task:task_newtask
	# The format of this tracepoint prints elements of an array.
	events+=,raw_syscalls:sys_enter
	# The formats of these two print kernel functions by their names.
	perf_record -e "$events,kmem:kmalloc,timer:hrtimer_start" \
		-o trace.data sh -c 'ls /usr/include | sort' >/dev/null
	"$DWELL_BUILD/dwell" record -q -e "$events,timer:hrtimer_start" \
		-o trace.dwell \
		sh -c 'ls /usr/include | sort' >/dev/null
	"$DWELL_BUILD/dwell" record -q --call-graph fp -e "$events,cpu-clock" -o mixed.dwell \
		sh -c 'ls /usr/include | sort' >/dev/null
	perf_record -e "$events" -o - sh -c 'ls /usr/include' \
		2>/dev/null >pipe.data || rm pipe.data
}

# same_text FILE OPTION...: succeeds if perf script and dwell script print the
# same.
same_text() {
	local file=$1
	shift
	perf script --max-stack 512 -i "$file" "$@" 2>/dev/null \
		>"$BATS_TEST_TMPDIR/perf.raw"
	without_ways <"$BATS_TEST_TMPDIR/perf.raw" \
		>"$BATS_TEST_TMPDIR/perf.text"
	dwell script -i "$file" "$@" | without_ways \
		>"$BATS_TEST_TMPDIR/dwell.text"
	same_lines "$BATS_TEST_TMPDIR/perf.text" "$BATS_TEST_TMPDIR/dwell.text"
}

@test "live: script: fields of tracepoints that perf recorded are those of perf script" {
	need tracefs libtraceevent
	same_text trace.data
	[ ! -e pipe.data ] || same_text pipe.data
	same_text trace.data -F comm,trace
	same_text trace.data -F trace:event,time,cpu
}

@test "live: script: fields of tracepoints that dwell recorded are those of perf script" {
	need tracefs libtraceevent
	same_text trace.dwell
	same_text trace.dwell -F comm,trace
}

@test "live: script: tracepoints with call chains and other events are those of perf script" {
	need tracefs libtraceevent
	same_text mixed.dwell
	same_text mixed.dwell -F trace:comm,trace
	same_text mixed.dwell -F comm,pid,tid,event,ip,sym,symoff,dso
	same_text mixed.dwell -F-trace
	same_text mixed.dwell -G
}

@test "live: script: every field of a sample is that of perf script" {
	same_text memory.data
	same_text memory.dwell
	for fields in comm,tid,pid,time,event ip,sym ip ip,sym,dso ip,sym,flags \
		misc,ip,comm,time comm,addr,dso period,comm \
		addr,phys_addr,data_page_size,code_page_size,weight,data_src
	do
		same_text memory.data -F "$fields"
		same_text memory.dwell -F "$fields"
	done
}

@test "live: script: -F adds and removes fields as in perf script" {
	same_text memory.data -F +weight,+phys_addr -F-period
	same_text chain.data -F-comm
	same_text chain.data -F-sym,-symoff
	same_text chain.data -F sw:comm,ip
}

@test "live: script: registers have the names of perf script" {
	same_text registers.data -F comm,iregs
	same_text registers.data -F comm,uregs
	same_text memory.dwell -F +iregs
}

@test "live: script: times in nanoseconds and relative times are those of perf script" {
	same_text chain.data --ns
	same_text chain.data --reltime
	same_text chain.data --deltatime
}

@test "live: script: hidden and shortened call chains are those of perf script" {
	same_text chain.data -G
	perf script -i chain.data -F comm,ip,sym --max-stack 3 2>/dev/null |
		without_ways >"$BATS_TEST_TMPDIR/perf.text"
	dwell script -i chain.data -F comm,ip,sym --max-stack 3 |
		without_ways >"$BATS_TEST_TMPDIR/dwell.text"
	same_lines "$BATS_TEST_TMPDIR/perf.text" "$BATS_TEST_TMPDIR/dwell.text"
}

@test "live: script: a sample with the counters of a group is printed once for each event" {
	same_text group.data
	same_text group.dwell -F comm,tid,period,event,time
	same_text group.dwell --time 20%-60%
	[ "$(dwell script -F event -i group.dwell | sort -u | wc -l)" = 2 ]
}

@test "live: script: samples at addresses and in address ranges are those of perf script" {
	local at
	at=$(dwell script -G -F ip,dso -i chain.data | awk '/ \(\/usr/ { print $1 }' |
		sort | uniq -c | sort -n | awk 'END { print $2 }')
	same_text chain.data -G -S "$at"
	same_text chain.data -G -S "nothing,0x$at"
	same_text chain.data -G -S "0x$at" --addr-range 64
	local before
	before=$(printf %x $((16#$at - 9)))
	same_text chain.data -G -S "$before" --addr-range 10
	run ! grep -w "$at" <(dwell script -G -F ip -S "$before" \
		--addr-range 9 -i chain.data)
	dwell script -S "${at}0" -i chain.data >lines
	absent grep . lines
}

@test "live: script: names listed in a file select the samples of perf script" {
	printf '%s\n' nobody ls >"$BATS_TEST_TMPDIR/comms"
	same_text chain.data -G -c "file://$BATS_TEST_TMPDIR/comms"
	same_text chain.data -G -c "x,file://$BATS_TEST_TMPDIR/comms,y"
	# perf omits the event's column if there is only one event.
	{
		echo nothing
		dwell script -G -F ip,sym -i chain.data |
			awk '$2 ~ /^[a-z]/ { print $2 }' | sort | uniq -c |
			sort -n | awk 'END { print $2 }'
	} >"$BATS_TEST_TMPDIR/symbols"
	same_text chain.data -G -S "file://$BATS_TEST_TMPDIR/symbols"
	same_rows chain.data --no-children \
		-S "file://$BATS_TEST_TMPDIR/symbols"
}

@test "live: report: the tree of threads below their parents is that of perf report --tasks" {
	for file in chain.data memory.data; do
		for order in perf dwell; do
			$order report --tasks -i $file 2>/dev/null | sort \
				>"$BATS_TEST_TMPDIR/$order.text"
		done
		diff "$BATS_TEST_TMPDIR/perf.text" "$BATS_TEST_TMPDIR/dwell.text"
	done
}

@test "live: report: --header-only prints the topology of the machine as perf report" {
	for order in perf dwell; do
		$order report --header-only -I -i chain.data 2>/dev/null |
			grep -e sibling -e '^# CPU' -e '^# node' -e '^#  ' \
			-e '^# memory' -e '^# hostname' -e '^# nrcpus' -e '^# total' \
			>"$BATS_TEST_TMPDIR/$order.text"
	done
	grep -q '^# hostname' "$BATS_TEST_TMPDIR/perf.text"
	diff "$BATS_TEST_TMPDIR/perf.text" "$BATS_TEST_TMPDIR/dwell.text"
	dwell script --header-only -i chain.data |
		grep '^# CPU_TOPOLOGY info available, use -I to display'
}

# same_answer VERB WORD...: succeeds if both print the same, except perf's tip
# and its copy of the vdso without a build ID.
same_answer() {
	perf "$@" 2>/dev/null | grep -v -e '^# Tip' -e '^  *.*/perf-vdso' \
		>"$BATS_TEST_TMPDIR/perf.text"
	dwell "$@" >"$BATS_TEST_TMPDIR/dwell.text"
	[ -s "$BATS_TEST_TMPDIR/perf.text" ]
	diff "$BATS_TEST_TMPDIR/perf.text" "$BATS_TEST_TMPDIR/dwell.text"
}

@test "live: evlist: the events of a recording are those of perf evlist" {
	for file in chain.data memory.dwell registers.data; do
		same_answer evlist -i $file
		same_answer evlist -F -i $file
		same_answer evlist -g -i $file
	done
	same_answer evlist -v -i chain.data
	same_answer evlist -v -i registers.data
}

@test "live: evlist: the fields of tracepoints are those of perf evlist" {
	need tracefs libtraceevent
	same_answer evlist --trace-fields -i trace.data
	same_answer evlist --trace-fields -i trace.dwell
}

@test "live: buildid-list: the build IDs of a recording are those of perf buildid-list" {
	same_answer buildid-list -i memory.dwell
	same_answer buildid-list -H -i memory.dwell
	# From its mappings, of which perf lists only those with samples.
	same_answer buildid-list -H -i chain.data
}

@test "script: group counters, out of order and with unknown IDs, are those of perf script" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/group.txt" "$BATS_TEST_TMPDIR/data"
	same_text "$BATS_TEST_TMPDIR/data"
	same_text "$BATS_TEST_TMPDIR/data" --time 0.000005,0.000007
}

@test "events and build IDs of recordings from other machines are those of perf" {
	local corpus=${DWELL_CORPUS:-$DWELL_SOURCE/../shared/corpus}
	need corpus
	for file in branch-4.14 group_desc-4.14 hw_and_sw-3.4 i686-3.4; do
		same_answer evlist -v -i "$corpus/$file.perf.data"
		same_answer evlist -g -i "$corpus/$file.perf.data"
		same_answer buildid-list -i "$corpus/$file.perf.data"
		same_answer buildid-list -H -i "$corpus/$file.perf.data"
	done
}

@test "script: branches of recordings from other machines are those of perf script" {
	local corpus=${DWELL_CORPUS:-$DWELL_SOURCE/../shared/corpus} file
	need corpus
	for file in branch-4.14 branch_stack_spec; do
		file=$corpus/$file.perf.data
		same_text "$file" -F comm,tid,brstack
		same_text "$file" -F brstacksym
		same_text "$file" -F brstack,dso
		same_text "$file" -F ip,sym,symoff,dso,brstacksym
	done
}

@test "script: memory data sources have the words of perf script, for all bits" {
	local bit value
	{
		echo file
		echo "event name=mem type=raw sample_type=IP|DATA_SRC|WEIGHT"
		for bit in {0..45}; do
			echo "record SAMPLE ip=1 data_src=$((1 << bit))" \
				"weight=$bit"
		done
		for value in 0x10268100142 0x1e05080021 0x868100142 \
			0x2a04c00842 0x300026a100842; do
			echo "record SAMPLE ip=1 data_src=$value weight=1"
		done
	} >"$BATS_TEST_TMPDIR/memory.txt"
	"$DWELL_BUILD/tests/made/make_data" "$BATS_TEST_TMPDIR/memory.txt" \
		"$BATS_TEST_TMPDIR/memory.data"
	same_text "$BATS_TEST_TMPDIR/memory.data" -F data_src,weight
}

@test "live: script: sideband records are printed as by perf script" {
	local all=(--show-{task,mmap,switch,namespace,lost,bpf,cgroup}-events)

	perf_record -e cpu-clock -F 1000 -g --switch-events --namespaces \
		--all-cgroups -o told.data sh -c 'ls /usr/include | sort' \
		>/dev/null
	same_text told.data "${all[@]}"
	# In the order of the file, perf does not yet have the name of a new
	# task and the mapping of its code.
	same_text told.data "${all[@]}" -F misc,tid,time,event \
		--show-round-events
	dwell record -q --call-graph fp --switch-events --namespaces -o told.dwell \
		sh -c 'ls /usr/include | sort' >/dev/null
	same_text told.dwell "${all[@]}"
}
