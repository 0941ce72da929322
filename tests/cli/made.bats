#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings that no available machine could write, made from a text
# (doc/how-to-make-a-recording.md).

load common.bash

made=$DWELL_SOURCE/tests/made

make_data() {
	"$DWELL_BUILD/tests/made/make_data" "$@"
}

# Recordings of several kinds of machines. The expected text was compared with
# perf's when it was written.
@test "script: each made recording is printed as perf script prints it" {
	for wanted in "$made"/*.script; do
		make_data "${wanted%.script}.txt" data
		dwell script -i data >got
		diff "$wanted" got
	done
	make_data "$made/plain.txt" data
	dwell report --stats -i data >got
	diff "$made/plain.stats" got
}

@test "report and script: a message states that stack copies of an unsupported processor are not unwound" {
	for arch in s390x x86_64; do
		printf '%s\n' file "feature ARCH str=$arch" \
			'event name=e type=software sample_type=IP|TID|CALLCHAIN|REGS_USER|STACK_USER sample_regs_user=3 sample_stack_user=16' \
			'record SAMPLE pid=7 ip=0x10 chain=user,0x10 regs_user=1,2 stack=0011223344556677 dyn_size=8' |
			make_data - $arch.data
	done
	for verb in report script; do
		run -0 --separate-stderr dwell $verb -i s390x.data
		[[ $stderr == *"s390x.data: cannot unwind stack copies of \
s390x: dwell supports x86-64, i386 and aarch64"* ]]
		run -0 --separate-stderr dwell $verb -i x86_64.data
		[[ $stderr != *unwind* ]]
	done
}

# vdso_names ARCH ADDRESS: prints all symbols of the vdso in a recording of
# ARCH.
vdso_names() {
	local at
	{
		printf '%s\n' file "feature ARCH str=$1" \
			'event name=e type=software sample_type=IP|TID|TIME ids=1 sample_id_all' \
			"record MMAP2 pid=7 tid=7 addr=$2 len=0x4000 prot=5
 filename=[vdso] time=1"
		for ((at = 0; at < 0x4000; at += 16)); do
			printf 'record SAMPLE pid=7 tid=7 ip=0x%x time=2\n' \
				$(($2 + at))
		done
	} | make_data - vdso.data
	dwell script -F ip,sym,dso -i vdso.data | grep -vF '[unknown]' |
		awk '{ print $2 }' | sort -u
}

@test "report: the vdso of this machine names no code of another processor or of 32-bit programs" {
	local other=aarch64
	need vdso
	[ "$(uname -m)" != aarch64 ] || other=x86_64
	vdso_names "$(uname -m)" 0x7ffd00000000 >names
	grep -E '^__(vdso|kernel)_clock_gettime' names
	[ -z "$(vdso_names $other 0x7ffd00000000)" ]
	[ -z "$(vdso_names "$(uname -m)" 0xf7f00000)" ]
	dwell report -i vdso.data | grep -F '[vdso32]'
}

@test "buildid-list: a message reports that the recording has no build IDs" {
	make_data "$made/fields.txt" bare.data
	run -0 --separate-stderr dwell buildid-list -i bare.data
	[ -z "$output" ]
	[ "$stderr" = "dwell buildid-list: bare.data has no build IDs" ]
}

@test "report: --stats counts compressed records by their type" {
	make_data "$made/stream.txt" data
	run -0 --separate-stderr dwell report --stats -i data
	[[ $output =~ \ COMPRESSED\ events:\ +[1-9] ]]
	[[ $output =~ \ COMPRESSED2\ events:\ +[1-9] ]]
}

@test "script: an event that was renamed during the recording has its new name" {
	make_data "$made/records.txt" data
	echo 'record SAMPLE event=1 ip=1 pid=7 time=50' |
		cat "$made/records.txt" - | make_data - data
	dwell script -i data | grep -q ' renamed: '
}

@test "script: events with attributes of each size that perf had are read" {
	for size in 64 72 80 96 104 112 120 128 136 144 256; do
		sed "s/ ids=/ size=$size&/" "$made/plain.txt" |
			make_data - sized
		dwell script -i sized >got
		diff "$made/plain.script" got
	done
}

@test "script -D prints each type of record, and each field of a sample" {
	for name in records fields; do
		make_data "$made/$name.txt" data
		dwell script -D -i data >got
		diff "$made/$name.dump" got
	done
}

# dumped STATEMENT...: prints the dump (-D) of these records, without their
# names.
dumped() {
	printf '%s\n' file "event sample_type=IP|TID" "$@" >records.txt
	make_data records.txt data
	dwell script -D -i data | sed 's/.*PERF_RECORD_//'
}

@test "script: -D prints CPU maps of each encoding" {
	dumped "record CPU_MAP cpu_map_type=0 cpus=0200010003000000" \
		"record CPU_MAP cpu_map_type=1 cpus=0100080000000000810000000000000000" \
		"record CPU_MAP cpu_map_type=1 cpus=0200040001000000020000000000" \
		"record CPU_MAP cpu_map_type=2 cpus=000002000500" >got
	prints cpu-maps <got
}

@test "script: -D names records that are too short, without fields" {
	dumped "record 16 words=1" "record 69 words=1000000" \
		"record 73 words=99" "record 20 words=1,2" "record 22 words=1,9" \
		"record 64 words=1" "record 8" "record 78 words=0" \
		"record SAMPLE ip=1 record_size=16" >got
	prints short-records <got
}

@test "make_data: an error in the text of a made recording is printed with its line number" {
	run -1 make_data - x.data <<<$'file\nrecord COMM pid=7 com=made'
	[ "$output" = "make_data: -: line 2: record: there is no word 'com'" ]
	run -1 make_data - x.data <<<$'file\n\nnothing'
	[ "$output" = "make_data: -: line 3: nothing: there is no such statement" ]
}

# tell: prints all that dwell reports about a recording, except the compression
# ratio.
tell() {
	rm -rf data
	mv "$1" data
	dwell script -D -i data
	dwell script -i data
	dwell report --stats -i data
	dwell report --stdio -i data
	dwell script --header -i data | grep -v -e '^# data size' -e '^# captured on'
}

@test "a directory of perf record --threads is read completely, each file with its own events" {
	make_data "$made/threads.txt" folder
	dwell script -i folder 2>&1 | awk '{ print $6, $7 }' >got
	prints directory-of-threads <got
}

@test "report: damage in one file of a directory does not affect the other files" {
	make_data "$made/threads.txt" folder
	truncate -s -1 folder/data.0
	run -3 --separate-stderr dwell report --stats -i folder
	[[ $output == *"SAMPLE events:          4"* ]]
	dwell script -i folder 2>&1 | grep -q 'last record is cut off'
}

@test "report: a damaged record is skipped and reported with its file offset" {
	sed 's/^record SAMPLE ip=0x400100.*/& nr=9/;/^	chain=user,0x400100/d' \
		"$made/plain.txt" | make_data - data
	run -3 --separate-stderr dwell report --stdio -i data
	[[ $stderr == *": damaged records left out: 1, the first one at 0x"* ]]
	place=${stderr##*the first one at }
	place=${place%%:*}
	dwell script -D -i data >dump
	grep -q "^$place .*PERF_RECORD_SAMPLE" dump
	[[ $output == *"# Samples: 2 of event 'cycles'"* ]]
}

@test "all commands print the same for a big-endian recording and its little-endian copy" {
	for text in "$made"/*.txt; do
		if grep -q '^file.* big' "$text"; then continue; fi
		make_data "$text" little
		make_data -b "$text" big
		run -1 diff -rq little big
		tell little >little.told 2>&1
		tell big >big.told 2>&1
		diff little.told big.told
		grep -q PERF_RECORD_ little.told
	done
}

@test "export: if the reader of a pipe has exited, the export ends without a message" {
	make_data "$made/plain.txt" data
	mkfifo pipe
	exec {reader}<>pipe {writer}>pipe {reader}<&-
	for format in folded perf-data; do
		run -141 --separate-stderr bash -c "exec \
			'$DWELL_BUILD/dwell-report' export -q -i data \
			--format $format >&$writer"
		[ -z "$stderr" ]
	done
}

@test "report and export: a message states that AUX traces are left out" {
	sed 's/^feature HOSTNAME/feature EVENT_DESC events\n&/' \
		"$made/aux.txt" | make_data - aux.data
	run -0 --separate-stderr dwell report -i aux.data
	[[ $stderr == *"aux.data has no samples"* ]]
	[[ $stderr == *"2 AUX area traces of event intel_pt//: "* ]]
	run -0 --separate-stderr dwell export --format perf-data -i aux.data \
		-o plain.data
	[[ $stderr == *"aux.data: 2 AUX traces were not copied"* ]]
	make_data "$made/plain.txt" none.data
	run -0 --separate-stderr dwell export --format perf-data -i none.data \
		-o plain.data --force
	[[ $stderr != *AUX* ]]
}

@test "export: perf-data is refused if standard output is a terminal, folded is not" {
	make_data "$made/plain.txt" data
	need script
	local export="$DWELL_BUILD/dwell-report export -i data --format"
	run -2 script -qec "$export perf-data" /dev/null
	[[ $output == *"--format perf-data: cannot write a binary format to a terminal"* ]]
	run -0 script -qec "$export folded" /dev/null
}

@test "report: BPF programs in the header have the names of their functions" {
	for option in "" -b; do
		# shellcheck disable=SC2086
		"$DWELL_BUILD/tests/made/make_data" $option \
			"$DWELL_SOURCE/tests/made/bpf.txt" data
		dwell report --header-only -i data |
			grep -e bpf_prog -e btf >got
		prints bpf-programs <got
	done
	# Truncated types name nothing.
	sed 's/u16=0xeb9f u8=1 u8=0 u32=24 u32=0/u16=0xeb9f u8=1 u8=0 u32=24 u32=9999/' \
		"$DWELL_SOURCE/tests/made/bpf.txt" | tr '\n' ' ' |
		sed 's/ record/\nrecord/g; s/ feature/\nfeature/g; s/ event/\nevent/; s/.* file/file/' |
		"$DWELL_BUILD/tests/made/make_data" - data
	dwell report --header-only -i data | grep -q 'sub_prog 1: .*_F addr'
}

@test "report: --header-only prints what perf 7 adds about the machine" {
	printf '%s\n' file 'event name=e type=software sample_type=IP|TID' \
		'feature NRCPUS u32=2 u32=2' \
		'feature CPU_DOMAIN_INFO u32=17 u32=1 u32=0 u32=1 u32=0 str=MC str=3 str=0-1' \
		'feature E_MACHINE u32=62 u32=0' 'feature CLN_SIZE u32=64' \
		'record COMM pid=7 tid=7 comm=made' |
		"$DWELL_BUILD/tests/made/make_data" - data
	dwell report --header-only -I -i data | grep -e chedul -e omain -e cpu \
		-e e_ -e cacheline -e sched | grep -v -e nrcpus -e event | tr -s '\t ' ' ' >got
	prints header-of-perf-7 <got
}

# Prints simpleperf's FILE2 section, in the layout of its messages: files of
# each type with a symbol, by path, type, lowest address, and its file offset.
simpleperf_files() {
	python3 - <<'END'
def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])
def number(field, n):
    return varint(field << 3) + varint(n)
def text(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data
def file(path, kind, lowest, symbols, facts=b""):
    message = text(1, path.encode()) + number(2, kind) + number(3, lowest)
    for start, size, name in symbols:
        message += text(4, number(1, start) + number(2, size) +
                        text(3, name.encode()))
    message += facts
    return len(message).to_bytes(4, "little") + message
print((file("/system/lib64/libmade.so", 2, 0x21000,
            [(0x21100, 0x40, "_Z11of_an_elf_1v"), (0x21140, 0x10, "second")],
            text(6, number(1, 0x1000))) +
       file("/data/app/base.vdex", 3, 0, [(0x300, 0x80, "com.example.Main.run")],
            text(5, number(1, 0x28))) +
       file("[kernel.kallsyms]", 0, 0, [(0xffffffff81000100, 0x100, "of_the_kernel")]) +
       file("/data/empty.so", 2, 0, [])).hex())
END
}

# make_simpleperf HEX: makes the recording "data".
make_simpleperf() {
	make_data - data <<END
file
event name=cycles type=hardware sample_type=IP|TID|TIME|PERIOD ids=1 sample_id_all
feature ARCH str=aarch64
feature OSRELEASE str=4.4.0-made
feature 129 text=simpleperf_version text=1.build.7 text=event_type_info text="cpu-cycles,0,0"
feature 132 bytes=$1
record MMAP misc=kernel pid=0xffffffff addr=0xffffffff81000000 len=0x1000000
	pgoff=0xffffffff81000000 filename=[kernel.kallsyms]
record COMM pid=7 tid=7 comm=made misc=exec time=1000
record MMAP2 pid=7 tid=7 addr=0x7000000 len=0x10000 pgoff=0x1000 prot=5
	maj=8 min=1 ino=99 filename=/system/lib64/libmade.so time=2000
record MMAP2 pid=7 tid=7 addr=0x8000000 len=0x10000 pgoff=0 prot=5 maj=8
	min=1 ino=98 filename=/data/app/base.vdex time=2000
record SAMPLE ip=0x7000110 pid=7 time=3000 period=1
record SAMPLE ip=0x7000148 pid=7 time=3000 period=1
record SAMPLE ip=0x8000310 pid=7 time=3000 period=1
record SAMPLE misc=kernel ip=0xffffffff81000110 pid=7 time=4000 period=1
record SAMPLE ip=0x7000200 pid=7 time=5000 period=1
END
}

@test "report: a recording of simpleperf has the symbols that it contains" {
	need python3
	make_simpleperf "$(simpleperf_files)"
	[ "$(dwell script -F ip,sym -i data | awk '{ print $2 }' | paste -sd ' ')" = \
		"of_an_elf_1 second com.example.Main.run of_the_kernel [unknown]" ]
	dwell report --stdio --header -i data >rows
	grep '^# simpleperf_version : 1.build.7$' rows
	grep '^# event_type_info : cpu-cycles,0,0$' rows
	grep -E 'base.vdex +\[\.\] com.example.Main.run$' rows
	dwell report --dsos -i data |
		grep -E ' recorded .* /system/lib64/libmade.so$'
}

@test "report: a simpleperf section that is truncated at any byte does not crash it" {
	local hex i
	need python3
	hex=$(simpleperf_files)
	for ((i = 0; i < ${#hex}; i += 14)); do
		make_simpleperf "${hex:0:i}"
		dwell report --stdio -q -i data >/dev/null
	done
}

# Prints the messages about the jitdump jit-7.dump or the perf map of process
# PID.
notes_of_code() {
	printf '%s\n' file "event name=e sample_type=IP|TID|TIME sample_id_all" \
		"record MMAP2 pid=$pid tid=$pid addr=0x1000 len=0x1000 prot=5 \
			filename=//anon" \
		"record MMAP2 pid=$pid tid=$pid addr=0x8000 len=0x1000 prot=5 \
			maj=8 min=1 ino=$1 filename=$PWD/jit-7.dump" \
		"record SAMPLE pid=$pid tid=$pid ip=0x1004 time=50" | tr -d '\t' |
		make_data - data
	dwell report --stdio -i data 2>&1 >rows | sed 's/^dwell report: //'
}

@test "report: a perf map that is ignored is reported once, with the reason" {
	# No process has this pid.
	pid=$((5000000 + BASHPID))
	map=/tmp/perf-$pid.map
	ignored="ignored: it is"
	[ -z "$(notes_of_code 0)" ]
	echo '1000 100 named' >map
	ln -s "$PWD/map" "$map"
	[ "$(notes_of_code 0)" = "$map: $ignored a symbolic link" ]
	rm "$map"
	mkfifo "$map"
	[ "$(notes_of_code 0)" = "$map: $ignored not a regular file" ]
	rm "$map"
	cp map "$map"
	[ -z "$(notes_of_code 0)" ]
	grep named rows
	head -c 200000 /dev/zero | tr '\0' x >>"$map"
	said=$(notes_of_code 0)
	rm "$map"
	[ "$said" = "$map: ignored a line longer than 64 KiB" ]
	grep named rows
}

@test "report: a jitdump that is ignored is reported once, with the reason" {
	need python3
	pid=7
	ignored="ignored: it is"
	[ -z "$(notes_of_code 0)" ]
	python3 -c '
import struct
load = struct.pack("=IIQIIQQQQ", 0, 56 + 6 + 8, 1, 7, 7, 0x1000, 0x1000, 8, 1)
open("whole", "wb").write(struct.pack("=IIIIIIQQ",
    0x4a695444, 1, 40, 62, 0, 7, 0, 0) + load + b"named\0" + bytes(8) + load)'
	ln -s whole jit-7.dump
	[ "$(notes_of_code 0)" = "$PWD/jit-7.dump: $ignored a symbolic link" ]
	rm jit-7.dump
	mkfifo jit-7.dump
	[ "$(notes_of_code 0)" = "$PWD/jit-7.dump: $ignored not a regular file" ]
	rm jit-7.dump
	echo no >jit-7.dump
	[ "$(notes_of_code 0)" = \
		"$PWD/jit-7.dump: $ignored not a readable jitdump" ]
	head -c 110 whole >jit-7.dump
	[ -z "$(notes_of_code 0)" ]
	cp whole jit-7.dump
	[ "$(notes_of_code 1)" = "$PWD/jit-7.dump: $ignored not the recorded file" ]
	[ "$(notes_of_code 0)" = "$PWD/jit-7.dump: incomplete record at offset 0x6e; names that were read: 1" ]
	grep named rows
	head -c 110 whole >jit-7.dump
	truncate -s 1G jit-7.dump
	[ "$(notes_of_code 0)" = "$PWD/jit-7.dump: record with an invalid size at offset 0x6e; names that were read: 1" ]
	grep named rows
}

# Two processes that mapped files of one path: process 7 has another inode.
two_inodes() {
	local device=($(stat -c '%Hd %Ld %i' prog)) at id
	at=$((0x555555554000 + 0x$(nm prog | awk '$3 == "spin_here" { print $1 }')))
	id=$(readelf -n prog | awk '/Build ID/ { print $3 }')
	cat <<-END
		file
		event name=e type=software sample_type=IP|TID|TIME|CALLCHAIN ids=1 sample_id_all
		feature BUILD_ID build_id=$PWD/prog,$id
		record MMAP2 pid=7 tid=7 addr=0x555555554000 len=0x8000 prot=5 maj=${device[0]} min=${device[1]} ino=$((${device[2]} + 1)) filename=$PWD/prog time=1
		record MMAP2 pid=8 tid=8 addr=0x555555554000 len=0x8000 prot=5 maj=${device[0]} min=${device[1]} ino=${device[2]} filename=$PWD/prog time=1
		record SAMPLE pid=7 tid=7 ip=$at chain=user,$at time=2
		record SAMPLE pid=8 tid=8 ip=$at chain=user,$at time=3
		record SAMPLE pid=8 tid=8 ip=$at chain=user,$at time=4
	END
}

@test "report: of two inodes with one path, the file's build ID belongs to the inode that the file has" {
	local inode format

	need readelf
	cc -O1 -g "$DWELL_SOURCE/tests/cli/spin.c" -Wl,--build-id -o prog
	inode=$(stat -c %i prog)
	two_inodes | make_data - two.data
	dwell report --csv --no-children -g none -s dso,sym -i two.data >rows
	grep -F "prog [inode $inode],[.] spin_here" rows | grep -vF '(?)'
	grep -F "prog [inode $((inode + 1))],[.] spin_here (?)" rows
	dwell export --format folded -i two.data >folded
	grep -E "spin_here \[inode $inode\] 2\$" folded
	grep -E "spin_here \(\?\) \[inode $((inode + 1))\] 1\$" folded
	# Chrome's events have a duration.
	two_inodes | sed 's/|CALLCHAIN/&|PERIOD/
		s/\(SAMPLE.*time=.\)$/\1000000 period=500000/' >two.txt
	make_data two.txt timed.data
	for format in speedscope firefox chrome callgrind pprof; do
		dwell export --force --format "$format" -i timed.data -o profile
		if [ "$format" = pprof ]; then
			gzip -dc <profile >text
		else
			cp profile text
		fi
		[ "$(grep -aEo "spin_here( \(\?\))? \[inode ($inode|$((inode + 1)))\]" text |
			sort -u | wc -l)" = 2 ]
	done
	# One inode: the build ID is that of the file, and names have no mark.
	two_inodes | grep -v pid=7 | make_data - one.data
	dwell report --csv --no-children -g none -s dso,sym -i one.data >rows
	grep -F 'prog,[.] spin_here' rows
	run ! grep -E 'inode|\(\?\)' rows
	grep -v pid=7 two.txt | make_data - timed.data
	for format in speedscope firefox chrome callgrind; do
		dwell export --force --format "$format" -i timed.data -o profile
		grep spin_here profile
		run ! grep -F '[inode' profile
	done
}

@test "report: two build IDs of one path are two names, and in a diff one name" {
	make_data - builds.data <<-'END'
		file
		event name=e type=software sample_type=IP|TID|TIME ids=1 sample_id_all
		record MMAP2 pid=7 tid=7 addr=0x400000 len=0x1000 prot=5 filename=/none/x build_id=0102030405 time=1
		record MMAP2 pid=8 tid=8 addr=0x400000 len=0x1000 prot=5 filename=/none/x build_id=0203040506 time=1
		record MMAP2 pid=8 tid=8 addr=0x500000 len=0x1000 prot=5 filename=/other/y build_id=0304050607 time=1
		record MMAP2 pid=7 tid=7 addr=0x500000 len=0x1000 prot=5 filename=/other/y build_id=0304050607 time=1
		record SAMPLE pid=7 tid=7 ip=0x400100 time=2
		record SAMPLE pid=8 tid=8 ip=0x400100 time=2
		record SAMPLE pid=8 tid=8 ip=0x500100 time=2
		record SAMPLE pid=7 tid=7 ip=0x500100 time=2
	END
	names() {
		dwell report --stdio -n -s dso -i builds.data "$@" |
			sed -n 's/^ .*%  *\([0-9]*\)  */\1 /p' | sed 's/ *$//' | sort
	}
	names >got
	printf '%s\n' '1 x [build 01020304]' '1 x [build 02030405]' '2 y' |
		diff - got
	[ "$(names --dso 'x' | wc -l)" -eq 2 ]
	[ "$(names --dso 'x [build 01020304]')" = '1 x [build 01020304]' ]
	dwell diff --stdio -s dso builds.data builds.data >got
	run ! grep -F '[build' got
}

