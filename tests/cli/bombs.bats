#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Small files that expand: programs with compressed or sparse tables, names that
# grow when they are demangled, and recordings of deep stacks or of many equal
# samples. Memory is compared with a limit, time is not: `make bench` prints it.

load common.bash

setup_file() {
	meets cc || return 0
	cd "$BATS_FILE_TMPDIR"
	cc -O1 "$DWELL_SOURCE/tests/bench/meter.c" -o meter
	echo 'int main(void) { return 0; }' >main.c
	cc -g -gz=none -Wl,--build-id=0x1234567890123456789012345678901234567890 \
		main.c -o main
}

setup() {
	enter_test
	need cc nm python3 timeout unsanitized
	export XDG_CACHE_HOME=$PWD/cache PYTHONPATH=$DWELL_SOURCE/tests/cli
	cp "$BATS_FILE_TMPDIR"/{meter,main.c,main} .
	local address
	address=$(nm main | sed -n 's/ T main$//p')
	make_recording data "$PWD/main" "0x$address"
}

# make_recording FILE PROGRAM OFFSET...: makes one sample at each offset of
# PROGRAM. More records are read from standard input if it is not a terminal or
# empty.
make_recording() {
	local file=$1 program=$2 at
	shift 2
	{
		cat <<-END
			file
			event name=cycles type=hardware ids=1 sample_id_all sample_type=IP|TID|TIME|PERIOD|CALLCHAIN
			feature BUILD_ID build_id=$program,1234567890123456789012345678901234567890
			record COMM pid=7 tid=7 comm=made
			record MMAP2 pid=7 tid=7 addr=0x10000000 len=0x10000000 filename="$program" prot=5 flags=2 time=2
		END
		for at; do
			at=$(printf '0x%x' $((0x10000000 + at)))
			echo "record SAMPLE ip=$at pid=7 tid=7 time=3 period=1000 chain=user,$at,$at"
		done
		[ -z "${more_records-}" ] || cat "$more_records"
	} | "$DWELL_BUILD/tests/made/make_data" - "$file"
}

# names_that_expand: prints a C++, a Rust and a D name, each with types that
# double.
names_that_expand() {
	python3 - <<-'END'
		cpp, back = "_Z1fISt4pairIiiE", lambda n: "S_" if n == 0 else "S%s_" % (
		    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n - 1])
		for n in range(26):
		    cpp += "S0_I%s%sE" % (back(n + 2), back(n + 2))
		print(cpp + "Evv")
		digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		def base62(n):
		    text, n = "_", n - 1
		    while n >= 0:
		        text, n = digits[n % 62] + text, n // 62 - (n < 62)
		    return text
		rust = "INvC1a1fTuuE"
		last = 8
		for n in range(40):
		    rust, last = rust + "TB%sB%sE" % (base62(last), base62(last)), len(rust)
		print("_R" + rust + "E")
		d = "_D1a1fFS1b1c"
		last = 7
		for n in range(40):
		    start = len(d)
		    d += "H"
		    for _ in range(2):
		        away = len(d) - last
		        text = chr(97 + away % 26)
		        while away >= 26:
		            away //= 26
		            text = chr(65 + away % 26) + text
		        d += "Q" + text
		    last = start
		print(d + "Zv")
	END
}

# sparse PROGRAM SECTION SIZE: enlarges the section to SIZE bytes, most of them
# a hole.
sparse() {
	python3 -B - "$@" <<-'END'
		import struct, sys
		from elf_section import find_section
		path, wanted, size = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
		file = open(path, "r+b")
		whole = file.read()
		at, offset, length = find_section(whole, wanted)
		place = (len(whole) + 4095) // 4096 * 4096
		file.seek(place)
		file.write(whole[offset:offset + length])
		file.truncate(place + size)
		file.seek(at + 24)
		file.write(struct.pack("<QQ", place, size))
	END
}

