#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Code without symbols has functions, by the unwind rules of its file.

load common.bash

setup() {
	enter_test
	need g++
	need nm
	need readelf
	need strip
	cat >maze.cc <<'END'
#include <cstdio>
#include <map>
#include <string>
#include <vector>
struct shape {
	virtual ~shape() {}
	virtual int area() const = 0;
};
struct square : shape {
	int side;
	explicit square(int n) : side(n) {}
	int area() const override { return side * side; }
};
static int throws(int n)
{
	if (n > 9000)
		throw std::string("large");
	return n * 3;
}
std::map<std::string, int> counts;
int main(int argc, char **argv)
{
	std::vector<shape *> all;
	for (int i = 0; i < argc * 10; i++) {
		all.push_back(new square(i));
		counts[argv[0]] += all.back()->area() + throws(i);
	}
	std::printf("%d\n", counts[argv[0]]);
	for (shape *one : all)
		delete one;
}
END
}

# build NAME OPTION...: builds NAME, and a copy NAME.full with symbols. Options except the
# first are those of the linker; the compiler runs once for each first one.
build() {
	local object=$BATS_FILE_TMPDIR/maze${2:-}.o

	# shellcheck disable=SC2086
	[ -e "$object" ] || g++ -O1 ${2:-} -c maze.cc -o "$object"
	g++ "${@:2}" -Wl,--build-id "$object" -o "$1.full"
	cp "$1.full" "$1"
	strip "$1"
}

# Prints "address size name" of each function of NAME.full that has an FDE, and no symbol
# in NAME.
functions() {
	readelf --debug-dump=frames "$1.full" |
		sed -n 's/.* FDE .*pc=\([0-9a-f]*\)\.\.\([0-9a-f]*\)$/\1 \2/p' |
		sort >fdes
	nm -S "$1.full" | awk 'NF == 4 && $3 ~ /^[tTwW]$/ { print $1, $2, $4 }' |
		sort -k1,1 -u | join - fdes | awk '{ print $1, $2, $3 }' >found
	nm -D "$1" | awk '{ print $1 }' | sort | join -v1 found -
}

# recording NAME PLACES: makes made.data, with a sample at each linked address in the file
# PLACES. The text of NAME is mapped where it is linked, at 0x10000000 for PIE.
recording() {
	local id offset address size base=0
	id=$(readelf -n "$1" | awk '/Build ID/ { print $3 }')
	# shellcheck disable=SC2046
	set -- "$1" "$2" $(readelf -lW "$1" | awk '$1 == "LOAD" && /R E/ { print $2, $3, $6 }')
	offset=$3 address=$4 size=$5
	[ $((address)) -ge 4194304 ] || base=$((0x10000000))
	{
		printf '%s\n' file 'event name=e type=software sample_type=IP|TID|TIME|CALLCHAIN ids=1 sample_id_all' \
			"record COMM pid=7 tid=7 comm=maze misc=exec time=1" \
			"record MMAP2 pid=7 tid=7 addr=$((base + address)) len=$(((size + 4095) & ~4095)) pgoff=$offset prot=5 flags=2 build_id=$id filename=$PWD/$1 time=1"
		while read -r at; do
			echo "record SAMPLE pid=7 tid=7 ip=$((base + 0x$at)) chain=user,$((base + 0x$at)) time=2"
		done <"$2"
	} | "$DWELL_BUILD/tests/made/make_data" - made.data
}

# The first, the middle and the last byte of each function.
places() {
	awk '{ print $1, $2 }' | while read -r address size; do
		printf '%x\n' $((0x$address)) $((0x$address + 0x$size / 2)) \
			$((0x$address + 0x$size - 1))
	done
}

@test "guessed functions of a stripped program begin where the symbols of its unstripped copy do" {
	local options
	for options in "-fPIE -pie" "-fno-pie -no-pie" "-fPIE -pie -Wl,--no-eh-frame-hdr" \
		"-fPIE -pie -Wl,-z,noseparate-code"; do
		# shellcheck disable=SC2086
		build maze $options
		functions maze >wanted
		[ "$(wc -l <wanted)" -gt 10 ]
		places <wanted >at
		recording maze at
		dwell script -G -F ip,sym -i made.data | awk '{ print $2 }' >got
		while read -r address _; do
			name="[maze+$(printf '%#x' $((0x$address)))]"
			printf '%s\n' "$name" "$name" "$name"
		done <wanted | diff - got
	done
}

@test "names of guessed functions are the same in report, JSON, folded stacks and annotate" {
	local main name
	build maze
	main=$(nm maze.full | awk '$3 == "main" { print $1 }')
	name="[maze+$(printf '%#x' $((0x$main)))]"
	printf '%x\n' $((0x$main)) $((0x$main + 4)) $((0x$main + 4)) >at
	recording maze at
	dwell report --stdio -n -g none -i made.data | grep -F "[.] $name"
	dwell report --json -i made.data >rows
	grep -F "\"sym\": \"[.] $name\", \"guessed\": true" rows
	[ "$(grep -c '"sym"' rows)" = 1 ]
	dwell export --format folded -i made.data >folded
	[ "$(cat folded)" = "maze;$name 3" ]
	dwell report -S "$name" --json -i made.data | grep -F '"samples": 3'
	dwell annotate -s "$name" --stdio -i made.data >code
	grep -F "# $name in maze, 0x$(printf '%x' $((0x$main)))-" code
	dwell annotate --json -i made.data | grep -F '"guessed": true'
	dwell report --json --no-guessed-functions -i made.data >rows
	run ! grep guessed rows
	[ "$(grep -c '"sym"' rows)" = 2 ]
	# They are no symbols.
	dwell report --json -U -i made.data >rows
	run ! grep '"sym"' rows
	dwell report --dsos -i made.data | grep -E '100\.0.*maze'
	# With the symbols they are gone.
	cp maze.full maze
	dwell report --json -i made.data >rows
	grep -F '"sym": "[.] main"' rows
	run ! grep guessed rows
}

