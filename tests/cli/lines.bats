#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Inlined functions and source lines of a program that contains its own line
# numbers.

load common.bash

setup_file() {
	cat >"$BATS_FILE_TMPDIR/inlined.c" <<-'END'
		static volatile unsigned sink;
		static inline __attribute__((always_inline)) unsigned
		mix(unsigned x)
		{
			int i;
			for (i = 0; i < 20; i++)
				x = x * 1103515245u + 12345u ^ x >> 3;
			return x;
		}
		static inline __attribute__((always_inline)) unsigned
		twice(unsigned x)
		{
			return mix(x) +
				mix(x + 1);
		}
		__attribute__((noinline)) unsigned work(unsigned n)
		{
			unsigned sum = 0;
			while (n--)
				sum += twice(n);
			return sum;
		}
		int main(void)
		{
			int i;
			for (i = 0; i < 50; i++)
				sink += work(20000 + i);
			return 0;
		}
	END
}

setup() {
	enter_test
	need gcc
}

# record_inlined OPTION...: compiles with these options of gcc, and records.
record_inlined() {
	[ -e inlined.c ] || cp "$BATS_FILE_TMPDIR/inlined.c" .
	gcc -O2 -g -fno-optimize-sibling-calls "$@" inlined.c -o inlined
	dwell record -q -e cpu-clock:u -F 4000 --call-graph dwarf \
		-o inlined.data -- ./inlined
}

@test "live: report: inlined functions are frames of call graphs" {
	record_inlined
	dwell report --stdio -i inlined.data -d inlined --no-children -G >text
	grep -E '^ *[0-9.]+% .*\[\.\] work$' text
	grep -A 30 -E '\[\.\] work$' text | grep -A 1 -E '^ *main$' |
		grep -E '^ *work$'
	grep -E '^[ |]*(--[0-9.]+%--)?twice \(inlined\)$' text
	grep -E 'mix \(inlined\)$' text
	dwell report --stdio -i inlined.data -g none >text
	grep -E '^ *(100\.00|[89][0-9.]+)% +0.00% .*\[\.\] twice \(inlined\)$' text
	dwell report --json -g -i inlined.data >json
	grep -q '"sym": "\[.\] mix (inlined)"' json
	dwell export --format folded -i inlined.data |
		grep -E ';main;work;twice \(inlined\);mix \(inlined\) [0-9]+$'
}

@test "live: report: a function that was inlined at two places is one row" {
	sed -e 's/sink += work/sink += twice(i) + work/' \
		-e 's/i < 50; i++/i < 300000; i++/' -e 's/20000 + i/3 + i % 3/' \
		"$BATS_FILE_TMPDIR/inlined.c" >inlined.c
	record_inlined
	dwell report --stdio -i inlined.data -g none -s sym -d inlined >text
	cat text
	grep -E '\[\.\] main$' text
	[ "$(grep -c 'twice (inlined)$' text)" = 1 ]
	dwell export --format folded -i inlined.data >folded
	grep ';main;twice (inlined)' folded
	grep ';main;work;twice (inlined)' folded
}

@test "live: script: inlined functions are lines of call chains" {
	record_inlined
	dwell script -i inlined.data -F ip,sym,symoff,dso >text
	grep -E '^	 +[0-9a-f]+ mix\+0x[0-9a-f]+ \(inlined\)$' text
	grep -A 1 -E ' mix\+0x[0-9a-f]+ \(inlined\)$' text |
		grep -E ' twice\+0x[0-9a-f]+ \(inlined\)$'
	grep -A 1 -E ' twice\+0x[0-9a-f]+ \(inlined\)$' text |
		grep -E ' work\+0x[0-9a-f]+ \(/.*/inlined\)$'
}

@test "live: report, export and script: --no-inline shows no inlined functions" {
	record_inlined
	for verb in "report --stdio" "report --json -g" "export --format folded" \
		script; do
		dwell $verb --inline -i inlined.data | grep -q '(inlined)'
		run ! grep -q '(inlined)' <(dwell $verb --no-inline -i inlined.data)
	done
}

@test "live: report: code without debug information has no inlined functions" {
	record_inlined -g0
	dwell report --stdio -i inlined.data >text
	grep -q '\[\.\] work$' text
	run ! grep -qE '(twice|mix) \(inlined\)' text
}

