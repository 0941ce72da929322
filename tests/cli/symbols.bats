#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Symbols are those of the recorded file, and of no other file.

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
	dwell record -q -e cpu-clock:u -F 2000 -o spin.data ./spin
}

record_with_perf() {
	need perf
	perf_record -N -e cpu-clock -F 2000 -o spin.data ./spin
}

report() {
	dwell report --stdio -n -s dso,sym -i spin.data "$@"
}

@test "live: report: names are the same after the program was deleted" {
	build spin_here
	record
	report >before
	grep -F '[.] spin_here' before
	rm spin
	report >after
	diff before after
}

@test "live: report: a message names a program that was rebuilt if lines or inlined functions are needed" {
	local told

	build spin_here
	dwell record -q -e cpu-clock -F 2000 --call-graph fp -o spin.data ./spin
	cp spin.data packed.data
	dwell pack -q packed.data
	run -0 --separate-stderr dwell report --stdio -i spin.data
	[ -z "$stderr" ]
	build spin_elsewhere
	told="dwell report: $PWD/spin: the file has changed since the recording: its source lines and inlined functions are not used"
	says() {
		run -0 --separate-stderr dwell report --stdio "$@"
		[ "$stderr" = "$told" ]
	}
	says -i spin.data
	says -s srcline -g none -i spin.data
	# No message if the file is not needed, or if the message is known
	# already.
	told=
	says --no-inline -i spin.data
	says -q -i spin.data
	says -i packed.data
	rm spin
	says -i spin.data
}

@test "live: report, script and other commands print the same message about a program that was rebuilt" {
	build spin_here
	dwell record -q -e cpu-clock -F 2000 --call-graph fp -o spin.data ./spin
	cp spin.data packed.data
	dwell pack -q packed.data
	build spin_elsewhere
	says() {
		run -0 --separate-stderr "$@"
		[ "$stderr" = \
			"$1 $2: $PWD/spin: the file has changed since the recording: its source lines and inlined functions are not used" ]
	}
	says dwell report --stdio -i spin.data
	says dwell script -i spin.data
	says dwell script -G -F ip,sym,srcline -i spin.data
	says dwell annotate -i spin.data spin_here
	grep "no code: $PWD/spin is not the recorded file" \
		<<<"$output"
	says dwell diff --stdio -s srcline spin.data spin.data
	says dwell export --format folded spin.data
	says dwell export --format pprof -o out.pb spin.data
	says dwell export --format html -o out.html spin.data
	# No message either if the file is not needed, or if the message is
	# known already.
	silent() {
		run -0 --separate-stderr dwell "$@"
		[ -z "$stderr" ]
	}
	silent script --no-inline -i spin.data
	silent script -G -F ip,sym -i spin.data
	silent script -i packed.data
	silent annotate -i packed.data spin_here
	silent diff --stdio spin.data spin.data
}

@test "live: report: another build at the same path provides no names" {
	build spin_here
	record
	report >before
	build spin_elsewhere
	report >after
	diff before after
	run ! grep spin_elsewhere after
}

@test "live: report: another build provides no names for a recording of perf" {
	build spin_here
	record_with_perf
	report | grep -F '[.] spin_here'
	build spin_elsewhere
	report >after
	run ! grep -E 'spin_(here|elsewhere)' after
	grep -E 'spin +\[\.\] 0x' after
}

# The clock of files may tick later than the recording ended.
touch_after_recording() {
	touch spin
	[ spin -nt spin.data ]
}

@test "live: report: without a build ID, names of a file that was changed are marked with (?)" {
	build spin_here -Wl,--build-id=none
	record_with_perf
	report >before
	grep -E '\[\.\] spin_here$' before
	until_true touch_after_recording
	report >after
	grep -F '[.] spin_here (?)' after
}

@test "live: report: a message about a function without samples suggests the nearest name" {
	build spin_here
	record
	report -S spin_hree 2>said
	grep -q "no sampled function is named 'spin_hree'; did you mean 'spin_here'?" said
	report -S spin_here 2>said
	[ ! -s said ]
	dwell diff --stdio -S spin_hree spin.data spin.data 2>said
	grep -q "did you mean 'spin_here'?" said
}

@test "live: report: names of a stripped program are read from its debug file" {
	need objcopy
	build spin_here
	objcopy --only-keep-debug spin spin.debug
	objcopy --strip-all --add-gnu-debuglink=spin.debug spin
	record
	report | grep -F '[.] spin_here'
	mkdir .debug
	mv spin.debug .debug
	report | grep -F '[.] spin_here'
	# A debug file of another build is not used.
	build spin_elsewhere
	objcopy --only-keep-debug spin .debug/spin.debug
	report >after
	run ! grep -F spin_elsewhere after
}

@test "live: report: functions of the vdso have names" {
	need vdso-clock
	build spin_here -DCLOCKS=20000000
	record
	report >rows
	grep -F '[vdso]' rows
	grep -E '\[vdso\] +\[\.\] __vdso_clock_gettime|\[vdso\] +\[\.\] clock_gettime' rows
}

