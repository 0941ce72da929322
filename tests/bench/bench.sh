#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures dwell and perf on the same files and the same workloads, and prints
# one table. No time makes it fail.
#
#     DWELL=/path/to/dwell tests/bench/bench.sh
#
# DWELL        the program to measure (default: "dwell" from PATH)
# BENCH_SCALE  the size of the work; 1 is a report of two to three million
#              samples (default: 0.15, about a minute in all)
# BENCH_RUNS   the number of interleaved runs of which the median is printed
#              (default: 3)
# BENCH_ONLY   the rows to measure, such as "P8 P9" (default: all). P9 includes
#              P10, P3 includes P4, P6 includes P7. P8s is P8 with the load in
#              another session, P12 is 16 times the samples, "cost" is what
#              stack copies cost the workload, "first" is the time to the first
#              output. These are measured only if named: "export" for folded
#              stacks, pprof and a page on one CPU, "tui" for the first screen
#              of the interactive view, "dwarf" for a program with 500 MB of
#              DWARF, "clang" for clang++ without DWARF. "page", alone, measures
#              the browser's page (page.sh), "unwinding", alone, the ways to
#              find callers (kernel_unwinding.sh), "waits", alone, the cost of
#              context switches (waits.sh), and "languages", alone, the naming of
#              functions of language runtimes (languages.sh).
# RINGS        the program tests/bench/rings; its row is omitted if empty
# UNWIND       the program tests/bench/unwind; its rows are omitted if empty
# CC           the compiler for the workloads (default: gcc)
#
# How the numbers are measured:
# - Each command runs under meter (see meter.c), with its output to /dev/null.
# - "floor" is `zstd -d` of the raw recording, compressed once with -3: a report
#   of a compressed file cannot be faster than decompression. For dwell's own
#   files it is measured with the same records, without their blocks.
# - "one CPU" is measured with taskset; other runs may use every CPU, but perf
#   uses one.
# - A recorder's own CPU time is the CPU time of recorder and workload minus the
#   CPU time that the workload prints. Both are the scheduler's numbers, to the
#   microsecond. With either recorder, the time that the kernel takes for a
#   sample counts as the workload's. The recorders' children count as the
#   recorder.
# - "End to prompt" is the time from the workload's last reading of the clock to
#   meter's, when the recorder has ended.
# - Losses are those that the recorders report: perf's in its file, which are
#   exact since Linux 6.0, dwell's in its summary. Both run once, because the
#   flood takes longer than all other rows.
set -euo pipefail
export LC_ALL=C

DWELL=${DWELL:-dwell}
SCALE=${BENCH_SCALE:-0.15}
RUNS=${BENCH_RUNS:-3}
ONLY=${BENCH_ONLY:-P1 P1b P2 P3 P6 cost P8 P8s P9 P11 P12 first}
RINGS=${RINGS:-}
UNWIND=${UNWIND:-}
CC=${CC:-gcc}
top=$(cd "$(dirname "$0")/../.." && pwd)
failures=0

case $ONLY in
page) exec "$top/tests/bench/page.sh" ;;
unwinding) exec "$top/tests/bench/kernel_unwinding.sh" ;;
waits) exec "$top/tests/bench/waits.sh" ;;
languages) exec "$top/tests/bench/languages.sh" ;;
esac

tmp=$(mktemp -d "${TMPDIR:-/tmp}/dwell-bench.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

die() {
	echo "bench: $*" >&2
	exit 1
}

say() {
	echo "$*" >&2
}

# wants NUMBER...: succeeds if one of these rows is to be measured.
wants() {
	local number
	for number; do
		case " $ONLY " in *" $number "*) return 0 ;; esac
	done
	return 1
}

### Programs and workloads #####################################################

command -v "$DWELL" >/dev/null ||
	die "no program \"$DWELL\"; set DWELL to the dwell to measure"
awk -v s="$SCALE" 'BEGIN { exit !(s > 0 && s <= 100) }' ||
	die "BENCH_SCALE=$SCALE: not a number above 0"
has_zstd=no
command -v zstd >/dev/null && has_zstd=yes || say "zstd is missing: no floors"
has_perf=no
if perf --version >/dev/null 2>&1; then
	has_perf=yes
else
	say "perf is missing: nothing to compare with"
fi

# The recordings name files in $tmp, which is removed at the end: keep them out
# of the user's build ID cache.
perf() {
	command perf --buildid-dir "$tmp/buildid" "$@"
}

for name in chain chainr meter screen; do
	$CC -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls \
		-I "$top" "$top/tests/bench/$name.c" -o "$tmp/$name" -pthread ||
		die "$CC cannot compile $name.c"
done

# scaled N: prints N times BENCH_SCALE as an integer.
scaled() {
	awk -v n="$1" -v s="$SCALE" 'BEGIN { printf "%d", n * s + 1 }'
}

### Measuring ##################################################################

# measure KEY COMMAND...: runs COMMAND and appends its measurements to KEY's
# runs.
measure() {
	local key=$1 command=$2
	shift 2
	if [ "$command" = perf ]; then
		set -- --buildid-dir "$tmp/buildid" "$@"
	fi
	if "$tmp/meter" "$tmp/meter.out" "$command" "$@" \
		>"$tmp/stdout" 2>"$tmp/stderr" </dev/null; then
		cat "$tmp/meter.out" >>"$tmp/$key.runs"
	else
		say "failed: $command $*"
		tail -n 3 "$tmp/stderr" >&2
		failures=$((failures + 1))
		return 1
	fi
}