# The cached result is the same, and is read even if the debug information is
# removed.
@test "live: report: with the cached index of debug information, the output is the same" {
	export XDG_CACHE_HOME=$PWD/cache
	record_inlined
	dwell report --stdio -i inlined.data >first
	[ "$(stat -c %a cache/dwell/lines)" = 700 ]
	[ "$(ls cache/dwell/lines | wc -l)" -ge 1 ]
	cp -r cache kept
	dwell report --stdio -i inlined.data | cmp - first
	diff -r cache kept
	for file in cache/dwell/lines/*; do
		printf 'x' | dd of="$file" bs=1 seek=200 conv=notrunc status=none
	done
	dwell report --stdio -i inlined.data | cmp - first
	diff -r cache kept
	chmod 755 cache/dwell/lines
	rm -f cache/dwell/lines/*
	dwell report --stdio -i inlined.data | cmp - first
	[ -z "$(ls cache/dwell/lines)" ]
}

# The first eight bytes are the version; its last digit is the eighth.
@test "live: report: a cached index of another version is replaced" {
	export XDG_CACHE_HOME=$PWD/cache
	record_inlined
	dwell report --stdio -i inlined.data >first
	cp -r cache kept
	for file in cache/dwell/lines/*; do
		printf '0' | dd of="$file" bs=1 seek=7 conv=notrunc status=none
	done
	dwell report --stdio -i inlined.data | cmp - first
	diff -r cache kept
}

# A process can map the file by another path.
@test "report: the cached index of a file has what all its DSOs asked for" {
	local name at id path n=6
	export XDG_CACHE_HOME=$PWD/cache
	for name in first second; do
		echo "int $name(void) { return 1; }" >$name.c
	done
	echo 'int main(void) { return 0; }' >main.c
	gcc -g -Wl,--build-id main.c first.c second.c -o whole
	ln whole other
	id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
	{
		echo file
		echo 'event name=cycles type=hardware ids=1 sample_id_all sample_type=IP|TID|TIME'
		for name in first second; do
			path=$PWD/whole
			[ $name = first ] || path=$PWD/other
			at=0x$(nm whole | sed -n "s/ T $name$//p")
			n=$((n + 1))
			echo "record MMAP2 pid=$n addr=0x10000000 len=0x10000 prot=5 filename=$path time=1 build_id=$id"
			printf 'record SAMPLE pid=%d ip=0x%x time=2\n' $n $((0x10000000 + at))
		done
	} | "$DWELL_BUILD/tests/made/make_data" - made.data
	dwell report --stdio -i made.data -s dso,srcline >first
	grep 'whole *first.c:1$' first
	grep 'other *second.c:1$' first
	cp -r cache kept
	dwell report --stdio -i made.data -s dso,srcline | cmp - first
	diff -r cache kept
}

# Another program with the same build ID has its own indexes.
@test "live: report: a program with the build ID of another program does not use its cached index" {
	export XDG_CACHE_HOME=$PWD/cache
	record_inlined -Wl,--build-id=0x1234567890abcdef
	dwell report --stdio -i inlined.data -d inlined >first
	sed -i 's/twice/thrice/g; 1i//' inlined.c
	record_inlined -Wl,--build-id=0x1234567890abcdef
	dwell report --stdio -i inlined.data -d inlined >second
	grep -q 'twice (inlined)' first
	grep -q 'thrice (inlined)' second
	run ! grep -q 'twice' second
}

@test "live: report and script: source lines are keys, columns and fields" {
	record_inlined
	dwell report --stdio -i inlined.data -d inlined --no-children \
		-s srcline -g none >text
	grep -E '^ +[0-9.]+%  inlined\.c:[67]$' text
	dwell report --stdio -i inlined.data -d inlined -s srcline,sym -g none \
		>text
	grep -E '0\.00%  inlined\.c:1[34] +\[\.\] twice \(inlined\)' text
	grep -E '[0-9.]+%  inlined\.c:20 +\[\.\] work' text
	dwell report --stdio -i inlined.data -d inlined --no-children \
		-s srcline -g none --full-source-path >text
	grep -E "^ +[0-9.]+%  $PWD/inlined\.c:[67]\$" text
	dwell report --stdio -i inlined.data -g address -S work >text
	grep -E 'mix inlined\.c:[67] \(inlined\)$' text
	grep -E 'main inlined\.c:27$' text
	dwell report --json -i inlined.data -g address -S work >json
	grep -q '"sym": "\[.\] mix+0x[0-9a-f]* (inlined)".*"srcline": "inlined.c:[67]"' \
		json
	dwell script -i inlined.data -F ip,sym,srcline >text
	grep -A 1 -E ' mix$' text | grep -E '^  inlined\.c:[67] \(inlined\)$'
	grep -A 1 -E ' main$' text | grep -E '^  inlined\.c:27$'
}

# packed_as WAY: compresses all debug sections with objcopy.
packed_as() {
	need objcopy
	[ "$1" != zstd ] || need objcopy-zstd
	objcopy "--compress-debug-sections=$1" inlined packed
	mv packed inlined
}

@test "live: report: compressed debug information of each kind gives the same lines" {
	local way names

	for way in zlib-gabi zlib-gnu; do
		record_inlined
		export XDG_CACHE_HOME=$PWD/$way-plain
		dwell report --stdio -i inlined.data -s srcline,sym >plain
		grep -q 'twice (inlined)$' plain
		packed_as $way
		names=$(readelf -SW inlined)
		[ $way != zlib-gnu ] || [[ $names == *.zdebug_info* ]]
		export XDG_CACHE_HOME=$PWD/$way
		dwell report --stdio -i inlined.data -s srcline,sym |
			diff plain -
		dwell report --dsos --csv -i inlined.data |
			grep -q "^$PWD/inlined,.*,recorded,yes,yes,"
	done
}

# zlib and zstd are different paths: dwell decompresses zstd itself, because older
# versions of libdw cannot.
@test "live: report: debug information that is compressed with zstd gives the same lines" {
	local place

	record_inlined
	export XDG_CACHE_HOME=$PWD/plain-cache
	dwell report --stdio -i inlined.data -s srcline,sym >plain
	grep -q 'twice (inlined)$' plain
	packed_as zstd
	readelf -t inlined | grep -A 3 '\.debug_info' | grep COMPRESSED
	for place in inlined debug; do
		export XDG_CACHE_HOME=$PWD/cache-$place
		dwell report --stdio -i inlined.data -s srcline,sym 2>notes |
			diff plain -
		absent grep 'debug information' notes
		dwell report --dsos --csv -i inlined.data |
			grep -q "^$PWD/inlined,.*,recorded,yes,yes,"
		# For the second turn, in a separate debug file.
		objcopy --only-keep-debug inlined inlined.debug
		objcopy -g --add-gnu-debuglink=inlined.debug inlined stripped
		mv stripped inlined
	done
}

@test "live: report: debug information that is compressed with zstd and damaged is left out with a note" {
	local at

	record_inlined
	packed_as zstd
	at=$(readelf -SW inlined | sed 's/^ *\[ *[0-9]*\] *//' |
		awk '$1 == ".debug_info" { print $4 }')
	printf XXXX | dd of=inlined bs=1 seek=$((0x$at + 24)) conv=notrunc \
		status=none
	dwell report --stdio -i inlined.data -s srcline,sym >text 2>notes
	grep -q '\[\.\] work$' text
	run ! grep -qE 'inlined\.c:|(mix|twice) \(inlined\)' text
	grep -F "$PWD/inlined: its lines and inlined functions are left out: its debug information is damaged, or libdw" notes
	dwell report --dsos -i inlined.data | grep -E \
		'^ *libdw [0-9.]+ cannot read its DWARF, which is damaged or'
}

