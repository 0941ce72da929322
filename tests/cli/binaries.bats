#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Complete stacks of programs of all kinds: as unwound while recording, and from
# a file with stack copies, which perf records if it is installed.

load common.bash

plain=(-O2 -fomit-frame-pointer)
# The program's own code has no CFI in a loaded section.
debug_only=(-g -fno-asynchronous-unwind-tables -fno-unwind-tables
	-fno-pie -no-pie)

setup() {
	enter_test
	need gcc
	cp "$DWELL_SOURCE/tests/cli/deep.c" .
}

# build NAME OPTION...: compiles deep.c to ./NAME without frame pointers.
build() {
	"${CC:-gcc}" "${plain[@]}" deep.c -o "$@" -lpthread
}

# copies COMMAND...: records COMMAND with stack copies to kept.data.
copies() {
	if meets perf; then
		perf_record -e cpu-clock:u -F 2000 \
			-m 2M --call-graph dwarf,16384 -o kept.data -- "$@"
	else
		"$record" -q "${large[@]}" -e cpu-clock:u -F 2000 --keep-stacks \
			--call-graph dwarf,16384 -o kept.data -- "$@"
	fi
}

# ended END: prints how many stacks of kept.data ended with END.
ended() {
	"$report" report -i kept.data --json 2>/dev/null |
		sed -n "s/.*\"copied_stacks\": {.*\"$1\": \([0-9.]*\).*/\1/p"
}

# The percentage of stacks that may be incomplete.
spared=1

# whole COMMAND...: succeeds if COMMAND's stacks are complete, unwound live and
# from copies, except one or $spared %.
whole() {
	local whole all
	"$record" "${large[@]}" -e cpu-clock:u -F 2000 --call-graph dwarf \
		-o live.data -- "$@" 2>messages >/dev/null
	cat messages
	read -r whole all < <(sed -n \
		's/.*: \([0-9]*\) of \([0-9]*\) stacks are complete.*/\1 \2/p' \
		messages)
	[ "$all" -gt 20 ]
	[ "$((all - whole))" -le "$((1 + all * spared / 100))" ]
	copies "$@" >/dev/null
	whole=$(ended root) all=$(ended stacks)
	echo "from copies: $whole of $all"
	[ "$all" -gt 20 ]
	[ "$((all - whole))" -le "$((1 + all * spared / 100))" ]
}

# named FILE: succeeds if nearly all stacks of FILE in spin() have main or the
# start of the thread, and recurse() 20 times.
named() {
	"$report" script -i "$1" -F comm,ip,sym | awk 'BEGIN { RS = "" }
		/[ .:]spin/ { n++; if (gsub(/[ .:]recurse/, "") == 20) whole++ }
		END { print whole + 0 " of " n + 0 " have 20"
			exit n < 20 || whole < n * (100 - '"$spared"') / 100 }'
}

# deep_is_whole NAME: the same for ./NAME, with 20 calls of recurse().
deep_is_whole() {
	whole "./$1" 20 0.1
	named live.data
	named kept.data
}

@test "live: unwind: a position-independent static program has complete stacks" {
	need static-libc
	build deep -static-pie
	deep_is_whole deep
}

@test "live: unwind: a static program at its linked address has complete stacks" {
	need static-libc
	build deep -static -no-pie -fno-pie
	deep_is_whole deep
}

@test "live: unwind: a program whose segments share pages has complete stacks" {
	build deep -Wl,-z,noseparate-code
	deep_is_whole deep
}

@test "live: unwind: a program without .eh_frame_hdr has complete stacks" {
	build deep -Wl,--no-eh-frame-hdr
	readelf -lW deep >segments
	absent grep GNU_EH_FRAME segments
	deep_is_whole deep
}

@test "live: unwind: a program whose .eh_frame_hdr has no search table has complete stacks" {
	local at
	build deep
	at=$(readelf -lW deep | awk '$1 == "GNU_EH_FRAME" { print $2 }')
	printf '\377\377' |
		dd of=deep bs=1 seek=$((at + 2)) conv=notrunc status=none
	deep_is_whole deep
}

