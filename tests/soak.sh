#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# soak.sh [-n ROUNDS] [-l ROUNDS] [-j JOBS] [-o TABLE] [FILE.bats...]
#
# Runs the tests that depend on time many times: tests that record ("live ..."),
# and all tests of a file that uses a terminal or a browser. First -n ROUNDS
# rounds (default: 1) run alone, then -l ROUNDS rounds (default: 0) run beside
# one busy loop per CPU. Without FILE all these files run. A failed test is not
# repeated. With -j, JOBS files run at the same time.
#
# Prints one line per file and round, the output of each failed test, and a
# summary per file. Appends each line to TABLE, if given: time, commit, "load"
# or "alone", file, number of passed, failed and skipped tests, seconds, names
# of failed tests; fields are separated by tabs. Exits with status 1 if a test
# failed.
#
# `make check-soak` runs this script.
set -uo pipefail

: "${DWELL_SOURCE:=$(cd "$(dirname "$0")/.." && pwd)}"
: "${DWELL_BUILD:=$DWELL_SOURCE/build}"
export DWELL_SOURCE DWELL_BUILD
export LC_ALL=C PATH=$DWELL_BUILD:$PATH
rounds_alone=1 rounds_loaded=0 jobs=1 table=/dev/null
# A pattern of files that use a terminal or a browser.
waiting='^load (terminal|named|page)\.bash|need_(terminal|browser)'

usage() {
	sed -n '3s/^# /usage: tests\//p' "$0" >&2
	exit 2
}

while getopts n:l:j:o: option; do
	case $option in
	n) rounds_alone=$OPTARG ;;
	l) rounds_loaded=$OPTARG ;;
	j) jobs=$OPTARG ;;
	o) table=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
files=("$@")
[ ${#files[@]} != 0 ] || mapfile -t files < <(cd "$DWELL_SOURCE" &&
	grep -lE "^@test .live|$waiting" tests/*/*.bats)
commit=$(git -C "$DWELL_SOURCE" rev-parse --short HEAD 2>/dev/null || echo -)
work=$(mktemp -d) || exit 1
load_pids=()

stop_load() {
	[ ${#load_pids[@]} = 0 ] || kill "${load_pids[@]}" 2>/dev/null
	wait "${load_pids[@]}" 2>/dev/null
	load_pids=()
}

start_load() {
	local i

	for ((i = $(nproc); i > 0; i--)); do
		(while :; do :; done) &
		load_pids+=($!)
	done
}

trap 'stop_load; rm -rf "$work"' EXIT
: >"$work/lines"

# filter FILE: prints the pattern of the names of its tests that depend on time.
filter() {
	if grep -qE "$waiting" "$DWELL_SOURCE/$1"; then
		echo .
	else
		echo '^live'
	fi
}

# run_file FILE HOW: prints one line, and the output of the failed tests.
run_file() {
	local file=$1 how=$2 start=$SECONDS passed failed skipped names tap

	tap=$(mktemp "$work/tap.XXXXXX")
	bats --tap --timing --filter "$(filter "$file")" "$DWELL_SOURCE/$file" \
		>"$tap" 2>&1 </dev/null
	failed=$(grep -c '^not ok ' "$tap")
	skipped=$(grep -c '^ok .* # skip' "$tap")
	passed=$(($(grep -c '^ok ' "$tap") - skipped))
	[ $((passed + failed + skipped)) != 0 ] || failed=1
	names=$(sed -n 's/^not ok [0-9]* //p' "$tap" | paste -sd ';')
	printf '%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\n' "$(date +%FT%T)" \
		"$commit" "$how" "$file" "$passed" "$failed" "$skipped" \
		$((SECONDS - start)) "$names" |
		tee -a "$work/lines" >>"$table"
	{
		echo "$file: $how: $passed passed, $failed failed," \
			"$skipped skipped in $((SECONDS - start)) s"
		sed -n 's/^ok [0-9]* \(.*# skip.*\)/    \1/p' "$tap"
		if [ "$failed" != 0 ]; then
			awk '/^(not )?ok /  { shown = /^not/ } shown' "$tap"
			[ -n "$names" ] || cat "$tap"
		fi
	} >"$tap.said"
	flock "$work/lines" cat "$tap.said"
	rm "$tap" "$tap.said"
}

# run_rounds ROUNDS HOW: runs at most $jobs files at a time.
run_rounds() {
	local round file pid running=0 pids=()

	for ((round = 1; round <= $1; round++)); do
		for file in "${files[@]}"; do
			[ "$((running++))" -lt "$jobs" ] ||
				wait -n -p pid "${pids[@]}"
			[ -z "${pid:-}" ] || unset "pids[$pid]" pid
			run_file "$file" "$2" &
			pids[$!]=$!
		done
	done
	[ "$running" = 0 ] || wait "${pids[@]}"
}

run_rounds "$rounds_alone" alone
[ "$rounds_loaded" = 0 ] || start_load
run_rounds "$rounds_loaded" load
stop_load

awk -F '\t' '
{
	if (!($4 in rounds))
		order[++n] = $4
	rounds[$4]++
	passed[$4] += $5
	failed[$4] += $6
	skipped[$4] += $7
	seconds[$4] += $8
}
END {
	printf "%-32s %6s %7s %7s %7s %8s\n", "file", "rounds", "passed",
		"failed", "skipped", "seconds"
	for (i = 1; i <= n; i++) {
		file = order[i]
		printf "%-32s %6d %7d %7d %7d %8d\n", file, rounds[file],
			passed[file], failed[file], skipped[file],
			seconds[file]
		all_passed += passed[file]
		all_failed += failed[file]
		all_skipped += skipped[file]
	}
	print all_passed + 0 " passed, " all_failed + 0 " failed, " \
		all_skipped + 0 " skipped"
	exit all_failed > 0
}' "$work/lines"