# claim FILE SECTION BYTES: makes SECTION claim BYTES (a 64-bit number) as its
# uncompressed size.
claim() {
	local at
	at=$(readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' |
		awk -v name="$2" '$1 == name { print $4 }')
	printf %b "$3" | dd of="$1" bs=1 seek=$((0x$at + 4)) conv=notrunc \
		status=none
}

@test "live: report: compressed debug information whose size is wrong gives no lines" {
	local size

	record_inlined
	packed_as zlib-gnu
	cp inlined packed
	readelf -SW inlined | grep -q zdebug_info
	for size in '\377\377\377\377\377\377\377\377' \
		'\0\0\0\0\377\377\377\377' '\0\0\0\0\0\0\0\1'; do
		cp packed inlined
		claim inlined .zdebug_info "$size"
		export XDG_CACHE_HOME=$PWD/cache.$size
		(limit_memory 1000000 && dwell report --stdio -i inlined.data \
			-s srcline,sym) >text
		grep -q '\[\.\] work$' text
		run ! grep -qE 'inlined\.c:|(mix|twice) \(inlined\)' text
	done
}

# claim_far FILE SECTION SIZE: moves the claimed place of SECTION behind all
# others, without using disk space.
claim_far() {
	PYTHONPATH=$DWELL_SOURCE/tests/cli python3 -B - "$@" <<-'END'
		import os, struct, sys
		from elf_section import find_section
		path, name, size = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
		file = open(path, "r+b")
		whole = file.read()
		at, _, _ = find_section(whole, name)
		file.seek(at + 24)
		file.write(struct.pack("<QQ", len(whole), size))
		os.truncate(path, len(whole) + size)
	END
}

