#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --call-graph bpf: stacks that a BPF program unwinds in the kernel.

load common.bash

setup() {
	enter_test
	unset DWELL_NO_BPF
}

# kernel_counts FILE: prints "stacks complete early" of the messages of -v. Early stacks
# came before the rules of their file. There are many of them if the recorder waits for
# a CPU.
kernel_counts() {
	awk '/stacks were unwound in the kernel/ { all = $3 }
		/in the kernel: .* are complete/ { whole = $6 }
		/in the kernel: .* came before the rules/ { early = $6 }
		END { print all + 0, whole + 0, early + 0 }' "$1"
}

# mostly_in_kernel LEAST: more than LEAST stacks were taken, some of them are complete in
# the kernel, and so is more than half of those that came after the rules of their file,
# by the messages of -v in the file "log".
mostly_in_kernel() {
	read -r all whole early < <(kernel_counts log)
	[ "$all" -gt "$1" ]
	[ "$whole" -gt 5 ]
	[ "$whole" -gt $(((all - early) / 2)) ]
}

# chains FILE: prints the distinct chains of functions, outermost last.
chains() {
	dwell script -F ip,sym -i "$1" | awk 'NF { printf "%s;", $2; next }
		{ print "" }' | sort -u
}

@test "live: record: --call-graph bpf: stacks of a program without frame pointers are complete" {
	need bpf
	need gcc
	gcc -O2 -fomit-frame-pointer -pthread -o deep "$DWELL_SOURCE/tests/cli/deep.c"
	dwell record -v "${large[@]}" -F 2000 --call-graph bpf -o bpf.data -- \
		./deep 40 0.4 2>log
	cat log
	mostly_in_kernel 100
	grep -E 'stacks are complete \((100.00|99\.[0-9]+) %\)' log
	# The chains are those of stack copies.
	dwell record -q -F 2000 --call-graph dwarf,65528 -o copied.data -- ./deep 40 0.4
	chains bpf.data | grep -c main
	comm -12 <(chains bpf.data) <(chains copied.data) | grep -c main
}

# The frame pointer in such code can be that of an outer frame: "outer" sets it, and "inner"
# and middle() do not.
@test "live: record: --call-graph bpf: callers of run-time code without frame pointers are not skipped" {
	need bpf x86_64
	need gcc
	cat >made.c <<-'END'
		#include <string.h>
		#include <sys/mman.h>
		#include <time.h>
		typedef void call(void (*)(void));
		__asm__(".pushsection .rodata\n"
			".globl outer, inner, last\n"
			"outer:	push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret\n"
			"inner: sub $8, %rsp; call *%rdi; xor %eax, %eax; nop; add $8, %rsp; ret\n"
			"last:	.popsection\n");
		extern const char outer[], inner[], last[];
		static call *calls[2];
		static volatile unsigned long sum;
		__attribute__((noinline)) void leaf(void)
		{
			for (int i = 0; i < 1000; i++)
				sum += i;
		}
		__attribute__((noinline)) void middle(void)
		{
			calls[1](leaf);
			sum++;
		}
		int main(void)
		{
			char *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			char *at[2] = { page, page + (inner - outer) };

			memcpy(page, outer, last - outer);
			memcpy(calls, at, sizeof(at));
			while (clock() < CLOCKS_PER_SEC / 2)
				calls[0](middle);
			return 0;
		}
	END
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls made.c -o made
	dwell record -q "${large[@]}" -e cpu-clock:u -F 1000 --call-graph bpf \
		-o made.data -- ./made
	dwell export --format folded -i made.data | tee folded |
		awk '/;leaf [0-9]+$/ { all += $NF }
		/;main;\[JIT\][^;]*;middle;\[JIT\][^;]*;leaf [0-9]+$/ { good += $NF }
		END { print good, all; exit all < 50 || good < all * 0.95 }'
}