@test "report: a sample with the largest possible period has 100 % in the call graph" {
	printf '%s\n' file \
		'event name=e type=software sample_type=IP|TID|PERIOD|CALLCHAIN' \
		'record COMM pid=7 comm=made' \
		'record SAMPLE pid=7 ip=0x10 period=0xffffffffffffffff chain=user,0x10,0x20' |
		make_data - most.data
	run -0 dwell report --stdio --no-children -g graph,100 -i most.data
	[[ $output == *"---0x10"*"0x20"* ]]
}

# The content of the writable segment ends before the code in the file, and its
# memory goes on: variables there are at the same distance as the code.
@test "report: the name of a variable outside of the file's content never names code" {
	need as
	need ld
	cat >behind.s <<-'END2'
		.data
		.globl word
		word: .quad 5
		.bss
	END2
	for i in {0..127}; do
		printf '.globl var_%s\n.type var_%s, @object\nvar_%s: .skip 64\n.size var_%s, 64\n' $i $i $i $i
	done >>behind.s
	printf '.text\n.globl _start, hot\n.type hot, @function\n_start: .skip 16, 0x90\nhot: .skip 4096, 0x90\n.size hot, 4096\n' >>behind.s
	cat >behind.ld <<-'END2'
		ENTRY(_start)
		PHDRS { rw PT_LOAD FLAGS(6); rx PT_LOAD FLAGS(5); note PT_NOTE FLAGS(4); }
		SECTIONS {
			. = 0x600000 + SIZEOF_HEADERS;
			.note.gnu.build-id : { *(.note.gnu.build-id) } :rw :note
			.data : { *(.data) } :rw
			.bss : { . = . + 0x800; *(.bss) } :rw
			. = 0x800000;
			.text : { *(.text) } :rx
		}
	END2
	as behind.s -o behind.o
	ld -T behind.ld --build-id=0x1234567890abcdef1234567890abcdef12345678 behind.o -o behind
	offset=$(readelf -lW behind | awk '$1 == "LOAD" && /R E/ { print $2 }')
	{
		printf '%s\n' file 'event name=e type=software sample_type=IP|TID|TIME ids=1 sample_id_all' \
			"record MMAP2 pid=7 tid=7 addr=0x800000 len=0x2000 pgoff=$offset prot=5 build_id=1234567890abcdef1234567890abcdef12345678 filename=$PWD/behind time=1"
		for at in 0x800011 0x800100 0x800800 0x801000; do
			echo "record SAMPLE pid=7 tid=7 ip=$at time=2"
		done
	} | make_data - data
	dwell script -F ip,sym -i data >names
	[ "$(awk '{ print $2 }' names | sort | uniq -c | xargs)" = "4 hot" ]
}