@test "live: report: functions of the kernel have names, which are stored in the recording" {
	need kernel-samples kernel-symbols
	dwell record -q -e cpu-clock -F 2000 -o spin.data \
		dd if=/dev/zero of=/dev/null bs=1M count=5000 2>/dev/null
	report >rows
	grep -E '\[kernel\.kallsyms\] +\[k\] [a-z_]' rows
	# The leak sanitizer does not work in a traced process.
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -o trace \
		dwell report --stdio -i spin.data >/dev/null 2>&1 ||
		return 0
	run ! grep /proc/kallsyms trace
}

@test "live: report: --no-demangle prints names as in the symbol table" {
	need c++
	sed 's/unsigned long SPIN/__attribute__((noinline)) unsigned long SPIN/
		s/static//' spin.c >spin.cpp
	c++ -O1 -g -DSPIN=spin_here spin.cpp -o spin
	record
	report | grep -F '[.] spin_here'
	report --no-demangle | grep -F '[.] _Z9spin_herem'
	report --no-demangle --demangle | grep -F '[.] spin_here'
	# Filters use the names that are shown.
	report --no-demangle -S _Z9spin_herem | grep -F _Z9spin_herem
	dwell script -F ip,sym --no-demangle -i spin.data | grep _Z9spin_herem
	dwell export --format folded --no-demangle spin.data |
		grep _Z9spin_herem
}

# In packs, reports and exports the name is whole or cut at its end.
@test "live: report: a function name of one megabyte is printed, whole or cut at its end" {
	cc -O1 -g -fno-omit-frame-pointer -DSPIN=spin_here -S spin.c
	{
		printf s/spin_here/spin_
		head -c 1000000 /dev/zero | tr '\0' x
		echo /g
	} >rename
	sed -f rename spin.s >long.s
	cc long.s -o spin
	[ "$(nm spin | grep -c ' t spin_x')" = 1 ]
	record
	for verb in "report --stdio" "report --json" script \
		"export --format folded" "report --dsos"; do
		(limit_memory 1500000 && dwell $verb -i spin.data >text)
	done
	report | grep -c '\[\.\] spin_xxxxxxxxxx' | grep -x 1
	# The recording has it, too.
	rm spin
	report | grep -c '\[\.\] spin_xxxxxxxxxx' | grep -x 1
	dwell script -F ip,sym -i spin.data | grep -q ' spin_xxxxxxxxxx'
}

@test "live: report: two builds with one path have their own rows and folded stacks" {
	build spin_here
	mv spin first
	build spin_here -O2 -Wl,--build-id=0x1a2b3c4d5e6f
	mv spin next
	cp first spin
	dwell record -q --call-graph fp -e cpu-clock -F 2000 -o spin.data \
		sh -c './spin; mv next spin; ./spin'
	id=$(readelf -n first | awk '/Build ID/ { print substr($3, 1, 8) }')
	report --no-children -g none >got
	for mark in "[build $id]" '[build 1a2b3c4d]'; do
		grep -F "spin $mark" got | grep -F '[.] spin_here'
		dwell export --format folded -i spin.data |
			grep -F "spin_here $mark "
	done
	run ! grep -E ' spin  +\[' got
	samples=$(dwell report --stats -i spin.data |
		awk '/^ *SAMPLE events:/ && !n++ { print $3 }')
	sum() { awk '{ n += $NF } END { print n }'; }
	[ "$(dwell export --format folded -i spin.data | sum)" -eq "$samples" ]
}

# other_root WALL HOST: makes other.data, which was recorded at WALL ns on HOST,
# and contains another build ID than that of ./spin.
other_root() {
	"$DWELL_BUILD/tests/made/make_data" - other.data <<-END
		file
		event name=e type=software config=0 sample_period=1 sample_type=IP|TID|TIME sample_id_all
		feature HOSTNAME str=$2
		feature CLOCK_DATA u32=1 u32=1 u64=$1 u64=0
		record COMM pid=7 tid=7 comm=made misc=exec time=1000
		record MMAP2 pid=7 tid=7 addr=0x401000 len=0x1000 prot=5 flags=2 misc=user|build_id
		 filename=$PWD/spin build_id=0102030405060708 time=2000
		record SAMPLE ip=0x401010 pid=7 tid=7 time=3000
	END
}

@test "report: a file with another build ID has changed only if it is newer than the recording" {
	local here other
	need ld

	here=$(uname -n)
	build spin_here -Wl,--build-id
	other="the recorded file has another build ID: the symbols of the file here are not used; if the program ran in another root or on another machine, use --symfs"
	says() {
		run -0 --separate-stderr dwell report --stdio -i other.data "$@"
		[ "$stderr" = "dwell report: $PWD/spin: $told" ]
	}
	told="the file has changed since the recording: its symbols are not used"
	other_root 1 "$here"
	says
	dwell report --dsos -i other.data >text
	grep '^ *the file was replaced after the recording$' text
	told=$other
	# The file is older than the recording: it is that of another root.
	other_root 9000000000000000000 "$here"
	says
	dwell report --dsos -i other.data >text
	grep '^ *the file here has another build ID than the recorded file$' text
	run -0 --separate-stderr dwell pack -o out.data other.data
	[[ $stderr == *"$PWD/spin (100.0%, another build ID than the file here)"* ]]
	# A file of another machine, or below --symfs.
	other_root 1 elsewhere
	says
	other_root 1 "$here"
	mkdir -p "root$PWD"
	cp spin "root$PWD"
	says --symfs root
}
