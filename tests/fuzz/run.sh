#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh SOURCE BUILD: builds all fuzz targets with clang in BUILD, runs each for
# FUZZ_SECONDS, and prints a table of executions and line coverage.
#
#   FUZZ_SECONDS   seconds per target (60)
#   FUZZ_TARGETS   names of targets, without "fuzz_" (all)
#   FUZZ_JOBS      targets that run at the same time (1)
#   FUZZ_PREFIX    command before each target, such as "nice -n 19"
#
# New interesting inputs are kept in BUILD/inputs/TARGET, the results in
# BUILD/results, crashing inputs in BUILD/crashes. The exit status is 1 if there is
# a crashing input.
set -euo pipefail

source=$(cd "$1" && pwd)
mkdir -p "$2"
build=$(cd "$2" && pwd)
seconds=${FUZZ_SECONDS:-60}
jobs=${FUZZ_JOBS:-1}
all="cfi elf event feature frames jit lines reader records report sysfs
	tracepoint unpack unwind"
# shellcheck disable=SC2086
read -r -a targets <<<"$(echo ${FUZZ_TARGETS:-$all})"
read -r -a prefix <<<"${FUZZ_PREFIX:-}"

# The modules that a target tests, as patterns below SOURCE.
modules_of() {
	case $1 in
	cfi) echo 'common/unwind/cfi*.c' ;;
	elf) echo 'common/elf/elf*.c common/elf/go_[mst]*.c common/elf/symtab.c common/elf/unxz.c' ;;
	event) echo 'record/event/event*.c' ;;
	feature) echo 'common/file/feature*.c common/file/simpleperf.c' ;;
	frames) echo 'common/file/reader_cursor.c common/file/reader_walk.c' ;;
	jit) echo 'common/jit/jit*.c common/jit/perfmap*.c' ;;
	lines) echo 'report/lines/line_*.c report/lines/debug_*.c report/lines/go_*.c common/elf/go_lines.c' ;;
	reader) echo 'common/file/reader*.c common/file/block.c' ;;
	records) echo 'common/perf/record.c common/perf/sample.c report/survey/survey*.c' ;;
	report) echo 'report/symbols/symbols.c report/symbols/files.c report/symbols/buildid_cache*.c' ;;
	sysfs) echo 'record/event/pmu*.c record/event/event_list*.c record/sys/hardware*.c' ;;
	tracepoint) echo 'report/survey/tracepoint*.c' ;;
	unpack) echo 'report/pack/unpack*.c' ;;
	unwind) echo 'common/unwind/unwind*.c' ;;
	# Groups of modules, for all targets together.
	the-reader) echo 'common/file/reader*.c common/file/block.c' ;;
	the-sections)
		echo 'common/file/section.c common/file/feature*.c common/file/symbols_section.c
			common/file/jit_section.c common/perf/loss.c report/*/packed_*.c' ;;
	the-symbols)
		echo 'report/symbols/symbols.c report/symbols/files.c report/symbols/buildid_cache*.c
			report/symbols/kernel_symbols.c report/symbols/dso_name.c
			report/util/local_files.c common/elf/symtab.c' ;;
	esac
}

build_targets() {
	cd "$build"
	[ -f config.status ] || "$source/configure" CC="${CC:-clang}" \
		CFLAGS='-O1 -g -fprofile-instr-generate -fcoverage-mapping' \
		--enable-fuzzing \
		--enable-sanitize=address,undefined,fuzzer-no-link
	make -j"$(nproc)" "${targets[@]/#/tests/fuzz/fuzz_}"
}

# libtraceevent leaks memory when it rejects a format.
finds_leaks() {
	[ "$1" != tracepoint ]
}

run_target() {
	local name=$1 leaks=1 log=$build/logs/$1
	local TIMEFORMAT='%U %S'
	finds_leaks "$name" || leaks=0
	mkdir -p "$build/inputs/$name"
	{
		time LLVM_PROFILE_FILE=/dev/null \
			ASAN_OPTIONS=detect_leaks=$leaks \
			UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
			"${prefix[@]}" "$build/tests/fuzz/fuzz_$name" \
			-max_total_time="$seconds" -timeout=600 \
			-rss_limit_mb=3000 -print_final_stats=1 \
			-detect_leaks=$leaks \
			-artifact_prefix="$build/crashes/$name-" \
			"$build/inputs/$name" \
			"$source/tests/fuzz/corpus/$name" >"$log" 2>&1 || :
	} 2>"$log.cpu"
}

# Prints the lines that the inputs of a target execute.
measure_target() {
	local name=$1 leaks=1
	finds_leaks "$name" || leaks=0
	LLVM_PROFILE_FILE=$build/profiles/$name.raw \
		ASAN_OPTIONS=detect_leaks=$leaks \
		"${prefix[@]}" "$build/tests/fuzz/fuzz_$name" -runs=0 \
		-timeout=600 -rss_limit_mb=3000 -detect_leaks=$leaks \
		-artifact_prefix="$build/crashes/$name-" \
		"$build/inputs/$name" "$source/tests/fuzz/corpus/$name" \
		>"$build/logs/$name.coverage" 2>&1 &&
		llvm-profdata merge -o "$build/profiles/$name.data" \
			"$build/profiles/$name.raw"
}

fuzz_all() {
	local name
	for name in "${targets[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
			wait -n || :
		done
		echo "fuzz_$name: $seconds s" >&2
		{ run_target "$name" && measure_target "$name"; } &
	done
	wait || :
}

# line_coverage PROFILE GROUP TARGET...: prints "COVERED of ALL (PERCENT)".
line_coverage() {
	local profile=$1 group=$2 name objects=()
	shift 2
	[ -f "$profile" ] || { echo 'not measured'; return; }
	for name in "$@"; do
		objects+=(-object "$build/tests/fuzz/fuzz_$name")
	done
	llvm-cov report "${objects[@]:1}" -instr-profile="$profile" 2>/dev/null |
		awk -v patterns="$(modules_of "$group" | tr -s '\n\t' ' ')" '
		BEGIN {
			n = split(patterns, pattern, " ")
			for (i = 1; i <= n; i++) {
				gsub(/\./, "[.]", pattern[i])
				gsub(/\*/, "[^/]*", pattern[i])
			}
		}
		{
			for (i = 1; i <= n; i++)
				if ($1 ~ "(^|/)" pattern[i] "$") {
					all += $8
					missed += $9
					next
				}
		}
		END {
			printf "%d of %d (%.0f %%)", all - missed, all,
				100 * (all - missed) / (all ? all : 1)
		}'
}

