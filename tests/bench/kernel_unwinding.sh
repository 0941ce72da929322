#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the ways to find callers: frame pointers (fp), a BPF program in the kernel
# (bpf), copies of stacks (copy), and perf's copies (perf). All ways record the same
# work in turn. Prints medians with their 95 % intervals, which are the order
# statistics of the binomial distribution.
#
#	DWELL=/path/to/dwell kernel_unwinding.sh
#
# BENCH_ONLY=unwinding make bench runs it. BENCH_RUNS is the number of rounds (20).
#
# Then it records the work "frames" at 20 kHz, where the kernel's cost exceeds the noise,
# and prints the ratio of the kernel's time by BPF to that by frame pointers in each
# round; and runs of 1 and 9 times this work, whose difference is what the recorder
# takes without its start and end; and all CPUs with two clang++.
#
# Work "frames" is one process with a loop below 45 frames of 400 bytes, which also
# keep frame pointers; the kernel's cost is what the process takes more than without a
# recorder. Work "clang" is two clang++ at the same time.
set -euo pipefail
export LC_ALL=C

DWELL=${DWELL:-dwell}
RUNS=${BENCH_RUNS:-20}
RATE=${BENCH_RATE:-1000}
CC=${CC:-gcc}
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dwell-unwinding.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
export DEBUGINFOD_URLS=

$CC -O2 "$top/tests/bench/meter.c" -o "$tmp/meter"
$CC -O2 -fno-omit-frame-pointer -DROOM=330 "$top/tests/bench/below.c" -o "$tmp/below"
cat >"$tmp/unit.cpp" <<-'END'
	#include <algorithm>
	#include <functional>
	#include <iostream>
	#include <map>
	#include <regex>
	#include <string>
	#include <unordered_map>
	#include <vector>
	int main(int argc, char **argv)
	{
		std::map<std::string, std::vector<int>> all;
		std::regex word("[a-z]+(,[0-9]+)*");
		for (int i = 0; i < argc; i++)
			if (std::regex_match(argv[i], word))
				all[argv[i]].push_back(i);
		for (auto &[key, values] : all)
			std::sort(values.begin(), values.end(), std::greater<int>());
		std::cout << all.size();
	}
END
cat >"$tmp/frames" <<-END
	exec $tmp/below 45 ${BENCH_STEPS:-2000000000}
END
cat >"$tmp/clang" <<-END
	clang++ -O2 -c $tmp/unit.cpp -o /dev/null &
	clang++ -O2 -c $tmp/unit.cpp -o /dev/null
	wait
END
works=frames
command -v clang++ >/dev/null && works="frames clang" ||
	echo "clang++ is missing: no work clang" >&2
ways="none fp bpf copy"
command -v perf >/dev/null && ways="$ways perf"

# run WORK WAY: measures one run, and appends "NAME VALUE" to $tmp/WORK.WAY.
run() {
	local work=$1 way=$2 data=$tmp/data
	local dwell=("$DWELL" record -v -e cpu-clock -F "$RATE" -o "$data")
	local perf=(perf record -q -m 16M -e cpu-clock -F "$RATE" -o "$data")
	local command=(sh "$tmp/$work")
	case $way in
	none) ;;
	fp) command=("${dwell[@]}" --call-graph fp -- "${command[@]}") ;;
	bpf) command=("${dwell[@]}" --call-graph bpf -- "${command[@]}") ;;
	copy) command=("${dwell[@]}" --call-graph dwarf,65528 -- "${command[@]}") ;;
	perf) command=("${perf[@]}" --call-graph dwarf,65528 -- "${command[@]}") ;;
	esac
	rm -f "$data"
	"$tmp/meter" "$tmp/meter.out" "${command[@]}" >"$tmp/stdout" 2>"$tmp/log"
	awk '/^wall / { total = $4 } /^end / { own = $4 }
		/^dwell record: [0-9]+ samples, / { samples = $3; lost = $5 }
		/ stacks are complete \(/ { all = $5; whole = $3 }
		/stacks were unwound in the kernel/ { taken = $3 }
		/in the kernel: .* are complete/ { first = $6 }
		/the BPF program took/ { ns = $7 }
		END {
			print "total", total
			if (own) print "work", own
			if (own) print "recorder", total - own
			if (samples) { print "samples", samples; print "lost", lost }
			if (all) print "whole", 100 * whole / all
			if (taken) print "first", 100 * first / taken
			if (ns) print "ns", ns
		}' "$tmp/meter.out" "$tmp/stdout" "$tmp/log" >>"$tmp/$work.$way"
	[ ! -f "$data" ] || [ "$way" = perf ] ||
		echo bytes "$(($(stat -c %s "$data") / $(sed -n \
			's/^dwell record: \([0-9]*\) samples, .*/\1/p' "$tmp/log")))" \
			>>"$tmp/$work.$way"
}