@test "live: unwind: a 32-bit program has complete stacks" {
	need 32bit
	i386_gcc "${plain[@]}" deep.c -o deep -lpthread
	deep_is_whole deep
}

# System calls go through the 32-bit vdso, which is not a file.
@test "live: unwind: a 32-bit program in a system call has complete stacks with names" {
	cat >reads.c <<-'END'
		#include <fcntl.h>
		#include <unistd.h>

		static volatile long sink;

		__attribute__((noinline, noclone))
		static void get(int fd)
		{
			char bytes[64];

			sink += read(fd, bytes, sizeof(bytes));
		}

		int main(void)
		{
			int fd = open("/dev/zero", O_RDONLY);
			long n;

			for (n = 0; n < 500000; n++)
				get(fd);
			return 0;
		}
	END
	need 32bit
	i386_gcc "${plain[@]}" reads.c -o reads
	"$record" "${large[@]}" -e cpu-clock:u -F 2000 --call-graph dwarf \
		-o live.data -- ./reads 2>messages
	"$report" script -i live.data -F ip,sym,dso >text
	awk 'BEGIN { RS = ""; FS = "\n" } $1 ~ /\(\[vdso32\]\)/ {
			n++
			if ($1 ~ /__kernel_vsyscall/ && / get / && / main /) whole++
		}
		END { print n + 0 " in the vdso, " whole + 0 " whole"
			exit n < 10 || whole < n * 0.99 }' text
	run ! grep -F '[vdso])' text
}

# The vdso of this 64-bit test has other names and instructions.
@test "live: unwind: samples in the vdso of a 32-bit program have the names of its 32-bit functions" {
	cat >clock.c <<-'END'
		#include <time.h>

		int main(void)
		{
			struct timespec now;
			long n;

			for (n = 0; n < 2000000; n++)
				clock_gettime(CLOCK_MONOTONIC, &now);
			return 0;
		}
	END
	need 32bit vdso-clock
	i386_gcc "${plain[@]}" clock.c -o clock
	"$record" -q -e cpu-clock:u -F 2000 -o live.data -- ./clock
	"$report" script -i live.data -F ip,sym,dso |
		grep -F '[vdso' >rows
	cat rows | sort | uniq -c | sort -rn | head
	grep '__vdso_clock_gettime.*\[vdso32\]' rows
	# The other rows are helpers without symbols.
	[ "$(grep -cv -e __vdso_clock_gettime -e '\[unknown\]' rows)" = 0 ]
	run "$report" annotate --stdio -i live.data --dso '[vdso32]'
	[[ $output != *rdtscp* && $output != *%r[abcd]x* ]]
}

# no_sections FILE: sets e_shoff, e_shnum and e_shstrndx to 0.
no_sections() {
	dd if=/dev/zero of="$1" bs=1 seek=40 count=8 conv=notrunc status=none
	dd if=/dev/zero of="$1" bs=1 seek=60 count=4 conv=notrunc status=none
}

@test "live: unwind: a program without section headers has complete stacks" {
	build deep
	no_sections deep
	[ "$(readelf -SW deep 2>/dev/null | grep -c eh_frame)" = 0 ]
	whole ./deep 20 0.1
}

@test "live: unwind: a program without section headers and without the table of .eh_frame_hdr has complete stacks" {
	local at
	need static-libc
	build deep -static-pie
	at=$(readelf -lW deep | awk '$1 == "GNU_EH_FRAME" { print $2 }')
	[ -n "$at" ]
	no_sections deep
	printf '\377\377' |
		dd of=deep bs=1 seek=$((at + 2)) conv=notrunc status=none
	whole ./deep 20 0.1
}

# Without the program header of .eh_frame, too.
@test "live: unwind: stacks of a static program without section headers are reported as incomplete" {
	need static-libc
	build deep -static -Wl,--no-eh-frame-hdr
	no_sections deep
	readelf -lW deep | absent grep GNU_EH_FRAME
	"$record" -v -e cpu-clock:u -F 2000 --call-graph dwarf -o live.data -- \
		./deep 20 0.1 2>messages
	cat messages
	# A sample at the entry point needs no CFI.
	grep -E ': [0-5] of [0-9]{2,} stacks are complete' messages
	grep 'stacks end in code without unwind rules' messages
}

