#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Fields of -s and -F compared with perf: on recordings made from a text,
# because virtual machines cannot record all fields, and on real ones.

load rows.bash

setup() {
	need perf
	enter_test
}

make_data() {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/$1.txt" "$1.data"
}

# Removes differences in which perf is not better: "1024M" for 1G; symbols of
# this machine's kernel for any kernel address (so kernel symbols are not
# shown); negative numbers for cycles above 32767. dwell records the data for
# both, because perf sometimes writes a build ID that makes it crash later.
perf_table() {
	perf report --stdio -g none -t'|' "$@" 2>/dev/null </dev/null |
		grep -v '^#' | grep . |
		sed -e 's/^ *//' -e 's/ *| */|/g' -e 's/ *$//' \
			-e 's/1024M/1G/' |
		sort
}

dwell_table() {
	dwell report --stdio -g none "$@" | grep -v '^#' | grep . |
		sed -e 's/^ *//' -e 's/  \+/|/g' -e 's/[| ]*$//' | sort
}

# same_table FILE OPTION...: compares the tables, which must not be empty.
same_table() {
	local file=$1
	shift
	perf_table -i "$file" "$@" | sed 's/[| ]*$//' >perf.rows
	dwell_table -i "$file" "$@" >dwell.rows
	same_own perf.rows dwell.rows
}

@test "report: memory accesses have the weights and names of perf report" {
	make_data memory
	same_table memory.data --mem-mode -s mem,dso
	same_table memory.data --mem-mode -s snoop,tlb
	same_table memory.data --mem-mode -s locked,blocked
	same_table memory.data --mem-mode -s dso_daddr
	same_table memory.data --mem-mode -F overhead,phys_daddr
	same_table memory.data --mem-mode -F overhead,data_page_size,sample
	same_table memory.data --mem-mode -F overhead,symbol_daddr
	same_table memory.data --mem-mode -F overhead,dcacheline
}

@test "report: namespaces, mapping sizes and marks of data are those of perf report" {
	make_data places
	same_table places.data -s cgroup_id
	same_table places.data -F overhead,cgroup_id,dso
	same_table places.data -s dso,dso_size
	same_table places.data -s dso_size
	same_table places.data --mem-mode -F overhead,dcacheline
	same_table places.data --mem-mode -F overhead,dso_daddr,symbol_daddr
	grep -q '|\[s\] ' <(dwell_table -i places.data -s dso,dcacheline)
}

# The manual page lists the missing keys.
@test "report: all sort keys of perf are accepted, or reported as not supported" {
	perf report -h 2>&1 | sed -n '/-s, --sort/,/-S, --symbols/p' |
		grep -v -e --sort -e --symbols | sed 's/sort by key(s)://' |
		tr ' \t' '\n' | grep . | sort >keys
	[ "$(wc -l <keys)" -gt 50 ]
	make_data places
	while read -r key; do
		dwell report --stdio -i places.data -s "$key" >rows 2>told || true
		if grep -q 'unknown field' told; then
			echo "$key is unknown"
			return 1
		fi
		if grep -q "does not support" told; then echo "$key"; fi
	done <keys >missing
	diff missing - <<-'END'
	ipc_lbr
	ipc_null
	END
}

@test "report: header data of processors that this machine lacks are printed as by perf" {
	make_data header
	for order in perf dwell; do
		$order report --header-only -I -i header.data 2>/dev/null |
			grep -e contains -e capabilities -e hybrid -e 'cpu list' \
			>$order.lines
	done
	grep -x '# cpu pmu capabilities: branches=32, max_precise=3' perf.lines
	diff perf.lines dwell.lines
}

@test "report: BPF programs in the header are printed as by perf" {
	make_data bpf
	for order in perf dwell; do
		$order report --header-only -I -i bpf.data 2>/dev/null |
			grep -a -e bpf_prog -e btf >$order.lines
	done
	[ "$(wc -l <perf.lines)" = 5 ]
	diff perf.lines dwell.lines
}