print_table() {
	local name n cpu
	echo
	echo '| target | executions | CPU seconds | inputs | lines covered |'
	echo '|---|---|---|---|---|'
	for name in "${targets[@]}"; do
		n=$(sed -n 's/^stat::number_of_executed_units: *//p' \
			"$build/logs/$name" | tail -n 1)
		cpu=$(awk 'END { printf "%.0f", $1 + $2 }' \
			"$build/logs/$name.cpu")
		echo "| $name | ${n:-0} | $cpu |" \
			"$(find "$build/inputs/$name" -type f | wc -l) |" \
			"$(line_coverage "$build/profiles/$name.data" \
				"$name" "$name") |"
	done
}

print_groups() {
	local group profiles
	profiles=("$build"/profiles/*.data)
	[ -f "${profiles[0]}" ] || return 0
	llvm-profdata merge -o "$build/profiles/all" "${profiles[@]}"
	echo
	echo '| modules, by all targets | lines covered |'
	echo '|---|---|'
	for group in reader sections symbols; do
		echo "| $group | $(line_coverage "$build/profiles/all" \
			"the-$group" "${targets[@]}") |"
	done
}

# Inputs that are only slow are not failures.
list_crashes() {
	find "$build/crashes" -type f ! -name '*slow-unit-*'
}

mkdir -p "$build"/{inputs,crashes,logs,profiles}
rm -f "$build"/{crashes,logs,profiles}/*
(build_targets) >"$build/logs/build" 2>&1 || {
	tail -n 20 "$build/logs/build"
	echo "run.sh: cannot build the fuzz targets; the log is $build/logs/build"
	exit 1
}
fuzz_all
(print_table && print_groups) | tee "$build/results"
if [ -n "$(list_crashes)" ]; then
	echo
	echo 'Crashing inputs:'
	list_crashes
	exit 1
fi