# The program is not of GHC or Free Pascal, which are large: it has their sections, and code
# that has no callers on the stack of the thread.
@test "live: unwind: for incomplete stacks of Haskell and Pascal, a message names the compiler as the cause" {
	need gcc
	need x86_64
	cat >other.c <<-'END'
		__asm__(".section " SECTION ",\"\",@note\n"
			".string \"made\"\n"
			".text\n"
			".globl run\n"
			"run:	sub $4096, %rsp\n"
			"	lea 1f(%rip), %rdx\n"
			"	jmp spin\n"
			"1:	add $4096, %rsp\n"
			"	ret\n"
			"spin:	dec %rdi\n"
			"	jnz spin\n"
			"	jmp *%rdx\n");
		void run(unsigned long n);
		int main(void)
		{
			run(300000000);
			return 0;
		}
	END
	gcc -O2 -DSECTION='".debug-ghc-link-info"' -o haskell other.c
	gcc -O2 -DSECTION='".fpcdata"' -o pascal other.c
	gcc -O2 -DSECTION='".other"' -o other other.c
	for name in haskell pascal other; do
		"$record" -e cpu-clock:u -F 999 --call-graph dwarf -o $name.data -- ./$name \
			2>$name.messages
		cat $name.messages
	done
	grep -E '[0-9]+ stacks end in code of the Haskell compiler GHC' haskell.messages
	grep -E '[0-9]+ stacks end in code of Free Pascal .* -OoNOSTACKFRAME' pascal.messages
	grep 'fasynchronous-unwind-tables' other.messages
	absent grep 'fasynchronous-unwind-tables' haskell.messages
	absent grep 'fasynchronous-unwind-tables' pascal.messages
	absent grep -E 'GHC|Pascal' other.messages
}

@test "live: unwind: a program whose only CFI is .debug_frame, plain or compressed, has complete stacks" {
	local how
	need objcopy objcopy-zstd
	build plain "${debug_only[@]}"
	deep_is_whole plain
	for how in zlib zstd; do
		objcopy --compress-debug-sections=$how plain packed
		readelf -t packed | grep -A 3 '\.debug_frame' | grep COMPRESSED
		deep_is_whole packed
	done
}

# The section contains a compressed ELF file with the symbols and .debug_frame.
@test "live: unwind: a program whose symbols and CFI are only in .gnu_debugdata has complete stacks" {
	local options=() name
	need objcopy
	need xz
	build full "${debug_only[@]}"
	objcopy --only-keep-debug full inner
	for name in $(readelf -SW inner | grep -o '\.debug_[a-z_]*' |
		grep -v debug_frame); do
		options+=(--remove-section="$name")
	done
	objcopy "${options[@]}" inner
	xz inner
	objcopy -S --add-section .gnu_debugdata=inner.xz full deep
	readelf -SW deep >sections
	absent grep -E 'symtab|debug_frame' sections
	need liblzma
	deep_is_whole deep
	# A damaged section is ignored.
	head -c 200 inner.xz >cut.xz
	objcopy -S --add-section .gnu_debugdata=cut.xz full deep
	"$record" -q -e cpu-clock:u -F 100 --call-graph dwarf -o cut.data -- \
		./deep 1 0.1
	"$report" script -i cut.data -F comm,ip,sym >text
	absent grep spin text
}

@test "live: unwind: a program whose .debug_frame is in a separate debug file has complete stacks" {
	need objcopy
	build full "${debug_only[@]}" -Wl,--build-id
	mkdir .debug
	objcopy --only-keep-debug full .debug/deep.debug
	objcopy -S --add-gnu-debuglink=.debug/deep.debug full deep
	deep_is_whole deep
	# Without a build ID, the file is found by its checksum.
	build full "${debug_only[@]}" -Wl,--build-id=none
	objcopy --only-keep-debug full .debug/deep.debug
	objcopy -S --add-gnu-debuglink=.debug/deep.debug full deep
	deep_is_whole deep
}

