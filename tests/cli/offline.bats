#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A packed recording has the same reports on a machine without the programs,
# debug files, jitdumps and /proc, and on a machine with other files of the same
# names.

load common.bash

### The other machine ##########################################################

# all/: contains dwell-report with its libraries, and a folder for recordings.
make_all() {
	[ ! -d all ] || return 0
	mkdir -p all nowhere
	cp "$DWELL_BUILD/dwell-report" all/
	ldd "$DWELL_BUILD/dwell-report" | grep -oE '/[^ ]+' |
		while read -r library; do
			cp --parents "$library" all/
		done
}

# nowhere WORD...: runs dwell-report in a root folder that contains only all/, and cannot
# be written.
nowhere() {
	env -i "$(command -v unshare)" -m /bin/sh -c '
		PATH=/usr/sbin:/usr/bin:/sbin:/bin
		mount --bind all nowhere && mount -o remount,bind,ro nowhere &&
		exec chroot nowhere /dwell-report "$@"' sh "$@"
}

# A sanitizer needs /proc.
make_nowhere() {
	need unsanitized root mount-namespace
	make_all
	nowhere --version >/dev/null
}

### Reports ####################################################################

# ask TO COMMAND...: writes all reports of in.data with COMMAND to TO.*.
ask() {
	local to=$1

	shift
	"$@" report --stdio -i in.data >"$to.report"
	"$@" report --stdio --inline -g address,caller -i in.data >"$to.graph"
	"$@" report --stdio --no-children -g none -n -s dso,srcline,srcfile,sym \
		--full-source-path -i in.data >"$to.lines"
	"$@" report --json -g -i in.data >"$to.json"
	"$@" report --csv --tasks -i in.data >"$to.tasks"
	"$@" script -i in.data >"$to.script"
	"$@" script -F "+srcline,+symoff$origin" -i in.data >"$to.places"
	"$@" export --format folded -i in.data >"$to.folded"
}

# same TO: compares the reports before.* and TO.*. The samples are compared by same_own.
# If all are equal, so is each report; else a report has the same rows of the test's own
# functions.
same() {
	local what

	for what in script places; do
		same_own "before.$what" "$1.$what" ${own:+"$own"} || return
	done
	if cmp -s before.script "$1.script" && cmp -s before.places "$1.places"; then
		for what in report graph lines json tasks folded; do
			[ -s "before.$what" ] || return
			diff "before.$what" "$1.$what" || return
		done | head -n 20
		[ "${PIPESTATUS[0]}" = 0 ]
	else
		for what in report graph folded; do
			grep -v '^#' "before.$what" >wanted
			grep -v '^#' "$1.$what" >got
			same_own wanted got || return
		done
	fi
}

# The functions that must have the same rows; empty: see same_own.
own=

# Writes the reports of in.data on this machine.
before() {
	make_nowhere
	XDG_CACHE_HOME=$PWD/cache ask before dwell
}

# packed FILE...: checks the reports on this machine without the FILEs, and on
# the other machine.
packed() {
	cp in.data recorded.data
	dwell pack -o packed.data recorded.data
	mv packed.data in.data
	rm -f "$@"
	ask packed dwell
	same packed
	cp -p in.data all/
	ask nowhere nowhere
	same nowhere
	nowhere report --header-only -I -i in.data >header
	dwell report --header-only -I -i in.data | diff - header
}

# not_by_luck NAME: checks that the report NAME differs without the packed data.
not_by_luck() {
	cp recorded.data all/in.data
	ask lost nowhere
	run ! cmp -s "before.$1" "lost.$1"
}

# The origin of callers, for stack copies.
origin=,+stack_origin

### Programs ###################################################################

write_inlined() {
	cat >inlined.cpp <<-'END'
		#include <algorithm>
		#include <vector>
		static volatile unsigned sink;
		struct mixer {
			inline __attribute__((always_inline)) unsigned
			mix(unsigned x)
			{
				for (int i = 0; i < 20; i++)
					x = (x * 1103515245u + 12345u) ^ x >> 3;
				return x;
			}
		};
		template <typename T>
		__attribute__((noinline)) T sort_some(unsigned n, unsigned other)
		{
			mixer m;
			T sum = other;
			std::vector<T> v(n);
			for (auto &x : v)
				x = m.mix(n--);
			std::sort(v.begin(), v.end());
			for (auto x : v)
				sum += x;
			return sum;
		}
		__attribute__((noinline)) unsigned deeper(unsigned n, int depth)
		{
			if (depth)
				return deeper(n, depth - 1) + 1;
			return sort_some<unsigned>(n, OTHER);
		}
		int main()
		{
			for (int i = 0; i < 15; i++)
				sink = sink + deeper(20000 + i, 12);
		}
	END
}

# build OTHER OPTION...: compiles ./inlined.
build() {
	local other=$1

	shift
	need g++
	[ -e inlined.cpp ] || write_inlined
	g++ -O2 -g -fomit-frame-pointer "$@" -DOTHER="$other" inlined.cpp \
		-o inlined
}

write_calls() {
	cat >calls.js <<-'END'
		"use strict";
		function odd(n) { return n < 2 ? n : even(n - 1) + even(n - 2); }
		function even(n) { return n < 2 ? n : odd(n - 1) + odd(n - 2); }
		const { cpuUsage } = process, ms = 1000;
		let s = 0;
		while (cpuUsage().user < ms * 1000)
			s += odd(20) + [3, 1, 2].sort((a, b) => a - b)[0];
		console.log(require("process").pid);
	END
}

record() {
	dwell record -q -e cpu-clock -F 2000 -o in.data "$@"
}

### Stacks unwound while recording #############################################

