#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Processes as they were: names of code whose file is deleted, replaced or out
# of reach when the recording ends; and what a hostile process can't have read.

bats_require_minimum_version 1.5.0

setup() {
	: "${DWELL_BUILD:=$PWD}" "${DWELL_SOURCE:=$BATS_TEST_DIRNAME/../..}"
	PATH=$DWELL_BUILD:$PATH
	"$DWELL_BUILD/tests/probe" || skip "perf_event_open: not permitted here"
	cd "$BATS_TEST_TMPDIR"
	cat >spin.c <<'END'
#include <time.h>
#include <unistd.h>
#ifndef SECONDS
#define SECONDS 1 / 3
#endif
__attribute__((noinline)) static unsigned long SPIN(unsigned long x)
{
	for (unsigned long i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
int main(int argc, char **argv)
{
	unsigned long x = 1;
	clock_t end = clock() + CLOCKS_PER_SEC * SECONDS;

	(void)argc;
	while (clock() < end)
		x = SPIN(x);
	if (argc > 1)
		unlink(argv[0]);
	return x == 0;
}
END
}

teardown() {
	if [ -n "${started:-}" ]; then
		kill -KILL "$started" 2>/dev/null || true
		wait "$started" 2>/dev/null || true
	fi
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "only root may do this"
}

# build NAME FILE FLAG...: a program that spends its time in function NAME.
build() {
	local name=$1 file=$2
	shift 2
	cc -O1 -fno-omit-frame-pointer -DSPIN="$name" spin.c -o "$file" "$@"
}

# What runs is recorded; the last command's files are gone before the end.
record() {
	dwell record -q -e cpu-clock -F 2000 -o spin.data "$@"
}

# shows NAME: a function that most samples of some program were in.
shows() {
	dwell report --stdio -n -s dso,sym -i spin.data >shown
	cat shown
	grep -E "[1-9][0-9]{2} .*\[\.\] $1\$" shown
}

@test "live: a program that deletes itself keeps its names" {
	build spin_gone spin
	record ./spin and go
	[ ! -e spin ]
	shows spin_gone
}

@test "live: a program without a build ID that deletes itself keeps its names" {
	need_root
	build spin_gone spin -Wl,--build-id=none
	record ./spin and go
	[ ! -e spin ]
	shows spin_gone
}

@test "live: a program that was built and thrown away meanwhile has names" {
	build spin_first spin -Wl,--build-id=none
	record sh -c 'cp spin other; ./other; rm other spin'
	shows spin_first
}

@test "live: two builds at one path have the names of their own" {
	build spin_first spin
	build spin_second other
	record sh -c './spin; mv other spin; ./spin; rm spin'
	shows spin_first
	shows spin_second
}

@test "live: a process that runs a deleted file has names" {
	need_root
	build spin_gone spin -DSECONDS=60
	./spin 3>&- &
	started=$!
	until [ "$(readlink "/proc/$started/exe")" = "$PWD/spin" ]; do :; done
	rm spin
	record -p "$started" --duration 0.5
	shows spin_gone
}

@test "live: a program in a chroot that is gone at the end has names" {
	need_root
	mkdir inner
	build spin_inside inner/spin -static
	record sh -c 'chroot inner /spin; rm -r inner'
	shows spin_inside
}

@test "live: a program on a mount of its own has names" {
	need_root
	unshare -m true || skip "no mount namespaces here"
	mkdir inner
	build spin_inside spin
	record unshare -m sh -c \
		'mount -t tmpfs none inner && cp spin inner/ && inner/spin'
	[ ! -e inner/spin ]
	rm spin
	shows spin_inside
}
