#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A packed recording has the same reports on a machine without the files.

load common.bash

setup_file() {
	cat >"$BATS_FILE_TMPDIR/inlined.cpp" <<-'END'
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
			inline __attribute__((always_inline)) unsigned
			twice(unsigned x)
			{
				return mix(x) +
					mix(x + 1);
			}
		};
		static inline __attribute__((always_inline)) unsigned
		never_called(unsigned x)
		{
			return x / 77u;
		}
		__attribute__((noinline)) unsigned work(unsigned n)
		{
			mixer m;
			unsigned sum = OTHER;
			if (n > 1000000)
				sum = never_called(n);
			std::vector<unsigned> v(n);
			for (auto &x : v)
				x = m.twice(n--);
			std::sort(v.begin(), v.end());
			for (auto x : v)
				sum += x;
			return sum;
		}
		unsigned not_hit(unsigned n)
		{
			return n / 55u;
		}
		int main()
		{
			for (int i = 0; i < 20; i++)
				sink = sink + work(20000 + i);
		}
	END
}

# All tests have one folder, which is empty at their start: programs and recordings of one
# test, which have its path, are those of another.
setup() {
	enter_test
	rm -rf "$BATS_FILE_TMPDIR/here"
	mkdir "$BATS_FILE_TMPDIR/here"
	cd "$BATS_FILE_TMPDIR/here"
}

# build OTHER OPTION...: compiles ./inlined, or copies it if a test has compiled it.
build() {
	local built="$BATS_FILE_TMPDIR/built.${*//\//}"

	cp -p "$BATS_FILE_TMPDIR/inlined.cpp" .
	if [ ! -e "$built" ]; then
		g++ -O2 -g "${@:2}" -DOTHER="$1" "$PWD/inlined.cpp" -o inlined
		compgen -G '*.dwo' || cp -p inlined "$built"
	else
		cp -p "$built" inlined
	fi
}

# Records to in.data, and writes its reports to before.*. Its cache is not
# available to later reports. This is done once for all tests.
record_inlined() {
	local recorded="$BATS_FILE_TMPDIR/recorded"

	need g++
	build 0
	if [ ! -e "$recorded/done" ]; then
		dwell record -q -e cpu-clock -F 4000 --call-graph dwarf \
			-o recorded.data -- ./inlined
		cp recorded.data in.data
		XDG_CACHE_HOME=$PWD/cache answers before
		mkdir -p "$recorded"
		cp recorded.data before.* "$recorded"
		touch "$recorded/done"
	else
		cp "$recorded"/{recorded.data,before.*} .
		cp recorded.data in.data
	fi
}

# answers PREFIX: writes all reports of in.data to PREFIX.*.
answers() {
	dwell report --stdio -g caller -i in.data >"$1.report"
	dwell report --stdio -g none --no-children --no-inline -i in.data \
		>"$1.flat"
	dwell report --stdio -g address -s srcline,srcfile,sym \
		--full-source-path -i in.data >"$1.lines"
	dwell report --json -g -i in.data >"$1.json"
	dwell script -F +srcline -i in.data >"$1.script"
	dwell export --format folded -i in.data >"$1.folded"
}

# same_as BEFORE NOW: writes the reports of in.data to NOW.*, and compares them
# with BEFORE.*.
same_as() {
	local what

	answers "$2"
	for what in report flat lines json script folded; do
		cmp "$1.$what" "$2.$what"
	done
}

same_answers() {
	same_as before "$1"
}

@test "live: pack: a packed recording has the same report without the program" {
	record_inlined
	grep -q 'mix (inlined)' before.report
	grep -q 'inlined.cpp:9' before.script
	dwell pack in.data
	same_answers packed
	mv inlined elsewhere
	same_answers gone
	# Without the packed data the reports differ.
	cp recorded.data in.data
	answers lost
	run ! cmp -s before.report lost.report
	run ! cmp -s before.lines lost.lines
}

@test "live: pack: a packed recording does not use another program of the same name" {
	record_inlined
	dwell pack in.data
	build 12345 -O1 -fno-inline
	same_answers replaced
}

@test "live: pack: a rebuilt program without a build ID is not used" {
	need g++
	# Statically linked: callees are packed only as far as stacks lead to
	# them.
	build 0 -static -Wl,--build-id=none
	dwell record -q -e cpu-clock:u -F 1000 --call-graph dwarf \
		--keep-stacks -o in.data -- ./inlined
	XDG_CACHE_HOME=$PWD/cache answers before
	grep -q 'mix (inlined)' before.report
	mv inlined original
	build 12345 -O1 -fno-inline -static -Wl,--build-id=none
	dwell pack in.data
	mv original inlined
	same_answers back
}

