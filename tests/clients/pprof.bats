#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles for pprof, read by `go tool pprof`.

load clients.bash

pprof() {
	PPROF_TMPDIR=$BATS_TEST_TMPDIR go tool pprof "$@" 2>&1
}

setup() {
	need pprof
	enter_test
	cp -p "$BATS_FILE_TMPDIR"/*.data .
	mkdir -p "$HOME"
	dwell export --format pprof -i demo.data -o demo.pb.gz
}

# row_of FUNCTION: prints self and total of FUNCTION.
row_of() {
	awk -v name="$1" '$6 == name { print $1, $4 }' top
}

@test "export: pprof prints the totals of dwell report" {
	pprof -top demo.pb.gz | tee top
	grep -q '^Type: cpu-clock$' top
	grep -q '600ms total\|of 600ms' top
	[ "$(row_of beta)" = "300ms 300ms" ]
	[ "$(row_of delta)" = "100ms 100ms" ]
	[ "$(row_of alpha)" = "0 500ms" ]
	[ "$(row_of main)" = "0 600ms" ]
	[ "$(share_of alpha)" = 500000000 ]
	pprof -top -sample_index=samples demo.pb.gz | tee top
	[ "$(row_of beta)" = "30 30" ]
	[ "$(row_of alpha)" = "0 50" ]
}

@test "export: pprof shows inlined functions, lines and threads" {
	pprof -top demo.pb.gz >top
	awk '$6 == "mix" { print $1, $4, $7 }' top | grep '^200ms 200ms (inline)$'
	[ "$(row_of inner)" = "0 200ms" ]
	pprof -top -lines demo.pb.gz | grep -E ' mix .*/demo.c:[45]( |$)'
	pprof -top -lines demo.pb.gz | grep -E ' main .*/demo.c:28( |$)'
	pprof -tags demo.pb.gz >tags
	grep -E '500.*: demo$' tags
	grep -E '100.*: helper$' tags
	pprof -top -tagfocus=helper demo.pb.gz | grep -E '100ms .* delta$'
}

@test "export: pprof reads the profile without errors and prints the build ID" {
	pprof -raw demo.pb.gz | tee raw
	grep -q '^PeriodType: cpu-clock nanoseconds$' raw
	grep -q '^Period: 10000000$' raw
	grep -A 3 '^Mappings' raw | grep "1: .*/demo $(readelf -n \
		"$BATS_FILE_TMPDIR/demo" | sed -n 's/.*Build ID: //p')"
}

@test "export: pprof has the samples that the filters of dwell select" {
	dwell export --format pprof -i demo.data -S beta -o - >some.pb.gz
	pprof -top some.pb.gz | tee top
	[ "$(row_of beta)" = "300ms 300ms" ]
	absent grep -q delta top
}

@test "export: pprof prints names with special characters unchanged" {
	dwell export --format pprof -i hostile.data -o hostile.pb.gz
	pprof -raw hostile.pb.gz | tee raw
	grep -qF '/tmp/<script>\x01' raw
	grep -qF 'comm:[a<b>;${c}\x1b[1m]' raw
	absent grep -q $'[\x1b\x01]' raw
}

@test "export: pprof prints the off-CPU times of dwell report" {
	for mode in --off-cpu --wall; do
		dwell export --format pprof $mode -i off.data -o off.pb.gz --force
		pprof -top off.pb.gz >top
		pprof -top -sample_index=samples off.pb.gz >counts
		grep -qx "Type: ${mode#--}" top
		times_of $mode >wanted
		while read -r state n ns; do
			case $state in
			all)
				grep -q "100% of ${ns}ns total" top
				grep -q "100% of $n total" counts
				;;
			on) ;;
			*) awk -v "name=[$state]" '$6 == name { print $1 }' \
				top | grep -qx "${ns}ns" ;;
			esac
		done <wanted
		[ "$(wc -l <wanted)" -ge 4 ]
	done
}

@test "export: a pprof profile has the program's name even if most samples are in a library" {
	"$DWELL_BUILD/tests/made/make_data" - made.data <<-'END'
		file
		event name=cycles type=hardware ids=1 sample_id_all
		 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN
		record COMM pid=7 tid=7 comm=made time=1
		record MMAP2 pid=7 tid=7 addr=0x10000 len=0x10000 time=2
		 filename=/lib/libz.so.1 prot=5
		record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 time=3
		 filename=/bin/made prot=5
		record SAMPLE ip=0x10100 pid=7 tid=7 time=10 times=9
		 chain=user,0x10100
		record SAMPLE ip=0x10100 pid=7 tid=7 time=20
		 chain=user,0x10100,0x400100
	END
	dwell export --format pprof -i made.data -o made.pb.gz
	pprof -top made.pb.gz | tee top
	grep -qx 'File: made' top
}

