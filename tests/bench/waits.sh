#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what --off-cpu costs per context switch: the time of one operation of `perf
# bench sched pipe`, in which two processes wake each other on one CPU, without a recorder
# (bare), with cpu-clock only (clock), with --off-cpu, and with --off-cpu --min-block
# (sums), by frame pointers (--call-graph fp) and with --call-graph dwarf. All ways run in
# turn. Prints medians of us per operation with their 95 % intervals.
#
#	DWELL=/path/to/dwell waits.sh
#
# BENCH_ONLY=waits make bench runs it. BENCH_RUNS is the number of rounds (20).
set -euo pipefail
export LC_ALL=C

DWELL=${DWELL:-dwell}
RUNS=${BENCH_RUNS:-20}
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dwell-waits.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
work=(taskset -c "$cpu" perf bench sched pipe -l 20000)
record=("$DWELL" record -q -e cpu-clock -o "$tmp/data")

# run NAME COMMAND...: adds the us per operation to the file NAME.
run() {
	local name=$1

	shift
	"$@" "${work[@]}" 2>/dev/null | awk '/usecs\/op/ { print $1 }' >>"$tmp/$name"
}

for ((i = 0; i < RUNS; i++)); do
	run bare env
	run clock "${record[@]}" --call-graph fp --
	run off-cpu,fp "${record[@]}" --off-cpu --call-graph fp --
	run off-cpu,dwarf "${record[@]}" --off-cpu --call-graph dwarf --
	run sums,fp "${record[@]}" --off-cpu --min-block 1ms --call-graph fp --
	run sums,dwarf "${record[@]}" --off-cpu --min-block 1ms --call-graph dwarf --
done
echo "perf bench sched pipe on CPU $cpu, us per operation, $RUNS rounds: median (95 % interval)"
for name in bare clock off-cpu,fp off-cpu,dwarf sums,fp sums,dwarf; do
	printf '%-14s ' $name
	sort -g "$tmp/$name" | awk -v digits=2 -f "$top/tests/bench/median.awk"
done