# Stacks end at the missing program. The pack has the C library's data only for
# addresses in these stacks.
@test "live: pack: a program that was missing when the recording was packed is used later" {
	need cc
	cat >sorting.c <<-'END'
		#include <stdlib.h>
		static volatile int sink;
		static int by_value(const void *a, const void *b)
		{
			for (int i = 0; i < 50; i++)
				sink = sink + i;
			return *(const int *)a - *(const int *)b;
		}
		int main(void)
		{
			static int numbers[3000];
			for (int i = 0; i < 60; i++) {
				for (int n = 0; n < 3000; n++)
					numbers[n] = n * 7919 % 3001;
				qsort(numbers, 3000, sizeof(int), by_value);
			}
		}
	END
	cc -O2 -g "$PWD/sorting.c" -o sorting
	dwell record -q -e cpu-clock:u -F 1000 --call-graph dwarf \
		--keep-stacks -o in.data -- ./sorting
	export XDG_CACHE_HOME=$PWD/cache
	answers before
	grep -q '__libc_start_main.*;main;.*qsort.*;by_value' before.folded
	mv sorting elsewhere
	dwell pack in.data
	answers lost
	run ! grep -q '__libc_start_main.*;main' lost.folded
	# Another file of that name is not used.
	cc -O0 -g "$PWD/sorting.c" -o sorting
	same_as lost other
	mv elsewhere sorting
	same_answers back
	# Its answers at that time are packed.
	dwell pack in.data
	mv sorting elsewhere
	same_answers again
	dwell report --dsos -i in.data | tee text |
		grep -E ' packed +packed .*/sorting$'
	run ! grep 'for more' <(grep -A2 '/sorting$' text)
	dwell report --dsos --csv -i in.data | grep '/sorting,.*,packed,packed,'
	dwell pack --strip in.data
	dwell report --dsos --csv -i in.data | grep '/sorting,.*,no,no,'
}

@test "live: pack: --strip removes all packed data: the file has the bytes of the recording" {
	record_inlined
	dwell pack in.data
	run ! cmp -s in.data recorded.data
	cp in.data packed.data
	dwell pack in.data
	cmp in.data packed.data
	dwell pack --strip in.data
	cmp in.data recorded.data
	dwell pack --strip -o again.data recorded.data
	cmp again.data recorded.data
}