@test "live: unwind: a debug file of another build is not used to unwind" {
	need objcopy
	local id
	mkdir .debug
	for id in sha1 none; do
		build full "${debug_only[@]}" "-Wl,--build-id=$id"
		objcopy --only-keep-debug full .debug/deep.debug
		objcopy -S --add-gnu-debuglink=.debug/deep.debug full deep
		build full "${debug_only[@]}" -O1 "-Wl,--build-id=$id"
		objcopy --only-keep-debug full .debug/deep.debug
		"$record" -v -e cpu-clock:u -F 2000 --call-graph dwarf \
			-o live.data -- ./deep 20 0.1 2>messages
		cat messages
		grep 'stacks pass through code without unwind rules' messages
	done
}

@test "live: unwind: a program that runs from a memfd has complete stacks" {
	build deep
	cat >run.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <unistd.h>

		int main(int argc, char **argv)
		{
			static char bytes[1 << 20];
			int from = open("deep", O_RDONLY);
			int to = memfd_create("deep", MFD_CLOEXEC);
			ssize_t n;

			(void)argc;
			while ((n = read(from, bytes, sizeof(bytes))) > 0)
				if (write(to, bytes, n) != n)
					return 1;
			fexecve(to, argv, environ);
			return 1;
		}
	END
	gcc -O1 run.c -o run
	"$record" "${large[@]}" -e cpu-clock:u -F 2000 --call-graph dwarf \
		-o live.data -- ./run 20 0.1 2>messages
	cat messages
	grep -E 'stacks are complete \((100\.00|99\.[0-9]+) %\)' messages
	named live.data
}

@test "live: unwind: Rust programs have complete stacks" {
	need rustc
	rustc -O "$DWELL_SOURCE/tests/cli/deep.rs" -o deep
	deep_is_whole deep
}

# build_go NAME OPTION...: compiles a Go program to ./NAME. Its libraries are compiled once.
build_go() {
	need go
	HOME=$PWD GOCACHE=$BATS_FILE_TMPDIR/go GO111MODULE=off GOFLAGS=-mod=mod \
		go build "${@:2}" -o "$1" "$DWELL_SOURCE/tests/cli/deep.go"
}

# Go's runtime interrupts goroutines with signals and switches to other stacks,
# more often if it waits for a CPU: these stacks are incomplete.
@test "live: unwind: stacks of goroutines are complete with .debug_frame" {
	build_go deep
	spared=5
	readelf -SW deep | grep debug_frame
	deep_is_whole deep
	# Stacks deeper than any copy are completed.
	"$record" -v -e cpu-clock:u -F 500 --call-graph dwarf -o live.data -- \
		./deep 3000 0.3 2>messages
	cat messages
	grep 'stacks were completed from the running process' messages
}

# As in Debian's Go programs: a frame pointer of 0 marks the root.
@test "live: unwind: stacks of goroutines are complete with frame pointers alone" {
	build_go deep -ldflags=-w
	readelf -SW deep >sections
	absent grep debug_frame sections
	spared=5
	deep_is_whole deep
}

@test "live: unwind: a stripped Go program has names and lines, and its names also after its file was removed" {
	build_go deep -ldflags='-s -w'
	readelf -SW deep >sections
	absent grep -E ' \.symtab|debug_info' sections
	"$record" --call-graph fp -e cpu-clock:u -F 2000 -o live.data -- ./deep 20 0.1
	named live.data
	"$report" report -i live.data -s srcline --stdio | grep 'deep.go:'
	"$report" report -i live.data --dsos --csv >dsos
	grep 'deep,' dsos | grep ',Go,'
	rm deep
	named live.data
	"$report" script -i live.data -F ip,sym,dso | grep '/deep)' >frames
	absent grep 'unknown' frames
}

# musl is built without CFI. Its process and threads start in assembly.
@test "live: unwind: programs of musl have complete stacks" {
	need musl-gcc
	CC=musl-gcc build deep -static
	deep_is_whole deep
	CC=musl-gcc build deep
	deep_is_whole deep
}