# middle WORK WAY NAME [DIGITS]: prints the median of NAME and its 95 % interval.
middle() {
	awk -v name="$3" '$1 == name { print $2 }' "$tmp/$1.$2" | sort -g |
		awk -v digits="${4:-2}" -f "$top/tests/bench/median.awk"
}

for ((i = 0; i < RUNS; i++)); do
	for work in $works; do
		for way in $ways; do
			run "$work" "$way" || echo "failed: $work, $way" >&2
		done
	done
done
for work in $works; do
	echo "$work, $RATE Hz, $RUNS rounds: median (95 % interval)"
	for way in $ways; do
		printf '%-5s' "$way"
		printf '  CPU s %s' "$(middle "$work" "$way" total 3)"
		[ "$work" != frames ] || printf '  work %s  recorder %s' \
			"$(middle "$work" "$way" work 3)" \
			"$(middle "$work" "$way" recorder 3)"
		case $way in none | perf) echo; continue ;; esac
		printf '  bytes/sample %s  lost %s' \
			"$(middle "$work" "$way" bytes 0)" "$(middle "$work" "$way" lost 0)"
		[ "$way" = fp ] ||
			printf '  whole %% %s' "$(middle "$work" "$way" whole 3)"
		[ "$way" != bpf ] || printf '  in the kernel %% %s  ns %s' \
			"$(middle "$work" "$way" first 3)" "$(middle "$work" "$way" ns 0)"
		echo
	done
done

# ended: prints the CPU seconds of the work in the last run.
ended() {
	awk '/^end / { n += $4 } END { print n }' "$tmp/stdout"
}

# record_loops N RATE WAY: measures one run of N times the work "frames".
record_loops() {
	local n=$1 rate=$2 way=$3 command
	printf 'for i in $(seq %s); do %s; done\n' "$n" \
		"$tmp/below 45 ${BENCH_STEPS:-2000000000}" >"$tmp/loops"
	command=(sh "$tmp/loops")
	[ "$way" = none ] || command=("$DWELL" record -q -e cpu-clock -F "$rate" \
		--call-graph "$way" -o "$tmp/data" -- "${command[@]}")
	"$tmp/meter" "$tmp/meter.out" "${command[@]}" >"$tmp/stdout" 2>"$tmp/log"
}

for ((i = 0; i < RUNS; i++)); do
	for way in none fp bpf; do
		record_loops 1 20000 $way
		ended
	done | paste -s -d ' ' | awk '{ print ($3 - $1) / ($2 - $1) }' >>"$tmp/ratios"
done
echo "kernel's time by BPF / by frame pointers, 20 kHz, $RUNS rounds:" \
	"$(sort -g "$tmp/ratios" | awk -v digits=2 -f "$top/tests/bench/median.awk")"
for ((i = 0; i < RUNS; i++)); do
	for way in fp bpf; do
		for n in 1 9; do
			record_loops $n "$RATE" $way
			awk -v work="$(ended)" '/^wall / { print $4 - work, work }' \
				"$tmp/meter.out"
		done | paste -s -d ' ' |
			awk '{ print 1000 * ($3 - $1) / ($4 - $2) }' >>"$tmp/rate.$way"
	done
done
for way in fp bpf; do
	echo "recorder without start and end, ms per CPU second at $RATE Hz, $way:" \
		"$(sort -g "$tmp/rate.$way" | awk -v digits=1 -f "$top/tests/bench/median.awk")"
done
[ "$works" != frames ] || exit 0
for ((i = 0; i < RUNS; i++)); do
	"$DWELL" record -v -a -e cpu-clock -F 997 --call-graph bpf -o "$tmp/data" \
		-- sh "$tmp/clang" 2>&1 >"$tmp/stdout" |
		awk '/ stacks are complete \(/ { all = $5; whole = $3 }
			/stacks were unwound in the kernel/ { taken = $3 }
			/in the kernel: .* are complete/ { first = $6 }
			END { print 100 * first / taken, 100 * whole / all }' >>"$tmp/all"
done
for column in 1 2; do
	cut -d ' ' -f $column "$tmp/all" | sort -g |
		awk -v digits=3 -f "$top/tests/bench/median.awk"
done | paste -s -d ' ' |
	sed 's/^/-a with two clang++: whole % in the kernel, and in the file: /'