# report KEY COMMAND...: measures a report command and discards its output.
report() {
	local key=$1
	shift
	ln -sf /dev/null "$tmp/stdout"
	measure "$key" "$@" || :
}

# record KEY COMMAND...: measures a recorder. Appends its own CPU time and the
# time from the workload's end to the prompt.
record() {
	local key=$1
	shift
	rm -f "$tmp/stdout"
	measure "$key.all" "$@" || return 0
	awk '/^end .* cpu / { end = $2; cpu = $4 }
		/ inner / { inner = $6 }
		/^wall / { print "own", $4 - cpu, "tail", $8 - end, "peak", $6,
			"self", cpu, "inner", inner }' \
		"$tmp/stdout" "$tmp/meter.out" >>"$tmp/$key.runs"
}

# median KEY WORD: prints the median of the numbers behind WORD in KEY's runs,
# or nothing without runs.
median() {
	[ -f "$tmp/$1.runs" ] || return 0
	awk -v word="$2" '{
		for (i = 1; i < NF; i++)
			if ($i == word)
				print $(i + 1)
	}' "$tmp/$1.runs" | sort -g |
		awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'
}

size_of() {
	if [ -f "$1" ]; then wc -c <"$1"; fi
}

# samples perf|dwell FILE: prints the number of samples that the tool finds in
# FILE.
samples() {
	local tool=$1
	[ -f "$2" ] || return 0
	if [ "$1" = dwell ]; then tool=$DWELL; fi
	"$tool" report --stats -i "$2" 2>/dev/null |
		awk '/SAMPLE events:/ && !seen { print $3; seen = 1 }' || :
}

# top_rows perf|dwell FILE: prints the first rows of the flat report, with
# single blanks.
top_rows() {
	local tool=$1
	if [ "$1" = dwell ]; then tool=$DWELL; fi
	"$tool" report --stdio --no-children -g none -s sym -i "$2" \
		2>/dev/null | awk '!/^#/ && NF && n < 6 { $1 = $1; print; n++ }' || :
}

### Table ######################################################################

# row NUMBER WHAT PERF DWELL FLOOR [DIGITS]: prints a row. Values may be empty;
# a row without a value of perf or dwell is omitted.
row() {
	[ -n "$3$4" ] || return 0
	awk -v number="$1" -v what="$2" -v perf="$3" -v dwell="$4" \
		-v floor="$5" -v digits="${6:-2}" '
	function text(v) {
		if (v == "")
			return "-"
		if (digits && v < 0.1)
			return sprintf("%.3f", v)
		return sprintf("%.*f", digits, v)
	}
	BEGIN {
		ratio = "-"
		if (perf != "" && dwell != "" && dwell > 0)
			ratio = sprintf("%.2f", perf / dwell)
		printf "%-4s %-48s %10s %10s %10s %8s\n", number, what,
			text(perf), text(dwell), text(floor), ratio
	}' </dev/null
}

divide() {
	awk -v a="${1:-}" -v b="${2:-}" \
		'BEGIN { if (a != "" && b > 0) print a / b }'
}

mib() {
	divide "${1:-}" 1024
}

# compare NUMBER FILE: prints whether both tools have the same answers about
# FILE.
compare() {
	local perf dwell verdict
	dwell=$(samples dwell "$2")
	if [ $has_perf = no ]; then
		echo "$1: ${dwell:-no} samples"
		return
	fi
	perf=$(samples perf "$2")
	verdict="DIFFERENT"
	if [ -n "$perf" ] && [ "$perf" = "$dwell" ]; then
		verdict="the same count"
		if [ "$(top_rows perf "$2")" = "$(top_rows dwell "$2")" ]; then
			verdict="$verdict, the same first rows"
		else
			verdict="$verdict, DIFFERENT first rows"
		fi
	fi
	echo "$1: perf ${perf:-no} samples, dwell ${dwell:-no}: $verdict"
}

### Recordings #################################################################

say "bench: recording (scale $SCALE) ..."
flood=(-e cpu-clock -F 49000 --call-graph fp)
calm=(-e cpu-clock -F 25000 --call-graph fp)

# raw FILE WORKLOAD ROUNDS: makes an uncompressed recording, with perf if it is
# installed.
raw() {
	if [ $has_perf = yes ]; then
		perf record -q "${flood[@]}" -o "$1" -- "$2" 2 "$3"
	else
		"$DWELL" record -q -z0 "${flood[@]}" -o "$1" -- "$2" 2 "$3"
	fi >/dev/null 2>"$tmp/stderr" || {
		cat "$tmp/stderr" >&2
		die "cannot record"
	}
	if [ $has_zstd = yes ]; then zstd -q -3 "$1" -o "$1.zst"; fi
}

# own FILE WORKLOAD ROUNDS: makes dwell's recording, and its records for the
# floor.
own() {
	"$DWELL" record -q "${flood[@]}" -o "$1" -- "$2" 2 "$3" >/dev/null \
		2>"$tmp/stderr" ||
		{ cat "$tmp/stderr" >&2; die "dwell cannot record"; }
	[ $has_zstd = yes ] || return 0
	"$DWELL" export -q --format perf-data -i "$1" -o "$tmp/raw"
	zstd -q -3 "$tmp/raw" -o "$1.zst"
	rm -f "$tmp/raw"
}

