#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Attributes that dwell and perf make for the events of -e, field by field. For
# each event that perf can parse here, also if the machine cannot count it.

load rows.bash

setup() {
	need perf
	enter_test
}

# attr_lines: prints each attribute of perf's debug output as a line, with the
# field names of tests/peer/attrs.
attr_lines() {
	awk -v wanted=" type config config1 config2 bp_type exclude_user \
exclude_kernel exclude_hv exclude_host exclude_guest exclude_idle \
precise_ip pinned exclusive inherit freq rate sample_max_stack chain " '
		{ sub("{ bp_addr, config1 }", "config1")
		  sub("{ bp_len, config2 }", "config2")
		  sub("{ sample_period, sample_freq }", "rate") }
		/^perf_event_attr:/ { is_in = 1; next }
		/^-----/ { if (is_in) print ""; is_in = 0; next }
		$1 == "sample_type" && /CALLCHAIN/ { $0 = "chain 1" }
		is_in && index(wanted, " " $1 " ") { printf "%s=%s ", $1, $2 }' |
		sed -e 's/sample_max_stack/max_stack/g' | numbers
}

# numbers: removes 0x from numbers, sorts the fields, and omits fields that are
# 0.
numbers() {
	perl -ne 's/=0x([0-9a-f]+)/"=" . hex($1)/ge;
		print join(" ", sort grep { !/=0$/ } split), "\n"'
}

perf_attr() {
	timeout 10 perf record -vv -o perf.data -e "$1" true </dev/null 2>&1 |
		attr_lines | head -1
}

dwell_attrs() {
	"$DWELL_BUILD/tests/peer/attrs" "$@" | numbers
}

# same EVENT...: compares all fields, prints the differences, and fails if there
# is one.
same() {
	local event bad=

	for event; do
		if ! diff <(perf_attr "$event") <(dwell_attrs "$event"); then
			echo "$event"
			bad=yes
		fi
	done
	[ -z "$bad" ]
}

# same_selection EVENT...: compares all fields except the sampling rate. perf
# stat prints attributes faster than perf record.
same_selection() {
	local event bad=

	for event; do
		perf stat -vv -e "$event" true </dev/null 2>&1 | attr_lines |
			head -1 >perf.attr
		dwell_attrs "$event" | sed -E -e 's/ ?\b(freq|rate)=[0-9]+//g' \
			-e 's/^ //' >dwell.attr
		if ! diff perf.attr dwell.attr; then
			echo "$event"
			bad=yes
		fi
	done
	[ -z "$bad" ]
}

# refused EVENT...: succeeds if both refuse each event.
refused() {
	local event

	for event; do
		run -129 perf stat -e "$event" true
		[ "$(dwell_attrs "$event")" = refused ]
	done
}

@test "live: record -e: hardware and software events have the attributes of perf record" {
	same_selection cycles cpu-cycles instructions cache-references \
		cache-misses branches branch-instructions branch-misses \
		bus-cycles ref-cycles stalled-cycles-frontend \
		idle-cycles-frontend stalled-cycles-backend \
		idle-cycles-backend cpu-clock task-clock \
		page-faults faults minor-faults major-faults context-switches \
		cs cpu-migrations migrations alignment-faults \
		emulation-faults dummy bpf-output cgroup-switches
	same bpf-output cycles cpu-clock
	refused cycels r11112222333344445
}

@test "live: record -e: cache events and aliases have the attributes of perf record; others are refused" {
	same_selection L1-dcache-loads L1-dcache-load-misses L1-dcache-stores \
		L1-dcache-store-misses L1-dcache-prefetches \
		L1-dcache-prefetch-misses l1-d-read l1d-write-miss \
		L1-data-misses L1-icache-loads L1-icache-load-misses l1-i \
		l1i-refs L1-instruction-prefetch LLC LLC-loads LLC-load-misses \
		LLC-stores LLC-prefetch-misses L2-access dTLB-loads \
		dTLB-load-misses d-tlb-stores Data-TLB-store-misses \
		iTLB-loads iTLB-load-misses i-tlb Instruction-TLB-miss \
		branch-loads branch-load-misses bpu-read btb bpc-ops node-loads \
		node-load-misses node-stores node-prefetch-misses node \
		LLC-misses-stores LLC-speculative-read
	refused iTLB-stores L1-icache-stores branch-stores L1-DCACHE-loads \
		llc-loads L1-dcache-foo
}

@test "live: record -e: events with modifiers have the attributes of perf record" {
	same_selection cycles:u cycles:k cycles:h cycles:uk cycles:ukh \
		cycles:G cycles:H cycles:GH cycles:uG cycles:kH cycles:I \
		cycles:D cycles:e cycles:uDe cpu-clock:u task-clock:k cs:uH \
		LLC-loads:k cycles:p cycles:pp cycles:ppp cycles:ppu \
		cycles:upp cycles:pH cycles:kp r1a8:kI
	refused cycles:pppp cycles:uu cycles:x LLC-loads:q cs:zz
}

@test "live: record -e: raw events and events with terms have the attributes of perf record" {
	same_selection r1a8 rC0FFEE:u r0 1:0 0:1:u 4:0x1a8 2:1 \
		cycles/config1=0x20/ cycles/config2=7,name=y/k cycles// cs//u
	same r1a8/period=3/ cycles/period=1000,name=foo/u \
		cpu-clock/freq=99,name=x/ cpu-clock/call-graph=fp/ \
		cpu-clock/call-graph=no/ cs/no-inherit/ \
		cpu-clock/max-stack=9/ LLC-loads/period=0x10/u
	refused cycles/perod=3/ cycles/period=x/
}

@test "live: record -e: breakpoints have the attributes of perf record" {
	same_selection mem:0x1000 mem:0x1000:r mem:0x1000:w mem:0x1000:rw \
		mem:0x1000:x mem:0x1000/8 mem:0x1000/1:w mem:0x1000/2:rw:u \
		mem:4096:w:k mem:0x1000:u
	same mem:0x1000:w
	refused mem: mem:0x1000:rr mem:0x1000:z
}

@test "live: record -e: events of the PMUs of this machine have the attributes of perf record" {
	need msr
	same_selection msr/tsc/ msr/tsc/u msr/event=0x1/ msr/event=0,name=x/ \
		msr/tsc,period=77/ msr/config=0x2/ msr/config=1,config1=2/ \
		software/config=2/ software/config=0/k
	refused msr/evnt=0/ msr/foo/ nopmu/x=1/ msr/event=x/
}

@test "live: record -e: tracepoints and globs have the attributes of perf record" {
	need tracefs perf-tracepoints
	same_selection sched:sched_switch sched:sched_switch:u \
		sched:sched_process_exec:k
	same sched:sched_switch sched:sched_switch/call-graph=fp/ \
		sched:sched_wakeup/max-stack=5/
	refused shed:sched_switch sched:sched_swich
	# perf 6.1 requires a match in each group, and crashes (stack smashing)
	# on some globs.
	for glob in 'sched:*' 'sched*:sched_*' 'sched:sched_[sw]*' \
		'irq:softirq_*'; do
		timeout 10 perf record -q -e "$glob" -o perf.data true \
			>/dev/null 2>&1 || continue
		dwell record -q -e "$glob" -o dwell.data true
		perf evlist -i perf.data | grep : | grep -v ^dummy |
			sort >perf.names
		perf evlist -i dwell.data | grep : | grep -v ^dummy |
			sort >dwell.names
		[ -s perf.names ]
		diff perf.names dwell.names
		compared=yes
	done
	[ "${compared:-}" ]
}