# write_hot: writes exe.c and lib.c with the functions exe_hot and lib_hot.
write_hot() {
	cat >exe.c <<-'EOF'
		extern unsigned lib_hot(unsigned n);
		__attribute__((noinline)) unsigned exe_hot(unsigned n)
		{
			while (n & 6)
				n = n * 7 + 1;
			return n;
		}
		int main(int argc, char **argv)
		{
			return (int)(exe_hot(argc) + lib_hot(argc));
		}
	EOF
	cat >lib.c <<-'EOF'
		__attribute__((noinline)) unsigned lib_hot(unsigned n)
		{
			while (n & 12)
				n = n * 5 + 3;
			return n;
		}
	EOF
}

# mapped PID FILE BIAS: prints the record of the mapping of FILE's code, BIAS above
# the addresses as linked.
mapped() {
	local offset address size

	read -r offset address size < <(readelf -lW "$2" |
		awk '$1 == "LOAD" && / R E / { print $2, $3, $5; exit }')
	printf 'record MMAP2 pid=%d tid=%d addr=%#x len=%#x pgoff=%#x prot=5 %s\n' \
		"$1" "$1" $(((address & ~0xfff) + $3)) \
		$((((address & 0xfff) + size + 0xfff) & ~0xfff)) \
		$((offset & ~0xfff)) "flags=2 filename=$PWD/$2 time=20
		 build_id=$(readelf -n "$2" | sed -n 's/.*Build ID: //p')"
}

# sampled PID FILE BIAS FUNCTION N: prints N samples of 1 ms in FUNCTION of FILE.
sampled() {
	local address

	address=$(nm "$2" | awk -v name="$4" '$3 == name { print "0x" $1 }')
	address=$(printf '%#x' $((address + $3)))
	echo "record SAMPLE ip=$address pid=$1 tid=$1 time=100 times=$5" \
		"period=1000000 chain=user,$address"
}

# export_records OUT: exports a recording of the records in the input.
export_records() {
	{
		cat <<-'EOF'
			file
			event name=cpu-clock type=software config=0 ids=1
			 sample_id_all sample_period=1000000
			 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD|CALLCHAIN
		EOF
		cat
	} | "$DWELL_BUILD/tests/made/make_data" - made.data
	dwell export -q --force --format pprof -i made.data -o "$1"
}

# has_code PROFILE FUNCTION N: succeeds if pprof shows N ms in the assembly and in
# the source lines of FUNCTION.
has_code() {
	pprof -disasm="$2" "$1" | tee disasm
	grep -A 1 "^ROUTINE.* $2\$" disasm | grep -E "^ +$3ms +$3ms "
	grep -E "^ +$3ms +$3ms +[0-9a-f]+: .*$2" disasm
	pprof -list="$2" "$1" | tee list
	grep -A 1 "^ROUTINE.* $2 " list | grep -E "^ +$3ms +$3ms "
	pprof -weblist="$2" -output page "$1"
	sed 's/<[^>]*>/ /g' page | grep -E "^ +[0-9]+ .* $3ms .* $3ms +[0-9a-f]+: "
}

@test "export: pprof disassembles programs of all forms and linkers" {
	local form options bias

	need gcc ld.lld nm readelf static-libc
	write_hot
	while read -r form bias options; do
		# shellcheck disable=SC2086
		gcc -O1 -g -Wl,--build-id $options exe.c lib.c -o "$form"
		{
			mapped 7 "$form" "$bias"
			sampled 7 "$form" "$bias" exe_hot 30
			sampled 7 "$form" "$bias" lib_hot 20
		} | export_records out
		has_code out exe_hot 30
		has_code out lib_hot 20
	done <<-'EOF'
		pie 0x555500000000 -fPIE -pie
		fixed 0 -fno-pie -no-pie
		static 0 -fno-pie -static
		static-pie 0x7f5500000000 -fPIE -static-pie
		lld 0x555500000000 -fPIE -pie -fuse-ld=lld
		lld-fixed 0 -fno-pie -no-pie -fuse-ld=lld
		one-segment 0x555500000000 -fPIE -pie -Wl,-z,noseparate-code
	EOF
}