if wants export && ! wants P1 P2; then
	raw "$tmp/p1" "$tmp/chain" "$(scaled 11000000)"
fi
if wants export && ! wants P1b; then
	raw "$tmp/p1b" "$tmp/chainr" "$(scaled 11000000)"
fi
if wants P1 P2; then
	raw "$tmp/p1" "$tmp/chain" "$(scaled 11000000)"
	own "$tmp/p1.own" "$tmp/chain" "$(scaled 11000000)"
fi
if wants P1b; then
	raw "$tmp/p1b" "$tmp/chainr" "$(scaled 11000000)"
	own "$tmp/p1b.own" "$tmp/chainr" "$(scaled 11000000)"
fi
if wants tui; then
	own "$tmp/tui.chain" "$tmp/chain" 7000000
	own "$tmp/tui.chainr" "$tmp/chainr" 5200000
fi
# A stream of records. repeat() makes longer recordings of it.
if wants P12 first; then
	"$DWELL" record -q "${flood[@]}" -o - -- sh -c \
		"\"$tmp/chain\" 2 $(scaled 11000000) >/dev/null" \
		>"$tmp/p12.1" 2>"$tmp/stderr" ||
		{ cat "$tmp/stderr" >&2; die "dwell cannot record"; }
fi
# repeat FILE TIMES: writes a stream with TIMES the records.
repeat() {
	local i
	head -c 16 "$tmp/p12.1" >"$1"
	for ((i = 0; i < $2; i++)); do tail -c +17 "$tmp/p12.1" >>"$1"; done
}
if wants P12; then
	repeat "$tmp/p12.4" 4
	repeat "$tmp/p12.16" 16
fi
if wants P11; then raw "$tmp/p11" "$tmp/chain" 1300000; fi
# A program with many inlined functions. It is recorded with stack copies,
# because perf resolves inlined functions only in these.
if wants P6 && [ $has_perf = yes ] && command -v c++ >/dev/null; then
	c++ -O2 -g "$top/tests/peer/words.cpp" -o "$tmp/words"
	perf record -q -e cpu-clock -F 5000 --call-graph dwarf,16384 \
		-o "$tmp/p6" -- "$tmp/words" "$(scaled 400)" >/dev/null 2>&1
fi

### Answers ####################################################################

echo "Answers:"
if wants P1 P2; then
	compare P1,2 "$tmp/p1"
	echo "P1, dwell's own recording: $(samples dwell "$tmp/p1.own") samples"
fi
if wants P1b; then compare P1b "$tmp/p1b"; fi
if wants P12; then
	echo "P12: $(samples dwell "$tmp/p12.1") samples, then" \
		"$(samples dwell "$tmp/p12.4"), $(samples dwell "$tmp/p12.16")"
fi
if wants P11; then compare P11 "$tmp/p11"; fi

### Times ######################################################################

floor() {
	if [ $has_zstd = yes ]; then report "$1" zstd -q -dc "$2.zst"; fi
}

one_cpu=()
if taskset -c 0 true 2>/dev/null; then one_cpu=(taskset -c 0); fi