# Some functions of musl cannot be unwound, which is reported.
@test "live: unwind: a stack in musl code whose callers cannot be found does not count as complete" {
	need musl-gcc
	cat >sort.c <<-'END'
		#include <stdlib.h>

		static int numbers[20000];

		static int compare(const void *a, const void *b)
		{
			return *(const int *)a - *(const int *)b;
		}
		__attribute__((noinline)) static void sort(void)
		{
			int i;

			for (i = 0; i < 20000; i++)
				numbers[i] = i * 7919 % 20011;
			qsort(numbers, 20000, sizeof(*numbers), compare);
			numbers[0]++;
		}
		int main(void)
		{
			int i;

			for (i = 0; i < 60; i++)
				sort();
			return 0;
		}
	END
	musl-gcc "${plain[@]}" -static sort.c -o sorter
	"$record" -e cpu-clock:u -F 1000 --call-graph dwarf -o live.data -- \
		./sorter 2>messages
	cat messages
	whole=$(sed -n 's/.*: \([0-9]*\) of .* stacks are complete.*/\1/p' messages)
	"$report" script -i live.data -F comm,ip,sym | awk -v whole="$whole" '
		BEGIN { RS = "" }
		/ _start/ { n++; lacking += !/ sort.* main/ }
		END { print n + 0, lacking + 0, whole
			exit whole > n + 1 || lacking > 1 }'
	grep 'stacks end in code without unwind rules' messages
}

# Writes handler.c: handle() interrupts work() half of the time. RESTORER, if
# given, is assembly to which the handler returns.
make_handler() {
	cat >handler.c <<-'END'
		#define _GNU_SOURCE
		#include <signal.h>
		#include <stdlib.h>
		#include <sys/syscall.h>
		#include <sys/time.h>
		#include <unistd.h>

		static volatile long sink, count;
		static const struct itimerval never;

		static void spin(long n)
		{
			while (n--)
				sink += n;
		}
		__attribute__((noinline)) static void handle(int signal)
		{
			(void)signal;
			spin(10000000);
			/* No signal arrives after work(). */
			if (++count == 8)
				setitimer(ITIMER_PROF, &never, 0);
		}
		__attribute__((noinline)) static void work(void)
		{
			while (count < 8)
				sink++;
			sink++;
		}
		static void take(int signal)
		{
		#ifdef RESTORER
			extern char restorer[];
			struct {
				void (*handler)(int);
				unsigned long flags;
				void *restorer;
				unsigned long mask;
			} action = { handle, 0x04000000, restorer, 0 };

			syscall(SYS_rt_sigaction, signal, &action, 0, 8);
		#else
			struct sigaction action = { .sa_handler = handle };

			sigaction(signal, &action, 0);
		#endif
		}
		int main(void)
		{
			struct itimerval often = { { 0, 20000 }, { 0, 20000 } };

			take(SIGPROF);
			setitimer(ITIMER_PROF, &often, 0);
			work();
			return sink == 1;
		}
	END
}

# handler_is_whole: succeeds if the callers of handle() in live.data are the
# interrupted functions up to the start of the process.
handler_is_whole() {
	"$record" "${large[@]}" -e cpu-clock:u -F 1000 --call-graph dwarf \
		-o live.data -- "$1" 2>messages
	cat messages
	"$report" script -i live.data -F comm,ip,sym | awk 'BEGIN { RS = "" }
		/ handle\n/ { n++; whole += / handle.* work.* main.* _start/ }
		END { print whole + 0 " of " n + 0
			exit n < 20 || whole < n * 0.98 }'
	# A stack without its beginning does not count as complete. The loader, which
	# may have no name of its _start, is not compared.
	whole=$(sed -n 's/.*: \([0-9]*\) of .* stacks are complete.*/\1/p' messages)
	"$report" script -i live.data -F comm,ip,sym | awk -v whole="$whole" '
		BEGIN { RS = "" } / _start/ || !/ (handle|work|main)\n/ { n++ }
		END { print n + 0, whole; exit whole > n + 1 }'
}