# expand SIZE: enlarges .debug_str of main by SIZE bytes, all of them 0, and
# compresses it with zlib (SHF_COMPRESSED).
expand() {
	python3 -B - "$@" <<-'END'
		import struct, sys, zlib
		from elf_section import find_section
		size = int(sys.argv[1])
		file = open("main", "r+b")
		whole = file.read()
		at, offset, length = find_section(whole, b".debug_str")
		packer = zlib.compressobj(9)
		def pack(data):
		    return packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
		text, zeros, repeats = whole[offset:offset + length], bytes(1 << 20), size >> 20
		packed = struct.pack("<IIQQ", 1, 0, length + size, 1) + pack(text)
		# After a full flush, equal data have equal bytes. The checksum is the end.
		packed += pack(zeros) * repeats + packer.flush()[:-4]
		checksum = zlib.adler32(text)
		for _ in range(repeats):
		    checksum = zlib.adler32(zeros, checksum)
		packed += struct.pack(">I", checksum)
		file.seek(len(whole))
		file.write(packed)
		file.seek(at + 8)
		file.write(struct.pack("<Q", 0x800))
		file.seek(at + 24)
		file.write(struct.pack("<QQ", len(whole), len(packed)))
	END
}

# add_symbols PROGRAM N [DATA]: adds N symbols to .symtab. They share an address and a name
# of 300 bytes; without DATA they are a hole of zero bytes.
add_symbols() {
	python3 -B - "$@" <<-'END'
		import struct, sys
		from elf_section import find_section
		path, n = sys.argv[1], int(sys.argv[2])
		file = open(path, "r+b")
		whole = file.read()
		names_at, offset, length = find_section(whole, b".strtab")
		names = whole[offset:offset + length] + b"x" * 300 + b"\0"
		place = (len(whole) + 4095) // 4096 * 4096
		file.seek(place)
		file.write(names)
		file.seek(names_at + 24)
		file.write(struct.pack("<QQ", place, len(names)))
		at, offset, old = find_section(whole, b".symtab")
		place += (len(names) + 4095) // 4096 * 4096
		file.seek(place)
		file.write(whole[offset:offset + old])
		if len(sys.argv) > 3:
		    file.write(struct.pack("<IBBHQQ", length, 0x12, 0, 1, 0x1000, 8) * n)
		file.truncate(place + old + 24 * n)
		file.seek(at + 24)
		file.write(struct.pack("<QQ", place, old + 24 * n))
	END
}

# spinning_program: makes main use the CPU for 0.03 s.
spinning_program() {
	cat >spin.c <<-'END'
		#include <time.h>
		volatile long sum;
		int main(void)
		{
			while (clock() < CLOCKS_PER_SEC / 30)
				for (int i = 0; i < 100000; i++)
					sum++;
			return 0;
		}
	END
	cc -g -gz=none spin.c -o main
}

# peak_of COMMAND...: runs it, for 60 s at most, and sets peak to the KiB of memory
# (ru_maxrss) of the largest process and status to the exit status. Fails if they are more
# than $limit. Appends these and the seconds to the file $BOMB_FIGURES, if it is set, for
# doc/performance.md.
limit=300000
peak_of() {
	status=0
	./meter took timeout 60 "$@" >out 2>err </dev/null || status=$?
	peak=$(sed 's/.*peak \([0-9]*\).*/\1/' took)
	echo "${*:2}: status $status, $peak KiB"
	printf '%s\t%s\t%s\t%s\n' "$BATS_TEST_DESCRIPTION" "${*:2:3}" "$peak" \
		"$(cut -d' ' -f2 took)" >>"${BOMB_FIGURES:-/dev/null}"
	[ "$status" -ne 124 ]
	[ "$peak" -gt 0 ]
	[ "$peak" -lt "$limit" ]
}

# stays_small FILE: checks that every verb ends and takes less memory than $limit.
# Status 1 is allowed: the verb has nothing to print, or has reached
# --max-output.
stays_small() {
	local format verb
	for verb in "report --stdio -s srcline,sym" "report --stdio -g caller" \
		"report --stdio --no-children" "report --json" "report --dsos" \
		"report --stats" "script -F +srcline" "script -D" \
		"annotate --stdio" evlist buildid-list; do
		# shellcheck disable=SC2086
		peak_of "$DWELL_BUILD/dwell-report" $verb -i "$1"
		[ "$status" -le 1 ]
	done
	for format in folded html perf-data pprof speedscope firefox callgrind \
		chrome perf-script json csv svg; do
		peak_of "$DWELL_BUILD/dwell-report" export --format $format \
			-i "$1" -o exported --force
		[ "$status" -le 1 ]
	done
	for verb in "diff --stdio" "diff --html"; do
		# shellcheck disable=SC2086
		peak_of "$DWELL_BUILD/dwell-report" $verb "$1" "$1"
		[ "$status" -le 1 ]
	done
	peak_of "$DWELL_BUILD/dwell-report" pack --level 1 -o packed --force -i "$1"
	[ "$status" -le 1 ]
	[ "$status" -ne 0 ] || peak_of "$DWELL_BUILD/dwell-report" unpack \
		--debug-dir unpacked -i packed
}