# ours KEY FILE OPTION...: measures dwell's report with all CPUs, and with one.
ours() {
	local key=$1 file=$2
	shift 2
	report "$key" "$DWELL" report --stdio "$@" -i "$file"
	if [ ${#one_cpu[@]} -gt 0 ]; then
		report "$key.one" "${one_cpu[@]}" "$DWELL" report --stdio \
			"$@" -i "$file"
	fi
}

# both KEY FILE OPTION...: measures the report of perf and of dwell, and the
# floor.
both() {
	local key=$1 file=$2
	shift 2
	if [ $has_perf = yes ]; then
		report "$key.perf" perf report --stdio "$@" -i "$file"
	fi
	ours "$key.dwell" "$file" "$@"
	floor "$key.floor" "$file"
}

# exports NAME: measures exports of the recording NAME to a file.
exports() {
	local format
	for format in folded pprof html; do
		report "export.$1.$format" "${one_cpu[@]}" "$DWELL" export -q \
			--force --format $format -i "$tmp/$1" -o "$tmp/export"
		floor "export.$1.floor" "$tmp/$1"
	done
}

# inlines RUN: measures reports with and without dwell's cache of lines. perf is
# measured in run 0 only.
inlines() {
	local lines=(-s srcline --no-children -g none)

	if [ "$1" = 0 ]; then
		report p6.perf perf report --stdio -i "$tmp/p6"
		report p7.perf perf report --stdio "${lines[@]}" -i "$tmp/p6"
	fi
	export XDG_CACHE_HOME=$tmp/cache
	rm -rf "$tmp/cache/dwell/lines"
	report p6.cold "$DWELL" report --stdio -i "$tmp/p6"
	report p6.dwell "$DWELL" report --stdio -i "$tmp/p6"
	report p6.none "$DWELL" report --stdio --no-inline -i "$tmp/p6"
	rm -rf "$tmp/cache/dwell/lines"
	report p7.cold "$DWELL" report --stdio "${lines[@]}" -i "$tmp/p6"
	report p7.dwell "$DWELL" report --stdio "${lines[@]}" -i "$tmp/p6"
	unset XDG_CACHE_HOME
}

say "bench: reports ..."
for ((run = 0; run < RUNS; run++)); do
	if wants export; then
		exports p1
		exports p1b
	fi
	if wants P1 P2; then
		both p1 "$tmp/p1"
		ours p1own "$tmp/p1.own"
		floor p1own.floor "$tmp/p1.own"
		both p2 "$tmp/p1" --no-children -g none
		ours p2own "$tmp/p1.own" --no-children -g none
	fi
	if wants P1b; then
		# Only once: perf takes longer here than all other rows
		# together.
		if [ $has_perf = yes ] && [ $run = 0 ]; then
			report p1b.perf perf report --stdio -i "$tmp/p1b"
		fi
		ours p1b.dwell "$tmp/p1b"
		floor p1b.floor "$tmp/p1b"
		ours p1bown "$tmp/p1b.own"
		floor p1bown.floor "$tmp/p1b.own"
	fi
	if wants P12; then
		for times in 1 4 16; do
			ours "p12.$times" "$tmp/p12.$times"
		done
	fi
	if [ -e "$tmp/p6" ]; then inlines "$run"; fi
	wants P11 || continue
	if [ $has_perf = yes ]; then
		report p11.perf perf script -i "$tmp/p11"
	fi
	report p11.dwell "$DWELL" script -i "$tmp/p11"
	floor p11.floor "$tmp/p11"
done
# seen KEY TEXT FILE [PREFIX...]: measures how long the interactive view takes
# to show TEXT.
seen() {
	local key=$1 text=$2 file=$3
	shift 3
	"$tmp/screen" "$tmp/$key.runs" "$text" "$@" "$DWELL" report \
		-i "$file" || failures=$((failures + 1))
}
for ((run = 0; run < RUNS; run++)); do
	wants tui || break
	for work in chain chainr; do
		seen "tui.$work" Command "$tmp/tui.$work"
		seen "tui.$work.one" Command "$tmp/tui.$work" "${one_cpu[@]}"
		seen "tui.$work.names" Symbol "$tmp/tui.$work"
	done
done
# Measures how the order of samples in dwell's files slows perf down.
if wants P1 P2 && [ $has_perf = yes ]; then
	report p1own.perf perf report --stdio -i "$tmp/p1.own"
	report p2own.perf perf report --stdio --no-children -g none \
		-i "$tmp/p1.own"
fi

# Measures the time to the first output on a terminal. The file is too large for
# the page cache. The report is ended after two seconds.
if wants first && command -v script >/dev/null; then
	say "bench: the first sign of life ..."
	size=$(size_of "$tmp/p12.1")
	large=$(scaled 4000000000)
	repeat "$tmp/large" $((large / size + 1))
	for ((run = 0; run < RUNS; run++)); do
		start=$(date +%s%N)
		timeout 2 script -qfc "$DWELL report -i $tmp/large >$tmp/stdout" \
			/dev/null </dev/null 2>/dev/null | {
			head -c 1 >/dev/null
			divide $(($(date +%s%N) - start)) 1000000000 |
				sed 's/^/wall /' >>"$tmp/first.dwell.runs"
			cat >/dev/null
		} || :
	done
	large=$(size_of "$tmp/large")
	rm -f "$tmp/large"
fi

say "bench: recorders ..."
short=$(scaled 2000000)
long=$((short * 10))
many=$(scaled 3000000)
for ((run = 0; run < RUNS; run++)); do
	wants P9 P10 || break
	if [ $has_perf = yes ]; then
		record p9r.perf perf record -z "${calm[@]}" \
			-o "$tmp/p9r.perf" -- "$tmp/chainr" 2 "$many"
		record p10.plain perf record "${calm[@]}" -o "$tmp/s1" -- \
			"$tmp/chain" 2 "$short"
		record p10.perf perf record -z "${calm[@]}" -o "$tmp/s2" -- \
			"$tmp/chain" 2 "$short"
		record p9.perf perf record -z "${calm[@]}" -o "$tmp/p9.perf" \
			-- "$tmp/chain" 2 "$long"
	fi
	record p9r.dwell "$DWELL" record "${calm[@]}" -o "$tmp/p9r.dwell" -- \
		"$tmp/chainr" 2 "$many"
	record p10.dwell "$DWELL" record "${calm[@]}" -o "$tmp/s3" -- \
		"$tmp/chain" 2 "$short"
	record p9.dwell "$DWELL" record "${calm[@]}" -o "$tmp/p9.dwell" -- \
		"$tmp/chain" 2 "$long"
done

# per_sample perf|dwell FILE [SAME]: prints the bytes per sample. If FILE cannot
# be read, the number of samples is that of SAME.
per_sample() {
	local same=${3:-$2}
	divide "$(size_of "$2")" "$(samples "$1" "$same")"
}

if wants P9 P10; then
	echo "P9, two recordings: perf $(samples perf "$tmp/p9.perf") samples," \
		"dwell $(samples dwell "$tmp/p9.dwell")"
fi

### Stacks without frame pointers #############################################

# While clang compiles this, its stacks are deep and mostly different.
if wants P3 && ! command -v clang++ >/dev/null; then
	say "clang++ is missing: no P3 and P4"
	ONLY=${ONLY//P3/}
fi
cat >"$tmp/headers.cpp" <<-END
	#include <algorithm>
	#include <functional>
	#include <iostream>
	#include <map>
	#include <memory>
	#include <regex>
	#include <sstream>
	#include <unordered_map>
	#include <vector>
	int main(int n, char **words)
	{
		std::map<std::string, std::vector<int>> lengths;
		std::regex word("[a-z]+(-[a-z]+)*");
		while (n-- > 1)
			if (std::regex_match(words[n], word))
				lengths[words[n]].push_back(n);
		std::ostringstream text;
		for (auto &each : lengths)
			text << each.first << each.second.size();
		std::cout << text.str();
	}
END
cat >"$tmp/clang.sh" <<-END
	for i in \$(seq $(scaled 3)); do
		clang++ -O2 -c $tmp/headers.cpp -o /dev/null &
		clang++ -O2 -c $tmp/headers.cpp -o /dev/null &
		wait
	done
END

# rooted TOOL FILE: prints the percentage of stacks that end at the start of a
# process or thread.
rooted() {
	[ -f "$2" ] || return 0
	"$1" script --no-inline -F ip,sym -i "$2" 2>/dev/null | awk 'BEGIN { RS = "" }
		{ n++; if (/ (_start|_dl_start_user|__?clone3?)[^\n]*$/) whole++ }
		END { if (n) print whole * 100 / n }' || :
}

stacked=(-e cpu-clock -F 1000)
# twice KEY FILE: measures dwell's report with an empty cache, and again. perf
# is not measured: 6.1 waits for addr2line on clang++ for minutes.
twice() {
	[ -e "$2" ] || return 0
	export XDG_CACHE_HOME=$tmp/cache
	for ((run = 0; run < RUNS; run++)); do
		rm -rf "$tmp/cache/dwell/lines"
		report "$1.cold" "$DWELL" report --stdio -i "$2"
		report "$1.dwell" "$DWELL" report --stdio -i "$2"
	done
	unset XDG_CACHE_HOME
}

stacks=(-e cpu-clock -F 5000 --call-graph dwarf,16384)
if wants clang && [ $has_perf = yes ] && command -v clang++ >/dev/null; then
	say "bench: clang++ ..."
	perf record -q "${stacks[@]}" -o "$tmp/clang.data" -- \
		clang++ -O2 -c "$tmp/headers.cpp" -o /dev/null >/dev/null 2>&1
	twice clang "$tmp/clang.data"
fi
# A unit that describes all of the C++ library, linked with copies of itself.
if wants dwarf && [ $has_perf = yes ] && command -v c++ >/dev/null; then
	say "bench: 500 MB of DWARF ..."
	c++ -O2 -g -fno-eliminate-unused-debug-types -include bits/stdc++.h \
		-c "$top/tests/peer/words.cpp" -o "$tmp/unit.o"
	for ((i = 0; i < 950; i++)); do
		ln "$tmp/unit.o" "$tmp/unit.$i.o"
	done
	c++ "$tmp"/unit.o "$tmp"/unit.*.o -Wl,-z,muldefs -o "$tmp/large"
	rm -f "$tmp"/unit.*
	perf record -q "${stacks[@]}" -o "$tmp/dwarf.data" -- \
		"$tmp/large" "$(scaled 400)" >/dev/null 2>&1
	twice dwarf "$tmp/dwarf.data"
fi

if wants P3; then
	say "bench: stacks without frame pointers ..."
	for ((run = 0; run < RUNS; run++)); do
		measure p3.none sh "$tmp/clang.sh" || :
		measure p3.fp "$DWELL" record "${stacked[@]}" --call-graph fp \
			-o "$tmp/p3.fp" -- sh "$tmp/clang.sh" || :
		measure p3.dwell "$DWELL" record "${stacked[@]}" \
			--call-graph dwarf,65528 -o "$tmp/p3.dwell" -- \
			sh "$tmp/clang.sh" || :
		report p3r.dwell "$DWELL" report --stdio -i "$tmp/p3.dwell"
		[ $has_perf = yes ] || continue
		measure p4.perf perf record "${stacked[@]}" \
			--call-graph dwarf -o "$tmp/p4.perf" -- \
			sh "$tmp/clang.sh" || :
		# Only once: perf's recording has 1.5 GB, and its report takes
		# ten seconds.
		[ $run = 0 ] || continue
		measure p3.perf perf record "${stacked[@]}" \
			--call-graph dwarf,65528 -o "$tmp/p3.perf" -- \
			sh "$tmp/clang.sh" || :
		report p3r.perf perf report --stdio --no-inline -i "$tmp/p3.perf"
		report p4r.perf perf report --stdio --no-inline -i "$tmp/p4.perf"
		report p3r.both "$DWELL" report --stdio -i "$tmp/p3.perf"
		report p4r.both "$DWELL" report --stdio -i "$tmp/p4.perf"
		rooted perf "$tmp/p3.perf" >"$tmp/p3.rooted"
		rooted perf "$tmp/p4.perf" >"$tmp/p4.rooted"
		size_of "$tmp/p3.perf" >"$tmp/p3.size"
		[ -z "$UNWIND" ] ||
			"$UNWIND" "$tmp/p3.perf" 1300 >"$tmp/p5" ||
			failures=$((failures + 1))
		rm -f "$tmp/p3.perf"
	done
	"$DWELL" report --header-only -i "$tmp/p3.dwell" 2>/dev/null |
		awk '/^# stacks_whole/ { whole = $4 } /^# stacks :/ { n = $4 }
			END { if (n) print whole * 100 / n }' >"$tmp/p3.whole"
fi

# per_frame WHAT: prints the median of the unwinder's ns per frame.
per_frame() {
	[ -f "$tmp/p5" ] || return 0
	awk -F ': ' -v what="rate $1" '$1 == what { print 1000 / $2 }' \
		"$tmp/p5" | sort -g |
		awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'
}

# file_text FILE: prints FILE if it exists.
file_text() {
	if [ -f "$1" ]; then cat "$1"; fi
}

### Cost of stack copies #######################################################

# Recorded at 10 kHz, and divided by ten for the cost at 1 kHz, so that the cost
# exceeds the noise between runs. There are many short rounds with all recorders
# in turn. The lower quartile is used, because noise only makes a run longer.
COST_RATE=10000
if wants cost; then
	say "bench: what copies of stacks cost ..."
	$CC -O2 -fomit-frame-pointer "$top/tests/bench/below.c" \
		-o "$tmp/below" || die "$CC cannot compile below.c"
	costs=(-e cpu-clock -F "$COST_RATE")
	below=("$tmp/below" 52 "$(scaled 3000000000)")
	for ((run = 0; run < RUNS * 5; run++)); do
		record cost.none "${below[@]}"
		record cost.fp "$DWELL" record "${costs[@]}" --call-graph fp \
			-o "$tmp/cost" -- "${below[@]}"
		record cost.dwarf "$DWELL" record "${costs[@]}" \
			--call-graph dwarf,65528 -o "$tmp/cost" -- "${below[@]}"
		[ $has_perf = yes ] || continue
		record cost.perf.fp perf record "${costs[@]}" -g \
			-o /dev/null -- "${below[@]}"
		record cost.perf.8 perf record "${costs[@]}" -m 16M \
			--call-graph dwarf -o /dev/null -- "${below[@]}"
		record cost.perf.64 perf record "${costs[@]}" -m 16M \
			--call-graph dwarf,65528 -o /dev/null -- "${below[@]}"
	done
fi

# quartile KEY WORD: prints the lower quartile of the numbers behind WORD in
# KEY's runs.
quartile() {
	[ -f "$tmp/$1.runs" ] || return 0
	awk -v word="$2" '{
		for (i = 1; i < NF; i++)
			if ($i == word)
				print $(i + 1)
	}' "$tmp/$1.runs" | sort -g |
		awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 3) / 4)] }'
}