@test "live: report: debug information of 9 GB is not read" {
	local name

	need python3
	for name in .debug_str .zdebug_str; do
		record_inlined -gz=none
		[ $name = .debug_str ] || packed_as zlib-gnu
		readelf -SW inlined | grep -qF " $name "
		claim_far inlined $name 9663676416
		export XDG_CACHE_HOME=$PWD/cache$name
		python3 -c 'if True:
			import resource, subprocess, sys
			subprocess.run(sys.argv[1:], check=True)
			print(resource.getrusage(
				resource.RUSAGE_CHILDREN).ru_maxrss, "KiB")' \
			"$report" report --stdio -i inlined.data \
			-s srcline,sym -g none >text
		grep -q '\[\.\] work$' text
		run ! grep -qE 'inlined\.c:|(mix|twice) \(inlined\)' text
		[ "$(sed -n 's/ KiB$//p' text)" -lt 1000000 ]
	done
}

# Each inlined function claims to be an instance of itself.
@test "live: report: debug information that refers to itself does not hang the report" {
	cp "$BATS_FILE_TMPDIR/inlined.c" .
	gcc -O2 -g -fno-optimize-sibling-calls -dA -S inlined.c
	grep -q 'DW_AT_abstract_origin' inlined.s
	awk '/DIE \(0x/ {
			match($0, /DIE \(0x[0-9a-f]+/)
			here = substr($0, RSTART + 5, RLENGTH - 5)
		}
		/DW_AT_abstract_origin/ && /\.long/ {
			$0 = "\t.long\t" here
		}
		{ print }' inlined.s >circle.s
	gcc circle.s -o inlined
	dwell record -q -e cpu-clock:u -F 4000 --call-graph dwarf \
		-o inlined.data -- ./inlined
	dwell report --stdio -i inlined.data -s srcline,sym -g none >text
	grep -q 'inlined\.c:[67] .*\[\.\] work$' text
	run ! grep -qE '(twice|mix) \(inlined\)' text
}

# libdw would open the file that the program names, and block.
@test "live: report: a FIFO in place of a .dwo file does not block the report" {
	local dwo

	record_inlined -gsplit-dwarf
	for dwo in *.dwo; do
		rm "$dwo"
		mkfifo "$dwo"
	done
	timeout 60 dwell report --stdio -i inlined.data -g none >text
	grep -q '\[\.\] work$' text
}