# The FDE is longer than the symbol.
@test "report: a symbol and the function guessed for code behind its end, with one start, are two rows" {
	local id places
	need as
	need ld
	id=$(printf '%040d' 4)
	cat >short.s <<-'END2'
		.text
		.globl _start
		.type _start, @function
		_start: .cfi_startproc
		.skip 64, 0x90
		.cfi_endproc
		.size _start, 16
	END2
	as short.s -o short.o
	ld -Ttext-segment=0x400000 -e _start --build-id=0x$id short.o -o short
	for places in "0x401008 0x401020" "0x401020 0x401008"; do
		{
			printf '%s\n' file 'event name=e type=software sample_type=IP|TID|TIME ids=1 sample_period=1 sample_id_all' \
				"record MMAP2 pid=7 tid=7 addr=0x401000 len=0x1000 pgoff=0x1000 prot=5 build_id=$id filename=$PWD/short time=1"
			for at in $places; do
				echo "record SAMPLE pid=7 tid=7 ip=$at time=2"
			done
		} | "$DWELL_BUILD/tests/made/make_data" - made.data
		dwell report --csv -s sym -i made.data >rows
		grep -F '[.] _start' rows
		grep -F '[.] [short+0x401000]' rows
		[ "$(wc -l <rows)" = 3 ]
		# Joined frames are no guessed function.
		dwell report --json --collapse-dso short -U -i made.data >rows
		grep -F '"samples": 2' rows
		run ! grep guessed rows
	done
}

# The name of a file in a recording can be long, and the file have many FDEs.
@test "script: names of functions guessed without symbols have at most 64 bytes of the file's name" {
	local id long
	build maze
	functions maze | head -1 >wanted
	places <wanted >at
	long=$(printf 'x%.0s' {1..200})
	mv maze "$long"
	recording "$long" at
	dwell script -G -F ip,sym -i made.data >got
	[ "$(grep -o 'x*+' got | head -1 | wc -c)" = 66 ]
}

@test "pack: a packed recording keeps guessed functions and their code" {
	build maze
	functions maze >wanted
	places <wanted >at
	recording maze at
	dwell script -G -F ip,sym -i made.data >before
	dwell pack -q -o packed.dwell made.data
	rm maze
	dwell script -G -F ip,sym -i packed.dwell | diff before -
	dwell annotate --stdio -i packed.dwell >code
	grep -F '[maze+' code
	grep -E 'push|mov|lea' code
	dwell pack -q packed.dwell
	dwell script -G -F ip,sym -i packed.dwell | diff before -
	# The names of a file for perf are only those of symbols.
	dwell unpack -q --debug-dir names packed.dwell
	absent grep -rF "[maze+" names
}

@test "diff: guessed functions are rows if both recordings have the same build, else unknown code" {
	build maze
	functions maze | head -2 >wanted
	places <wanted >at
	recording maze at
	cp made.data first.data
	dwell diff -s dso,sym --csv first.data made.data >rows
	[ "$(grep -c '\[maze+0x' rows)" = 2 ]
	cp maze kept
	build maze -O2
	run ! cmp maze kept
	recording maze at
	rm maze
	dwell pack -q -o second.dwell made.data || cp made.data second.dwell
	cp kept maze
	dwell pack -q -o first.dwell first.data
	rm maze
	build maze -O2
	dwell diff -s dso,sym --csv first.dwell made.data >rows
	cat rows
	run ! grep -F '[maze+0x' rows
	[ "$(grep -c 'unknown' rows)" = 1 ]
}

@test "live: guessed functions of a stripped program are the same with and without the program" {
	build maze
	cat >spin.cc <<'END'
#include <cstdlib>
volatile unsigned long sum;
__attribute__((noinline)) static void inner(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}
__attribute__((noinline)) static void outer(int n)
{
	for (int i = 0; i < 10; i++)
		inner(n);
	sum++;
}
int main()
{
	for (int i = 0; i < 100; i++)
		outer(200000);
}
END
	g++ -O0 spin.cc -o spin.full
	cp spin.full spin
	strip spin
	"$record" -q --call-graph fp -e cpu-clock -F 2000 -o spin.data -- ./spin
	nm spin.full | awk '$3 ~ /^(_ZL5inneri|_ZL5outeri|main)$/ { print $1 }' |
		while read -r address; do
			printf '[spin+%#x]\n' $((0x$address))
		done | sort -u >wanted
	[ "$(wc -l <wanted)" = 3 ]
	dwell script -i spin.data | grep -o '\[spin+0x[0-9a-f]*\]' | sort -u >got
	comm -23 wanted got | diff /dev/null -
	dwell report --json -i spin.data | grep -F '"dso": "spin"' >before
	mv spin away
	dwell report --json -i spin.data | grep -F '"dso": "spin"' | diff before -
}