# cost KEY WORD: prints the cost at 1 kHz, in percent of the workload alone.
cost() {
	awk -v with="$(quartile "cost.$1" "$2")" -v none="$(quartile cost.none "$2")" \
		-v rate=$COST_RATE 'BEGIN {
			if (with != "" && none > 0)
				print (with / none - 1) * 100 * 1000 / rate
		}'
}

### Flood ######################################################################

messages=(perf bench sched messaging -g 4 -l "$(scaled 3000)")
tracepoints=(-e raw_syscalls:sys_enter -e sched:sched_switch -a --call-graph fp)

# lose KEY WORKLOAD...: records the flood with perf and with dwell, and appends
# the samples and losses to KEY's runs.
lose() {
	local key=$1
	shift
	rm -f "$tmp/flood" "$tmp/stdout"
	if measure "$key.perf.all" perf record "${tracepoints[@]}" \
		-o "$tmp/flood" -- "$@"; then
		perf report --stats -i "$tmp/flood" 2>/dev/null |
			awk '/ stats:/ { inner = !/Aggregated/ }
				inner && /SAMPLE events:/ { samples += $3 }
				inner && /LOST_SAMPLES events:/ { lost += $3 }
				END { print "samples", samples, "lost", lost }' \
			>>"$tmp/$key.perf.runs"
	fi
	rm -f "$tmp/flood"
	if measure "$key.dwell.all" "$DWELL" record -v "${tracepoints[@]}" \
		-o "$tmp/flood" -- "$@"; then
		awk '/ samples, .* lost, / { print "samples", $3, "lost", $5 }
			/ of dwell itself/ { print "own", $3 }' "$tmp/stderr" \
			>>"$tmp/$key.dwell.runs"
	fi
	rm -f "$tmp/flood"
}