@test "live: unwind: stacks of signal handlers in musl programs include the interrupted function" {
	need musl-gcc
	make_handler
	musl-gcc "${plain[@]}" -static handler.c -o handler
	handler_is_whole ./handler
}

# Go's CFI does not mark the signal frame either.
@test "live: unwind: stacks of signal handlers include the interrupted function, with and without CFI of the return" {
	need x86_64
	local rules
	make_handler
	for rules in ' .cfi_startproc' ''; do
		cat >restorer.S <<-END
			.globl restorer
			before:
			.cfi_startproc
			ret
			.cfi_endproc
			.balign 16, 0xcc
			restorer:
			$rules
			mov \$15, %eax
			syscall
			int3
			${rules:+.cfi_endproc}
			.section .note.GNU-stack,"",@progbits
		END
		gcc "${plain[@]}" -DRESTORER handler.c restorer.S -o handler
		handler_is_whole ./handler
	done
}

# Instructions are read from the process while recording, from its file, and on
# another machine.
@test "live: unwind: a program without CFI and without frame pointers is unwound by its instructions" {
	build deep -fno-asynchronous-unwind-tables -fno-unwind-tables
	"$record" "${large[@]}" -e cpu-clock:u -F 2000 --call-graph dwarf \
		-o live.data -- ./deep 20 0.1 2>messages
	copies ./deep 20 0.1 >/dev/null
	named live.data
	named kept.data
	dwell pack -o packed.data kept.data
	mv deep away
	named packed.data
}

# Coroutines written in assembly start like this.
@test "live: unwind: a stack that begins with a return address of 0 does not count as complete" {
	need x86_64
	cat >switch.c <<-'END'
		#include <unistd.h>

		void begin(void);
		void begin(void)
		{
			volatile long i;

			for (i = 0; i < 150000000; i++)
				;
			_exit(0);
		}

		int main(void)
		{
			static void *stack[8192];

			__asm__ volatile("mov %0, %%rsp\npush $0\njmp begin"
				: : "r"(&stack[8000]) : "memory");
			return 1;
		}
	END
	gcc "${plain[@]}" switch.c -o switch
	"$record" -v "${large[@]}" -e cpu-clock:u -F 1000 --call-graph dwarf \
		-o live.data -- ./switch 2>messages
	cat messages
	grep 'incomplete: [0-9]* stacks end at a return address of 0' messages
	# Except frames of ld.so before main().
	copies ./switch >/dev/null
	local file zero
	for file in live.data kept.data; do
		"$report" report -i $file --json 2>/dev/null >json
		zero=$(sed -n 's/.*"zero": \([0-9]*\).*/\1/p' json)
		[ "$zero" -gt 20 ]
		[ "$(sed -n 's/.*"root": \([0-9]*\).*/\1/p' json)" -lt "$((zero / 2))" ]
		[ "$(sed -n 's/.*"spliced": \([0-9]*\).*/\1/p' json)" -lt "$((zero / 2))" ]
	done
}

# As in clone() of libc: CFI cannot describe which of the two stacks returns
# from the kernel.
@test "live: unwind: stacks during the start of a thread are complete in both threads" {
	need x86_64
	cat >start.c <<-'END'
		#include <stdlib.h>
		#include <sys/wait.h>

		void clone_here(void *stack);
		/* Both count between the FDEs; as arguments of a system call: the
		   signal of a child's end, its stack. */
		__asm__(".text\n.p2align 4\n.globl clone_here\n"
			".type clone_here, @function\nclone_here:\n"
			".cfi_startproc\n"
			"mov %rdi, %rsi\nmov $17, %edi\nxor %edx, %edx\n"
			"xor %r10d, %r10d\nmov $200000000, %r9d\n"
			"mov $56, %eax\n.cfi_endproc\n"
			"syscall\n1: dec %r9\njnz 1b\n"
			"test %eax, %eax\njz 2f\nret\n"
			"2: .cfi_startproc\n.cfi_undefined rip\n"
			"xor %edi, %edi\nmov $60, %eax\nsyscall\n"
			".cfi_endproc\n.size clone_here, . - clone_here\n");

		int main(int argc, char **argv)
		{
			void **stack = calloc(2, 1 << 15);

			(void)argc;
			(void)argv;
			/* As clone() does: what is to be called. */
			stack[4096] = (void *)main;
			clone_here(&stack[4096]);
			wait(NULL);
			return 0;
		}
	END
	gcc "${plain[@]}" start.c -o start
	whole ./start
	local file
	for file in live.data kept.data; do
		"$report" script -i "$file" -F comm,ip,sym >text
		[ "$(grep -c ' clone_here$' text)" -gt 20 ]
		# About half of the samples are the child's, which has no caller: both
		# do the same work, on CPUs that can have different speeds.
		awk 'BEGIN { RS = "" } / clone_here\n/ {
				n++
				callers += / main\n/ && / _start/
			}
			/ clone_here$/ { n++ }
			END { print callers + 0 " of " n + 0 " are called"
				exit callers < n / 10 || callers > n * 9 / 10 }' text
	done
}

