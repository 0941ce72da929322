#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Unwinding rules beside libdw and libunwind.

load rows.bash

# frames FILE...: one step from both ends of each row is libdw's.
frames() {
	run "$DWELL_BUILD/tests/peer/frames" "$@"
	echo "$output"
	[ "$status" = 0 ]
}

# ld.so and libcrypto have CFAs in any register, libc.so.6 signal frames and
# longjmp(), libx265 stacks that are realigned.
@test "each row of libraries is libdw's, compiled and interpreted" {
	local files=() file
	for file in ld-linux-x86-64.so.2 libc.so.6 libstdc++.so.6 libm.so.6 \
		libcrypto.so.3 libx265.so.199; do
		file=$(ldconfig -p | awk -v name="$file" '$1 == name {
			print $NF; exit }')
		[ -z "$file" ] || files+=("$file")
	done
	frames "${files[@]}" "$DWELL_BUILD/dwell-report"
	# Where libdw can't say, libunwind does.
	! grep -v ' 0 beyond this test' <<<"$output" | grep ' FDEs'
}

@test "each row of aarch64's libraries is libdw's" {
	local libc=/usr/aarch64-linux-gnu/lib/libc.so.6
	[ -e "$libc" ] || skip "no $libc (Debian: libc6-arm64-cross)"
	frames "$libc" "${libc%libc*}ld-linux-aarch64.so.1"
}

@test "each row of i386's libraries is libdw's" {
	local file
	for file in /usr/lib32/libc.so.6 /lib/i386-linux-gnu/libc.so.6 \
		/usr/libexec/valgrind/memcheck-x86-linux; do
		[ -e "$file" ] || continue
		frames "$file"
		return
	done
	skip "no program for i386 (Debian: libc6-i386)"
}

# steps COMPILER...: each instruction of a program has its true callchain, but
# for those of libgcc and longjmp() that replace the frames that they run in,
# and of what is called before and after main() and has no CFI.
steps() {
	local program=$BATS_TEST_TMPDIR/frames
	command -v "$1" >/dev/null || skip "no $1"
	"$@" "$DWELL_SOURCE/tests/peer/frames.cpp" -o "$program" ||
		skip "$* can't link this"
	"$DWELL_BUILD/tests/peer/steps" 500000 "$program" >"$program.out" || :
	grep -A 9 ' steps, ' "$program.out"
	awk '/ steps, / { exit !($1 > 50000 && $3 > $1 * 0.99) }' "$program.out"
	awk '/linked at/ { print "0x" $3 }' "$program.out" | sort -u |
		addr2line -f -e "$program" | awk 'NR % 2' | sort -u >"$program.in"
	cat "$program.in"
	! grep -vE -e '^(_Unwind_[A-Za-z_]*|uw_[a-z_]*[0-9]?|__longjmp)$' \
		-e '^(_init|_fini|frame_dummy|(de)?register_tm_clones)$' \
		-e '^(__do_global_dtors_aux|\?\?)$' "$program.in"
}

@test "every instruction's callchain is true: gcc -O2" {
	steps g++ -O2 -static-pie
}

@test "every instruction's callchain is true: gcc, with frame pointers" {
	steps g++ -O2 -fno-omit-frame-pointer -static-pie
}

@test "every instruction's callchain is true: clang -O2" {
	steps clang++ -O2 -static-pie
}

@test "every instruction's callchain is true: through the loader" {
	run "$DWELL_BUILD/tests/peer/steps" 80000 /bin/true
	echo "$output"
	[[ $output == *"80000 same, 0 differ"* ]]
	[[ $output != *"  0 % of frames as in the last stack"* ]]
}

# No kernel for aarch64 here: the program copies its own stack and registers,
# under qemu's emulation of the processor.
@test "aarch64: stacks captured under qemu-aarch64 are unwound whole" {
	local cc=aarch64-linux-gnu-gcc program=$BATS_TEST_TMPDIR/capture options
	need $cc
	need qemu-aarch64
	for options in -O2 "-O2 -fomit-frame-pointer" -O0 \
		"-O2 -mbranch-protection=standard"; do
		# shellcheck disable=SC2086
		$cc $options -static -funwind-tables \
			"$DWELL_SOURCE/tests/peer/capture.c" -o "$program"
		qemu-aarch64 "$program" >"$program.out"
		"$DWELL_BUILD/tests/peer/captured" "$program" \
			<"$program.out" >"$program.text"
		cat "$program.text"
	done
	# The last one has signed its return addresses.
	grep -E ' [1-9][0-9]{2,} addresses signed' "$program.text"
}

@test "live: rules of large files are kept for the next report" {
	local folder=$BATS_TEST_TMPDIR/cache/dwell/cfi first
	need_perf
	need g++
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	g++ -O2 "$DWELL_SOURCE/tests/peer/frames.cpp" -o frames
	perf_record -e cpu-clock -F 20000 --call-graph dwarf -o data -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8; do ./frames; done'
	first=$(dwell report --stdio -i data)
	[ "$(stat -c %a "$folder")" = 700 ]
	ls -l "$folder"
	[ -n "$(find "$folder" -type f -perm 600)" ]
	[ "$(dwell report --stdio -i data)" = "$first" ]
	# Somebody else could write there: not used, and not needed.
	chmod 777 "$folder"
	find "$folder" -type f -exec truncate -s 100 {} +
	[ "$(dwell report --stdio -i data)" = "$first" ]
	# Nor is what is damaged.
	chmod 700 "$folder"
	[ "$(dwell report --stdio -i data)" = "$first" ]
}