@test "live: record: --call-graph bpf: the numbers of samples, lost samples and stacks add up" {
	need bpf
	need gcc
	gcc -O2 -pthread -o deep "$DWELL_SOURCE/tests/cli/deep.c"
	# A ring buffer of two pages loses samples and stacks at 20 kHz.
	dwell record -v -m 2 -F 20000 --call-graph bpf -o bpf.data -- \
		taskset -c 0 ./deep 40 0.4 2>log
	cat log
	dwell report --stats -i bpf.data >stats
	cat stats
	grep -E 'in the kernel|lost' log
	read -r all _ < <(kernel_counts log)
	samples=$(sed -n 's/^dwell record: \([0-9]*\) samples, .*/\1/p' log)
	lost=$(sed -n 's/^dwell record: [0-9]* samples, \([0-9]*\) lost.*/\1/p' log)
	# Each run of the program has a sample, written or lost. Samples of an exec or an
	# exit have no stack: there are more of them if the machine is slow.
	read -r runs counted < <(sed -n 's/.*program ran for \([0-9]*\) samples; \([0-9]*\) .*/\1 \2/p' log)
	[ "$runs" -gt 1000 ]
	[ "$counted" = $((samples + lost)) ]
	[ "$runs" = "$counted" ]
	[ "$all" -le $((samples + lost)) ]
	[ "$all" -ge $(((samples + lost) * 80 / 100)) ]
}

# share_of_unsampled FILE: prints the percentage of CPU time without samples, by the
# message in FILE.
share_of_unsampled() {
	awk '/cpu-clock: .* % of the CPU time/ { n = int($4) } END { print n + 0 }' "$1"
}

# share_in FUNCTION FILE: prints how many of 1,000 samples have the leaf frame FUNCTION.
share_in() {
	dwell script -F ip,sym -i "$2" | awk -v name="$1" '
		!NF { is_caller = 0; next }
		NF > 1 && !is_caller { is_caller = 1; all++; n += $2 == name }
		END { print all ? int(1000 * n / all) : 0 }'
}

@test "live: record: --call-graph bpf: a message reports the CPU time without samples" {
	need bpf
	need gcc
	gcc -o updates "$DWELL_SOURCE/tests/cli/bpf_updates.c"
	dwell record -e cpu-clock -c 250000 --call-graph bpf -o bpf.data -- \
		./updates 0.7 2>log
	cat log
	grep -q 'timer skipped periods, or the kernel left out samples while another BPF program or bpf(2) ran' log
	dwell record -e cpu-clock -c 250000 --call-graph dwarf,8192 -o copied.data -- \
		./updates 0.7 2>copied.log
	cat copied.log
	absent grep -q 'left out' copied.log
	# The kernel runs no BPF program in this function. Its time is among the time
	# without samples. The machine can only add to that time.
	share=$(share_in htab_map_update_elem copied.data)
	echo "$share of 1,000 samples in htab_map_update_elem"
	[ "$share" -gt 2 ]
	[ "$(share_in htab_map_update_elem bpf.data)" = 0 ]
	[ "$(share_of_unsampled log)" -ge "$((share / 20))" ]
	# Other events: by their counts, if the period is fixed. If another process is
	# preempted in bpf(2), the kernel leaves out page faults on that CPU.
	dwell record -v -e page-faults/period=1/,context-switches/freq=1000/ \
		--call-graph bpf -o faults.data -- ./updates 0.1 2>log
	cat log
	left_out=$(sed -n 's/.*page-faults.*: the kernel left out \([0-9]*\) .*/\1/p' log)
	[ "${left_out:-0}" -le 5 ]
	grep -q 'context-switches.*: whether the kernel left out samples .* is not known' log
}

@test "live: record: --call-graph bpf records processes, all CPUs, and programs that start later" {
	need bpf
	need gcc
	dwell record -v -a -F 997 --call-graph bpf -o all.data -- sh -c \
		'for i in 1 2; do gcc -O2 -c "$1" -o deep.o; done' \
		sh "$DWELL_SOURCE/tests/cli/deep.c" 2>log
	read -r all _ < <(kernel_counts log)
	[ "$all" -gt 20 ]
	dwell report --stdio --no-children -i all.data | grep -q cc1
	start_busy
	dwell record -v -F 997 --call-graph bpf -o pid.data -p "$last" -- \
		"${while_run[@]}" "$last" 2>log
	cat log
	mostly_in_kernel 20
}