percent_lost() {
	local lost samples
	lost=$(median "$1" lost)
	samples=$(median "$1" samples)
	awk -v l="$lost" -v s="$samples" \
		'BEGIN { if (s > 0) print l * 100 / (s + l) }'
}

if wants P8 && [ $has_perf = yes ]; then
	say "bench: the flood ..."
	lose p8 "${messages[@]}"
fi
if wants P8s && [ $has_perf = yes ]; then
	say "bench: the flood in another session ..."
	lose p8s setsid -w "${messages[@]}"
fi
if wants P8 && [ -x "$RINGS" ]; then
	"$RINGS" 256 10000000 >"$tmp/rings.runs" || failures=$((failures + 1))
fi
echo

text_size() {
	if wants P11 && { [ "$1" = "$DWELL" ] || [ $has_perf = yes ]; }; then
		{ "$1" script -i "$tmp/p11" 2>/dev/null || :; } | wc -c |
			sed 's/^0$//'
	fi
}

printf '%-4s %-48s %10s %10s %10s %8s\n' "" "median of $RUNS" perf dwell \
	floor ratio
row P1 "report with call graph, s" "$(median p1.perf wall)" \
	"$(median p1.dwell wall)" "$(median p1.floor wall)"
row P1 "  one CPU" "" "$(median p1.dwell.one wall)" ""
row P1 "  peak memory, MiB" "$(mib "$(median p1.perf peak)")" \
	"$(mib "$(median p1.dwell peak)")" "" 0
