#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Inlined functions and lines of source code, of a program that knows its own.

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
			for (i = 0; i < 200; i++)
				sink += work(20000 + i);
			return 0;
		}
	END
}

setup() {
	enter_test
	need gcc
}

# record_inlined OPTION...: made by gcc with these.
record_inlined() {
	[ -e inlined.c ] || cp "$BATS_FILE_TMPDIR/inlined.c" .
	gcc -O2 -g -fno-optimize-sibling-calls "$@" inlined.c -o inlined
	dwell record -q -e cpu-clock:u -F 4000 --call-graph dwarf \
		-o inlined.data -- ./inlined
}

@test "live: inlined functions are frames of call graphs" {
	record_inlined
	dwell report --stdio -i inlined.data -d inlined --no-children -G >text
	grep -E '^ *[0-9.]+% .*\[\.\] work$' text
	grep -A 30 -E '\[\.\] work$' text | grep -A 1 -E '^ *main$' |
		grep -E '^ *work$'
	grep -E '^[ |]*(--[0-9.]+%--)?twice \(inlined\)$' text
	grep -E 'mix \(inlined\)$' text
	dwell report --stdio -i inlined.data -g none >text
	grep -E '^ *[89][0-9.]+% +0.00% .*\[\.\] twice \(inlined\)$' text
	dwell report --json -g -i inlined.data >json
	grep -q '"sym": "\[.\] mix (inlined)"' json
	dwell export --format folded -i inlined.data |
		grep -E ';main;work;twice \(inlined\);mix \(inlined\) [0-9]+$'
}

@test "live: inlined functions are lines of script's call chains" {
	record_inlined
	dwell script -i inlined.data -F ip,sym,symoff,dso >text
	grep -E '^	 +[0-9a-f]+ mix\+0x[0-9a-f]+ \(inlined\)$' text
	grep -A 1 -E ' mix\+0x[0-9a-f]+ \(inlined\)$' text |
		grep -E ' twice\+0x[0-9a-f]+ \(inlined\)$'
	grep -A 1 -E ' twice\+0x[0-9a-f]+ \(inlined\)$' text |
		grep -E ' work\+0x[0-9a-f]+ \(/.*/inlined\)$'
}

@test "live: without inlined functions there are those that are left" {
	record_inlined
	for verb in "report --stdio" "report --json -g" "export --format folded" \
		script; do
		dwell $verb --inline -i inlined.data | grep -q '(inlined)'
		run ! grep -q '(inlined)' <(dwell $verb --no-inline -i inlined.data)
	done
}

@test "live: code without debug information has no inlined functions" {
	record_inlined -g0
	dwell report --stdio -i inlined.data >text
	grep -q '\[\.\] work$' text
	run ! grep -qE '(twice|mix) \(inlined\)' text
}

# What is kept is the same, and read even if the debug information is gone.
@test "live: the second report is the first one" {
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

# Another program with the same build ID has indexes of its own.
@test "live: a program that claims another's build ID poisons nothing" {
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

@test "live: lines are keys, columns and fields" {
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

# Each inlined function says that it is an instance of itself.
@test "live: debug information that is a circle ends" {
	cp "$BATS_FILE_TMPDIR/inlined.c" .
	gcc -O2 -g -fno-optimize-sibling-calls -dA -S inlined.c
	grep -q 'DW_AT_abstract_origin' inlined.s ||
		skip "this compiler tells less in assembly"
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

# libdw would open what the program names, and wait for it.
@test "live: no debug information is waited for" {
	local dwo

	record_inlined -gsplit-dwarf
	for dwo in *.dwo; do
		rm "$dwo"
		mkfifo "$dwo"
	done
	timeout 20 dwell report --stdio -i inlined.data -g none >text
	grep -q '\[\.\] work$' text
}

# As it was linked, and then as others have linked it since.
@test "live: another build of a program tells no lines" {
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