@test "report: sort keys of further fields of samples have the rows of perf report" {
	make_data memory
	same_table memory.data -s weight,local_weight
	same_table memory.data -s ins_lat,local_ins_lat
	same_table memory.data -s transaction
	same_table memory.data -s cgroup
	same_table memory.data -s code_page_size
	same_table memory.data -s cpu
	same_table memory.data -s socket
	same_table memory.data -s time
	same_table memory.data -s time --time-quantum 10ms
	same_table memory.data --ns -s time --time-quantum 10ns
	same_table memory.data -n -s time,overhead,cpu
	same_table memory.data -F overhead_us,overhead_sys,cpu
}

# A system-wide recording begins with records of existing processes, at time 0.
@test "report: COMM records at time 0 apply in file order, and before forks" {
	names() {
		printf '%s\n' file \
			'event name=e type=hardware sample_period=1 sample_type=IP|TID|TIME|PERIOD sample_id_all comm task' \
			"$@" |
			"$DWELL_BUILD/tests/made/make_data" - names.data
		same_table names.data -F overhead,comm,sample
	}
	first='record COMM pid=7 tid=7 comm=a time=0'
	second='record COMM pid=7 tid=7 comm=b time=0'
	sample='record SAMPLE ip=1 pid=7 tid=7 period=1'
	names "$first" "$second" "$sample time=100"
	names "$first" "$sample time=100" "$second" "$sample time=300"
	names 'record COMM pid=7 tid=7 comm=x time=50 misc=exec' \
		"$sample time=100" "$second" "$sample time=300"
	names "$first" 'record FORK pid=7 tid=7 ppid=1 ptid=1 time=0' \
		"$second" "$sample time=100"
	names "$first" 'record FORK pid=8 tid=8 ppid=7 ptid=7 time=0' \
		'record SAMPLE ip=1 pid=8 tid=8 period=1 time=100'
	names 'record COMM pid=8 tid=8 comm=b time=0' "$first" \
		'record FORK pid=8 tid=8 ppid=7 ptid=7 time=0' \
		'record SAMPLE ip=1 pid=8 tid=8 period=1 time=100'
	names 'record COMM pid=1 tid=1 comm=sh time=0' \
		'record FORK pid=7 tid=7 ppid=1 ptid=1 time=50' \
		'record COMM pid=7 tid=7 comm=ls misc=exec time=60' \
		"$second" "$sample time=55" "$sample time=100"
}

@test "report: branches of branch stacks have the rows of perf report" {
	make_data branches
	same_table branches.data -s comm,dso_from,dso_to
	same_table branches.data -n -s dso
	same_table branches.data -s mispredict
	same_table branches.data -s in_tx
	same_table branches.data -s abort
	same_table branches.data -s cycles
	same_table branches.data -F overhead,period,cpu -s abort
	same_table branches.data --no-branch-stack -s comm,dso
}

@test "report: branches of recordings from other machines have the rows of perf report" {
	CORPUS=${DWELL_CORPUS:-$DWELL_SOURCE/../shared/corpus}
	need corpus
	for name in branch-4.14 branch_stack_spec; do
		file=$CORPUS/$name.perf.data
		same_table "$file" -s dso_from,dso_to
		same_table "$file" -s in_tx,abort
		same_table "$file" -n -s dso
	done
	same_table "$CORPUS/branch-4.14.perf.data" --no-branch-stack
	same_table "$CORPUS/branch_stack_spec.perf.data" -s sym
}

@test "report: sort keys are found by their beginning, in the order of perf" {
	make_data memory
	make_data branches
	for keys in s sy SYM; do
		dwell report -i memory.data -s "$keys" |
			diff - <(dwell report -i memory.data -s sym)
		grep -q '^# Overhead  Symbol' <(perf report --stdio \
			-i memory.data -s "$keys" 2>/dev/null)
	done
	for keys in c cp ds DSO l w ti ad "com, ds,,cp"; do
		same_table memory.data -s "$keys"
	done
	same_table memory.data --mem-mode -s me,sn,tl,lock,blo
	same_table memory.data -F o,sa,per,d
	same_table branches.data -b -s in_t
	same_table branches.data -b -s com,dso_f
	dwell report -i memory.data -s src |
		diff - <(dwell report -i memory.data -s srcline)
	refuses 2 dwell report -i memory.data -s com,x
	[[ $line == *"unknown field 'x'"* ]]
}

