#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Callers without frame pointers: stack copies, and call chains unwound from
# them. kernel_stacks.bats tests stacks that are unwound in the kernel.

load common.bash
load terminal.bash

setup() {
	enter_test
	export DWELL_NO_BPF=1
}

@test "live: record: --keep-stacks stores only the used bytes of stack copies" {
	"$record" -q -z0 -e cpu-clock:u -F 1000 --call-graph dwarf,16384 \
		--keep-stacks -o kept.data -- awk 'BEGIN { while (n++ < 1e7); }'
	size=$(stat -c %s kept.data)
	samples=$("$report" script -i kept.data -F ip | grep -c . || true)
	[ "$samples" -gt 10 ]
	# awk's stack has a few kilobytes.
	[ "$((size / samples))" -lt 14000 ]
}

@test "live: record: --keep-stacks: perf unwinds the stack copies" {
	need perf
	need gcc
	cat >deep.c <<-END
		int outer(int n);
		__attribute__((noinline)) static int spin(int n)
		{
			volatile int i;

			for (i = 0; i < n; i++)
				;
			return i;
		}
		__attribute__((noinline)) int outer(int n)
		{
			return spin(n) + 1;
		}
		int main(void)
		{
			return outer(50000000) == 7;
		}
	END
	gcc -O2 -fomit-frame-pointer deep.c -o deep
	"$record" -q -e cpu-clock:u -F 500 --call-graph dwarf,8192 \
		--keep-stacks -o kept.data -- ./deep || true
	perf script -i kept.data -F comm,ip,sym \
		2>/dev/null >text
	grep -q spin text
	grep -q outer text
	grep -q _start text
}

@test "live: record: --keep-stacks: perf shows each frame of a stack copy once" {
	need perf
	make_deep
	gcc -O2 -fno-omit-frame-pointer deep.c -o framed -lpthread
	"$record" -q -e cpu-clock:u -F 500 --call-graph dwarf --keep-stacks \
		-o kept.data -- ./framed 20 0.1
	for tool in perf "$report"; do
		$tool script -i kept.data -F comm,ip,sym 2>/dev/null >text
		awk 'BEGIN { RS = "" } / spin/ { print gsub(/ spin/, "") \
			" " gsub(/ recurse/, "") }' text | sort | uniq -c |
			sort -rn | head -n 1 | grep ' 1 20$'
	done
}

@test "live: record: -m with a small size makes stack copies smaller, and a message states it" {
	"$record" -e cpu-clock:u -m 128K --call-graph dwarf --keep-stacks \
		-o kept.data -- true 2>messages
	grep "each stack copy has 4096 bytes" messages
	# Sizes that the user selects are used.
	"$record" -e cpu-clock:u -m 128K --call-graph dwarf,65528 \
		--keep-stacks -o kept.data -- true 2>messages
	absent grep "each stack copy has" messages
}

@test "live: record: ring buffers have room for stack copies of 50 ms, up to the limit of locked memory" {
	need root
	need few-cpus
	# For 50 samples of 67 KB, and for 200.
	"$record" -v -e cpu-clock:u -F 1000 --call-graph dwarf -o whole.data \
		-- true 2>messages
	grep 'ring buffers of 4096 KiB for samples' messages
	"$record" -v -e cpu-clock:u -F 4000 --call-graph dwarf -o whole.data \
		-- true 2>messages
	grep 'ring buffers of 16384 KiB for samples' messages
	absent grep 'each stack copy has' messages
	enter_users_folder
	as_user prlimit --memlock=0:0 ./dwell-record -v -e cpu-clock:u -F 400 \
		--call-graph dwarf -o own.data -- true 2>messages
	cat messages
	# The size of the copies is such that 20 samples fit, each with 1400
	# bytes more.
	ring=$(sed -n 's/.*ring buffers of \([0-9]*\) KiB for samples.*/\1/p' messages)
	size=$(sed -n 's/.*each stack copy has \([0-9]*\) bytes, so that a ring buffer of '"$ring"' KiB, the limit of locked memory, holds the samples of 50 ms.*/\1/p' messages)
	[ "$ring" -lt 4096 ]
	[ "$((20 * (size + 1400)))" -le "$((ring * 1024))" ]
	[ "$((21 * (size + 1408)))" -ge "$((ring * 1024))" ]
}

# Waits until the program whose pid is in "pid" has started and ended.
until_program_ended() {
	until_true test -s pid
	until_true has_exited "$(cat pid)"
}

# The recorder writes to a pipe that is not read before the program has ended.
@test "live: record: if the queue is full, stack copies are cut, then left out, then samples are dropped" {
	make_deep
	gcc -O2 -fno-omit-frame-pointer deep.c -o framed -lpthread
	"$record" -z0 -e cpu-clock:u -F 4000 --queue-size 4M \
		--call-graph dwarf -o - -- \
		sh -c 'echo $$ >pid; exec ./framed 400 1 3' 2>messages |
		{ until_program_ended; cat; } >slow.data
	cat messages
	read -r cut left < <(sed -n 's/.*: \([0-9]*\) stack copies were cut and \([0-9]*\) were omitted.*/\1 \2/p' messages)
	[ "$cut" -gt 0 ]
	[ "$left" -gt 0 ]
	dropped=$(sed -n 's/.*: \([0-9]*\) samples were dropped: unwinding fell behind\. .*/\1/p' messages)
	[ "$dropped" -gt 0 ]
	# No sideband was lost, and the file contains all counts.
	absent grep 'lost records of mappings' messages
	"$report" report --header-only -i slow.data >header
	grep -x "# stacks_cut : $cut" header
	grep -x "# stacks_left_out : $left" header
	samples=$(sed -n 's/.*: \([0-9]*\) samples, .* lost, .*/\1/p' messages)
	[ "$("$report" script -i slow.data -F ip -G | grep -c .)" = "$samples" ]
	# Samples without a copy have callers by frame pointers.
	"$report" script -i slow.data -F ip,sym >text
	awk 'BEGIN { RS = "" } / recurse.* recurse/ { n++ }
		END { exit !(n * 10 > '"$samples"' * 9) }' text
}

