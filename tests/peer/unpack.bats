#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Archives of perf archive, and perf's reading of the files that dwell unpack installs.

load rows.bash

setup() {
	enter_test
	export HOME=$PWD/home
	mkdir home
	need perf
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
	unsigned long x = 1, n = 0;
	clock_t end = clock() + CLOCKS_PER_SEC / 5;
	/* The clock includes time in which the machine stalls. */
	while (clock() < end || n++ < 1000)
		x = outer(x);
	return x == 0;
}
END
	cc -O1 -fno-omit-frame-pointer -Wl,--build-id spin.c -o spin
}

# names FOLDER: prints perf's rows of the program with only the files in FOLDER. perf
# resolves code of the PLT as _init.
names() {
	command perf --buildid-dir "$1" report -i spin.data --stdio -d spin \
		-g none --no-children -s sym -F sample,sym 2>/dev/null |
		sed '/^#/d; /^$/d; s/@@.*//; s/  *$//' |
		grep -v -e '@plt$' -e ' _init$' | sort
}

@test "live: unpack: an archive by perf archive names the functions of a missing program" {
	need perf-archive
	perf_record -e cpu-clock:u -F 2000 -g -o spin.data ./spin
	perf buildid-cache -a ./spin
	command perf --buildid-dir "$BATS_FILE_TMPDIR/build-ids" archive \
		spin.data
	[ -e spin.data.tar.bz2 ]
	command dwell report -i spin.data -s sym --no-inline \
		>before 2>/dev/null
	grep -F inner before
	rm spin
	command dwell report -i spin.data -s sym --no-inline \
		>without 2>/dev/null
	run ! grep -F inner without
	# The command that dwell unpack prints for an archive.
	run -1 --separate-stderr command dwell unpack spin.data.tar.bz2
	[ ! -e ~/.debug ]
	bash -euc "${stderr##*: }"
	command dwell report -i spin.data -s sym --no-inline \
		>after 2>/dev/null
	diff before after
	names ~/.debug | grep -F inner
}

# kernel_names FILE: prints perf's kernel symbols from FILE, without those of
# the running kernel.
kernel_names() {
	command perf --buildid-dir "$PWD/none" report -i spin.data --stdio \
		--kallsyms "$1" -g none --no-children -s dso,sym \
		-F sample,dso,sym 2>/dev/null |
		grep -F '[kernel.kallsyms]' | sed 's/  *$//' | sort
}

@test "live: unpack: perf names the functions of a missing program from a packed recording" {
	command dwell record -q --call-graph fp -e cpu-clock -F 2000 -o spin.data ./spin
	names "$PWD/none" >here
	grep -F inner here
	kernel_names /proc/kallsyms >kernel_here
	rm spin
	names "$PWD/none" >gone
	run ! grep -F inner gone
	run -0 --separate-stderr command dwell unpack spin.data --debug-dir out
	[ -z "$output" ]
	# Also in the share of callers, and no name is another function's.
	names "$PWD/out" | diff here -
	[ -z "$(find out ! -type d ! -type f)" ]
	run -0 --separate-stderr readelf -hlSsn \
		"$(find out -name elf | head -n 1)"
	[ -z "$stderr" ]
	if [ -s kernel_here ] && ls out/.build-id/*/*/kallsyms; then
		kernel_names out/.build-id/*/*/kallsyms | diff kernel_here -
	fi
}

@test "live: unpack: packed symbols name the samples of another recording" {
	command dwell record -q --call-graph fp -e cpu-clock:u -F 2000 -o spin.data ./spin
	perf_record -e cpu-clock:u -F 2000 -g -o theirs.data ./spin
	rm spin
	command dwell unpack -q spin.data --debug-dir out
	command dwell report -i theirs.data -s sym --no-inline >gone 2>/dev/null
	run ! grep -F inner gone
	command dwell report -i theirs.data -s sym --no-inline \
		--debug-dir out >named 2>/dev/null
	grep -F inner named
}
