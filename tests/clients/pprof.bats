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

@test "pprof has the totals of the report" {
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

@test "pprof shows inlined functions, lines and threads" {
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

@test "pprof finds no error, and the build ID of the program" {
	pprof -raw demo.pb.gz | tee raw
	grep -q '^PeriodType: cpu-clock nanoseconds$' raw
	grep -q '^Period: 10000000$' raw
	grep -A 3 '^Mappings' raw | grep "1: .*/demo $(readelf -n \
		"$BATS_FILE_TMPDIR/demo" | sed -n 's/.*Build ID: //p')"
}

@test "pprof has the filtered samples of the report" {
	dwell export --format pprof -i demo.data -S beta -o - >some.pb.gz
	pprof -top some.pb.gz | tee top
	[ "$(row_of beta)" = "300ms 300ms" ]
	absent grep -q delta top
}

@test "names with special characters are only names for pprof" {
	dwell export --format pprof -i hostile.data -o hostile.pb.gz
	pprof -raw hostile.pb.gz | tee raw
	grep -qF '/tmp/<script>\x01' raw
	grep -qF 'comm:[a<b>;${c}\x1b[1m]' raw
	absent grep -q $'[\x1b\x01]' raw
}

@test "pprof has the report's times off the CPU" {
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

@test "the profile has the name of the program, if most samples are in a library" {
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