# Such a program's own frames have .debug_frame only, in a compressed section.
@test "every instruction's callchain is true: .debug_frame, compressed" {
	local program=$BATS_TEST_TMPDIR/capture
	need gcc
	need objcopy
	gcc -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-pie \
		-static "$DWELL_SOURCE/tests/peer/capture.c" -o "$program" ||
		skip "gcc can't link statically"
	objcopy --compress-debug-sections "$program"
	readelf -t "$program" | grep -A 3 '\.debug_frame' | grep COMPRESSED
	"$DWELL_BUILD/tests/peer/steps" 60000 "$program" >"$program.out" || :
	grep -a -A 9 ' steps, ' "$program.out"
	awk '/linked at/ { print "0x" $3 }' "$program.out" | sort -u |
		addr2line -f -e "$program" | awk 'NR % 2' | sort -u >"$program.in"
	cat "$program.in"
	! grep -E '^(main|variable|large|deep|compare|busy|capture)$' \
		"$program.in"
	grep -aE '^6[0-9]* steps, [1-9][0-9]{4} same' "$program.out"
}

# agrees COMMAND...: each stack of it is unwound as by libunwind, or else as by
# libdw. Places where they differ are told by file and address.
agrees() {
	perf_record -e cpu-clock:u -F 1000 --call-graph dwarf,32768 -m 4M \
		-o copies.data -- "$@" >/dev/null
	run "$DWELL_BUILD/tests/peer/agree" copies.data
	echo "$output"
	[ "$status" != 77 ] || skip "$output"
	[ "$status" = 0 ]
	rm copies.data
}

# said WHAT: how many stacks of the last agrees().
said() {
	sed -n "s/^$1: //p" <<<"$output"
}

# musl is built without any CFI, and with frame pointers used as any register.
@test "every instruction of musl's: what counts as whole is" {
	local linked
	need musl-gcc
	cat >calls.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>

		static volatile int sink;
		static int numbers[40];

		static int compare(const void *a, const void *b)
		{
			return *(const int *)a - *(const int *)b;
		}
		static void handle(int n)
		{
			sink += n;
		}
		__attribute__((noinline)) static void call(void)
		{
			char text[50], *copy;
			int i;

			for (i = 0; i < 40; i++)
				numbers[i] = i * 7919 % 101;
			qsort(numbers, 40, sizeof(*numbers), compare);
			snprintf(text, sizeof(text), "%d %s", numbers[3], "x");
			copy = malloc(300);
			memset(copy, 1, 300);
			strcpy(copy, text);
			sink += (int)strlen(copy);
			free(copy);
			raise(SIGUSR1);
		}
		int main(void)
		{
			signal(SIGUSR1, handle);
			call();
			call();
			return 0;
		}
	END
	for linked in -static -no-pie; do
		musl-gcc -O2 "$linked" calls.c -o calls
		"$DWELL_BUILD/tests/peer/steps" -c 100000 ./calls >out || :
		cat out
		awk '/ steps, / { same = $3 }
			/ end with root/ { wrong = $1 }
			END { exit !(same > 5000 && wrong <= 5) }' out
	done
}

@test "live: frames are libunwind's or libdw's: C++ with all kinds of frames" {
	need_perf
	need g++
	g++ -O2 "$DWELL_SOURCE/tests/peer/frames.cpp" -o frames
	agrees sh -c 'for i in $(seq 600); do ./frames; done'
	[ "$(said same)" -gt 20 ]
}

@test "live: frames are libunwind's or libdw's: a compiler" {
	need_perf
	need g++
	agrees g++ -O2 -c "$DWELL_SOURCE/tests/peer/words.cpp" -o words.o
	[ "$(said same)" -gt 100 ]
}

@test "live: frames are libunwind's or libdw's: Rust" {
	need_perf
	need rg
	agrees rg -c 'a.*b.*c.*d' /usr/include
	[ "$(said same)" -gt 20 ]
}

@test "live: frames are libunwind's or libdw's: Python" {
	need_perf
	need python3
	agrees python3 -c 'import json
for i in range(12):
    json.dumps(json.loads(json.dumps({str(k): [k] * 5 for k in range(5000)})))'
	[ "$(said same)" -gt 50 ]
}

# framed COMPILER OPTION...: in a program with frame pointers every chain is the
# kernel's own, but for the caller that the kernel misses while a frame is made.
framed() {
	need "$1"
	"$@" -fno-optimize-sibling-calls -fno-stack-protector -ffreestanding \
		-nostdlib -static -fasynchronous-unwind-tables \
		"$DWELL_SOURCE/tests/peer/framed.c" -o framed ||
		skip "$* can't link this"
	"$DWELL_BUILD/dwell-record" -q -e cpu-clock:u -F 2000 --keep-stacks \
		--call-graph dwarf,16384 -o framed.data -- ./framed
	"$DWELL_BUILD/tests/peer/chains" framed.data
}

@test "live: with frame pointers chains are the kernel's: gcc -O0" {
	framed gcc -O0
}

@test "live: with frame pointers chains are the kernel's: gcc -O2" {
	framed gcc -O2 -fno-omit-frame-pointer
}

@test "live: with frame pointers chains are the kernel's: clang -O2" {
	framed clang -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
}
