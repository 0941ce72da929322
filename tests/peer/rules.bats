#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Unwind rules compared with libdw and libunwind, and stacks compared with the
# true call chain.

load rows.bash

# frames FILE...: succeeds if one step from both ends of each row is libdw's.
frames() {
	run "$DWELL_BUILD/tests/peer/frames" "$@"
	echo "$output"
	[ "$status" = 0 ]
}

# ld.so and libcrypto have CFAs in any register, libc.so.6 has signal frames and
# longjmp(), libx265 has realigned stacks.
@test "each unwind rule of libraries, compiled and interpreted, is that of libdw" {
	local files=() file
	for file in ld-linux-x86-64.so.2 libc.so.6 libstdc++.so.6 libm.so.6 \
		libcrypto.so.3 libx265.so.199; do
		file=$(ldconfig -p | awk -v name="$file" '$1 == name {
			print $NF; exit }')
		[ -z "$file" ] || files+=("$file")
	done
	frames "${files[@]}" "$DWELL_BUILD/dwell-report"
	# Where libdw has no answer, libunwind's must be the same.
	grep -v ' 0 beyond this test' <<<"$output" | absent grep ' FDEs'
}

@test "each unwind rule of aarch64 libraries is that of libdw" {
	local libc=/usr/aarch64-linux-gnu/lib/libc.so.6
	need aarch64-libc
	frames "$libc" "${libc%libc*}ld-linux-aarch64.so.1"
}

@test "each unwind rule of i386 libraries is that of libdw" {
	local file
	need i386-libc
	for file in /usr/lib32/libc.so.6 /lib/i386-linux-gnu/libc.so.6 \
		/usr/libexec/valgrind/memcheck-x86-linux; do
		[ -e "$file" ] || continue
		frames "$file"
		return
	done
}

# steps COMPILER...: succeeds if each instruction of a program has its true call
# chain, except instructions of libgcc and longjmp() that replace the current
# frames, and code without CFI that is called before and after main().
steps() {
	local program=$BATS_TEST_TMPDIR/frames
	need "$1" static-libc
	"$@" "$DWELL_SOURCE/tests/peer/frames.cpp" -o "$program"
	"$DWELL_BUILD/tests/peer/steps" 500000 "$program" >"$program.out" || :
	grep -A 9 ' steps, ' "$program.out"
	awk '/ steps, / { exit !($1 > 50000 && $3 > $1 * 0.99) }' "$program.out"
	awk '/linked at/ { print "0x" $3 }' "$program.out" | sort -u |
		addr2line -f -e "$program" | awk 'NR % 2' | sort -u >"$program.in"
	cat "$program.in"
	absent grep -vE -e '^(_Unwind_[A-Za-z_]*|uw_[a-z_]*[0-9]?|__longjmp)$' \
		-e '^(_init|_fini|frame_dummy|(de)?register_tm_clones)$' \
		-e '^(__do_global_dtors_aux|\?\?)$' "$program.in"
}

@test "the call chain at every instruction is the actual one: gcc -O2" {
	steps g++ -O2 -static-pie
}

@test "the call chain at every instruction is the actual one: gcc, with frame pointers" {
	steps g++ -O2 -fno-omit-frame-pointer -static-pie
}

@test "the call chain at every instruction is the actual one: clang -O2" {
	steps clang++ -O2 -static-pie
}

@test "the call chain at every instruction is the actual one: through the dynamic loader" {
	run "$DWELL_BUILD/tests/peer/steps" 80000 /bin/true
	echo "$output"
	[[ $output == *"80000 same, 0 differ"* ]]
	[[ $output != *"  0 % of frames as in the last stack"* ]]
}

# There is no aarch64 kernel here: the program copies its own stack and
# registers, emulated by qemu.
@test "aarch64: stacks captured under qemu-aarch64 are unwound completely" {
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
	# The last program has signed return addresses.
	grep -E ' [1-9][0-9]{2,} addresses signed' "$program.text"
}

# The program's own frames have only .debug_frame, in a compressed section.
@test "the call chain at every instruction is the actual one: compressed .debug_frame" {
	local program=$BATS_TEST_TMPDIR/capture
	need gcc
	need objcopy
	need static-libc
	gcc -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-pie \
		-static "$DWELL_SOURCE/tests/peer/capture.c" -o "$program"
	objcopy --compress-debug-sections "$program"
	readelf -t "$program" | grep -A 3 '\.debug_frame' | grep COMPRESSED
	"$DWELL_BUILD/tests/peer/steps" 60000 "$program" >"$program.out" || :
	grep -a -A 9 ' steps, ' "$program.out"
	awk '/linked at/ { print "0x" $3 }' "$program.out" | sort -u |
		addr2line -f -e "$program" | awk 'NR % 2' | sort -u >"$program.in"
	cat "$program.in"
	absent grep -E '^(main|variable|large|deep|compare|busy|capture)$' \
		"$program.in"
	grep -aE '^6[0-9]* steps, [1-9][0-9]{4} same' "$program.out"
}

# musl is built without CFI, and uses the frame pointer as a general register.
@test "at every instruction of a musl program, a stack reported as complete is complete" {
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