@test "live: record: --keep-stacks: if the queue is full, stacks are those by frame pointers" {
	make_deep
	gcc -O2 -fno-omit-frame-pointer deep.c -o framed -lpthread
	"$record" -z0 -e cpu-clock:u -F 4000 --queue-size 4M --keep-stacks \
		--call-graph dwarf -o - -- \
		sh -c 'echo $$ >pid; exec ./framed 400 0.5 3' 2>messages |
		{ until_program_ended; cat; } >slow.data
	cat messages
	grep 'stack copies .* were omitted: compression or disk fell behind' \
		messages
	"$report" report --stdio -i slow.data >text
	grep -E '^# Copied Stacks: .* without a copy.* continue by frame pointers' text
	samples=$(sed -n 's/.*: \([0-9]*\) samples, .* lost, .*/\1/p' messages)
	"$report" script -i slow.data -F ip,sym >text
	awk 'BEGIN { RS = "" } / recurse.* recurse/ { n++ }
		END { exit !(n * 10 > '"$samples"' * 9) }' text
}

@test "live: record: the smallest ring buffer has room for samples with stack copies" {
	make_deep
	for size in dwarf dwarf,65528; do
		"$record" -e cpu-clock:u -F 500 -m 1 --call-graph "$size" \
			-o small.data -- ./deep 5 0.5 2>messages
		cat messages
		grep 'so that a ring buffer of 4 KiB holds 2 samples;' messages
		"$report" script -i small.data -F comm,ip,sym >text
		read -r whole all < <(count_whole <text)
		[ "$all" -gt 20 ]
	done
}

# make_deep: compiles ./deep without frame pointers (see deep.c).
make_deep() {
	need gcc
	cp "$DWELL_SOURCE/tests/cli/deep.c" .
	gcc -O2 -fomit-frame-pointer deep.c -o deep -lpthread
}

# count_whole: reads the output of `script`, and prints how many samples in
# spin() have complete stacks, and how many samples in spin() there are.
count_whole() {
	awk 'BEGIN { RS = "" }
		/ spin\+?/ { n++; if (/ (_start|clone3?|__clone3?)( |\+|$)[^\n]*$/) whole++ }
		END { print whole + 0, n + 0 }'
}

# sum_of_ends FILE: checks that the ends of its stacks add up to all of them,
# and prints the number of stacks.
sum_of_ends() {
	"$report" report --json -i "$1" >json
	sed -n 's/.*"copied_stacks": {"stacks": \([0-9]*\).*/\1/p' json >all
	sed -n 's/.*"copied_stacks".*"ends": {\([^}]*\)}.*/\1/p' json |
		tr , '\n' | awk '{ n += $2 } END { print n }' | diff - all >&2 &&
		cat all
}

@test "live: record: stacks of a program without frame pointers are complete" {
	make_deep
	"$record" -e cpu-clock:u -F 2000 --call-graph dwarf -o deep.data \
		-- ./deep 20 0.2 2>messages
	cat messages
	"$report" script -i deep.data -F comm,ip,sym >text
	read -r whole all < <(count_whole <text)
	[ "$all" -gt 20 ]
	[ "$((whole * 100))" -ge "$((all * 99))" ]
	# All callers are there.
	awk 'BEGIN { RS = "" } / spin/ { print gsub(/ recurse/, "") }' text |
		sort | uniq -c | sort -rn | head -n 1 | grep ' 20$'
	grep -E 'stacks are complete' messages
	# The file contains the counts, too.
	whole=$(sed -n 's/.*: \([0-9]*\) of .* stacks are complete.*/\1/p' messages)
	"$report" report --header-only -i deep.data >header
	grep -x "# stacks_whole : $whole" header
	percent=$(sed -n 's/.* stacks are complete (\(.*\) %),.*/\1/p' messages)
	"$report" report --stdio -i deep.data >report
	grep "^# Copied Stacks: $(sed -n 's/# stacks : //p' header) ($percent % complete[,;)]" \
		report
	stacks=$(sum_of_ends deep.data)
	grep -x "# stacks : $stacks" header
	# Without chains, they are not reported.
	"$report" report --stdio --no-children -g none -i deep.data >none
	absent grep 'Copied Stacks' none
}

@test "live: record: a recording with unwound stacks contains no registers and no stack copies" {
	make_deep
	"$record" -q -z0 -e cpu-clock:u -F 2000 --call-graph dwarf -o deep.data \
		-- ./deep 20 0.2
	"$report" evlist -v -i deep.data >attrs
	absent grep -E 'REGS_USER|STACK_USER' attrs
	grep 'sample_stack_user: 65528' attrs
	grep CALLCHAIN attrs
	need perf
	perf script -i deep.data -F comm,ip,sym \
		2>errors >text
	# Some samples may be lost on a busy machine.
	absent grep -v -e '^Warning:$' -e ' lost ' -e '^Check IO/CPU' -e '^$' errors
	read -r whole all < <(count_whole <text)
	[ "$all" -gt 20 ]
	[ "$((whole * 100))" -ge "$((all * 99))" ]
}

# callers_of FUNCTION: prints the frames behind FUNCTION in all samples, each
# once.
callers_of() {
	awk -v of="$1" 'function name(line) {
			sub(/^[ \t]*[0-9a-f]+ /, "", line)
			sub(/@.*/, "", line)
			return line
		}
		BEGIN { RS = ""; FS = "\n" } {
			for (i = 1; i < NF; i++)
				if (name($i) == of) {
					print name($(i + 1))
					next
				}
		}' | sort -u
}