row P1 "  dwell from its own recording, s" "$(median p1.perf wall)" \
	"$(median p1own wall)" "$(median p1own.floor wall)"
row P1 "    one CPU" "" "$(median p1own.one wall)" ""
row P1 "    peak memory, MiB" "" "$(mib "$(median p1own peak)")" "" 0
row P1b "the same, stacks hardly repeat, s (perf once)" \
	"$(median p1b.perf wall)" "$(median p1b.dwell wall)" \
	"$(median p1b.floor wall)"
row P1b "  one CPU" "" "$(median p1b.dwell.one wall)" ""
row P1b "  peak memory, MiB" "$(mib "$(median p1b.perf peak)")" \
	"$(mib "$(median p1b.dwell peak)")" "" 0
row P1b "  dwell from its own recording, s" "$(median p1b.perf wall)" \
	"$(median p1bown wall)" "$(median p1bown.floor wall)"
row P1b "    one CPU" "" "$(median p1bown.one wall)" ""
row P1b "    peak memory, MiB" "" "$(mib "$(median p1bown peak)")" "" 0
row P6 "copied stacks, inlined functions, s (perf once)" \
	"$(median p6.perf wall)" "$(median p6.dwell wall)" ""
row P6 "  the first time" "" "$(median p6.cold wall)" ""
row P6 "  without them" "" "$(median p6.none wall)" ""
row P7 "its lines of source code, s (perf once)" \
	"$(median p7.perf wall)" "$(median p7.dwell wall)" ""
row P7 "  the first time" "" "$(median p7.cold wall)" ""
row clang "clang++, without debug information, s" "" \
	"$(median clang.dwell wall)" ""
row clang "  the first time" "" "$(median clang.cold wall)" ""
row dwarf "a program with 500 MB of DWARF, s" "" \
	"$(median dwarf.dwell wall)" ""
row dwarf "  peak memory, MiB" "" "$(mib "$(median dwarf.dwell peak)")" "" 0
row dwarf "  the first time, s" "" "$(median dwarf.cold wall)" ""
row dwarf "  peak memory, MiB" "" "$(mib "$(median dwarf.cold peak)")" "" 0
export_row() {
	row export "$1" "" "$(median "export.$2.$3" cpu)" \
		"$(median "export.$2.floor" cpu)"
}
export_row "stacks of P1 folded, one CPU, CPU s" p1 folded
export_row "  for pprof" p1 pprof
export_row "  as a page" p1 html
export_row "stacks that hardly repeat folded" p1b folded
export_row "  for pprof" p1b pprof
export_row "  as a page" p1b html
row P2 "flat report of P1's file, s" "$(median p2.perf wall)" \
	"$(median p2.dwell wall)" "$(median p2.floor wall)"
row P2 "  one CPU" "" "$(median p2.dwell.one wall)" ""
row P2 "  dwell from its own recording, s" "$(median p2.perf wall)" \
	"$(median p2own wall)" "$(median p1own.floor wall)"
row P2 "    one CPU" "" "$(median p2own.one wall)" ""
row P3 "stacks by DWARF, 64 KiB: file, MB" \
	"$(divide "$(file_text "$tmp/p3.size")" 1000000)" \
	"$(divide "$(size_of "$tmp/p3.dwell")" 1000000)" ""
row P3 "  bytes per sample" "" "$(divide "$(size_of "$tmp/p3.dwell")" \
	"$(samples dwell "$tmp/p3.dwell")")" "" 1
row P3 "  whole stacks, %" "$(file_text "$tmp/p3.rooted")" \
	"$(file_text "$tmp/p3.whole")" ""
row P3 "  report, s (perf once, --no-inline)" "$(median p3r.perf wall)" \
	"$(median p3r.dwell wall)" ""
row P3 "    peak memory, MiB" "$(mib "$(median p3r.perf peak)")" \
	"$(mib "$(median p3r.dwell peak)")" "" 0
row P3 "  dwell reports perf's own file, CPU s" "$(median p3r.perf cpu)" \
	"$(median p3r.both cpu)" ""
row P3 "    peak memory, MiB" "$(mib "$(median p3r.perf peak)")" \
	"$(mib "$(median p3r.both peak)")" "" 0
row P3 "  CPU of recorder and workload, s" "$(median p3.perf cpu)" \
	"$(median p3.dwell cpu)" "$(median p3.none cpu)"
row P3 "    with --call-graph fp" "" "$(median p3.fp cpu)" ""
row P5 "unwinder (libunwind), ns per frame: just copied" \
	"$(per_frame "libunwind copied")" "$(per_frame copied)" "" 1
row P5 "  one pass over stacks in memory" \
	"$(per_frame "libunwind pass")" "$(per_frame pass)" "" 1
row P5 "  the same stack again" "" "$(per_frame hot)" "" 1
row P4 "perf's 8 KiB: file, MB" \
	"$(divide "$(size_of "$tmp/p4.perf")" 1000000)" \
	"$(divide "$(size_of "$tmp/p3.dwell")" 1000000)" ""
row P4 "  whole stacks, %" "$(file_text "$tmp/p4.rooted")" \
	"$(file_text "$tmp/p3.whole")" ""
row P4 "  report, s (perf once, --no-inline)" "$(median p4r.perf wall)" \
	"$(median p3r.dwell wall)" ""