@test "live: pack: C++ with inlined functions has the same report without its files" {
	build 0
	record --call-graph dwarf -- ./inlined
	before
	grep -q '(inlined)' before.graph
	grep -q 'inlined.cpp:9' before.places
	packed
	not_by_luck graph
}

@test "live: pack: the kernel has the same report without its files" {
	need root
	origin= own=.
	record --call-graph fp -- dd if=/dev/zero of=/dev/null bs=1 count=100000
	before
	grep -q '\[k\]' before.report
	packed
}

@test "live: pack: Node.js with a perf map has the same report without its files" {
	need node
	write_calls
	origin=
	record --call-graph fp -- node --perf-basic-prof --max-inlined-bytecode-size=1 \
		calls.js >pid
	before
	grep -q 'JS:.*odd' before.report
	packed "/tmp/perf-$(cat pid).map"
}

@test "live: pack: Node.js with a jitdump has the same report without its files" {
	need node
	write_calls
	record --call-graph dwarf -- node --perf-prof \
		--perf-prof-unwinding-info --max-inlined-bytecode-size=1 \
		calls.js
	before
	grep -q 'JS:.*odd' before.report
	packed jit-*.dump
}

### Stack copies ###############################################################

@test "live: pack: stack copies are unwound without the programs" {
	build 0
	record --call-graph dwarf --keep-stacks -- ./inlined
	before
	grep -q '(inlined)' before.graph
	grep -q '_start' before.script
	packed
	not_by_luck script
}

@test "live: pack: callers in stack copies have names although another function of their library was sampled" {
	need gcc
	cat >library.c <<-'END'
		__attribute__((noinline)) unsigned spin(unsigned n)
		{
			unsigned x = n;
			while (n--)
				x = x * 1103515245u + 12345u ^ x >> 3;
			return x;
		}
		unsigned spin_twice(unsigned n)
		{
			return spin(n) + spin(n + 1) + 1;
		}
	END
	cat >caller.c <<-'END'
		unsigned spin_twice(unsigned n);
		static volatile unsigned sink;
		int main(void)
		{
			for (int i = 0; i < 100; i++)
				sink = sink + spin_twice(1000000);
		}
	END
	gcc -O2 -shared -fPIC -s -o libspin.so library.c
	gcc -O2 -o caller caller.c ./libspin.so
	# The recorder knows the callers of no sample.
	export DWELL_NO_BPF=1
	record --call-graph dwarf --keep-stacks -- ./caller
	before
	grep -q 'spin_twice' before.folded
	packed
	not_by_luck script
}

@test "live: pack: stack copies are unwound if other builds of the programs are installed" {
	build 0
	record --call-graph dwarf --keep-stacks -- ./inlined
	before
	dwell pack in.data
	cp in.data packed.data
	build 12345 -O1 -fno-inline
	ask replaced dwell
	same replaced
	# The same code with other stack frames, under the same build ID.
	build 0 -Wl,--build-id=none
	ask replaced dwell
	same replaced
	# And packed again on a machine without the files.
	dwell pack in.data
	cmp in.data packed.data
	dwell pack --strip in.data
	run ! cmp -s in.data packed.data
}

@test "live: pack: stack copies through JIT code are unwound without the programs" {
	need x86_64
	cc -O1 -static "$DWELL_SOURCE/tests/cli/made.c" -o made
	record --call-graph dwarf --keep-stacks -- ./made rules
	before
	grep -q 'caller' before.script
	packed jit-*.dump
}

# The rule at the first instruction of inner() is known from that instruction and the
# byte before it, which is in no function. Samples are taken behind the slow
# instruction there.
@test "live: pack: stack copies through code without unwind rules are unwound without the program" {
	need x86_64
	need gcc
	cat >bare.c <<-'END'
		__asm__(".globl never; .type never, @function\n"
			".globl inner; .type inner, @function\n"
			".globl middle; .type middle, @function\n"
			"never:	ret; .size never, . - never\n"
			".Lslow: lock addq $0, (%rsp)\n"
			"inner:	push %rbp; mov %rsp, %rbp; pop %rbp\n"
			"	dec %rdi; jnz .Lslow; ret; .size inner, . - inner\n"
			"middle:	push %rbp; mov %rsp, %rbp; call inner\n"
			"	pop %rbp; ret; .size middle, . - middle\n");
		void middle(long n);
		int main(void)
		{
			middle(50000000);
			return 0;
		}
	END
	gcc -O1 -g -fno-omit-frame-pointer bare.c -o bare
	record --call-graph dwarf --keep-stacks -- ./bare
	before
	dwell script -F ip,sym,symoff --no-inline -i in.data |
		grep -A1 ' inner+0x0' >starts
	grep -q ' middle+' starts
	packed bare
	not_by_luck script
}

@test "live: pack: stack copies of perf are unwound without the programs" {
	need perf
	build 0
	perf_record -e cpu-clock -F 2000 \
		--call-graph dwarf,16384 -o in.data -- ./inlined
	before
	grep -q '_start' before.script
	packed
	not_by_luck script
}

@test "live: pack: perf's recording of Node.js has the same report without its files" {
	need perf
	need node
	write_calls
	perf_record -k mono -e cpu-clock:u -F 1000 \
		--call-graph dwarf,16384 -o in.data -- node --perf-prof \
		--perf-prof-unwinding-info --max-inlined-bytecode-size=1 \
		calls.js
	before
	grep -q 'JS:.*odd' before.report
	packed jit-*.dump
	perf_record -e cpu-clock:u -F 1000 -g \
		-o in.data -- node --perf-basic-prof calls.js >pid
	origin=
	before
	grep -q 'JS:.*odd' before.report
	packed "/tmp/perf-$(tail -n 1 pid).map"
}
