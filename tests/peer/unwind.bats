#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks compared with those of libunwind, libdw and the kernel.

load rows.bash

@test "live: report: unwind rules of large files are cached for the next report" {
	local folder=$BATS_TEST_TMPDIR/cache/dwell/cfi first
	need perf
	need g++
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	g++ -O2 "$DWELL_SOURCE/tests/peer/frames.cpp" -o frames
	perf_record -e cpu-clock -F 20000 --call-graph dwarf -o data -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8; do ./frames; done'
	first=$(dwell report --stdio -i data)
	[ "$(stat -c %a "$folder")" = 700 ]
	ls -l "$folder"
	[ -n "$(find "$folder" -type f -perm 600)" ]
	[ "$(dwell report --stdio -i data)" = "$first" ]
	# A folder that other users can write to is not used.
	chmod 777 "$folder"
	find "$folder" -type f -exec truncate -s 100 {} +
	[ "$(dwell report --stdio -i data)" = "$first" ]
	# Damaged files are not used either.
	chmod 700 "$folder"
	[ "$(dwell report --stdio -i data)" = "$first" ]
}

# compare PROGRAM FILE: runs a program of this folder, without leak detection,
# because it does not free all memory.
compare() {
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 \
		"$DWELL_BUILD/tests/peer/$1" "$2"
}

# agrees COMMAND...: succeeds if each stack of COMMAND is unwound as by
# libunwind, or else as by libdw. Prints file and address of the differences.
agrees() {
	need libunwind
	perf_record -e cpu-clock:u -F 1000 --call-graph dwarf,32768 -m 4M \
		-o copies.data -- "$@" >/dev/null
	run compare agree copies.data
	echo "$output"
	[ "$status" = 0 ]
	rm copies.data
}

# said WHAT: prints how many stacks of the last agrees() were WHAT.
said() {
	sed -n "s/^$1: //p" <<<"$output"
}

@test "live: frames are those of libunwind or libdw: C++ with all kinds of frames" {
	need perf
	need g++
	g++ -O2 "$DWELL_SOURCE/tests/peer/frames.cpp" -o frames
	agrees sh -c 'for i in $(seq 600); do ./frames; done'
	[ "$(said same)" -gt 20 ]
}

@test "live: frames are those of libunwind or libdw: a compiler" {
	need perf
	need g++
	agrees g++ -O2 -c "$DWELL_SOURCE/tests/peer/words.cpp" -o words.o
	[ "$(said same)" -gt 100 ]
}

@test "live: frames are those of libunwind or libdw: Rust" {
	need perf
	need rg
	agrees rg -c 'a.*b.*c.*d' /usr/include
	[ "$(said same)" -gt 20 ]
}

@test "live: frames are those of libunwind or libdw: Python" {
	need perf
	need python3
	agrees python3 -c 'import json
for i in range(12):
    json.dumps(json.loads(json.dumps({str(k): [k] * 5 for k in range(5000)})))'
	[ "$(said same)" -gt 50 ]
}

# framed COMPILER OPTION...: succeeds if every chain of a program with frame
# pointers is the kernel's, except for a caller that the kernel misses while a
# frame is set up.
framed() {
	need "$1"
	"$@" -fno-optimize-sibling-calls -fno-stack-protector -ffreestanding \
		-nostdlib -static -fasynchronous-unwind-tables \
		"$DWELL_SOURCE/tests/peer/framed.c" -o framed
	"$DWELL_BUILD/dwell-record" -q -e cpu-clock:u -F 2000 --keep-stacks \
		--call-graph dwarf,16384 -o framed.data -- ./framed
	compare chains framed.data
}

@test "live: with frame pointers, unwound call chains are those of the kernel: gcc -O0" {
	framed gcc -O0
}

@test "live: with frame pointers, unwound call chains are those of the kernel: gcc -O2" {
	framed gcc -O2 -fno-omit-frame-pointer
}

@test "live: with frame pointers, unwound call chains are those of the kernel: clang -O2" {
	framed clang -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
}
