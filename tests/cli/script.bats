#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Fields of samples as text, from made recordings.

load common.bash

setup() {
	enter_test
	"$DWELL_BUILD/tests/made/make_data" - made.data <<-'END'
		file
		event name=cycles type=hardware sample_type=IP|TID|TIME|CPU|CALLCHAIN sample_id_all ids=1
		event name=faults type=software config=2 sample_type=IP|TID|TIME|CPU|ADDR|IDENTIFIER sample_id_all ids=2
		feature ARCH str=x86_64
		record COMM pid=7 tid=7 comm=made time=1
		record MMAP2 pid=7 tid=7 addr=0x400000 len=0x1000 prot=5 filename=/bin/none time=1
		record MMAP2 pid=7 tid=7 addr=0x600000 len=0x1000 prot=3 misc=user|mmap_data filename=//anon time=1
	END
}

# made_one FIELDS STATEMENT...: makes a recording of one raw event with these
# fields and statements.
made_one() {
	printf '%s\n' file "event name=raw type=raw sample_type=$1" "${@:2}" |
		"$DWELL_BUILD/tests/made/make_data" - one.data
}

@test "script: registers are printed by name, also vector registers and those of other processors" {
	printf '%s\n' 'file' 'feature ARCH str=x86_64' \
		"event name=e type=hardware sample_type=IP|REGS_INTR sample_regs_intr=0xc000000f00000001" \
		"record SAMPLE ip=1 regs_intr=1,2,3,4,5,6,7 regs_intr_abi=64" |
		"$DWELL_BUILD/tests/made/make_data" - regs.data
	dwell script -i regs.data -F iregs >got
	diff got - <<-'END'
	 ABI:2    AX:0x1  XMM0:0x2  XMM0:0x3  XMM1:0x4  XMM1:0x5 XMM15:0x6 XMM15:0x7 
	END
	printf '%s\n' 'file' 'feature ARCH str=aarch64' \
		"event name=e type=hardware sample_type=IP|REGS_USER sample_regs_user=0x400100000000" \
		"record SAMPLE ip=1 regs_user=1,2 regs_user_abi=64" |
		"$DWELL_BUILD/tests/made/make_data" - regs.data
	dwell script -i regs.data -F uregs >got
	diff got - <<-'END'
	 ABI:2    pc:0x1    vg:0x2 
	END
}

@test "script: an unknown field is refused with the list of fields" {
	refuses 2 dwell script -i made.data -F comm,nonsense
	[[ $line == *"unknown field 'nonsense'; the fields are comm, tid, "* ]]
	refuses 2 dwell script -i made.data -F comm,srccode
	[[ $line == *"'srccode' needs lines of source, which dwell does not read"* ]]
}

@test "script: -F with a + before only some fields is refused" {
	refuses 2 dwell script -i made.data -F +comm,tid
	[[ $line == *"'+comm,tid' mixes"* ]]
	refuses 2 dwell script -i made.data -F ''
	[[ $line == *"name at least one field"* ]]
}

@test "script: -F with an unknown kind of events, or a field that the kind lacks, is refused" {
	refuses 2 dwell script -i made.data -F nothing:comm
	[[ $line == *"unknown kind of events 'nothing'; the kinds are hw, sw, trace"* ]]
	refuses 2 dwell script -i made.data -F sw:trace
	[[ $line == *"software events have no 'trace'"* ]]
}

@test "script: a field that no sample has is refused with the name of the event" {
	made_one "IP|TID" "record SAMPLE ip=1 pid=7"
	refuses 1 dwell script -i one.data -F comm,phys_addr
	[[ $line == *"samples of raw 0x0:HG have no 'phys_addr'"* ]]
	refuses 1 dwell script -i one.data -F ip,symoff
	[[ $line == *"symoff goes with sym"* ]]
}

@test "script: -F weight prints weights, and ins_lat and retire_lat their parts" {
	made_one "IP|WEIGHT" "record SAMPLE ip=1 weight=0x300020000000a"
	[ "$(dwell script -i one.data -F weight)" = " 844433520066570" ]
	made_one "IP|WEIGHT_STRUCT" \
		"record SAMPLE ip=1 weight=0x300020000000a"
	[ "$(dwell script -i one.data -F weight,ins_lat,retire_lat)" = \
		"              10               2               3" ]
}

@test "script: -F cgroup prints the paths of control groups" {
	made_one "IP|CGROUP" "record CGROUP cgroup=77 path=/made.slice" \
		"record SAMPLE ip=1 cgroup=77" "record SAMPLE ip=1 cgroup=78"
	dwell script -i one.data -F cgroup >got
	printf '%s\n' " /made.slice" " unknown" | diff - got
}

