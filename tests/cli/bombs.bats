#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Small files beside a recording that expand to gigabytes: programs with
# compressed or sparse debug information.

bats_require_minimum_version 1.5.0

setup() {
	: "${DWELL_BUILD:=$PWD}" "${DWELL_SOURCE:=$BATS_TEST_DIRNAME/../..}"
	cd "$BATS_TEST_TMPDIR" || return
	for command in cc nm python3 timeout; do
		command -v $command >/dev/null || skip "no $command"
	done
	! grep -q __asan_init "$DWELL_BUILD/dwell-report" ||
		skip "memory includes the sanitizer's own"
	export XDG_CACHE_HOME=$PWD/cache
	cc -O1 "$DWELL_SOURCE/tests/bench/meter.c" -o meter
	echo 'int main(void) { return 0; }' >main.c
	cc -g -gz=none -Wl,--build-id=0x1234567890123456789012345678901234567890 \
		main.c -o main
	local address
	address=$(nm main | sed -n 's/ T main$//p')
	"$DWELL_BUILD/tests/made/make_data" - data <<-END
		file
		event name=cycles type=hardware ids=1 sample_id_all sample_type=IP|TID|TIME|CALLCHAIN
		feature BUILD_ID build_id=$PWD/main,1234567890123456789012345678901234567890
		record COMM pid=7 tid=7 comm=made
		record MMAP2 pid=7 tid=7 addr=0x10000000 len=0x10000000 filename="$PWD/main" prot=5 flags=2 time=2
		record SAMPLE ip=0x1$(printf '%07x' "0x$address") pid=7 tid=7 time=3 chain=user,0x1$(printf '%07x' "0x$address")
	END
}

# expand WAY SIZE: .debug_str of main has SIZE more bytes, all of them 0; WAY
# is "zlib" (SHF_COMPRESSED) or "sparse" (a hole at the end of the file).
expand() {
	python3 - "$@" <<-'END'
		import os, struct, sys, zlib
		way, size = sys.argv[1], int(sys.argv[2])
		file = open("main", "r+b")
		whole = file.read()
		headers, = struct.unpack_from("<Q", whole, 0x28)
		number, names = struct.unpack_from("<HH", whole, 0x3c)
		names, = struct.unpack_from("<Q", whole, headers + names * 64 + 24)
		for at in range(headers, headers + number * 64, 64):
		    start = names + struct.unpack_from("<I", whole, at)[0]
		    if whole[start:whole.index(0, start)] == b".debug_str":
		        break
		offset, length = struct.unpack_from("<QQ", whole, at + 24)
		text = whole[offset:offset + length]
		file.seek(len(whole))
		if way == "zlib":
		    packer = zlib.compressobj(9)
		    packed = struct.pack("<IIQQ", 1, 0, length + size, 1)
		    packed += packer.compress(text)
		    for _ in range(size >> 20):
		        packed += packer.compress(bytes(1 << 20))
		    packed += packer.flush()
		    file.write(packed)
		    file.seek(at + 8)
		    file.write(struct.pack("<Q", 0x800))
		    length = len(packed)
		else:
		    file.write(text)
		    os.truncate("main", len(whole) + length + size)
		    length += size
		file.seek(at + 24)
		file.write(struct.pack("<QQ", len(whole), length))
	END
}

# stays_small VERB...: every verb ends and takes less than 300 MB of memory.
stays_small() {
	local verb peak
	for verb in "report --stdio -s srcline,sym" "report --dsos" "report --json" \
		"script -F +srcline" "annotate --stdio" "export --format folded" \
		"export --format html" "export --format pprof" \
		"export --format callgrind"; do
		# shellcheck disable=SC2086
		timeout 60 ./meter took "$DWELL_BUILD/dwell-report" $verb \
			-i data >out 2>err || [ $? -eq 1 ]
		peak=$(sed 's/.*peak \([0-9]*\).*/\1/' took)
		echo "$verb: $peak KiB"
		cat err
		[ "$peak" -gt 0 ]
		[ "$peak" -lt 300000 ]
	done
}

# is_left_out: the report has the symbol, no line, and names the file.
is_left_out() {
	run --separate-stderr "$DWELL_BUILD/dwell-report" report --stdio \
		-s srcline,sym -i data
	[ "$status" -eq 0 ]
	[[ $output == *'[.] main'* ]]
	[[ $output != *main.c:1* ]]
	[[ $stderr == *"$PWD/main: its lines and inlined functions are left out"* ]]
	[ "$(grep -c 'left out' <<<"$stderr")" -eq 1 ]
}

@test "debug information that compilers write is read" {
	expand zlib 0
	"$DWELL_BUILD/dwell-report" report --stdio -s srcline,sym -i data >text
	grep -q 'main\.c:1 .*\[\.\] main' text
}

@test "zlib debug information of 512 MB in 600 KB takes little memory" {
	expand zlib $((512 << 20))
	[ "$(stat -c %s main)" -lt 700000 ]
	is_left_out
	stays_small
}

@test "sparse debug information of 4 GB takes little memory" {
	expand sparse $((4 << 30))
	is_left_out
	stays_small
}