# The symbol of the assembly routine has no size. The functions behind it have unwind
# rules, and no symbols in a stripped file.
@test "report: a symbol without a size does not name a function that has no symbol" {
	need as
	need ld
	need strip
	cat >marker.s <<-'END2'
		.text
		.globl _start, marker
		.type marker, @function
		_start: .skip 16, 0x90
		.size _start, 16
		marker: .skip 48, 0x90
		.type secret, @function
		secret: .cfi_startproc
		.skip 64, 0x90
		.cfi_endproc
		.size secret, 64
	END2
	as marker.s -o marker.o
	ld -Ttext-segment=0x400000 --eh-frame-hdr -e _start --build-id=0x$(printf '%040d' 1) marker.o -o marker
	strip -N secret marker
	{
		printf '%s\n' file 'event name=e type=software sample_type=IP|TID|TIME ids=1 sample_id_all' \
			"record MMAP2 pid=7 tid=7 addr=0x401000 len=0x1000 pgoff=0x1000 prot=5 build_id=$(printf '%040d' 1) filename=$PWD/marker time=1"
		for at in 0x401008 0x401010 0x40103f 0x401040 0x40107f; do
			echo "record SAMPLE pid=7 tid=7 ip=$at time=2"
		done
	} | make_data - data
	dwell script -F ip,sym -i data >names
	[ "$(awk '{ print $2 }' names | xargs)" = \
		"_start marker marker [marker+0x401040] [marker+0x401040]" ]
}