# is_left_out: checks that the report has the symbol, no line, and names the
# file.
is_left_out() {
	run --separate-stderr "$DWELL_BUILD/dwell-report" report --stdio \
		-s srcline,sym -i data
	[ "$status" -eq 0 ]
	[[ $output == *'[.] main'* ]]
	[[ $output != *main.c:1* ]]
	[[ $stderr == *"$PWD/main: its lines and inlined functions are left out"* ]]
	[ "$(grep -c 'left out' <<<"$stderr")" -eq 1 ]
}

@test "report: debug information that zlib does not expand to a large size is read" {
	expand 0
	"$DWELL_BUILD/dwell-report" report --stdio -s srcline,sym -i data >text
	grep -q 'main\.c:1 .*\[\.\] main' text
}

@test "compressed debug information of 600 KB that expands to 512 MB takes less than 300 MB of memory" {
	expand $((512 << 20))
	[ "$(stat -c %s main)" -lt 700000 ]
	is_left_out
	stays_small data
}

@test "a sparse file with 4 GB of debug information takes less than 300 MB of memory" {
	sparse main .debug_str $((4 << 30))
	is_left_out
	stays_small data
}

@test "mangled names that expand exponentially take less than 300 MB of memory" {
	local n=0 name
	names_that_expand >names
	[ "$(wc -l <names)" = 3 ]
	while read -r name; do
		echo "void f$((++n))(void) __asm__(\"$name\"); void f$n(void) { }"
	done <names >mangled.c
	cat main.c >>mangled.c
	cc -Wl,--build-id=0x1234567890123456789012345678901234567890 mangled.c \
		-o mangled
	# shellcheck disable=SC2046
	make_recording mangled.data "$PWD/mangled" \
		$(nm mangled | awk 'NR == FNR { is_name[$0] = 1; next }
			$3 in is_name { print "0x" $1 }' names -)
	run -0 --separate-stderr "$DWELL_BUILD/dwell-report" report --csv \
		-i mangled.data
	[ "$(wc -l <<<"$output")" = 4 ]
	[ "$(grep -cE "[.]{3}(\"|,|$)" <<<"$output")" -ge 1 ]
	stays_small mangled.data
}

@test "a sparse file with string tables of 4 GB takes less than 300 MB of memory" {
	local section
	for section in .strtab .shstrtab; do
		cp main sparse$section
		sparse sparse$section $section $((4 << 30))
		make_recording sparse.data "$PWD/sparse$section" \
			"0x$(nm main | sed -n 's/ T main$//p')"
		stays_small sparse.data
		run -0 --separate-stderr "$DWELL_BUILD/dwell-report" report \
			--stdio -i sparse.data
		[ $section = .strtab ] || [[ $stderr == *"$PWD/sparse.shstrtab: ignored, also its symbols: its section names exceed 4 MiB" ]]
	done
}

# One stack is 15 MB of text, as each frame is indented more than its caller.
@test "stacks of 8,000 different frames take less than 100 MB of memory" {
	local n limit=100000
	for n in {1..15}; do
		awk -v seed="$n" 'BEGIN {
			srand(seed)
			printf "record SAMPLE ip=0x10000000 pid=7 tid=7 time=%d period=1000 chain=user", seed + 10
			for (i = 0; i < 8000; i++)
				printf ",%d", 268435456 + int(rand() * 16384)
			print ""
		}'
	done >deep
	more_records=deep make_recording deep.data "$PWD/main"
	stays_small deep.data
}

# make_equal FILE SAMPLES FRAMES: makes equal samples with FRAMES frames each,
# compressed.
make_equal() {
	{
		echo compressed 81
		awk -v n="$2" -v frames="$3" 'BEGIN {
			printf "record SAMPLE times=%d ip=0x10000000 pid=7 tid=7 time=9 period=1000 chain=user", n
			for (i = 0; i < frames; i++)
				printf ",%d", 268435456 + i % 64
			print ""
		}'
	} >equal
	more_records=equal make_recording "$1" "$PWD/main"
}