@test "live: record: --call-graph bpf records single threads, one CPU, groups of events, and fork storms" {
	need bpf
	need gcc
	gcc -O2 -fomit-frame-pointer -pthread -o deep "$DWELL_SOURCE/tests/cli/deep.c"
	gcc -O2 -o storm "$DWELL_SOURCE/tests/cli/storm.c"
	while read -r options; do
		# shellcheck disable=SC2086
		dwell record -v -F 997 --call-graph bpf $options -o x.data -- \
			./deep 40 0.3 2>log
		cat log
		mostly_in_kernel 30
	done <<-'END'
		--per-thread
		-e {cpu-clock,page-faults}
		-e {cpu-clock,page-faults}:S
		-e cpu-clock,page-faults
		--user-callchains
	END
	# Other programs run on that CPU, too, and not all of them have rules.
	dwell record -v -F 997 --call-graph bpf -C 0 -o x.data -- \
		taskset -c 0 ./deep 40 0.3 2>log
	cat log
	read -r _ whole _ < <(kernel_counts log)
	[ "$whole" -gt 5 ]
	dwell record -v "${large[@]}" -F 4999 --call-graph bpf -o x.data -- ./storm 4 100 2>log
	cat log
	run ! grep 'were lost' log
	read -r all _ < <(kernel_counts log)
	[ "$all" -gt 20 ]
}

@test "live: record: --call-graph bpf records a running thread and a control group" {
	local mount group status=0

	need bpf
	need gcc
	gcc -O2 -fomit-frame-pointer -pthread -o deep "$DWELL_SOURCE/tests/cli/deep.c"
	background ./deep 40 100
	pid=$last
	dwell record -v -F 997 --call-graph bpf -o t.data -t "$pid" -- \
		"${while_run[@]}" "$pid" 2>log
	cat log
	mostly_in_kernel 20
	mount=$(cgroup_mount)
	group=dwell-stacks-$$
	need cgroup
	mkdir "$mount/$group"
	echo "$pid" >"$mount/$group/cgroup.procs" &&
		dwell record -v -F 997 --call-graph bpf -o g.data -G $group -- \
			"${while_run[@]}" "$pid" 2>log || status=$?
	cat log
	kill "$pid"
	wait "$pid" || true
	rmdir "$mount/$group"
	[ $status = 0 ]
	mostly_in_kernel 20
	dwell script -i g.data -F ip,sym | grep -q main
}

@test "live: record: --call-graph bpf: functions of BPF programs have the names of /proc/kallsyms" {
	need bpf
	dwell record -q --call-graph bpf -o bpf.data -- sh -c \
		'grep -F "[bpf]" /proc/kallsyms | cut -d" " -f1,3 | cut -f1 | sort >wanted'
	dwell script --show-bpf-events -i bpf.data 2>errors |
		sed -n 's/.*KSYMBOL addr \([0-9a-f]*\) .* name \(.*\)/\1 \2/p' | sort >names
	# Programs of other processes are loaded and unloaded at any time. An address that
	# several programs had has several names.
	join wanted names >both
	cat both
	grep -c unwind_sample both
	awk '{ wanted[$1 " " $2]; if ($2 == $3) found[$1 " " $2] }
		END { for (name in wanted) if (!(name in found)) exit 1 }' both
}

@test "live: record: --call-graph bpf: stacks of 32-bit programs are complete, unwound by the recorder" {
	need bpf 32bit
	i386_gcc -O2 -pthread -o deep "$DWELL_SOURCE/tests/cli/deep.c"
	dwell record -v -F 2000 --call-graph bpf -o bpf.data -- ./deep 40 0.4 2>log
	cat log
	read -r all whole _ < <(kernel_counts log)
	[ "$all" -gt 50 ]
	[ "$whole" -le $((all / 10)) ]
	dwell record -q -F 2000 --call-graph dwarf,65528 -o copied.data -- ./deep 40 0.4
	comm -12 <(chains bpf.data) <(chains copied.data) | grep -c main
}