@test "script: -F data_page_size,code_page_size prints sizes of pages" {
	made_one "IP|DATA_PAGE_SIZE|CODE_PAGE_SIZE" \
		"record SAMPLE ip=1 data_page_size=4096 code_page_size=0x200000"
	[ "$(dwell script -i one.data -F data_page_size,code_page_size)" = \
		" 4K 2M" ]
}

@test "script: -F brstack prints branches with their flags" {
	made_one "IP|BRANCH_STACK branch_sample_type=ANY|HW_INDEX" \
		"record SAMPLE ip=1 hw_idx=3 branches=0x10,0x20,0x12,0x30,0x40,0x50000d"
	[ "$(dwell script -i one.data -F brstack)" = \
		" 0x10/0x20/P/-/-/1/  0x30/0x40/M/X/A/0/IND_CALL " ]
}

@test "script: data addresses have the names of data mappings" {
	cat >data.txt <<-'END'
		file
		event name=page-faults type=software config=2 sample_type=IP|TID|TIME|ADDR sample_id_all
		record COMM pid=7 tid=7 comm=made time=1
		record MMAP2 pid=7 tid=7 addr=0x600000 len=0x1000 prot=3 misc=user|mmap_data filename=//anon time=1
		record SAMPLE ip=0x400000 pid=7 tid=7 addr=0x600010 time=2
		record SAMPLE ip=0x400000 pid=7 tid=7 addr=0x700010 time=3
	END
	"$DWELL_BUILD/tests/made/make_data" data.txt data.data
	dwell script -i data.data -F addr,dso >got
	diff - got <<-'END'
		          600010 (//anon)
		          700010 ([unknown])
	END
}

@test "script: output is right if more different addresses are printed than the cache holds" {
	local path
	path=/$(head -c 4000 /dev/zero | tr '\0' x)
	# More than SCRIPT_CODE_KEPT_MAX instructions between two equal samples.
	{
		cat <<-END
			file
			event name=cycles type=hardware sample_type=IP|TID|TIME|CALLCHAIN sample_id_all
			record COMM pid=7 tid=7 comm=made time=1
			record MMAP2 pid=7 tid=7 addr=0x10000 len=0x100000 prot=5 filename=$path time=1
		END
		echo "record SAMPLE ip=1 pid=7 tid=7 time=2 chain=user,0x10010,0x10020"
		echo "record SAMPLE ip=1 pid=7 tid=7 time=3 chain=user,$(
			seq -s, 65568 16 105568)"
		echo "record SAMPLE ip=1 pid=7 tid=7 time=4 chain=user,0x10010,0x10020"
	} | "$DWELL_BUILD/tests/made/make_data" - long.data
	dwell script -i long.data -F ip,dso >got
	[ "$(wc -l <got)" -eq $((2501 + 2 * 2 + 3 * 2)) ]
	head -n 4 got >first
	printf '\n\t%s (%s)\n\t%s (%s)\n\n' "              10" "$path" \
		"              20" "$path" | diff - first
	tail -n 4 got | diff first -
	awk -v path="($path)" 'NR > 5 && NR < 2507 && $2 != path' got >other
	[ ! -s other ]
}

@test "script: registers have the names of the recorded machine's processor" {
	printf '%s\n' file "feature ARCH str=aarch64" \
		"event name=e type=software sample_type=IP|REGS_USER sample_regs_user=0x100000001" \
		"record SAMPLE ip=1 regs_user=0x11,0x22 regs_user_abi=64" \
		"record SAMPLE ip=1 regs_user_abi=none" |
		"$DWELL_BUILD/tests/made/make_data" - regs.data
	dwell script -i regs.data -F uregs >got
	printf '%s\n' " ABI:2    x0:0x11    pc:0x22 " "" | diff - got
}

@test "report: --tasks prints threads below their parents, also if two processes are each other's parent" {
	"$DWELL_BUILD/tests/made/make_data" - tasks.data <<-'END'
		file
		event name=e type=software sample_type=IP|TID|TIME sample_id_all
		record COMM pid=7 tid=7 comm=first time=1
		record MMAP2 pid=7 tid=7 addr=0x400000 len=0x1000 prot=5 ino=99 filename=/bin/first time=1
		record FORK pid=8 ppid=7 tid=8 ptid=7 time=2
		record COMM pid=8 tid=8 comm=second misc=exec time=3
		record FORK pid=8 ppid=8 tid=9 ptid=8 time=4
		record COMM pid=20 tid=20 comm=egg time=5
		record COMM pid=21 tid=21 comm=hen time=5
		record FORK pid=20 ppid=21 tid=20 ptid=21 time=6
		record FORK pid=21 ppid=20 tid=21 ptid=20 time=6
	END
	dwell report --tasks -i tasks.data >got
	prints tasks <got
	dwell report --mmaps -i tasks.data | grep -A1 '|first' >got
	diff - got <<-'END'
	         7        7       -1 |first
	                                400000-401000 00000000 99 /bin/first
	END
}