# word_at FILE PLACE: prints the u64 at PLACE.
word_at() {
	od -A n -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# damage FILE PLACE: overwrites bytes at PLACE.
damage() {
	printf '\xaa\x55\xaa\x55' |
		dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

@test "live: pack: a damaged recording is not replaced" {
	dwell record -q -o in.data true
	entry=$(LC_ALL=C grep -obUa losses in.data | tail -1)
	cp in.data bad.data
	damage bad.data "$(($(word_at in.data $((${entry%%:*} + 24))) + 20))"
	cp bad.data before.data
	for option in -q --strip --redact --source; do
		run -2 dwell pack $option bad.data
		[ "$output" = 'dwell pack: bad.data: section "losses" is damaged and would be lost; use -o FILE' ]
		cmp bad.data before.data
	done
	run -3 dwell pack -o out.data bad.data
	[[ $output == *'bad.data: section "losses" is damaged at byte '* ]]
	run -3 dwell report -i out.data
	[[ $output == *"out.data: the file was copied from a damaged recording"* ]]
	run -3 dwell export --format perf-data -o flat.data bad.data
	[[ $output == *'bad.data: section "losses" is damaged at byte '* ]]
	# The directory of all sections.
	cp in.data bad.data
	damage bad.data "$(($(wc -c <bad.data) - 8))"
	cp bad.data before.data
	run -2 dwell pack -q bad.data
	[ "$output" = "dwell pack: bad.data: the file is damaged (dwell's sections cannot be read); packing it in place would lose data; use -o FILE" ]
	cmp bad.data before.data
	run -3 dwell report -i bad.data
	[[ $output == *"bad.data: dwell's sections cannot be read; the rest is shown"* ]]
	run -3 dwell pack --force -o out.data bad.data
	run -3 dwell report -i out.data
}

@test "live: pack: perf prints the same for a packed recording" {
	need perf
	record_inlined
	dwell pack in.data
	perf script -i recorded.data >expected
	[ -s expected ]
	perf script -i in.data | diff expected -
	perf report --header-only -i recorded.data |
		grep -v '^# \(captured on\|[a-z]* \(size\|offset\)\) ' >expected
	perf report --header-only -i in.data |
		grep -v '^# \(captured on\|[a-z]* \(size\|offset\)\) ' |
		diff expected -
}

@test "live: pack: export --format perf-data keeps the packed data" {
	record_inlined
	dwell pack in.data
	dwell export --format perf-data -o out.data in.data
	mv out.data in.data
	mv inlined elsewhere
	same_answers exported
}

@test "live: pack: --level compresses all records again" {
	record_inlined
	dwell pack --strip --level 19 -o small.data in.data
	[ "$(wc -c <small.data)" -lt "$(wc -c <recorded.data)" ]
	dwell pack --strip --level 1 -o large.data small.data
	[ "$(wc -c <large.data)" -gt "$(wc -c <small.data)" ]
	for file in small large; do
		cp $file.data in.data
		XDG_CACHE_HOME=$PWD/cache same_answers $file
		if meets perf; then
			perf script -i recorded.data 2>&1 | sort >expected
			perf script -i in.data 2>&1 | sort | diff expected -
		fi
	done
	# In the first block's zstd frame.
	cp recorded.data bad.data
	at=$(LC_ALL=C grep -obUaP '\x28\xb5\x2f\xfd' bad.data | head -1)
	printf '\xaa\x55\xaa\x55' | dd of=bad.data bs=1 \
		seek=$((${at%%:*} + 30)) conv=notrunc status=none
	run -3 dwell pack -q --strip --level 5 -o some.data bad.data
	[[ $output == *"bad.data: compressed data are damaged at byte "* ]]
	run -3 dwell report -i some.data
	refuses 2 dwell pack --level 20 small.data
	refuses 2 dwell pack --level 0 small.data
}

@test "live: pack: uncompressed records are compressed into blocks" {
	need g++
	build 0
	dwell record -q -z0 -e cpu-clock -F 4000 --call-graph dwarf \
		-o in.data -- ./inlined
	XDG_CACHE_HOME=$PWD/cache answers before
	dwell pack --strip --level 3 -o out.data in.data
	[ "$(wc -c <out.data)" -lt "$(($(wc -c <in.data) / 2))" ]
	mv out.data in.data
	XDG_CACHE_HOME=$PWD/cache same_answers blocks
	# script sorts samples by the blocks' times.
	dwell script -i in.data -F time | sort -c
}

# find_word FILE WORD: finds WORD in FILE, also in its compressed data.
find_word() {
	{ cat "$1"; each_frame "$1"; } | grep -aoF "$2"
}

# code_of PROGRAM FUNCTION: prints the bytes of FUNCTION in hexadecimal.
code_of() {
	local start size

	read -r start size < <(nm -S "$1" |
		awk -v name="$2" '$4 == name { print "0x" $1, "0x" $2 }')
	objdump -s -j .text --start-address="$start" \
		--stop-address="$((start + size))" "$1" |
		sed -n 's/^ [0-9a-f]* \(.\{35\}\).*/\1/p' | tr -d ' \n'
}

# count_code FILE HEX: prints how often these bytes are in FILE's compressed
# data.
count_code() {
	each_frame "$1" | od -An -v -tx1 | tr -d ' \n' | grep -o "$2" | wc -l
}

@test "live: pack: the code of sampled functions is stored once" {
	local hex

	need zstd
	need objdump
	record_inlined
	hex=$(code_of inlined _Z4workj)
	[ "${#hex}" -gt 100 ]
	[ "$(count_code in.data "$hex")" = 0 ]
	dwell pack in.data
	[ "$(count_code in.data "$hex")" = 1 ]
	mv inlined elsewhere
	cp in.data packed.data
	dwell pack in.data
	cmp in.data packed.data
	cp recorded.data in.data
	dwell pack in.data
	[ "$(count_code in.data "$hex")" = 0 ]
}

@test "live: pack: all lines of sampled functions are stored" {
	need zstd
	record_inlined
	dwell pack in.data
	each_frame in.data | grep -aq never_called
	run ! grep -aq never_called <(each_frame recorded.data)
}

# has_text FILE TEXT: succeeds if TEXT is in FILE's compressed data.
has_text() {
	each_frame "$1" | grep -aqF "$2"
}

@test "live: pack: --source stores the source lines of sampled functions, and no others" {
	need zstd
	record_inlined
	run -0 --separate-stderr dwell pack --source -v in.data
	[[ $stderr == *"lines of $PWD/inlined.cpp are packed"* ]]
	has_text in.data 'sum = never_called(n);'
	has_text in.data 'x = m.twice(n--);'
	has_text in.data 'x / 77u'
	has_text in.data 'sink = sink + work(20000 + i);'
	run ! has_text in.data 'n / 55u'
	run ! has_text in.data '#include <vector>'
	# Packed data stay, also if the file is missing.
	cp in.data packed.data
	dwell pack in.data
	cmp in.data packed.data
	mv inlined.cpp elsewhere
	dwell pack -q --source in.data
	has_text in.data 'sum = never_called(n);'
	dwell pack --strip in.data
	cmp in.data recorded.data
	dwell pack --source in.data 2>notes
	grep -E 'inlined.cpp|of [0-9]+ source files, [1-9][0-9]* were not found' notes
	run ! has_text in.data 'sum = never_called(n);'
}

@test "live: pack: source files that changed after the build are not packed, and a message states it" {
	need zstd
	record_inlined
	touch inlined.cpp
	dwell pack --source in.data 2>notes
	grep -E -- '--source: of .* and 1 were changed after their program' notes
	run ! has_text in.data 'sum = never_called(n);'
	touch -d '1 hour ago' inlined.cpp
	dwell pack --source in.data
	has_text in.data 'sum = never_called(n);'
	dwell pack --redact in.data
	run ! has_text in.data 'sum = never_called(n);'
	has_text in.data never_called
	refuses 2 dwell pack --source --redact in.data
	[[ $line == *"--source and --redact exclude each other"* ]]
	refuses 2 dwell pack --source --strip in.data
}

@test "live: pack: packing again keeps the packed source lines if the source file has changed" {
	need zstd
	record_inlined
	# The source file had no more lines at that time.
	cp -p inlined.cpp whole.cpp
	sed '/sum = never_called/,$d' whole.cpp >inlined.cpp
	touch -r whole.cpp inlined.cpp
	dwell pack --source in.data
	has_text in.data 'unsigned sum = OTHER;'
	cp whole.cpp inlined.cpp
	touch inlined.cpp
	dwell pack --source in.data 2>notes
	has_text in.data 'unsigned sum = OTHER;'
	run ! has_text in.data 'x = m.twice(n--);'
	grep -E -- '--source: of .* and 1 were changed after their program' notes
}

# same_lines: checks that the lines of JIT code in in.data are the same with its
# dump and packed.
same_lines() {
	dwell report --csv -s srcline,sym -i in.data | sort >before
	cat before
	for line in 10,.*early_first 20,.*early_second 30,.*late_first \
		40,.*late_second; do
		grep "code.js:$line" before
	done
	dwell pack --force -o packed.data in.data
	rm jit-*.dump
	dwell report --csv -s srcline,sym -i packed.data | sort | diff before -
	if command -v zstd >/dev/null; then
		[ "$(count_code packed.data 48ffcf75fbc300)" -ge 4 ]
	fi
	dwell pack --force -o again.data packed.data
	cmp packed.data again.data
	run ! diff -q before \
		<(dwell report --csv -s srcline,sym -i in.data | sort)
}

@test "live: pack: JIT code keeps its lines and instructions" {
	need x86_64
	cc -O1 "$DWELL_SOURCE/tests/cli/made.c" -o made
	dwell record -q -e cpu-clock:u -F 2000 -o in.data ./made lines
	same_lines
}

# Node.js 20 may write names from freed memory; then there are no lines.
@test "live: pack: functions of Node.js keep their lines" {
	need node
	cat >hot.js <<-'END'
		function hotFunction(n) {
			let x = 1;
			for (let i = 0; i < n; i++)
				x = (x * 31 + i) | 0;
			return x;
		}
		const { cpuUsage } = process, ms = 500;
		let sum = 0;
		while (cpuUsage().user < ms * 1000)
			sum += hotFunction(100000);
	END
	for try in 1 2 3 4 5; do
		rm -f jit-*.dump
		dwell record -q -e cpu-clock:u -F 2000 -o in.data \
			node --perf-prof hot.js
		dwell report --csv -s srcline,sym -i in.data | sort >before
		if grep -q 'hot.js:[1-9].*hotFunction' before; then break; fi
	done
	dwell pack in.data
	rm jit-*.dump
	dwell report --csv -s srcline,sym -i in.data | sort | diff before -
}

@test "live: pack: perf's recordings keep names and lines of JIT code" {
	need perf
	need x86_64
	cc -O1 "$DWELL_SOURCE/tests/cli/made.c" -o made
	perf_record -k mono -e cpu-clock:u \
		-F 2000 -o in.data ./made lines
	same_lines
	perf_record -e cpu-clock:u -F 2000 \
		-o in.data ./made map
	dwell report --csv -s sym -i in.data | sort >before
	grep first_made before
	dwell pack --force -o packed.data in.data
	rm -f /tmp/perf-"$(dwell script -i in.data -F pid | head -1 |
		tr -d ' ')".map
	dwell report --csv -s sym -i packed.data | sort | diff before -
}

@test "live: pack: annotate prints the same code and source lines without the program" {
	need capstone
	record_inlined
	dwell annotate --stdio -i in.data >before
	grep -q 'call.*<operator new@plt>' before
	grep -q 'x = m.twice(n--);' before
	dwell pack -q --source in.data
	mkdir gone
	mv inlined inlined.cpp gone/
	dwell annotate --stdio -i in.data | diff before -
	cp recorded.data in.data
	dwell annotate --stdio -i in.data >lost 2>&1 || true
	run ! diff -q before lost
}

# parts N: makes made.data, a recording of N programs, the first one with the
# most samples.
parts() {
	local n=$1 i k ids=

	need as
	need ld
	{
		echo "file"
		echo "event name=e type=raw config=1 sample_period=1" \
			"sample_type=IP|TID|TIME sample_id_all"
		for ((i = 1; i <= n; i++)); do
			printf '.globl _start\n.text\n.type _start, @function\n_start: .skip 64, 0x90\n.size _start, 64\n' |
				as -o part.o -
			ld -Ttext=0x401000 --build-id=0x12345678$((90 + i)) \
				part.o -o part$i
			ids+=" build_id=$PWD/part$i,12345678$((90 + i))"
		done
		echo "feature BUILD_ID$ids"
		echo "record COMM pid=7 tid=7 comm=made misc=exec time=1000"
		for ((i = 1; i <= n; i++)); do
			echo "record MMAP2 pid=7 tid=7 addr=0x${i}401000" \
				"len=0x1000 pgoff=0x1000 prot=5 flags=2" \
				"filename=$PWD/part$i time=2000"
			for ((k = 0; k < 2 * (n - i) + 1; k++)); do
				echo "record SAMPLE ip=0x${i}401010 pid=7 time=3000"
			done
		done
	} >made.txt
	"$DWELL_BUILD/tests/made/make_data" made.txt made.data
}

@test "pack: a message names the missing files, the one with the most samples first" {
	parts 5
	run -0 --separate-stderr dwell pack -o out.data made.data
	[ "$stderr" = "dwell pack: made.data: 100.0% of the samples get no lines, because these files have no debug information: $PWD/part1 (36.0%), $PWD/part2 (28.0%), $PWD/part3 (20.0%) and 2 more; build with -g, install debug packages, or use --debug-dir or --debuginfod" ]
	mv part5 gone5
	run -0 --separate-stderr dwell pack --force -o out.data made.data
	line=${stderr_lines[-1]}
	[ "$line" = "dwell pack: made.data: 4.0% of the samples get no lines and no code, because the recorded files were not found: $PWD/part5 (4.0%); use --symfs, --debug-dir or --debuginfod" ]
	mv gone5 part5
	# Another build of one program, and the others removed.
	cp part5 part1
	rm part2 part3 part4
	run -0 --separate-stderr dwell pack --force -o out.data made.data
	line=${stderr_lines[-1]}
	[[ $line == *": 96.0% of the samples get no lines"*": $PWD/part1 (36.0%, replaced by another file), $PWD/part2 (28.0%), $PWD/part3 (20.0%) and 1 more; use"* ]]
	run -0 --separate-stderr dwell pack -q --force -o out.data made.data
	[ -z "$stderr" ]
	run -0 --separate-stderr dwell pack --strip --force -o out.data made.data
	[ -z "$stderr" ]
}

@test "live: pack: a message names programs without debug information" {
	need strip
	record_inlined
	dwell pack -o out.data in.data 2>notes
	run ! grep -q inlined notes
	strip -g inlined
	dwell pack --force -o out.data in.data 2>notes
	grep -E "[0-9.]+% of the samples get no lines, because these files have \
no debug information: .*/inlined \([0-9.]+%" notes
}

@test "live: pack: a message names missing .dwo files" {
	need g++
	build 0 -gsplit-dwarf
	dwell record -q -e cpu-clock:u -F 1000 -o in.data -- ./inlined
	dwell pack -o whole.data in.data 2>notes
	run ! grep -q inlined notes
	rm -r ./*.dwo "$XDG_CACHE_HOME"
	# Packing again reports the same.
	for again in no yes; do
		dwell pack --force -o out.data in.data 2>notes
		grep -E ": [0-9.]+% of the samples get no inlined functions, or \
only some, because files with debug information are missing: $PWD/inlined \
\([0-9.]+%, missing $PWD/[a-z-]*inlined.dwo\); put these files or a" notes
	done
	dwell pack --force -o out.data whole.data 2>notes
	run ! grep -q inlined notes
}

@test "pack: files that were found elsewhere or packed before are not reported as missing" {
	parts 2
	mkdir -p root/"$PWD"
	mv part1 root/"$PWD"/
	run -0 --separate-stderr dwell pack -o part.data made.data
	line=${stderr_lines[-1]}
	[[ $line == *": 75.0% of"*": $PWD/part1 (75.0%); use"* ]]
	# The pack lacks one program and has the other.
	rm part2
	run -0 --separate-stderr dwell pack --symfs root -o out.data part.data
	[[ $stderr != *"no code"* ]]
	# Now without any file.
	rm -r root
	run -0 --separate-stderr dwell pack --force -o again.data out.data
	[[ $stderr != *"no code"* ]]
}

@test "live: pack: annotate prints the names of data that code refers to" {
	need g++
	cat >data.cpp <<-'END'
		#include <atomic>
		#include <string>
		static const short some_numbers[4] = { 3, 1, 4, 1 };
		static std::atomic<int> some_lock;
		int some_wide[1000];
		static volatile unsigned sink;
		__attribute__((noinline)) static unsigned touch(unsigned i)
		{
			int expected = 0;
			while (!some_lock.compare_exchange_weak(expected, 7))
				expected = 0;
			some_wide[500] += some_numbers[i & 3];
			some_wide[3] = 12345678;
			some_lock = 0;
			return (unsigned)std::to_string(i).size();
		}
		int main()
		{
			for (unsigned i = 0; i < 3000000; i++)
				sink = sink + touch(i);
		}
	END
	g++ -O2 -g "$PWD/data.cpp" -o data
	dwell record -q -e cpu-clock -F 2000 --call-graph fp -o in.data -- ./data
	ask() {
		dwell annotate --json --limit 20 -i "$1"
	}
	need capstone
	ask in.data >before
	for name in some_lock some_wide; do
		grep "\"$name" before
	done
	cp in.data recorded.data
	dwell pack -q --source in.data
	ask in.data | diff before -
	mkdir gone
	mv data data.cpp gone/
	ask in.data >after
	cmp before after
	# Packed again on a machine without the file.
	cp in.data packed.data
	dwell pack -q in.data
	cmp in.data packed.data
	dwell pack -q --redact -o redacted.data in.data
	dwell annotate --json --limit 20 -i redacted.data | grep some_lock
	run -1 find_word redacted.data "$PWD"
	# Another program of the name is not used.
	printf 'int other[9]; int main() { return other[3]; }' >other.c
	cc -O0 -g other.c -o data
	ask in.data | cmp before -
	dwell pack -q --strip -o stripped.data packed.data
	cmp stripped.data recorded.data
}

@test "pack: annotate prints the names of branch targets and of data" {
	need as
	need ld
	cat >made.s <<-'END'
		.globl _start, first, second, value
		.text
		_start: .skip 16
		.type first, @function
		first: .skip 64, 0x90
		.size first, 64
		.type second, @function
		second: .skip 64, 0x90
		.size second, 64
		.data
		.skip 64
		.type value, @object
		value: .skip 64
		.size value, 64
	END
	as made.s -o made.o
	ld -Ttext=0x401000 -Tdata=0x402000 --build-id=0x1234567890 made.o \
		-o made
	cat >made.txt <<END
file
event name=e type=raw config=1 sample_period=1
	sample_type=IP|TID|TIME|ADDR|BRANCH_STACK
	branch_sample_type=ANY sample_id_all
feature BRANCH_STACK
feature BUILD_ID build_id=$PWD/made,1234567890
record COMM pid=7 tid=7 comm=made misc=exec time=1000
record MMAP2 pid=7 tid=7 addr=0x401000 len=0x1000 pgoff=0x1000 prot=5 flags=2
	filename=$PWD/made time=2000
record MMAP2 pid=7 tid=7 addr=0x402000 len=0x1000 pgoff=0x2000 prot=3 flags=2
	misc=user|mmap_data filename=$PWD/made time=2000
record SAMPLE ip=0x401000 pid=7 time=3000 addr=0x402048
	branches=0x401018,0x401058,0x1
END
	"$DWELL_BUILD/tests/made/make_data" made.txt made.data
	names() {
		dwell report --csv -b -s symbol_from,symbol_to -i "$1" "${@:2}"
		dwell report --csv --no-branch-stack -s symbol_daddr -i "$@"
	}
	names made.data >before
	grep -q first before
	grep -q second before
	grep -q value before
	dwell pack -q -o packed.data made.data
	mv made elsewhere
	names packed.data | diff before -
	run ! diff -q before <(names made.data)
}

@test "pack: a function within a larger one keeps its code" {
	need as
	need ld
	need zstd
	cat >made.s <<-'END'
		.globl _start, inner
		.text
		.type _start, @function
		_start: .skip 0x180000, 0x90
		.type inner, @function
		inner: .rept 8
		.byte 0x13, 0x57, 0x9b, 0xdf
		.endr
		.size inner, 32
		.skip 0x1000, 0x90
		.size _start, . - _start
	END
	as made.s -o made.o
	ld -Ttext=0x401000 --build-id=0x1234567890 made.o -o made
	cat >made.txt <<END
file
event name=e type=raw config=1 sample_period=1 sample_type=IP|TID|TIME
	sample_id_all
feature BUILD_ID build_id=$PWD/made,1234567890
record COMM pid=7 tid=7 comm=made misc=exec time=1000
record MMAP2 pid=7 tid=7 addr=0x401000 len=0x182000 pgoff=0x1000 prot=5
	flags=2 filename=$PWD/made time=2000
record SAMPLE ip=0x401010 pid=7 time=3000
record SAMPLE ip=0x581008 pid=7 time=3000
END
	"$DWELL_BUILD/tests/made/make_data" made.txt made.data
	dwell report --csv -s sym -i made.data | grep inner
	dwell pack -q -o packed.data made.data
	[ "$(count_code packed.data 13579bdf13579bdf)" = 4 ]
}

@test "live: pack: --redact removes directories, command lines and the host name" {
	need g++
	need zstd
	mkdir secretfolder
	build 0
	cp "$BATS_FILE_TMPDIR/inlined.cpp" secretfolder/
	g++ -O2 -g -DOTHER=0 "$PWD/secretfolder/inlined.cpp" \
		-o secretfolder/inlined
	dwell record -q -e cpu-clock -F 4000 --call-graph dwarf \
		-o in.data -- "$PWD/secretfolder/inlined" secretword
	dwell report --stdio -g caller -i in.data >before
	dwell script -i in.data -F ip,sym,srcline >before.script
	dwell buildid-list -i in.data | cut -d ' ' -f 1 >before.ids
	dwell pack in.data
	for word in secretfolder secretword; do
		find_word in.data "$word"
	done
	cp in.data plain.data
	dwell pack --redact in.data
	for word in secretfolder secretword "$PWD"; do
		run -1 find_word in.data "$word"
	done
	dwell report --header-only -i plain.data | grep '^# hostname : .'
	dwell report --header-only -i in.data >header
	run -1 grep '^# hostname : .\|^# cmdline' header
	rm -r secretfolder
	dwell report --stdio -g caller -i in.data | diff before -
	dwell script -i in.data -F ip,sym,srcline | diff before.script -
	dwell buildid-list -i in.data | cut -d ' ' -f 1 | diff before.ids -
	dwell report --mmaps -i in.data | grep -q ' /inlined$'
	if meets perf; then
		perf script -i plain.data -F comm,tid,time,ip >expected
		perf script -i in.data -F comm,tid,time,ip | diff expected -
	fi
	# Also without compression.
	dwell export --format perf-data --force -o in.data plain.data
	dwell pack --redact in.data
	for word in secretfolder secretword; do
		run -1 find_word in.data "$word"
	done
}

@test "pack: --redact leaves no directory in names of JIT code" {
	# No process has this pid.
	pid=$((5000000 + BASHPID))
	map=/tmp/perf-$pid.map
	cat >names <<-'END'
		py::leaf:/tmp/secretdir/long.py
		py::<module>:/tmp/secretdir/long.py
		JS:*leafOf /tmp/my secretdir/lib/hot.js:1:16
		JS:~ /tmp/x:1 /secretdir/lib/hot.js:1:16
		JS:^load file:///tmp/secretdir/x.mjs:7:1
		run ../secretdir/lib/x.rb:3
		JS:~/tmp/secretdir (old)/hot.js:1:16
		JS:~ /hot.js:1:16
		JS:~load node:internal/modules/cjs/loader:1:1
		Lorg/me/Main;::run([Ljava/lang/String;)V
		a::operator/(b, c)
		a::operator /(Lx/y/z;)
	END
	awk '{ printf "%x 10 %s\n", 4096 + NR * 16, $0 }' names >"$map"
	{
		printf '%s\n' file \
			"event name=e sample_type=IP|TID|TIME sample_id_all" \
			"record MMAP2 pid=$pid tid=$pid addr=0x1000 \
			len=0x1000 prot=5 filename=//anon" | tr -d '\t'
		awk -v pid="$pid" '{ printf "record SAMPLE pid=%d tid=%d " \
			"time=50 ip=%d\n", pid, pid, 4100 + NR * 16 }' names
	} >made.txt
	"$DWELL_BUILD/tests/made/make_data" made.txt made.data
	dwell pack -q --redact -o packed.data made.data
	rm "$map"
	run -1 find_word packed.data secretdir
	dwell script -F ip,sym -i packed.data | sed 's,^ *[^ ]* ,,' >given
	prints redacted-jit-names <given
}

@test "live: pack: a recording of perf is packed only with -o, and keeps its symbols and lines" {
	need perf
	need g++
	build 0 -fno-omit-frame-pointer
	perf_record -e cpu-clock:u -F 4000 -g \
		-o in.data -- ./inlined
	answers before
	grep -q 'mix (inlined)' before.report
	refuses 2 dwell pack in.data
	[[ $line == *"another program recorded"*"-o FILE" ]]
	dwell pack -o packed.data in.data
	perf script -i in.data >expected
	perf script -i packed.data | diff expected -
	mv in.data perf.data
	mv packed.data in.data
	mv inlined elsewhere
	HOME=$PWD/none same_answers gone
}

@test "live: pack: the new file keeps the permissions of the recording, and symbolic links" {
	record_inlined
	chmod 640 in.data
	mkdir folder
	mv in.data folder/real.data
	ln -s folder/real.data in.data
	dwell pack in.data
	[ -L in.data ]
	[ "$(stat -c %a folder/real.data)" = 640 ]
	[ "$(ls folder)" = real.data ]
	XDG_CACHE_HOME=$PWD/cache same_answers linked
}

@test "live: pack: a recording that cannot be replaced is left as it was" {
	record_inlined
	cp -p in.data kept.data
	head -c "$(($(wc -c <in.data) / 2))" in.data >half.data
	cp half.data half.kept
	run -2 dwell pack -q half.data
	[[ $output == *"the file is damaged"*"-o FILE" ]]
	cmp half.data half.kept
	run -3 dwell pack -q -o whole.data half.data
	run -3 dwell report -i whole.data
	refuses 2 dwell pack -i - <in.data
	[[ $line == *"standard input cannot be packed in place"* ]]
	mkdir folder.data
	cp in.data folder.data/data
	refuses 2 dwell pack folder.data
	[[ $line == *"the recording is a directory"* ]]
	# On a full disk.
	(
		ulimit -f 1
		trap '' XFSZ
		run -1 dwell pack in.data
		[ "${lines[-1]}" = "dwell pack: cannot write $PWD/in.data: File too large" ]
		run -1 dwell pack -o other.data in.data
		[ "${lines[-1]}" = "dwell pack: cannot write other.data: File too large" ]
	)
	cmp in.data kept.data
	[ -z "$(ls in.data.* 2>/dev/null)" ]
}

@test "live: pack: a stream from standard input is packed, and to a file it becomes an ordinary recording" {
	need g++
	build 0
	dwell record -q -e cpu-clock:u -F 4000 --call-graph dwarf -o - \
		-- ./inlined >in.data
	XDG_CACHE_HOME=$PWD/cache answers before
	dwell pack -o - <in.data -i - | cat >piped.data
	dwell pack -i - -o packed.data <in.data
	mv inlined elsewhere
	mv packed.data in.data
	same_answers file
	mv piped.data in.data
	same_answers stream
}

@test "live: record: --pack packs the recording at its end" {
	need g++
	build 0
	run -3 --separate-stderr dwell record -e cpu-clock:u -F 4000 \
		--call-graph dwarf --pack -o=in.data -- \
		sh -c './inlined; exit 3'
	# Other files can lack debug information.
	[[ $stderr != *"cannot pack"* && $stderr != *"/inlined ("* ]]
	mv "=in.data" in.data
	XDG_CACHE_HOME=$PWD/cache answers before
	mv inlined elsewhere
	same_answers packed
	grep -q 'mix (inlined)' before.report
}

# recorded_lines COMMAND: records with --pack, and prints source lines of
# COMMAND's programs.
recorded_lines() {
	dwell record -q -e cpu-clock:u -F 1000 --pack -o in.data -- sh -c "$1"
	dwell report --stdio -s srcline,sym -i in.data >rows
	grep -q 'inlined.cpp:9 .*\] work' rows
	rm in.data
}

@test "live: record: --pack stores lines of programs that are deleted or replaced before the end" {
	local id
	# The program runs for a shorter time than the machine can take a CPU away.
	local held='until ls -l /proc/$PPID/fd | grep -q "/inlined\$"; do sleep 0.05; done'

	need g++
	for id in sha1 none; do
		build 12345 -O1 -fno-inline "-Wl,--build-id=$id"
		mv inlined other
		build 0 "-Wl,--build-id=$id"
		recorded_lines "./inlined; $held; mv other inlined"
		build 0 "-Wl,--build-id=$id"
		recorded_lines "./inlined; $held; rm inlined"
	done
}

@test "live: record: --pack stores lines of programs on a private mount" {
	local id

	need g++
	need root
	need mount-namespace
	mkdir inner
	for id in sha1 none; do
		build 0 "-Wl,--build-id=$id"
		recorded_lines "R=\$PPID unshare -m sh -c \
			'mount -t tmpfs none inner && cp -p inlined inner/ &&
			inner/inlined && until ls -l /proc/\$R/fd | grep -q \"/inlined\$\"; do
				inner/inlined; done'"
		[ ! -e inner/inlined ]
	done
}

@test "live: record: --pack reads a file that the recorder holds open only if it is the recorded one" {
	local id

	need g++
	refuses 2 dwell pack --held x
	refuses 2 dwell pack --held 99
	[[ $line == *"--held: file descriptor 99 is not open" ]]
	for id in sha1 none; do
		build 0 "-Wl,--build-id=$id"
		dwell record -q -e cpu-clock:u -F 1000 -o in.data -- ./inlined
		mv inlined elsewhere
		build 12345 -O1 -fno-inline "-Wl,--build-id=$id"
		dwell pack --force -o out.data --held 9 in.data 9<inlined
		run ! grep -q 'inlined.cpp:[0-9]' \
			<(dwell report -s srcline -i out.data)
		dwell pack --force -o out.data --held 8,9 in.data \
			8<inlined 9<elsewhere
		rm inlined elsewhere
		dwell report -s srcline,sym -i out.data |
			grep 'inlined.cpp:9 .*\] work'
	done
}

@test "live: record: --pack without an installed dwell-report prints a message and succeeds" {
	mkdir alone
	cp "$DWELL_BUILD/dwell-record" alone/
	run -0 --separate-stderr env PATH=/usr/bin:/bin alone/dwell-record \
		--pack -e cpu-clock -o in.data -- true
	if [ ! -e /usr/bin/dwell-report ]; then
		[[ $stderr == *"cannot pack in.data: dwell-report is not installed"* ]]
	fi
	dwell report --stats -i in.data
	refuses 2 dwell record --pack -o - -- true
	[[ $line == *"it needs a single file"* ]]
	refuses 2 dwell record --pack --switch-output=1s -- true
}

# mode_of FILE: prints FILE's permissions.
mode_of() {
	stat -c %a "$1"
}

@test "pack: with -o, the new file has the permissions of the recording, with any umask" {
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" \
		in.data
	umask 022
	for mode in 600 640 400 644; do
		chmod $mode in.data
		dwell pack -q --force -o out.data in.data
		[ "$(mode_of out.data)" = $mode ]
		dwell pack -q -i - --force -o out.data <in.data
		[ "$(mode_of out.data)" = $mode ]
	done
	umask 077
	dwell pack -q -o other.data in.data
	[ "$(mode_of other.data)" = 644 ]
	umask 022
	cat in.data | dwell pack -q -i - -o piped.data
	[ "$(mode_of piped.data)" = 600 ]
	# An existing file is replaced, with its permissions.
	chmod 600 in.data
	dwell pack -q --force -o other.data in.data
	[ "$(mode_of other.data)" = 600 ]
	# Text has the permissions of the umask.
	dwell export --format folded -o text in.data
	[ "$(mode_of text)" = 644 ]
}

@test "pack: if -o names the recording, it is packed in place, or left as it was if data would be lost" {
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" \
		in.data
	cp in.data kept.data
	ln -s in.data link.data
	ln in.data hard.data
	for path in in.data ./in.data "$PWD/in.data" link.data hard.data; do
		for option in -q --force; do
			refuses 2 dwell pack $option -o "$path" in.data
			[[ $line == *"in.data: another program recorded the file, and some of its data would be lost; use -o FILE" ]]
			cmp in.data kept.data
		done
	done
	dwell pack -q -o own.data in.data
	cp own.data kept.data
	dwell pack -q -o own.data own.data
	cmp own.data kept.data
}

@test "pack: with -o, an existing file is replaced only with --force" {
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" \
		in.data
	echo mine >out.data
	refuses 1 dwell pack -o out.data in.data
	[ "$line" = "dwell pack: cannot create out.data: it exists; use --force to replace it" ]
	[ "$(cat out.data)" = mine ]
	ln -s nothing link.data
	refuses 1 dwell pack -o link.data in.data
	[[ $line == *"link.data: it is a symbolic link to a missing file; use --force to replace it" ]]
	dwell pack --force -o out.data in.data
	dwell report --stats -i out.data
	dwell pack -o /dev/null in.data
}

@test "live: pack: if -o names a FIFO, the output is written into it" {
	dwell record -q -e cpu-clock -o in.data -- true
	mkfifo out
	exec {held}<>out
	cat <out >through.data {held}>&- 3>&- &
	dwell pack -o out in.data
	exec {held}>&-
	wait
	[ -p out ]
	dwell report --stats -i through.data
}

@test "pack: the file time of a recording without a time is stored" {
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" \
		in.data
	touch -d 2001-02-03T04:05:06Z in.data
	dwell pack -o packed.data in.data
	[ "$(stat -c %Y packed.data)" = "$(stat -c %Y in.data)" ]
	dwell report --header-only -i packed.data |
		grep -q '^# captured on : 2001-02-03 04:05:06'
}

@test "a limit of open files below 64 is an error, and nothing is written" {
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" \
		in.data
	for verb in "pack -o out" "export --format folded -o out" report; do
		for limit in 16 63; do
			refuses 1 bash -c "ulimit -n $limit
				exec dwell $verb -i in.data"
			[[ $line == *": dwell opens up to 64 files at a time, and the limit of open files is $limit; start dwell with a higher limit: ulimit -n 64" ]]
		done
	done
	[ ! -e out ]
	# A soft limit is raised.
	bash -c 'ulimit -Sn 16; exec dwell pack -q -i in.data -o out'
	bash -c 'ulimit -n 64; exec dwell pack -q -i in.data -o same'
	cmp out same
}

@test "pack: a missing file, and a file that is not a recording, are refused" {
	refuses 1 dwell pack gone.data
	echo nonsense >none.data
	refuses 1 dwell pack none.data
	refuses 2 dwell pack a b
	[[ $line == *"accepts one recording"* ]]
}