@test "live: unwind: samples in the vdso have complete stacks" {
	cat >clock.c <<-'END'
		#include <time.h>

		static volatile long sink;

		__attribute__((noinline, noclone))
		static void ask(long n)
		{
			struct timespec now;

			while (n--) {
				clock_gettime(CLOCK_REALTIME_COARSE, &now);
				sink += now.tv_nsec;
				clock_gettime(CLOCK_MONOTONIC, &now);
				sink += now.tv_nsec;
			}
		}

		int main(void)
		{
			ask(3000000);
			return 0;
		}
	END
	gcc "${plain[@]}" clock.c -o clock
	whole ./clock
	local file
	for file in live.data kept.data; do
		"$report" script -i "$file" -F comm,ip,sym,dso >text
		awk 'BEGIN { RS = ""; FS = "\n" } $2 ~ /\[vdso\]/ {
				n++
				if (/ ask / && / main / && / _start /) whole++
			}
			END { print n + 0 " in the vdso, " whole + 0 " whole"
				exit n < 10 || whole < n * 0.99 }' text
	done
}

# middle() has a frame, and CFI that leads below it.
@test "live: unwind: where the CFI ends, frames from the kernel's own call chain complete the stack" {
	local file
	cat >splice.c <<-'END'
		#include <time.h>

		void middle(void);
		void leaf(void);
		void leaf(void)
		{
			volatile long i;

			for (i = 0; i < 100000000; i++)
				;
		}
		__asm__(".text\n.globl middle\n.type middle, @function\n"
			"middle:\n.cfi_startproc\n"
			"push %rbp\nmov %rsp, %rbp\n"
			".cfi_def_cfa %rsp, -4096\n"
			"call leaf\npop %rbp\nret\n"
			".cfi_endproc\n.size middle, . - middle\n");
		__attribute__((noinline)) static void outer(void)
		{
			middle();
			__asm__ volatile("");
		}
		int main(void)
		{
			outer();
			return 0;
		}
	END
	gcc -O1 -fno-omit-frame-pointer splice.c -o splice
	"$record" -v "${large[@]}" -e cpu-clock:u -F 2000 --call-graph dwarf \
		-o live.data -- ./splice 2>messages
	cat messages
	grep 'stacks end at an invalid frame' messages
	grep 'stacks continue by frame pointers' messages
	"$record" -q "${large[@]}" -e cpu-clock:u -F 2000 --call-graph dwarf \
		--keep-stacks -o kept.data -- ./splice
	[ "$(ended spliced)" -gt 20 ]
	[ "$(ended damaged)" -ge "$(ended spliced)" ]
	for file in live.data kept.data; do
		"$report" script -i "$file" -F comm,ip,sym | awk '
			BEGIN { RS = "" }
			/ leaf/ { n++; gsub(/[ \t]+[0-9a-f]+ /, " ")
				if (/leaf[^\n]*\n middle[^\n]*\n outer[^\n]*\n main/)
					whole++ }
			END { print whole + 0 " of " n + 0
				exit n < 20 || whole < n * 0.98 }'
	done
}