# A linker that folds equal functions leaves all of their names at one address.
@test "report: all names of a function that the linker merged are printed, and pack keeps them" {
	local id
	need as
	need ld
	id=$(printf '%040d' 2)
	{
		printf '.text\n.globl _start\n.type _start, @function\n_start: .skip 16, 0x90\n.size _start, 16\n'
		for name in _ZN1A4pushEi _ZN1A4growEi _ZN1A5shiftEi twelve{1..9}; do
			printf '.globl %s\n.type %s, @function\n%s:\n' "$name" "$name" "$name"
		done
		echo '.skip 16, 0x90'
		for name in _ZN1A4pushEi _ZN1A4growEi _ZN1A5shiftEi twelve{1..9}; do
			echo ".size $name, 16"
		done
		printf '.globl short\n.type short, @function\n.set short, _start\n.size short, 8\n'
	} >folded.s
	as folded.s -o folded.o
	ld -Ttext-segment=0x400000 -e _start --build-id=0x$id folded.o -o folded
	{
		printf '%s\n' file 'event name=e type=software sample_type=IP|TID|TIME ids=1 sample_id_all' \
			"record MMAP2 pid=7 tid=7 addr=0x401000 len=0x1000 pgoff=0x1000 prot=5 build_id=$id filename=$PWD/folded time=1"
		for at in 0x401008 0x401010; do
			echo "record SAMPLE pid=7 tid=7 ip=$at time=2"
		done
	} | make_data - data
	shown=$(dwell script -F ip,sym -i data | awk '$1 == "401010" { print $2 }')
	others=$(printf '%s\n' A::push A::grow A::shift twelve{1..9} | grep -vxF "$shown" | sort)
	[ "$(wc -l <<<"$others")" = 11 ]
	tells() {
		dwell report --json -i "$1" >rows
		grep -F "\"sym\": \"[.] $shown\", \"other_names\": [" rows |
			grep -o '"[^"]*"' | sed -n '/other_names/,$ { s/"//g; p }' |
			grep -xE '(A::|twelve).*' | sort | diff <(echo "$others") -
		[ "$(grep -c other_names rows)" = 1 ]
		dwell report -v --stdio -i "$1" 2>said
		grep -E "^dwell report: $shown: and 11 more names: .*, \.\.\.$" said
		dwell annotate -s "$shown" --stdio -i "$1" >code
		grep -E '^# and 11 more names: ' code
		[ "$(grep -E '^# and 11 more names: ' code | tr , '\n' | wc -l)" = 11 ]
	}
	tells data
	dwell pack -q -o packed data
	rm folded
	tells packed
}
