#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Whose names are shown: of the recorded file, and of no other.

load common.bash

setup() {
	enter_test
	cp "$DWELL_SOURCE/tests/cli/spin.c" .
}

build() {
	local name=$1
	shift
	cc -O1 -g -fno-omit-frame-pointer -DSPIN="$name" spin.c -o spin "$@"
}

record() {
	dwell record -q -e cpu-clock -F 2000 -o spin.data ./spin
}

report() {
	dwell report --stdio -n -s dso,sym -i spin.data "$@"
}

# Now and then perf 6.1 aborts while it looks for build IDs.
perf_record() {
	local try

	need_perf
	for try in 1 2 3; do
		perf record -q -N -e cpu-clock -F 2000 -o spin.data ./spin &&
			return
	done
	return 1
}

@test "live: names stay when the program is gone" {
	build spin_here
	record
	report >before
	grep -F '[.] spin_here' before
	rm spin
	report >after
	diff before after
}

@test "live: another build at the same path gives no names" {
	build spin_here
	record
	report >before
	build spin_elsewhere
	report >after
	diff before after
	run ! grep spin_elsewhere after
}

@test "live: another build gives no names to perf's recording either" {
	build spin_here
	perf_record
	report | grep -F '[.] spin_here'
	build spin_elsewhere
	report >after
	run ! grep -E 'spin_(here|elsewhere)' after
	grep -E 'spin +\[\.\] 0x' after
}

@test "live: without a build ID an unchanged file is trusted, a changed one marked" {
	build spin_here -Wl,--build-id=none
	perf_record
	report >before
	grep -E '\[\.\] spin_here$' before
	sleep 0.1
	touch spin
	report >after
	grep -F '[.] spin_here (?)' after
}

@test "live: names of a stripped program come from its debug file" {
	need objcopy
	build spin_here
	objcopy --only-keep-debug spin spin.debug
	objcopy --strip-all --add-gnu-debuglink=spin.debug spin
	record
	report | grep -F '[.] spin_here'
	mkdir .debug
	mv spin.debug .debug
	report | grep -F '[.] spin_here'
	# A debug file of another build is none.
	build spin_elsewhere
	objcopy --only-keep-debug spin .debug/spin.debug
	report >after
	run ! grep -F spin_elsewhere after
}

@test "live: the vdso has names" {
	build spin_here -DCLOCKS=20000000
	record
	report >rows
	grep -F '[vdso]' rows || skip "the clock is not read in the vdso here"
	grep -E '\[vdso\] +\[\.\] __vdso_clock_gettime|\[vdso\] +\[\.\] clock_gettime' rows
}

@test "live: the kernel has names, and keeps them in the file" {
	[ "$(id -u)" = 0 ] || skip "needs root to sample the kernel"
	grep -q ' [tT] _text$\| [tT] _stext$' /proc/kallsyms ||
		skip "kallsyms shows no addresses"
	dwell record -q -e cpu-clock -F 2000 -o spin.data \
		dd if=/dev/zero of=/dev/null bs=1M count=5000 2>/dev/null
	report >rows
	grep -E '\[kernel\.kallsyms\] +\[k\] [a-z_]' rows
	strace -f -o trace dwell report --stdio -i spin.data >/dev/null 2>&1 ||
		return 0
	run ! grep /proc/kallsyms trace
}

@test "live: --no-demangle leaves names as the linker has them" {
	need c++
	sed 's/unsigned long SPIN/__attribute__((noinline)) unsigned long SPIN/
		s/static//' spin.c >spin.cpp
	c++ -O1 -g -DSPIN=spin_here spin.cpp -o spin
	record
	report | grep -F '[.] spin_here'
	report --no-demangle | grep -F '[.] _Z9spin_herem'
	report --no-demangle --demangle | grep -F '[.] spin_here'
	# Names to choose by are those that are shown.
	report --no-demangle -S _Z9spin_herem | grep -F _Z9spin_herem
	dwell script -F ip,sym --no-demangle -i spin.data | grep _Z9spin_herem
	dwell export --format folded --no-demangle spin.data |
		grep _Z9spin_herem
}