@test "a compressed recording of 250,000 samples in 2 KB takes less than 75 MB of memory" {
	local limit=75000
	make_equal equal.data 250000 1
	[ "$(stat -c %s equal.data)" -lt 2500 ]
	stays_small equal.data
}

@test "export: the output of a small recording ends with an error at 1 GiB by default" {
	local size
	# 540 stacks of two functions whose name has one megabyte.
	head -c 1000000 /dev/zero | tr '\0' x >name
	{
		cat <<-END
			#define NAME $(cat name)
			int NAME(void), main(void);
			int NAME(void) { return 0; }
			int main(void) { return NAME(); }
		END
	} >named.c
	cc -Wl,--build-id=0x1234567890123456789012345678901234567890 named.c -o main
	# shellcheck disable=SC2046
	make_recording equal.data "$PWD/main" \
		$(yes "0x$(nm main | sed -n 's/ T xxx*$//p')" | head -n 540)
	[ "$(stat -c %s equal.data)" -lt 1000000 ]
	{ "$DWELL_BUILD/dwell-report" export --format perf-script -i equal.data 2>err ||
		echo $? >rc; } | wc -c >size
	[ "$(cat rc)" = 1 ]
	size=$(cat size)
	[ "$size" -le 1073741824 ]
	[ "$size" -gt 1063000000 ]
	[ "$(cat err)" = "dwell export: standard output is incomplete: the output \
exceeds 1.0 GiB, the default limit for this recording; use --max-output SIZE for \
another limit, or 0 for none" ]
}

@test "report, script and pack end with an error when the output reaches --max-output" {
	local verb
	make_equal equal.data 100 3900
	for verb in "report --stdio" "report --json" "report --csv" script \
		"script -D"; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr "$DWELL_BUILD/dwell-report" $verb \
			-i equal.data --max-output 100
		[ "${#output}" -le 100 ]
		[[ $stderr == *"standard output is incomplete: the output exceeds 100 bytes, the limit of --max-output; use "* ]]
	done
	# Only the printed part of the recording is read.
	run -1 --separate-stderr "$DWELL_BUILD/dwell-report" script \
		-i equal.data --max-output 100K
	[ "${#output}" -le 102400 ]
	refuses 1 "$DWELL_BUILD/dwell-report" pack -q -i equal.data -o packed \
		--max-output 1K
	[[ $line == "dwell pack: packed was not written: the output exceeds 1.0 KiB, "* ]]
	[ ! -e packed ]
}

@test "live: record: programs with sections that expand to gigabytes take less than 300 MB of memory" {
	local section way
	spinning_program
	for section in .strtab .shstrtab .debug_str; do
		cp main "sparse$section"
		sparse "sparse$section" $section $((4 << 30))
	done
	expand $((512 << 20))
	for section in sparse.strtab sparse.shstrtab sparse.debug_str main; do
		for way in "" --pack; do
			# shellcheck disable=SC2086
			peak_of "$record" -q -e cpu-clock --call-graph fp $way -o live.dw \
				./$section
			[ "$status" -eq 0 ]
		done
	done
	# System-wide, if this user may record that.
	peak_of "$record" -q -a -e cpu-clock --call-graph fp -o live.dw ./sparse.strtab
}

@test "live: record: programs with millions of symbols cost neither memory nor names of other programs" {
	spinning_program
	cp main large
	add_symbols large 1200000 data
	cp main larger
	add_symbols larger 9000000
	peak_of "$record" -e cpu-clock -F 1000 -o live.dw \
		sh -c './larger; ./large; ./main'
	[ "$status" -eq 0 ]
	[ "$(grep -c 'lacks the symbols' err)" -eq 1 ]
	grep -F "the recording lacks the symbols of \"$PWD/larger\": it has more than 8388608 symbols. " err
	rm main large larger
	run -0 "$DWELL_BUILD/dwell-report" report --stdio -g none -s comm,sym \
		-i live.dw
	[[ $output =~ ' main '+'[.] main' ]]
	[[ $output =~ ' large '+'[.] main' ]]
	[[ ! $output =~ ' larger '+'[.] main' ]]
}