@test "live: record: -g unwinds stacks in the kernel, and the summary states it" {
	need bpf
	dwell record -e cpu-clock:u -g -o x.data -- \
		sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' 2>log
	cat log
	grep -E 'stacks? (is|are) complete \(.* %\), unwound in the kernel$' log
}

@test "live: record: --call-graph dwarf and auto unwind user stacks by BPF; fp and dwarf,SIZE do not" {
	need bpf
	for kind in dwarf auto; do
		dwell record -v -F 997 --call-graph "$kind" -o x.data -- true 2>log
		grep 'stacks were unwound in the kernel' log
	done
	for kind in fp dwarf,8192 'dwarf --keep-stacks' 'dwarf --user-regs=ip'; do
		# shellcheck disable=SC2086
		dwell record -v -F 997 --call-graph $kind -o x.data -- true 2>log
		run ! grep 'stacks were unwound in the kernel' log
	done
}

@test "live: record: --call-graph bpf: complete stacks are those of stack copies of the same samples" {
	need bpf
	need g++
	dwell record -q -F 997 --call-graph bpf --keep-stacks -o both.data -- \
		g++ -O2 -c "$DWELL_SOURCE/tests/peer/words.cpp" -o words.o
	dwell report --check-unwinding=kernel --max-differ 0 --json -i both.data >json
	cat json
	# Where they differ, one is the start of the other.
	node -e 'const { stacks, same, different } = JSON.parse(
		require("fs").readFileSync("json"));
		process.exit(stacks > 100 && same > stacks / 2 && !different ? 0 : 1)'
}

# On overlayfs, the kernel maps the file of the lower layer.
@test "live: record: --call-graph bpf: stacks of programs on overlayfs are unwound in the kernel" {
	need bpf
	need gcc overlayfs
	mkdir lower upper merged
	gcc -O2 -fomit-frame-pointer -pthread -o lower/deep \
		"$DWELL_SOURCE/tests/cli/deep.c"
	cat >inside <<-'END'
		mount -t tmpfs none upper && mkdir upper/a upper/b &&
			mount -t overlay none -o \
			lowerdir=lower,upperdir=upper/a,workdir=upper/b merged
		dwell record -v -F 2000 --call-graph bpf -o bpf.data -- \
			merged/deep 40 0.4 2>log
	END
	unshare -m sh -e inside
	cat log
	mostly_in_kernel 100
}

@test "live: record: --call-graph bpf in a PID namespace joins stacks with their samples" {
	need bpf
	need gcc pid-namespace
	gcc -O2 -pthread -o deep "$DWELL_SOURCE/tests/cli/deep.c"
	unshare -fp --mount-proc dwell record -v -F 2000 --call-graph bpf \
		-o bpf.data -- ./deep 40 0.4 2>log
	cat log
	mostly_in_kernel 50
	[ "$(chains bpf.data | grep -c main)" -gt 0 ]
	dwell script -F ip,sym -i bpf.data | grep -c recurse
}

@test "live: record: --call-graph bpf: stacks of a program that changes its mappings all the time are right" {
	need bpf
	need gcc
	gcc -O2 -pthread -o mapper "$DWELL_SOURCE/tests/cli/mapper.c"
	./mapper 1
	# Nearly all stacks are copied: the copies of the whole run fit.
	dwell record -v -m 64M -F 5000 --call-graph bpf -o bpf.data -- ./mapper 1000 2>log
	cat log
	read -r all _ < <(kernel_counts log)
	[ "$all" -gt 50 ]
	run ! grep 'were lost' log
	# Callers are known as often as with copies.
	dwell record -q -F 5000 --call-graph dwarf,8192 -o copied.data -- ./mapper 1000
	for file in bpf copied; do
		dwell script -F ip,sym -i $file.data |
			awk 'BEGIN { RS = "" } /main/ { n++ } END { print 100 * n / NR }'
	done >shares
	cat shares
	awk 'NR == 1 { bpf = $1 } END { exit NR != 2 || bpf < $1 - 10 }' shares
}

