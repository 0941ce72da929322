#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Stack copies, unwound by dwell and by perf. After an exec, perf keeps the
# shell's mappings, and finds libraries at their old addresses: so the compared
# programs are not started by a shell.

load rows.bash

setup() {
	enter_test
	need perf
	need gcc
}

# compile_without: compiles a program without frame pointers, in a folder of its
# own.
compile_without() {
	gcc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls \
		"$DWELL_SOURCE/tests/bench/$1.c" -o "$1" -lpthread
}

# chains FILE PROGRAM...: prints one line per sample that is in a function of PROGRAM's
# source: the C library's start files have no unwind rules, and perf resolves code of the
# PLT as _init.
chains() {
	local file=$1
	shift
	"$@" --max-stack 9999 -i "$file" -F comm,tid,time,ip,sym,dso 2>/dev/null |
		awk 'BEGIN { RS = ""; FS = "\n" } $2 ~ / (leaf|north|east|south|west|work|main) \(.*\/chain\)$/ {
			line = $1
			for (i = 2; i <= NF; i++) line = line ";" $i
			gsub(/[ \t]+/, " ", line)
			print line
		}'
}

# same_chains PERF DWELL: succeeds if these texts are equal, except for chains in
# which perf has no name for a frame. perf omits a name sometimes, for one sample.
same_chains() {
	[ "$(wc -l <"$1")" -gt 50 ]
	[ "$(wc -l <"$1")" = "$(wc -l <"$2")" ]
	paste -d'\n' "$1" "$2" | awk '
		NR % 2 { perf = $0; next }
		$0 == perf { next }
		perf ~ /\[unknown\]/ { n++; next }
		{ print perf; print; bad = 1 }
		END { exit bad || n > NR / 200 + 1 }'
}

@test "live: report: call chains of stack copies are those of perf" {
	compile_without chain
	perf_record -e cpu-clock -F 2000 --call-graph dwarf,8192 -m 2M \
		-o p.data ./chain 2 2000000 >/dev/null
	chains p.data perf script --no-inline >perf.text
	chains p.data dwell script >dwell.text
	same_chains perf.text dwell.text
}

# rows_of_threads: prints the rows of the functions of chain's threads.
rows_of_threads() {
	grep -E '\|chain\|chain\|\[\.\] (leaf|north|east|south|west|work)$' |
		only_comparable
}

@test "live: report: rows of stack copies are those of perf report" {
	compile_without chain
	perf_record -e cpu-clock:u -F 2000 --call-graph dwarf,8192 -m 2M \
		-o p.data ./chain 1 2000000 >/dev/null
	perf_rows -i p.data --children --no-inline |
		rows_of_threads >expected
	dwell_rows -i p.data --children --no-inline |
		rows_of_threads >found
	[ -s expected ]
	diff expected found
}

# In perf, half of these chains end at their first frame in libc.
@test "live: record: stacks of a program that a shell started are complete" {
	compile_without chain
	perf_record -e cpu-clock:u -F 1000 --call-graph dwarf,8192 -m 2M \
		-o p.data sh -c 'for i in 1 2 3 4; do ./chain 1 1000000 & done
			wait' >/dev/null
	dwell report -i p.data --json >json
	chains p.data dwell script >text
	[ "$(wc -l <text)" -gt 50 ]
	absent grep -v -E 'clone3? .*\)$|_start .*\)$' text
}

@test "live: report: stack copies kept by --keep-stacks are unwound as by perf" {
	compile_without chain
	"$record" -q -e cpu-clock:u -F 1000 --call-graph dwarf,8192 \
		--keep-stacks -o kept.data -- ./chain 2 2000000 >/dev/null
	# perf shows the sampled address of the recorded chain, too.
	chains kept.data perf script --no-inline |
		awk 'BEGIN { FS = OFS = ";" }
			$2 == $3 { $3 = ""; sub(/;;/, ";") } { print }' >perf.text
	chains kept.data dwell script >dwell.text
	same_chains perf.text dwell.text
}