row P4 "  dwell reports perf's own file, CPU s" "$(median p4r.perf cpu)" \
	"$(median p4r.both cpu)" ""
row P4 "  CPU of recorder and workload, s" "$(median p4.perf cpu)" \
	"$(median p3.dwell cpu)" "$(median p3.none cpu)"
row cost "workload at 1 kHz, wall, % more: fp" "$(cost perf.fp inner)" \
	"$(cost fp inner)" ""
row cost "  copies of 64 KiB" "$(cost perf.64 inner)" \
	"$(cost dwarf inner)" ""
row cost "  perf's 8 KiB" "$(cost perf.8 inner)" "$(cost dwarf inner)" ""
row cost "the workload's CPU, % more: fp" \
	"$(cost perf.fp self)" "$(cost fp self)" ""
row cost "  copies of 64 KiB" "$(cost perf.64 self)" "$(cost dwarf self)" ""
row cost "  perf's 8 KiB" "$(cost perf.8 self)" "$(cost dwarf self)" ""
row cost "recorder's CPU at 10 kHz, start and end, s: fp" \
	"$(quartile cost.perf.fp own)" "$(quartile cost.fp own)" ""
row cost "  copies of 64 KiB" "$(quartile cost.perf.64 own)" \
	"$(quartile cost.dwarf own)" ""
row cost "  perf's 8 KiB" "$(quartile cost.perf.8 own)" \
	"$(quartile cost.dwarf own)" ""
for times in 1 4 16; do
	row P12 "$times times the samples, s (own recording)" "" \
		"$(median "p12.$times" wall)" ""
	row P12 "  one CPU" "" "$(median "p12.$times.one" wall)" ""
	row P12 "  peak memory, MiB" "" \
		"$(mib "$(median "p12.$times" peak)")" "" 0
done
row "" "first output of $(divide "${large:-}" 1000000000) GB, s" "" \
	"$(median first.dwell wall)" ""
for work in chain chainr; do
	wants tui || break
	row "" "first screen of $(samples dwell "$tmp/tui.$work") samples, s ($work)" \
		"" "$(median "tui.$work" wall)" ""
	row "" "  CPU time" "" "$(median "tui.$work" cpu)" ""
	row "" "  one CPU" "" "$(median "tui.$work.one" wall)" ""
	row "" "  with symbols" "" "$(median "tui.$work.names" wall)" ""
done
row P1 "  perf report of dwell's own recording, s (once)" \
	"$(median p1own.perf wall)" "" ""
row P2 "  perf report of dwell's own recording, s (once)" \
	"$(median p2own.perf wall)" "" ""
row P8 "flood: samples taken, thousands" \
	"$(divide "$(median p8.perf samples)" 1000)" \
	"$(divide "$(median p8.dwell samples)" 1000)" "" 0
row P8 "  lost, % (load in the same session)" \
	"$(percent_lost p8.perf)" "$(percent_lost p8.dwell)" "" 3
row P8s "  lost, % (load in another session)" \
	"$(percent_lost p8s.perf)" "$(percent_lost p8s.dwell)" "" 3
row P8 "  dwell's own share of the samples, %" "" \
	"$(divide "$(median p8.dwell own)00" "$(median p8.dwell samples)")" ""
row P8 "  peak memory, MiB (queue and all)" \
	"$(mib "$(median p8.perf.all peak)")" \
	"$(mib "$(median p8.dwell.all peak)")" "" 0
row P8 "256 made rings, 10 M/s: lost, of a million" "" \
	"$(divide "$(median rings lost)" 30)" ""
row P8 "  the drain's share of one CPU" "" "$(median rings cpu)" ""
row P9 "bytes per sample (perf -z)" "$(per_sample perf "$tmp/p9.perf")" \
	"$(per_sample dwell "$tmp/p9.dwell")" \
	"$(per_sample dwell "$tmp/p1.zst" "$tmp/p1")" 1
row P9 "  stacks hardly repeat" "$(per_sample perf "$tmp/p9r.perf")" \
	"$(per_sample dwell "$tmp/p9r.dwell")" "" 1
row P9 "recorder CPU, s, stacks hardly repeat" "$(median p9r.perf own)" \
	"$(median p9r.dwell own)" ""
row P9 "recorder CPU, s (perf -z)" "$(median p9.perf own)" \
	"$(median p9.dwell own)" ""
row P9 "recorder peak memory, MiB (perf -z)" \
	"$(mib "$(median p9.perf peak)")" "$(mib "$(median p9.dwell peak)")" \
	"" 0
row P10 "end to prompt, s (perf, plain)" "$(median p10.plain tail)" \
	"$(median p10.dwell tail)" ""
row P10 "  (perf -z)" "$(median p10.perf tail)" \
	"$(median p10.dwell tail)" ""
row P10 "  ten times as long (perf -z)" "$(median p9.perf tail)" \
	"$(median p9.dwell tail)" ""
row P11 "text of every sample, s" "$(median p11.perf wall)" \
	"$(median p11.dwell wall)" "$(median p11.floor wall)"
row P11 "  size of it, MB" "$(divide "$(text_size perf)" 1000000)" \
	"$(divide "$(text_size "$DWELL")" 1000000)" "" 1
echo "ratio: perf/dwell; above 1, dwell needs less"

[ $failures = 0 ] || die "$failures commands failed, see above"