# only_callers FUNCTION CALLERS FILE [IGNORED]: succeeds if the samples of FILE contain
# all of the CALLERS of FUNCTION and no other one except IGNORED. Prints a sample with
# another one.
only_callers() {
	callers_of "$1" <"$3" | grep -vxF "${4:-none}" >callers || true
	printf '%b\n' "$2" | diff - callers && return
	comm -13 <(printf '%b\n' "$2") callers >others
	awk 'NR == FNR { others[$0]; next }
		{ for (i = 1; i < NF; i++) for (other in others)
			if ($i ~ of "(@.*)?$" && index($(i + 1), " " other)) {
				print
				exit
			} }' of=" $1" others RS="" FS="\n" "$3"
	return 1
}

# check_callers PROGRAM FUNCTION CALLERS [FUNCTION CALLERS]...: checks callers unwound live,
# and of kept stack copies, by dwell and by perf. perf sometimes has no name for one caller.
# A slow recorder omits copies, and then has only callers by frame pointers.
check_callers() {
	local form i program=$1
	shift
	for form in "" --keep-stacks; do
		dwell record -q -e cpu-clock:u -F 2000 --call-graph dwarf \
			$form -o last.data -- "$program" 2>messages
		cat messages
		dwell script --no-inline -i last.data -F ip,sym,stack_origin |
			awk 'BEGIN { RS = ""; ORS = "\n\n" } !/^ *frame_pointers/' \
			>dwell.text
		for ((i = 1; i < $#; i += 2)); do
			[ "$(grep -c " ${!i}" dwell.text)" -gt 50 ]
			only_callers "${@:i:2}" dwell.text
		done
		if grep -q ' were omitted' messages; then
			continue
		fi
		if meets perf; then
			perf script --no-inline -i last.data -F ip,sym \
				2>/dev/null >perf.text
			for ((i = 1; i < $#; i += 2)); do
				only_callers "${@:i:2}" perf.text '[unknown]'
			done
		fi
	done
}

@test "live: unwind: callers of C++ functions that throw have their names" {
	need c++
	cat >throws.cpp <<-'END'
		#include <stdexcept>
		#define APART __attribute__((noinline))
		volatile int sink;
		APART void fail_a(int n) { sink = n; throw std::runtime_error("a"); }
		APART void fail_b(int n) { sink = n + 1; throw n; }
		APART void check(int n) { if (n & 1) fail_a(n); else fail_b(n); }
		int main()
		{
			for (int i = 0; i < 300000; i++)
				try { check(i); } catch (...) { sink = i; }
		}
	END
	for level in -Os -O2; do
		c++ $level throws.cpp -o throws
		check_callers ./throws __cxa_throw 'fail_a\nfail_b' fail_a check \
			fail_b check
	done
}

@test "live: unwind: callers of functions that do not return have their names" {
	need gcc
	cat >jumps.c <<-'END'
		#include <setjmp.h>
		#define APART __attribute__((noinline))
		static jmp_buf place;
		volatile double sum;
		volatile int sink;
		APART static void spin(int n)
		{
			double s = 1;
			for (int i = 0; i < n; i++)
				s = s * 1.0001 + i % 5;
			sum += s;
		}
		APART __attribute__((noreturn)) void die(int n)
		{
			spin(n);
			longjmp(place, 1);
		}
		APART void caller(int n) { sink = n; die(n * 100); }
		APART void neighbour(int n) { sink = n + 1; sum += n; }
		int main(void)
		{
			for (volatile int i = 0; i < 30000; i++) {
				if (!setjmp(place))
					caller(100);
				neighbour(3);
			}
		}
	END
	gcc -O2 jumps.c -o jumps
	check_callers ./jumps die caller caller main
}

@test "live: unwind: callers of Rust functions that panic have their names" {
	need rustc
	cat >panics.rs <<-'END'
		#[inline(never)]
		fn refuse(n: usize) -> usize {
		    if n % 2 == 0 { std::panic::panic_any(n) }
		    n
		}
		fn main() {
		    std::panic::set_hook(Box::new(|_| {}));
		    for i in 0..400000 {
		        let _ = std::panic::catch_unwind(|| refuse(i));
		    }
		}
	END
	rustc -O panics.rs
	check_callers ./panics std::panicking::begin_panic panics::refuse
}

@test "live: record: registers that --user-regs selects are stored in addition to unwound stacks" {
	make_deep
	"$record" -q -e cpu-clock:u -F 500 --call-graph dwarf --user-regs=IP \
		-o deep.data -- ./deep 5 0.1
	"$report" evlist -v -i deep.data | grep REGS_USER
	"$report" script -i deep.data -F uregs | grep -q 'IP:0x'
	# Only the selected registers: the others were only for unwinding.
	"$report" script -i deep.data -F uregs >text
	absent grep -v -e '^ *ABI:2 *IP:0x[0-9a-f]* *$' -e '^$' text
}

@test "live: record: stacks deeper than their copy are complete, read from the running process" {
	make_deep
	# About 160 bytes per call.
	"$record" -v -e cpu-clock:u -F 250 --call-graph dwarf -o deep.data \
		-- ./deep 2000 1 2>messages
	cat messages
	grep 'were completed from the running process' messages
	"$report" script -i deep.data -F comm,ip,sym >text
	read -r whole all < <(count_whole <text)
	[ "$all" -gt 20 ]
	# If the machine stalls at the end, the process is gone before its last
	# stacks are completed.
	[ "$((whole * 100))" -ge "$((all * 80))" ]
	awk 'BEGIN { RS = "" } / spin/ { print gsub(/ recurse/, "") }' text |
		sort | uniq -c | sort -rn | head -n 1 | grep ' 2000$'
	# Each completed stack is marked.
	n=$("$report" script -i deep.data -F comm,stack_origin |
		grep -c ' process$')
	grep " $n stacks were completed from the running process" messages
	need perf
	# perf has the same frames in the program, and prints no inlined functions.
	perf script --no-inline --max-stack 9999 -i deep.data -F ip,sym 2>/dev/null |
		without_plt_names >text
	"$report" script --no-inline --max-stack 9999 -i deep.data -F ip,sym |
		without_plt_names >dwell.text
	same_own text dwell.text ' (spin|recurse|run|main)$'
}

# perf resolves code of the PLT as _init.
without_plt_names() {
	sed -E 's/ (_init|[a-z]*@plt)$/ @plt/'
}

# unwound_samples: prints an event whose stack copies were unwound and SAMPLES,
# with NAME=... marks in them.
unwound_samples() {
	cat <<-END
		file
		event name=clock type=software config=0 ids=1
		 sample_id_all sample_type=IP|TID|TIME|CALLCHAIN $1
		record COMM pid=7 tid=7 comm=deep time=1
		record MMAP2 pid=7 tid=7 addr=0x400000 len=0x1000
		 filename=/bin/deep maj=8 ino=5 time=2
		record SAMPLE ip=0x400001 pid=7 time=3
		 chain=user,0x400001,0x400002,0x400003
		record SAMPLE ip=0x400001 pid=7 time=4
		 chain=user,0x400001,$2user,0x400002,0x400003
		record SAMPLE ip=0x400001 pid=7 time=5
		 chain=user,0x400001,0x400002,$2user,${2}user,0x400003
		record SAMPLE ip=0x400001 pid=7 time=6
		 chain=user,$2user,$2user,${2}user,0x400001,0x400002,0x400003
		record SAMPLE ip=0x400001 pid=7 time=7 misc=kernel
		 chain=kernel,0xffffffff81000001
	END
}

@test "script: -F stack_origin prints how each frame was found; other output has no such marks" {
	unwound_samples sample_stack_user=65528 >text
	"$DWELL_BUILD/tests/made/make_data" text marked.data
	sed 's/chain=user,.*0x400001.*/chain=user,0x400001,0x400002,0x400003/' \
		text >plain
	"$DWELL_BUILD/tests/made/make_data" plain plain.data
	run -0 "$report" script -i marked.data -G -F stack_origin,ip
	prints stack-origins awk 'NF > 1 { print $1 }' <<<"$output"
	for format in "script -F ip,sym" "report --stdio" "report -s comm,sym" \
		"report --csv -g none" "export --format folded -o -"; do
		"$report" $format -i marked.data | grep -v data >marked
		"$report" $format -i plain.data | grep -v data >plain
		grep -q . marked
		diff plain marked
	done
	# perf ignores the marks; its tips are random.
	need perf
	for format in "script -F ip,sym" "report --stdio" \
		"report --stdio --max-stack 2 -G"; do
		perf $format -i marked.data 2>/dev/null | grep -v Tip: >marked
		perf $format -i plain.data 2>/dev/null | grep -v Tip: >plain
		grep -q 2 marked
		diff plain marked
	done
}

@test "script: -F stack_origin is refused if no stacks were copied" {
	unwound_samples "" >text
	"$DWELL_BUILD/tests/made/make_data" text plain.data
	run -1 "$report" script -i plain.data -F stack_origin
	[[ $output == *"have no 'stack_origin'"* ]]
}

@test "live: record: deep stacks of threads with one sample are complete" {
	need gcc
	cat >brief.c <<-'END'
		#include <pthread.h>
		#include <time.h>
		#include <unistd.h>
		#define THREADS 50
		static volatile long sink;
		static pthread_barrier_t together;
		#define CALL(name, callee) \
			__attribute__((noinline)) static int name(int n) \
			{ \
				volatile char room[60000]; \
				room[n & 63] = 1; \
				callee(n); \
				sink += room[3]; \
				return room[5]; \
			}
		/* One sample's time and a half; then the stack stays as it is. */
		__attribute__((noinline)) static int f0(int ms)
		{
			struct timespec now;

			do {
				for (int i = 0; i < 100000; i++)
					sink += i;
				clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
			} while (now.tv_nsec < ms * 1000000L);
			pthread_barrier_wait(&together);
			pthread_barrier_wait(&together);
			return 1;
		}
		CALL(f1, f0)
		CALL(f2, f1)
		CALL(f3, f2)
		CALL(f4, f3)
		CALL(f5, f4)
		CALL(f6, f5)
		static void *run(void *data)
		{
			return f6(15) ? data : 0;
		}
		int main(void)
		{
			pthread_t threads[THREADS];
			int i;

			pthread_barrier_init(&together, 0, THREADS + 1);
			for (i = 0; i < THREADS; i++)
				pthread_create(&threads[i], 0, run, 0);
			pthread_barrier_wait(&together);
			usleep(300000);
			pthread_barrier_wait(&together);
			while (i--)
				pthread_join(threads[i], 0);
			return 0;
		}
	END
	gcc -O2 -fomit-frame-pointer brief.c -o brief -lpthread
	"$record" -v -e cpu-clock:u -F 100 --call-graph dwarf -o brief.data \
		-- ./brief 2>messages
	cat messages
	completed=$(sed -n 's/.* \([0-9]*\) stacks were completed from .*process/\1/p' \
		messages)
	all=$(sed -n 's/.* of \([0-9]*\) stacks are complete .*/\1/p' messages)
	# If a thread's first read is small, hardly any stack is completed.
	[ "$all" -ge 10 ]
	[ "$((completed * 2))" -ge "$all" ]
}

@test "live: record: if memory of a process cannot be read, its stacks are completed by other stacks" {
	need gcc
	cat >closed.c <<-'END'
		#include <sys/prctl.h>
		static volatile long sink;
		__attribute__((noinline)) static void spin(void)
		{
			for (int i = 0; i < 300000; i++)
				sink++;
		}
		__attribute__((noinline)) static long deep(int n)
		{
			volatile char room[48];

			room[n % 48] = 1;
			spin();
			return n ? deep(n - 1) + room[n % 48] : 0;
		}
		int main(void)
		{
			prctl(PR_SET_DUMPABLE, 0);
			return deep(1500) == 7;
		}
	END
	gcc -O1 -fomit-frame-pointer closed.c -o closed
	setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace "$record" -v \
		-e cpu-clock:u -F 2000 --call-graph dwarf,16384 \
		-o closed.data -- ./closed 2>messages
	cat messages
	grep ' [0-9]* stacks* w.* completed from other stacks of their thread' messages
	absent grep 'completed from the running process' messages
}

@test "live: record: deep stacks of coroutines whose stacks are adjacent are complete" {
	need gcc
	cat >many.c <<-'END'
		#include <stdlib.h>
		#include <time.h>
		#include <ucontext.h>
		static volatile long sink;
		static ucontext_t here[5];
		static int current;
		__attribute__((noinline)) static void work(int ms)
		{
			clock_t end = clock() + ms * CLOCKS_PER_SEC / 1000;

			while (clock() < end)
				for (int i = 0; i < 100000; i++)
					sink += i;
			sink++;
		}
		__attribute__((noinline)) static void down(int n)
		{
			volatile char room[3000];

			room[n] = 1;
			if (n)
				down(n - 1);
			else
				for (;;) {
					work(20);
					swapcontext(&here[current], &here[4]);
				}
			sink += room[0];
		}
		static void run(void)
		{
			down(40);
		}
		int main(void)
		{
			char *stacks = malloc(4 << 18);

			for (int i = 0; i < 4; i++) {
				getcontext(&here[i]);
				here[i].uc_stack.ss_sp = stacks + (i << 18);
				here[i].uc_stack.ss_size = 1 << 18;
				makecontext(&here[i], run, 0);
			}
			for (int i = 0; i < 40; i++) {
				current = i & 3;
				swapcontext(&here[4], &here[current]);
			}
			return 0;
		}
	END
	gcc -O2 -fomit-frame-pointer many.c -o many
	"$record" -v -e cpu-clock:u -F 1000 --call-graph dwarf -o many.data \
		-- ./many 2>messages
	cat messages
	whole=$(sed -n 's/.*complete (\([0-9]*\).*/\1/p' messages)
	# Without the memory of the process, few are: each stack is larger than its
	# copy. If the machine stalls, the coroutine has continued meanwhile.
	[ "$whole" -ge 70 ]
}

@test "live: record: a signal handler on its own stack has the interrupted function as caller" {
	need gcc
	cat >handler.c <<-'END'
		#include <signal.h>
		#include <stdlib.h>
		static volatile long sink, count;
		__attribute__((noinline)) static void work(int n)
		{
			for (int i = 0; i < n; i++)
				sink += i;
			sink++;
		}
		static void handle(int signal)
		{
			work(30000000);
			sink += signal;
		}
		/* Never below each other. */
		__attribute__((noinline)) static void one(void)
		{
			raise(SIGUSR1);
			sink++;
		}
		__attribute__((noinline)) static void other(void)
		{
			work(100000);
			sink++;
		}
		int main(void)
		{
			stack_t stack = { .ss_sp = malloc(65536),
				.ss_size = 65536 };
			struct sigaction action = { .sa_handler = handle,
				.sa_flags = SA_ONSTACK };

			sigaltstack(&stack, 0);
			sigaction(SIGUSR1, &action, 0);
			for (count = 0; count < 12; count++) {
				one();
				other();
			}
			return 0;
		}
	END
	gcc -O2 -fomit-frame-pointer handler.c -o handler
	"$record" -v -e cpu-clock:u -F 500 --call-graph dwarf \
		-o handler.data -- ./handler 2>messages
	cat messages
	absent grep 'invalid frame' messages
	"$report" script -i handler.data -F comm,ip,sym >text
	awk 'BEGIN { RS = "" }
		/ handle\n/ { n++; whole += / one.* main.* _start/ }
		/ handle\n/ && !whole { unknown++ }
		/ handle.* other/ { wrong++ }
		# The stacks of signal handlers are found from the first sample
		# in a handler. A ring buffer has up to 31 samples before it.
		END { print n, whole, unknown
			exit n < 20 || whole * 2 < n || unknown > 40 || wrong }' \
		text
	sum_of_ends handler.data
}

@test "live: record: a message counts stacks that are deeper than the memory that is read" {
	make_deep
	sed -i 's/96/1000/g' deep.c
	gcc -O2 -fomit-frame-pointer deep.c -o deep -lpthread
	# The stack has about 2.5 MB, of which 1 MiB is read.
	"$record" -v -e cpu-clock:u -F 200 --call-graph dwarf -o deep.data \
		-- ./deep 2400 0.4 2>messages
	cat messages
	unread=$(sed -n "s/.* \([0-9]*\) stacks were not completed: the rest of the stack is larger.*/\1/p" messages)
	ended=$(sed -n 's/.* \([0-9]*\) stacks end at the end of the copy$/\1/p' messages)
	[ "$ended" -gt 20 ]
	[ "$((unread * 10))" -ge "$((ended * 5))" ]
	absent grep 'larger copies' messages
	"$record" -e cpu-clock:u -F 200 --call-graph dwarf,16384 -o deep.data \
		-- ./deep 2400 0.2 2>messages
	grep 'Use larger copies (--call-graph dwarf,65528), .*ulimit -l' messages
}

@test "live: record: a stack with more callers than fit into a record keeps the innermost ones" {
	make_deep
	"$record" -v -e cpu-clock:u -F 200 --call-graph dwarf -o deep.data \
		-- ./deep 16000 0.4 2>messages
	cat messages
	grep 'stacks have more callers than a record can contain' messages
	absent grep 'larger copies' messages
	"$report" script -i deep.data -F ip,sym --max-stack 9999 >text
	# Nearly 65,528 / 8 callers.
	awk 'BEGIN { RS = "" }
		/ spin/ { n++; full += gsub(/ recurse/, "") > 8000 }
		END { print n, full; exit n < 20 || full * 2 < n }' text
}

@test "live: record: --call-graph auto chooses frame pointers or unwind rules per file, and prints which" {
	make_deep
	gcc -O2 -fno-omit-frame-pointer deep.c -o framed -lpthread
	"$record" -e cpu-clock:u -F 2000 --call-graph auto -v -o deep.data -- \
		sh -c './deep 10 0.2 & ./framed 15 0.2; wait' 2>messages
	cat messages
	grep 'used frame pointers in framed' messages
	grep 'used unwind rules in .*deep' messages
	"$report" script -i deep.data --comms framed -F comm,ip,sym >text
	awk 'BEGIN { RS = "" } / spin/ { print gsub(/ recurse/, "") }' text |
		sort | uniq -c | sort -rn | head -n 1 | grep ' 15$'
	"$report" report --header-only -i deep.data | grep '# stacks_chosen :'
}

@test "live: record: unwind rules of large files are cached for the next recording" {
	make_deep
	export XDG_CACHE_HOME=$PWD/cache
	"$record" -q -e cpu-clock:u -F 2000 --call-graph dwarf -o deep.data \
		-- ./deep 20 0.2
	[ "$(stat -c %a cache/dwell/cfi)" = 700 ]
	# The cache has libc's rules, for example.
	[ -n "$(ls cache/dwell/cfi)" ]
	# Damaged files in the cache are not used.
	for file in cache/dwell/cfi/*; do
		head -c 100000 /dev/urandom >"$file"
	done
	"$record" -q -e cpu-clock:u -F 2000 --call-graph dwarf -o deep.data \
		-- ./deep 20 0.2
	"$report" script -i deep.data -F comm,ip,sym >text
	read -r whole all < <(count_whole <text)
	[ "$all" -gt 20 ]
	[ "$((whole * 100))" -ge "$((all * 99))" ]
	# Recording works without a cache folder.
	XDG_CACHE_HOME=/proc/none "$record" -q -e cpu-clock:u -F 500 \
		--call-graph dwarf -o deep.data -- true
}

# record_by_many OPTION...: records the program of make_deep with several
# unwinding threads, on a machine that seems to have 64 CPUs.
record_by_many() {
	cat >cpus.c <<-END
		#define _GNU_SOURCE
		#include <sched.h>
		#include <string.h>

		int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *ret)
		{
			(void)pid;
			memset(ret, 0, size);
			memset(ret, 0xff, 8);
			return 0;
		}
	END
	gcc -shared -fPIC cpus.c -o cpus.so
	LD_PRELOAD=$PWD/cpus.so "$record" -v -m 16M "$@" 2>messages
	cat messages
}

@test "live: record: with many CPUs, several threads unwind stacks, and the stacks are complete" {
	need dynamic-recorder
	make_deep
	record_by_many -e cpu-clock:u -F 5000 --call-graph dwarf -o deep.data \
		-- ./deep 20 0.4 30
	grep 'unwound stacks with 8 threads' messages
	"$report" script -i deep.data -F comm,ip,sym >text
	read -r whole all < <(count_whole <text)
	[ "$all" -gt 500 ]
	[ "$((whole * 100))" -ge "$((all * 99))" ]
	awk 'BEGIN { RS = "" } / spin/ { print gsub(/ recurse/, "") }' text |
		sort | uniq -c | sort -rn | head -n 1 | grep ' 20$'
	# Each stack is complete, or counted with a reason.
	"$report" report --header-only -i deep.data >header
	awk '/^# stacks_/ { of[$2] = $4 } /^# stacks :/ { all = $4 }
		END { print all - of["stacks_whole"] - of["stacks_empty"] - \
			of["stacks_truncated"] - of["stacks_no_rule"] - \
			of["stacks_no_file"] - \
			of["stacks_no_code"] - of["stacks_damaged"] - \
			of["stacks_register"] - of["stacks_limit"] - \
			of["stacks_elsewhere"] - of["stacks_zero"] - \
			of["stacks_limited"] }' header |
		grep -x 0
	# With few samples, at most one thread unwinds.
	record_by_many -e cpu-clock:u -F 50 --call-graph dwarf -o deep.data \
		-- ./deep 20 0.3
	absent grep 'unwound stacks with' messages
}

@test "live: record: a stack of the length of --max-stack counts as complete" {
	make_deep
	"$record" -v -e cpu-clock:u -F 2000 --call-graph dwarf --max-stack 10 \
		-o deep.data -- ./deep 20 0.2 2>messages
	cat messages
	grep 'stacks are complete, or as deep as --max-stack allows (9[5-9]\.\|stacks are complete, or as deep as --max-stack allows (100' messages
	absent grep 'than a record can contain' messages
	"$report" report --header-only -i deep.data | grep '# stacks_limited : [1-9]'
	# The report has the same count as the recorder.
	percent=$(sed -n 's/.*--max-stack allows (\(.*\) %),.*/\1/p' messages)
	"$report" report --stdio -i deep.data |
		grep "^# Copied Stacks: .* ($percent % complete, .*as deep as --max-stack allows"
	"$report" script -i deep.data -F comm,ip,sym >text
	awk 'BEGIN { RS = "" } / spin/ { print NF, gsub(/\n/, "") }' text |
		sort | uniq -c | sort -rn | head -n 1 | grep ' 10$'
}

@test "live: record: the main reason for incomplete stacks is printed once" {
	need x86_64
	make_deep
	# No CFI, no frame pointers, and instructions that do not lead to a
	# caller.
	cat >bare.c <<-END
		int main(void)
		{
			long i = 200000000;

			__asm__ volatile("lea -0x1008(%%rsp), %%rsp;"
					 "mov \$8, %%ebp;"
					 "1: dec %0; jnz 1b;"
					 "lea 0x1008(%%rsp), %%rsp"
				: "+r"(i) :: "rbp", "memory", "cc");
			return (int)i;
		}
	END
	gcc -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables bare.c \
		-o bare
	"$record" -e cpu-clock:u -F 2000 --call-graph dwarf -o deep.data \
		-- ./bare 2>messages
	cat messages
	[ "$(grep -c '\. To print all reasons: -v$' messages)" = 1 ]
	grep -E 'stacks end (in code without unwind rules|at)' messages
	grep -E 'frame-pointer|frame pointers' messages
	absent grep ': incomplete: ' messages
	"$record" -v -e cpu-clock:u -F 2000 --call-graph dwarf -o deep.data \
		-- ./bare 2>messages
	cat messages
	# The reasons add up to the incomplete stacks.
	awk '/stacks are complete/ { for (i = 1; i < NF; i++)
			if ($i == "of" && !all) { whole = $(i - 1); all = $(i + 1) } }
		/: incomplete: / { ends += $4 }
		END { print all - whole - ends }' messages | grep -x 0
	# Nearly all stacks are complete: there is no message.
	"$record" -e cpu-clock:u -F 2000 --call-graph dwarf -o deep.data \
		-- ./deep 20 0.2 2>messages
	absent grep 'To print all reasons' messages
}

# chain.c has no rules. leaf() pushes nothing, and the frame pointer there is that of an outer
# frame.
@test "live: unwind: functions without rules have all their callers, with and without frame pointers" {
	need x86_64 gcc
	cat >chain.c <<-'END'
		volatile unsigned sum;
		__attribute__((noinline)) void leaf(unsigned n)
		{
			for (unsigned i = 0; i < n; i++)
				sum = sum * 31 + i;
		}
		__attribute__((noinline)) void third(unsigned n)
		{
			leaf(n);
			sum++;
		}
		__attribute__((noinline)) void second(unsigned n, unsigned m)
		{
			third(n + m);
			third(n);
			sum += n ^ m;
		}
		void first(unsigned n)
		{
			second(n, n / 2);
			sum++;
		}
		void last(void)
		{
		}
	END
	cat >main.c <<-'END'
		#include <time.h>
		void first(unsigned);
		int main(void)
		{
			while (clock() < CLOCKS_PER_SEC / 4)
				first(10000);
			return 0;
		}
	END
	gcc -O2 -fno-omit-frame-pointer -c main.c
	for way in omit no-omit; do
		gcc -O2 -f$way-frame-pointer -fno-asynchronous-unwind-tables \
			-fno-optimize-sibling-calls -fcf-protection=none -c chain.c
		gcc main.o chain.o -o chain
		"$record" "${large[@]}" -e cpu-clock:u -F 2000 --call-graph dwarf \
			-o chain.data -- ./chain
		"$report" export --format folded -i chain.data | awk '
			/;leaf [0-9]+$/ { all += $NF }
			/;main;first;second;third;leaf [0-9]+$/ { good += $NF }
			END { print good, all; exit all < 50 || good < all * 0.95 }'
	done
}

@test "live: record: stacks after fork and exec are those of the new program" {
	make_deep
	"$record" -e cpu-clock:u -F 2000 --call-graph dwarf -o deep.data -- \
		sh -c './deep 10 0.2 & ./deep 15 0.2; wait' 2>messages
	"$report" script -i deep.data -F comm,ip,sym >text
	read -r whole all < <(count_whole <text)
	[ "$all" -gt 20 ]
	[ "$((whole * 100))" -ge "$((all * 99))" ]
}

@test "live: record: a program that is deleted while it runs has complete stacks" {
	make_deep
	"$record" -q -e cpu-clock:u -F 2000 --call-graph dwarf -o deep.data -- \
		./deep 20 60 3>&- &
	started=$!
	until_true has_recorded deep.data 10
	rm deep
	until_true has_recorded deep.data 300
	kill -INT "$started"
	wait "$started"
	"$report" script -i deep.data -F comm,ip,sym >text
	read -r whole all < <(count_whole <text)
	[ "$all" -gt 20 ]
	# Most samples are later than the deletion.
	[ "$((whole * 100))" -ge "$((all * 95))" ]
}

@test "live: record: the recording of a killed recorder has call chains" {
	make_deep
	background "$record" -q -e cpu-clock:u -F 2000 --call-graph dwarf \
		-o deep.data -- ./deep 20 60
	until_true has_child "$last"
	workload=$(child_of "$last")
	started="$started $workload"
	until_ran "$workload" 2500
	kill -KILL "$last" "$workload"
	"$report" script -i deep.data -F comm,ip,sym >text
	read -r whole all < <(count_whole <text)
	[ "$all" -gt 20 ]
	[ "$((whole * 100))" -ge "$((all * 99))" ]
}

@test "live: record: each file of --switch-output has its own numbers of complete stacks" {
	make_deep
	"$record" -q -e cpu-clock:u -F 500 --call-graph dwarf \
		--switch-output=1s -o deep.data -- ./deep 20 1.5
	n=0
	for file in deep.data.*; do
		"$report" script -i "$file" -F comm,ip,sym >text
		read -r whole all < <(count_whole <text)
		# The last file can have a few samples only.
		[ "$((whole * 100))" -ge "$((all * 98 - 200))" ]
		n=$((n + 1))
	done
	[ "$n" -gt 1 ]
}

@test "live: record: stacks with pages that were never written are complete" {
	need gcc
	cat >hole.c <<-END
		__attribute__((noinline)) static void spin(volatile char *at)
		{
			volatile int i;

			for (i = 0; i < 100000000; i++)
				;
			*at = 1;
		}
		__attribute__((noinline)) static int outer(void)
		{
			volatile char hole[40000];

			spin(hole);
			return hole[0];
		}
		int main(void)
		{
			return outer() == 7;
		}
	END
	gcc -O2 -fomit-frame-pointer hole.c -o hole
	"$record" -q -e cpu-clock:u -F 2000 --call-graph dwarf -o hole.data \
		-- ./hole
	"$report" script -i hole.data -F comm,ip,sym >text
	read -r whole all < <(count_whole <text)
	echo "$whole of $all"
	[ "$all" -gt 20 ]
	[ "$((whole * 100))" -ge "$((all * 95))" ]
}

@test "live: record: a message counts samples without a stack copy because the program was starting" {
	local i

	need root
	for i in {1..300}; do echo /bin/true; done >many.sh
	"$record" -v -e cpu-clock -F 20000 --call-graph dwarf -o empty.data \
		-- sh many.sh 2>messages
	grep "stacks have no copy: the program was starting" messages
}

@test "live: record: a message counts samples without a stack copy because the stack was growing" {
	need gcc
	cat >grow.c <<-'END'
		static volatile long sink;
		__attribute__((noinline)) static void down(int n)
		{
			volatile char room[5000];

			room[0] = (char)n;
			if (n)
				down(n - 1);
			sink += room[0];
		}
		int main(void)
		{
			down(1000);
			return 0;
		}
	END
	gcc -O2 -fomit-frame-pointer grow.c -o grow
	"$record" -v -e page-faults:u -c 1 --call-graph dwarf -o grow.data \
		-- ./grow 2>messages
	cat messages
	grep "stacks have no copy: the page at the stack pointer did not exist" \
		messages
	absent grep 'fell behind' messages
	sum_of_ends grow.data
}

@test "live: record: frame pointers that lead to data are not taken for callers" {
	need gcc
	need x86_64
	# Code without CFI, whose frame pointer points to a cycle on the heap, and whose
	# instructions do not lead to its caller.
	cat >circle.c <<-'END'
		#include <stdlib.h>
		void spin(void **frame);
		__asm__(".globl spin\n.type spin, @function\nspin:\n"
			"lea -40(%rsp), %rsp\nmov %rdi, %rbp\nmov $500000000, %ecx\n"
			"1: sub $1, %ecx\njnz 1b\n"
			"mov $231, %eax\nxor %edi, %edi\nsyscall\nhlt\n"
			".size spin, . - spin\n");
		int main(void)
		{
			void **frame = malloc(2 * sizeof(*frame));

			frame[0] = frame[1] = frame;
			spin(frame);
			return 0;
		}
	END
	gcc -O2 circle.c -o circle
	"$record" -v -e cpu-clock:u -F 2000 --call-graph dwarf -o circle.data \
		-- ./circle 2>messages
	grep 'unwound only by frame pointers' messages
	"$report" script -i circle.data -F ip,sym >text
	[ "$(grep -c ' spin' text)" -gt 20 ]
	awk 'BEGIN { RS = ""; FS = "\n" } / spin/ && NF > 1 { exit 1 }' text
}

@test "live: record: all frames of a stack are of one moment" {
	need gcc
	gcc -O2 -fomit-frame-pointer "$DWELL_SOURCE/tests/bench/moments.c" \
		-o moments -lpthread
	# Each thread descends hundreds of times between two samples, or a few
	# times.
	for way in "1 6000 0 2" "1 2000 0 2" "1 6000 300000 2"; do
		"$record" -q -e cpu-clock:u -F 1000 --call-graph dwarf \
			-o moments.data -- ./moments $way
		"$report" script -i moments.data --max-stack 99999 \
			-F stack_origin,ip,sym |
			awk -f "$DWELL_SOURCE/tests/bench/moments.awk" >told
		cat told
		grep -q '^copy .* whole [1-9]' told
		awk '{ all += $2; wrong += $6 }
			END { exit wrong * 1000 > all }' told
	done
}

# Loops in a function that uses the frame pointer register for other values.
make_frameless() {
	cat >frameless.c <<-'END'
		__attribute__((noinline)) unsigned leaf(unsigned n)
		{
			register unsigned long x __asm__("rbp") = n;
			for (unsigned i = 0; i < 100000; i++) {
				x = x * 31 + i;
				__asm__ volatile("" : "+r"(x));
			}
			return x;
		}
		int main(void)
		{
			unsigned sum = 0;
			for (int i = 0; i < 1000; i++)
				sum += leaf(i);
			return sum == 1;
		}
	END
	cc -O2 -fomit-frame-pointer -o "$1" frameless.c
}

@test "live: record: -g: stacks without frame pointers are complete, and the summary names the method" {
	need x86_64
	make_frameless frameless
	DWELL_NO_BPF=1 run -0 --separate-stderr "$record" -e cpu-clock:u -g -- \
		./frameless
	echo "$stderr"
	[[ $stderr =~ "stacks are complete ("(9[0-9]|100).*" %), unwound from copies: the environment variable DWELL_NO_BPF is set" ]]
	[[ $stderr != *"are cut"* ]]
	run -0 dwell script -F comm,ip,sym
	[[ $output == *leaf*main* ]]
}

@test "live: record: --call-graph fp: summary and report name programs without frame pointers" {
	need x86_64
	make_frameless frameless
	run -0 --separate-stderr "$record" -e cpu-clock:u --call-graph fp -- ./frameless
	echo "$stderr"
	[[ $stderr =~ (9[0-9]|100)" % of the stacks are cut: no frame pointers in frameless. To record complete stacks: -g" ]]
	run -0 dwell report --stdio
	[[ $output =~ "# Cut Stacks: "(9[0-9]|100)" %: no frame pointers in frameless. To record complete stacks: dwell record -g" ]]
	run -0 dwell report --header-only
	[[ $output == *"# chains_cut_in : frameless"* ]]
	if meets browser; then
		dwell export --format html -o out.html
		browse out.html "text #cut span" |
			grep 'of the stacks are cut (frameless .* %): no frame pointers in frameless. To record complete stacks: "dwell record -g"$'
	fi
	if meets tmux ncurses; then
		on_terminal report
		sees " % of the stacks are cut; record with -g. No frame pointers in frameless"
		ends
	fi
	# Stack copies need no frame pointers.
	for option in --call-graph=dwarf --call-graph=auto \
		"--call-graph=dwarf --keep-stacks"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr "$record" -e cpu-clock:u $option -- \
			./frameless
		[[ $stderr != *"are cut"* ]]
		run -0 dwell report --stdio
		[[ $output != *"Cut Stacks"* ]]
	done
	# A program with frame pointers is not reported.
	sed -i 's/register unsigned long x.*/volatile unsigned x = n;/; /__asm__/d' \
		frameless.c
	cc -O1 -fno-omit-frame-pointer -o framed frameless.c
	run -0 --separate-stderr "$record" -e cpu-clock:u --call-graph fp -- ./framed
	[[ $stderr != *"are cut"* ]]
}