@test "live: record: --call-graph bpf: with --off-cpu, waits have the stacks of their threads" {
	need bpf
	need gcc
	gcc -O2 -fomit-frame-pointer -o away "$DWELL_SOURCE/tests/cli/away.c"
	dwell record -v --off-cpu -F 997 --call-graph bpf -o bpf.data -- \
		./away sleep 5 100 2>log
	cat log
	mostly_in_kernel 10
	dwell report --off-cpu -g none -s state,sym -i bpf.data >rows
	cat rows
	grep -E 'blocked +\[k\]' rows
	dwell script -F ip,sym -i bpf.data | grep -c rest
}

@test "live: record: --call-graph bpf works for a user with CAP_BPF and CAP_PERFMON" {
	need bpf
	need gcc
	need setpriv
	gcc -O2 -fomit-frame-pointer -pthread -o deep "$DWELL_SOURCE/tests/cli/deep.c"
	chmod 777 .
	as_user=(setpriv --reuid "$user" --regid "$user" --clear-groups)
	capable=(--inh-caps=+bpf,+perfmon --ambient-caps=+bpf,+perfmon)
	"${as_user[@]}" "${capable[@]}" "$DWELL_BUILD/dwell-record" -v -F 2000 \
		--call-graph dwarf -o "$PWD/user.data" -- ./deep 40 0.4 2>log
	cat log
	mostly_in_kernel 100
	"${as_user[@]}" "$DWELL_BUILD/dwell-record" --call-graph dwarf \
		-o "$PWD/user.data" -- ./deep 40 0.1 2>log
	grep -F 'BPF needs root, or the capabilities CAP_BPF and CAP_PERFMON' log
}

@test "live: record: --call-graph bpf: if the BPF program takes too long, stacks are copied instead" {
	need bpf
	need gcc
	gcc -O2 -fomit-frame-pointer -pthread -o deep "$DWELL_SOURCE/tests/cli/deep.c"
	DWELL_BPF_LIMIT=some dwell record --call-graph bpf -o bpf.data -- \
		sleep 2 2>log
	cat log
	[ "$(grep -c "DWELL_BPF_LIMIT: 'some' .*; the limit is 100" log)" = 1 ]
	DWELL_BPF_LIMIT=0 dwell record -v "${large[@]}" -F 997 --call-graph bpf \
		-o bpf.data -- ./deep 40 2.5 2>log
	cat log
	grep -E 'the BPF program takes [0-9]+ us per stack on this machine' log
	read -r all whole _ < <(kernel_counts log)
	[ "$whole" -lt $((all * 9 / 10)) ]
	grep -E 'stacks are complete \((100.00|99\.[0-9]+) %\)' log
}

@test "live: record: --call-graph bpf copies stacks if the BPF program fails its self-check" {
	need bpf
	need gcc
	need unsanitized
	# In place of the compiler's unwinder.
	cat >wrong.c <<-'END'
		#include <unwind.h>
		_Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn take, void *data)
		{
			struct { unsigned long pcs[64], n; } *frames = data;

			(void)take;
			frames->pcs[0] = 1;
			frames->pcs[1] = 2;
			frames->n = 2;
			return 0;
		}
	END
	gcc -shared -fPIC -o wrong.so wrong.c
	LD_PRELOAD=$PWD/wrong.so "$DWELL_BUILD/dwell-record" --call-graph dwarf \
		-o x.data -- true 2>log
	cat log
	grep -E 'unwound from copies: the self-check of the BPF program found another frame 1' log
}

@test "live: record: --call-graph bpf copies stacks and states why if BPF is not possible" {
	DWELL_NO_BPF=1 dwell record --call-graph bpf -o off.data -- true 2>log
	cat log
	grep -F 'not unwound in the kernel: the environment variable DWELL_NO_BPF is set' log
	dwell record --call-graph bpf --overwrite -o over.data -- true 2>log
	grep -F -- '--overwrite keeps samples' log
	dwell record --call-graph bpf --user-regs=ip -o regs.data -- true 2>log
	grep -F -- '--user-regs needs the registers of each sample' log
	refuses 2 dwell record --call-graph bpf,8192 -o no.data -- true
	run -2 dwell record -e cpu-clock/call-graph=bpf/ -o no.data -- true
	grep -F 'use --call-graph bpf' <<<"$output"
}