@test "script: -F trace prints nothing for a tracepoint whose format was not recorded" {
	printf '%s\n' file \
		"event name=a:b type=tracepoint config=7 sample_type=IP|TID|RAW" \
		"record SAMPLE ip=1 pid=7 tid=7 raw=0700000000000000" |
		"$DWELL_BUILD/tests/made/make_data" - raw.data
	[ "$(dwell script -i raw.data -F event,trace)" = "tracepoint 7: " ]
}

@test "script: each --show-...-events option prints its records" {
	"$DWELL_BUILD/tests/made/make_data" - told.data <<-'END'
		file
		event name=cycles type=hardware sample_type=IP|TID|TIME|CPU sample_id_all
		record COMM pid=7 tid=7 comm=made
		record MMAP2 pid=7 tid=7 addr=0x400000 len=0x1000 prot=5 filename=/bin/none
		record SAMPLE ip=0x600000 pid=8 tid=8 time=9000 cpu=1
		record FORK pid=8 ppid=7 tid=8 ptid=7 by_pid=7 by_tid=7 time=1000
		record COMM pid=8 tid=8 comm=kid misc=user|exec time=2000 cpu=1
		record SWITCH by_pid=7 by_tid=7 misc=user|switch_out|preempt time=3000
		record SWITCH_CPU_WIDE by_pid=8 by_tid=8 next_prev_pid=7 next_prev_tid=7 time=3000 cpu=1
		record NAMESPACES pid=7 tid=7 namespaces=3,100 time=4000
		record CGROUP cgroup=77 path=/made.slice time=4000
		record LOST lost_id=1 lost=3 by_pid=8 by_tid=8 time=5000
		record KSYMBOL addr=0xffffffffc0000000 len=64 name=bpf_prog time=6000
		record BPF_EVENT prog_id=5 bpf_type=1 tag=0102030405060708 time=6000
		record TEXT_POKE addr=0xffffffff81000000 old_len=2 new_len=2 code=90900f0b time=7000
		record FINISHED_ROUND
		record EXIT pid=8 ppid=7 tid=8 ptid=7 by_pid=8 by_tid=8 time=8000 cpu=1
	END
	told() { dwell script -q -i told.data -F comm,pid,misc,time "$@"; }

	told --show-task-events >got
	prints show-task-events <got
	for kind in mmap switch namespace cgroup lost bpf text-poke; do
		told "--show-$kind-events" | grep -v '0.000009'
	done | tr -d '\t' >got
	prints show-other-events <got
	# Rounds are printed only in the order of the file.
	told --show-round-events --show-task-events | cut -d: -f2 >got
	prints show-events-in-order <got
	told --show-task-events -C 0 | cut -d: -f2 >got
	printf ' PERF_RECORD_%s\n' COMM 'FORK(8' | diff - got
}

make_late() {
	"$DWELL_BUILD/tests/made/make_data" "$@" \
		"$DWELL_SOURCE/tests/made/late.txt" late.data
}

late_script() {
	dwell script -i "$1" -F hw:time,weight,ip -F sw:time,ip 2>messages | tr -d '\n' |
		tr -s ' \t' ' ' | sed -e 's/ 0\.0/\n0.0/g' -e 's/$/\n/'
}

@test "script: a deferred user call chain is printed with its sample" {
	make_late
	late_script late.data >got
	prints deferred-call-chains <got
	[[ $(<messages) == *": 2 samples have no user call chain"* ]]
	# Also on a machine of the other byte order.
	make_late -b
	late_script late.data >turned
	diff got turned
}

@test "report and export count samples with their deferred user call chains" {
	make_late
	dwell report -i late.data --no-children -g caller -s pid >report \
		2>messages
	[[ $(<messages) == *": 2 samples have no user call chain"* ]]
	grep -q 0x400200 report
	absent grep -q 0x77 report
	late_script late.data >before
	dwell export --format perf-data -i late.data -o whole.data
	late_script whole.data >after
	diff before after
	dwell script -D -i whole.data >dump
	absent grep -i deferred dump
}
