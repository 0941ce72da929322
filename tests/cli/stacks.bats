#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Callers without frame pointers: copies of stacks, and call chains from them.

load common.bash

@test "live: copies of stacks are written as far as they are filled" {
	"$record" -q -z0 -e cpu-clock:u -F 1000 --call-graph dwarf,16384 \
		--keep-stacks -o kept.data -- awk 'BEGIN { while (n++ < 3e7); }'
	size=$(stat -c %s kept.data)
	samples=$("$report" script -i kept.data -F ip | grep -c . || true)
	[ "$samples" -gt 10 ]
	# awk's stack has a few kilobytes.
	[ "$((size / samples))" -lt 14000 ]
}

@test "live: perf unwinds copies that were kept" {
	need_perf
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
			return outer(300000000) == 7;
		}
	END
	gcc -O2 -fomit-frame-pointer deep.c -o deep
	"$record" -q -e cpu-clock:u -F 500 --call-graph dwarf,8192 \
		--keep-stacks -o kept.data -- ./deep || true
	perf --buildid-dir "$PWD/ids" script -i kept.data -F comm,ip,sym \
		2>/dev/null >text
	grep -q spin text
	grep -q outer text
	grep -q _start text
}

@test "live: small rings make copies small, and that is said" {
	"$record" -e cpu-clock:u -m 128K --call-graph dwarf --keep-stacks \
		-o kept.data -- true 2>messages
	grep "4096 bytes of each stack are copied" messages
	# Who names both sizes has them.
	"$record" -e cpu-clock:u -m 128K --call-graph dwarf,65528 \
		--keep-stacks -o kept.data -- true 2>messages
	! grep "of each stack" messages
}