@test "live: report: split debug information has the same lines and inlined functions" {
	local form kept

	for form in 4 5; do
		export XDG_CACHE_HOME=$PWD/plain$form
		record_inlined "-gdwarf-$form"
		dwell report --stdio -i inlined.data -d inlined --no-children \
			-s srcline,sym -g caller >plain
		grep -q 'twice (inlined)' plain
		# The code and its build ID are unchanged.
		gcc -O2 -g -fno-optimize-sibling-calls "-gdwarf-$form" \
			-gsplit-dwarf -c inlined.c -o inlined.o
		gcc inlined.o -o inlined
		dwell record -q -e cpu-clock -F 4000 --call-graph dwarf \
			-o split.data -- ./inlined
		export XDG_CACHE_HOME=$PWD/split$form
		dwell report --stdio -i split.data -d inlined --no-children \
			-s srcline,sym -g caller >text
		for row in 'inlined\.c:[67] ' 'mix (inlined)' \
			'twice (inlined)' '\] work$'; do
			grep "$row" text
		done
		export XDG_CACHE_HOME=$PWD/gone$form
		mv inlined.dwo elsewhere
		dwell report --stdio -i split.data -d inlined --no-children \
			-s srcline,sym -g caller >text
		grep 'inlined\.c:[67] ' text
		run ! grep -q '(inlined)' text
		# The program is not searched again either.
		kept=$(stat -c %i "gone$form"/dwell/lines/*)
		dwell report --stdio -i split.data -d inlined --no-children \
			-s srcline,sym -g caller >again
		diff text again
		[ "$(stat -c %i "gone$form"/dwell/lines/*)" = "$kept" ]
		# Results without the file are not used when it is back.
		mv elsewhere inlined.dwo
		dwell report --stdio -i split.data -d inlined --no-children \
			-s srcline,sym -g caller >text
		grep -q 'twice (inlined)' text
		rm inlined.dwo
		dwell report --stdio -i split.data -d inlined --no-children \
			-s srcline,sym -g caller >again
		diff text again
	done
}

# types FROM TO: prints definitions of types, with debug information for each.
types() {
	seq "$1" "$2" | sed 's/.*/struct type_& { int a&, b&; char text_&[&]; };/'
}

# Only units with samples, and units to which they refer, are read if they are
# much larger than their address ranges.
@test "live: report: large compilation units and the others have lines and inlined functions" {
	local flags=(-O2 -g -fno-eliminate-unused-debug-types) way
	local program=$BATS_FILE_TMPDIR/inlined.c

	{
		types 1000 2000
		sed -n '2,/^}/p' "$program"
		echo "unsigned both(unsigned x) { return mix(x); }"
	} >one.c
	{
		types 3000 4000
		echo "unsigned both(unsigned x);"
		sed -n -e 's/twice(n)/both(n)/' -e 1p -e '/ work(/,$p' "$program"
	} >two.c
	for way in -fno-lto -flto; do
		export XDG_CACHE_HOME=$PWD/cache$way
		gcc "${flags[@]}" $way -c one.c -o one.o
		gcc "${flags[@]}" $way -c two.c -o two.o
		gcc "${flags[@]}" $way one.o two.o -o inlined
		dwell record -q -e cpu-clock -F 4000 --call-graph dwarf \
			-o inlined.data -- ./inlined
		dwell report --stdio -i inlined.data -d inlined \
			-s srcline,sym -g none >text
		cat text
		grep -E ' one\.c:100[67] .* mix \(inlined\)$' text
		grep -E ' two\.c:100[78] .* work$' text
		# For functions inlined by the linker, one unit refers to
		# another.
		[ $way = -fno-lto ] || ! grep -q ' both' text ||
			grep -E ' one\.c:1010 .* both \(inlined\)$' text
	done
}

# As make and cargo compile: by paths relative to the top of the tree, which
# DWARF has only once.
@test "live: report: a program compiled by relative paths has lines from any directory" {
	mkdir -p tree/src tree/inc other/src
	cp "$BATS_FILE_TMPDIR/inlined.c" tree/inc/inlined.h
	echo '#include "inlined.h"' >tree/src/inlined.c
	sed 's/twice/others/' tree/inc/inlined.h >other/src/inlined.c
	mkdir other/inc
	cp other/src/inlined.c other/inc/inlined.h
	for form in "gcc -gdwarf-4" "gcc -gdwarf-5" "gcc -g -gsplit-dwarf" \
		"clang -gdwarf-4" "clang -gdwarf-5"; do
		command -v "${form%% *}" || continue
		(cd tree && $form -O2 -Iinc src/inlined.c -o ../inlined)
		(cd / && dwell record -q -e cpu-clock:u -F 4000 \
			-o "$OLDPWD/inlined.data" -- "$OLDPWD/inlined")
		(cd other && dwell report --csv -i ../inlined.data -d inlined \
			-s srcline --full-source-path) >rows
		cat rows
		grep -q "[,\"]$PWD/tree/inc/inlined.h:7" rows
		run ! grep -E '(^|[," ])(src|inc)/' rows
		dwell report --csv -i inlined.data -s srcline >short
		grep -q '[,"]inlined.h:7' short
	done
	(cd other && dwell annotate -i ../inlined.data work) >text
	grep -E '\| inlined.h:[0-9]+ .*sum \+= twice\(n\);' text
	run ! grep others text
	(cd other && dwell pack -v --source ../inlined.data) 2>notes
	grep "lines of $PWD/tree/inc/inlined.h are packed" notes
}

@test "live: report: another build of the program gives no lines" {
	local id

	for id in sha1 none; do
		record_inlined "-Wl,--build-id=$id"
		dwell report --stdio -i inlined.data -s srcline,sym -g none \
			>text
		grep -q 'inlined\.c:[67] .*\[\.\] work$' text
		grep -q 'twice (inlined)$' text
		sed '1i// A line more.' inlined.c >other.c
		gcc -O2 -g -fno-optimize-sibling-calls \
			"-Wl,--build-id=$id" other.c -o inlined
		dwell report --stdio -i inlined.data -s srcline,sym -g none \
			>text
		dwell report --stdio -i inlined.data -g address >>text
		dwell script -i inlined.data -F ip,sym,srcline >>text
		run ! grep -qE '(other|inlined)\.c:|(mix|twice) \(inlined\)' \
			text
	done
	# The recording itself has the names.
	grep -qE '\[\.\] work$' text
}

# On overlayfs, the kernel records a mapping with the device of the lower layer.
@test "live: report: on overlayfs, a program without a build ID has lines if it was not replaced" {
	need overlayfs
	mkdir lower upper top
	cp "$BATS_FILE_TMPDIR/inlined.c" .
	gcc -O2 -g -Wl,--build-id=none inlined.c -o lower/inlined
	cat >inside <<-'END'
		mount -t tmpfs none upper && mkdir upper/a upper/b &&
			mount -t overlay none -o \
			lowerdir=lower,upperdir=upper/a,workdir=upper/b top
		dwell record -q -e cpu-clock:u -F 4000 -o in.data top/inlined
		dwell report --csv -s srcline,sym -i in.data >same
		dwell report --dsos -i in.data >same.dsos
		cp -p top/inlined copy
		rm top/inlined
		cp -p copy top/inlined
		dwell report --csv -s srcline,sym -i in.data >copied
		dwell report --dsos -i in.data >copied.dsos
	END
	unshare -m sh -e inside
	grep 'inlined.c:7,.*work' same
	run ! grep 'inlined.c:[0-9]' copied
	run ! grep 'nothing proves' same.dsos
	grep 'no build ID was recorded: its source lines are not' copied.dsos
}

# The first user frame behind kernel frames is an interrupted address, not a
# return address. The expected lines are addr2line's.
@test "script: an interrupted instruction has its own line, a caller the line of its call" {
	local base=$((0x10000000)) at id
	need addr2line
	cp "$BATS_FILE_TMPDIR/inlined.c" .
	gcc -O2 -g -Wl,--build-id=sha1 inlined.c -o inlined
	id=$(readelf -n inlined | sed -n 's/.*Build ID: //p')
	objdump -d --disassemble=work --no-show-raw-insn inlined |
		sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' >places
	{
		echo file
		echo 'event name=cycles type=hardware ids=1 sample_id_all sample_type=IP|TID|TIME|CALLCHAIN'
		echo "feature BUILD_ID build_id=$PWD/inlined,$id"
		echo "record MMAP2 pid=7 tid=7 addr=$base len=0x10000" \
			"filename=\"$PWD/inlined\" prot=5"
		while read -r at; do
			echo "record SAMPLE misc=kernel ip=0xffffffff81000000" \
				"pid=7 tid=7 time=$((at))" \
				"chain=kernel,0xffffffff81000000,user,$((base + at))"
		done <places
	} | "$DWELL_BUILD/tests/made/make_data" - made.data
	dwell script -i made.data -F ip,sym,srcline |
		sed -nE 's/^  (inlined\.c:[0-9]+).*/\1/p' >told
	addr2line -sie inlined <places | sed 's/ (disc.*//' >wanted
	diff wanted told
	while read -r at; do
		printf '0x%x\n' $((at - 1))
	done <places | addr2line -sie inlined | sed 's/ (disc.*//' >before
	run ! diff -q wanted before
}

# bare_unit TABLE: prints a unit that has only the line table at the label TABLE,
# as `perf inject --jit` writes.
bare_unit() {
	cat <<-END
		.section .debug_abbrev,"",@progbits
		.Lbare:
		.uleb128 1, 0x11
		.byte 0
		.uleb128 0x10, 0x17, 0, 0
		.byte 0
		.section .debug_info,"",@progbits
		.long .Lbare_end - .Lbare_start
		.Lbare_start:
		.short 4
		.long .Lbare
		.byte 8
		.uleb128 1
		.long $1
		.Lbare_end:
	END
}

# moved_unit TABLE START END: prints a unit with the line table at the label TABLE
# and the address range from START to END, as BOLT 16 leaves behind: the range does
# not contain the functions that BOLT moved.
moved_unit() {
	cat <<-END
		.section .debug_abbrev,"",@progbits
		.Lmoved:
		.uleb128 1, 0x11
		.byte 0
		.uleb128 0x10, 0x17, 0x11, 0x01, 0x12, 0x01, 0, 0
		.byte 0
		.section .debug_info,"",@progbits
		.long .Lmoved_end - .Lmoved_start
		.Lmoved_start:
		.short 4
		.long .Lmoved
		.byte 8
		.uleb128 1
		.long $1
		.quad $2, $3
		.Lmoved_end:
	END
}

# two_functions: prints functions of two sections, with lines and without a unit.
two_functions() {
	cat <<-'END'
		.file 1 "script.js"
		.section .text.first,"ax",@progbits
		.type first, %function
		.globl first
		first:
		.loc 1 10
		nop
		.loc 1 11
		nop
		.Lfirst_end:
		.size first, . - first
		.section .text.second,"ax",@progbits
		.type second, %function
		second:
		.loc 1 20
		nop
		.loc 1 21
		nop
		.size second, . - second
		.section .note.GNU-stack,"",@progbits
		.section .debug_line,"",@progbits
		.Ltable:
	END
}

# lines_of FUNCTION...: writes the lines of all instructions of the functions of
# "inlined" to the files "told", by dwell, and "wanted", by addr2line.
lines_of() {
	local base=$((0x10000000)) at id name

	id=$(readelf -n inlined | sed -n 's/.*Build ID: //p')
	for name; do
		objdump -d --disassemble="$name" --no-show-raw-insn inlined |
			sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p'
	done >places
	{
		echo file
		echo 'event name=cycles type=hardware ids=1 sample_id_all sample_type=IP|TID|TIME|CALLCHAIN'
		echo "feature BUILD_ID build_id=$PWD/inlined,$id"
		echo "record MMAP2 pid=7 tid=7 addr=$base len=0x10000" \
			"filename=\"$PWD/inlined\" prot=5"
		while read -r at; do
			echo "record SAMPLE ip=$((base + at)) pid=7 tid=7" \
				"time=$((at)) chain=user,$((base + at))"
		done <places
	} | "$DWELL_BUILD/tests/made/make_data" - made.data
	dwell report --csv --no-children -g none -s srcline -i made.data |
		grep -oE '(script\.js|inlined\.c):[0-9]+' | sort >told
	addr2line -se inlined <places | sed 's/ (disc.*//' | sort -u >wanted
}

# script.s has the functions of two sections, and no other unit. inlined.s has the
# unit of gcc, which has inlined functions, before a unit with the same table.
@test "script: a compilation unit without address ranges has the lines of its line table" {
	need addr2line
	cp "$BATS_FILE_TMPDIR/inlined.c" .
	{
		two_functions
		bare_unit .Ltable
	} >script.s
	gcc -O2 -g -S inlined.c -o inlined.s
	bare_unit .Ldebug_line0 >>inlined.s
	gcc -Wl,--build-id=sha1 inlined.s script.s -o inlined
	lines_of first second work
	grep -c '^script.js:[12][01]$' wanted | grep -x 4
	diff wanted told
	# Inlined functions of the other unit.
	dwell script -i made.data -F ip,sym | grep 'mix.*(inlined)'
}

@test "report: code that was moved out of the address ranges of its unit keeps its lines" {
	need addr2line
	cp "$BATS_FILE_TMPDIR/inlined.c" .
	{
		two_functions
		moved_unit .Ltable first .Lfirst_end
	} >script.s
	gcc -O2 -g -Wl,--build-id=sha1 inlined.c script.s -o inlined
	lines_of first second work
	grep -c '^script.js:[12][01]$' wanted | grep -x 4
	diff wanted told
}