@test "export: pprof disassembles a library and the program that calls the library" {
	local linker

	need gcc ld.lld nm readelf
	write_hot
	for linker in bfd lld; do
		gcc -O1 -g -Wl,--build-id -fuse-ld=$linker -fPIC -shared lib.c \
			-o libhot.so
		gcc -O1 -g -Wl,--build-id -fuse-ld=$linker -fPIE -pie exe.c \
			./libhot.so -o exe
		# A second process has other addresses.
		{
			mapped 7 exe 0x555500000000
			mapped 7 libhot.so 0x7f5500000000
			mapped 8 exe 0x565500000000
			mapped 8 libhot.so 0x7f6600000000
			sampled 7 exe 0x555500000000 exe_hot 15
			sampled 7 libhot.so 0x7f5500000000 lib_hot 40
			sampled 8 exe 0x565500000000 exe_hot 5
			sampled 8 libhot.so 0x7f6600000000 lib_hot 10
		} | export_records out
		has_code out exe_hot 20
		has_code out lib_hot 50
		pprof -raw out | sed '1,/^Locations/d' >raw
		[ "$(grep -c 'exe_hot\|lib_hot' raw)" = 2 ]
		[ "$(sed '1,/^Mappings/d' raw | wc -l)" = 2 ]
	done
}

@test "export: pprof disassembles a Go program" {
	need go gcc nm readelf
	cat >hot.go <<-'EOF'
		package main

		//go:noinline
		func hot(n uint64) uint64 {
			for n&6 != 0 {
				n = n*7 + 1
			}
			return n
		}

		func main() {
			println(hot(6))
		}
	EOF
	GOCACHE=$PWD/cache go build -ldflags '-B 0x12345678' -o hot hot.go
	{
		mapped 7 hot 0
		sampled 7 hot 0 main.hot 30
	} | export_records out
	has_code out main.hot 30
}

@test "export: two programs at the same addresses have separate addresses in a pprof profile" {
	need gcc nm readelf
	write_hot
	gcc -O1 -g -Wl,--build-id -fno-pie -no-pie exe.c lib.c -o first
	gcc -O1 -g -Wl,--build-id -fno-pie -no-pie -Dexe_hot=exe_warm exe.c lib.c \
		-o second
	{
		mapped 7 first 0
		mapped 8 second 0
		sampled 7 first 0 exe_hot 10
		sampled 8 second 0 exe_warm 30
	} | export_records out
	has_code out exe_warm 30
	pprof -raw out | sed -n '/^Locations/,/^Mappings/p' |
		grep -oE '0x[0-9a-f]+ M=[0-9]+ exe_(hot|warm)' >locations
	sort -u -k1,1 locations | wc -l | grep -x 2
	# Each of them is that of the report, if it is exported alone.
	dwell export -q --force --format pprof -i made.data --pid 7 -o out
	has_code out exe_hot 10
}

@test "export: two copies of a program have the same addresses in a pprof profile" {
	need gcc nm readelf
	write_hot
	gcc -O1 -g -Wl,--build-id -fno-pie -no-pie exe.c lib.c -o first
	cp first second
	{
		mapped 7 first 0
		mapped 8 second 0
		sampled 7 first 0 exe_hot 10
		sampled 8 second 0 exe_hot 30
	} | export_records out
	has_code out exe_hot 40
}

@test "export: without files, mappings of a pprof profile are those of the first process" {
	export_records out <<-'END'
		record MMAP2 pid=7 tid=7 addr=0x7f0000001000 len=0x3000
		 pgoff=0x1000 prot=5 filename=/gone/libz.so.1 time=2
		 build_id=1234567812345678
		record MMAP2 pid=8 tid=8 addr=0x7e0000001000 len=0x3000
		 pgoff=0x1000 prot=5 filename=/gone/libz.so.1 time=3
		 build_id=1234567812345678
		record MMAP2 pid=8 tid=8 addr=0x7f0000000000 len=0x8000
		 prot=5 filename=/gone/liby.so.1 time=3
		record SAMPLE ip=0x7e0000001010 pid=8 tid=8 time=9 period=1
		 chain=user,0x7e0000001010
		record SAMPLE ip=0x7f0000001010 pid=8 tid=8 time=10 period=1
		 chain=user,0x7f0000001010
		record SAMPLE ip=0x7f0000001010 pid=7 tid=7 time=11 times=2 period=1
		 chain=user,0x7f0000001010
	END
	pprof -raw out | sed -n '/^Locations/,$p' | sort | prints mappings_without_files
}