@test "report: a group of events is one table with the counts of each event" {
	make_data group
	perf_group() {
		perf report --stdio "$@" -i group.data 2>/dev/null </dev/null |
			grep -v -e '^#' | grep . | tr -s ' ' | sed 's/ $//'
	}
	dwell_group() {
		dwell report --stdio "$@" -i group.data | grep -v '^#' |
			grep . | tr -s ' ' | sed 's/ $//'
	}
	for options in "-n -s dso,sym" "-s dso --show-total-period" "-F dso,sample" \
		"-s dso --no-group -n" "-s comm,cpu"; do
		# shellcheck disable=SC2086
		diff <(perf_group $options) <(dwell_group $options)
	done
	[ "$(dwell_group -s dso | wc -l)" = 2 ]
}

# perf omits a column without values.
@test "live: report: fields of tracepoints have the rows of perf report" {
	need tracefs libtraceevent
	# Only of programs without a blank in their name: perf ends a field
	# there.
	dwell record -q -R -e sched:sched_switch,sched:sched_wakeup \
		-o trace.data -- sh -c 'for i in 1 2 3 4 5; do
			sleep 0.01; echo | cat; done' >/dev/null
	for keys in prev_comm sched_switch.next_pid,prev_state target_cpu \
		common_pid trace comm,prev_prio; do
		diff <(perf_table -i trace.data -s $keys) <(dwell_table \
			-i trace.data -s $keys | sed 's,|N/A,,g' | sort)
	done
}

@test "live: report: accessed data have the names of their variables" {
	need breakpoint
	echo 'volatile int table[64], one = 5;
	int main(void)
	{
		for (int i = 0; i < 50000; i++)
			table[3] += i, one ^= i;
		return 0;
	}' >data.c
	cc -O1 -no-pie data.c -o data
	dwell record -q -d -W -c 1000 -o data.data \
		-e "mem:0x$(nm data | grep -w one | cut -d' ' -f1)/4:rw" \
		./data
	same_table data.data --mem-mode -F overhead,symbol_daddr,dso_daddr
	dwell_table -i data.data -s symbol_daddr | grep -qx '100.00%|\[.\] one+0x0'
}

@test "live: report: sort keys of a recording with callers have the rows of perf report" {
	compile "$DWELL_SOURCE/tests/bench/chain.c" chain
	dwell record -q -e cpu-clock -F 2000 --call-graph fp -d -W --sample-cpu \
		--code-page-size -o chain.data ./chain 2 100000 >/dev/null
	same_table chain.data -F overhead,sample,comm,dso
	same_table chain.data --no-children -s time,overhead,dso -n
	same_table chain.data --no-children -s +cpu --show-total-period
	same_table chain.data -n -F overhead_us,overhead_sys,period,dso
	same_table chain.data --no-children -s code_page_size,dso
	same_table chain.data --no-children -s addr
	same_table chain.data --mem-mode -s mem,dso
}

# separated TOOL OPTION...: prints rows with -t, where cells may be empty.
separated() {
	"$1" report --stdio -g none -t'|' "${@:2}" 2>/dev/null </dev/null |
		grep -v '^#' | grep . | sed 's/^ *//; s/ *| */|/g; s/ *$//' |
		sort
}

# Without files of the loader and the C library, and code without a file.
only_files_of_words() {
	grep -v -e ld-linux -e libc -e 'crtstuff\.c' -e '||words$' -e '|words|$'
}

# For inlined code, perf and dwell print the file of the inlined function. For a
# few addresses of the loader and libc, perf's binutils prints another file, and
# llvm-symbolizer prints dwell's.
@test "live: report: source files of samples are those of perf report" {
	local turn=0

	need c++
	for compiler in c++ clang++; do
		command -v $compiler >/dev/null || continue
		$compiler -O2 -g "$DWELL_SOURCE/tests/peer/words.cpp" -o words
		dwell record -q -e cpu-clock:u -F 2000 -o words.data ./words 8 \
			>/dev/null
		turn=$((turn + 1))
		for keys in srcfile,dso dso,srcfile; do
			is_chosen || continue
			separated perf -i words.data -s $keys |
				only_files_of_words >perf.rows
			separated dwell -i words.data -s $keys |
				only_files_of_words >dwell.rows
			grep -q stl_tree.h dwell.rows
			diff perf.rows dwell.rows
		done
	done
}
