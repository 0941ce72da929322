#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What dwell unpack makes of perf's archives, and what perf finds in what it
# makes.

load rows.bash

setup() {
	enter_test
	export HOME=$PWD/home XDG_DATA_HOME=$PWD/data
	mkdir home
	need_perf
	cat >spin.c <<'END'
#include <time.h>
__attribute__((noinline)) static unsigned long inner(unsigned long x)
{
	for (unsigned long i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
__attribute__((noinline)) static unsigned long outer(unsigned long x)
{
	return inner(x) + 1;
}
int main(void)
{
	unsigned long x = 1;
	clock_t end = clock() + CLOCKS_PER_SEC / 5;
	while (clock() < end)
		x = outer(x);
	return x == 0;
}
END
	cc -O1 -fno-omit-frame-pointer -Wl,--build-id spin.c -o spin
}

# names FOLDER: perf's rows, with nothing but what is in that folder.
names() {
	command perf --buildid-dir "$1" report -i spin.data --stdio \
		-g none --no-children -s sym -F sample,sym 2>/dev/null |
		sed '/^#/d; /^$/d; s/  *$//' | sort
}

@test "live: a program that is gone has its names by perf archive" {
	perf_record -e cpu-clock:u -F 2000 -g -o spin.data ./spin
	run command perf --buildid-dir "$BATS_FILE_TMPDIR/build-ids" archive \
		spin.data
	[ -e spin.data.tar.bz2 ] || skip "perf archive: ${lines[0]-}"
	command dwell report -i spin.data -s sym --no-inline \
		>before 2>/dev/null
	grep -F inner before
	rm spin
	command dwell report -i spin.data -s sym --no-inline \
		>without 2>/dev/null
	run ! grep -F inner without
	command dwell unpack spin.data.tar.bz2
	command dwell report -i spin.data -s sym --no-inline \
		>after 2>/dev/null
	diff before after
	# tar(1) makes the same of it, for perf.
	mkdir theirs
	tar xf spin.data.tar.bz2 -C theirs
	names "$PWD/theirs" >wanted
	grep -F inner wanted
	names "$PWD/data/dwell/debug" | diff wanted -
}
