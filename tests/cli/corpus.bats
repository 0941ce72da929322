#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Real perf.data files of many versions and machines, each beside perf's own
# counts. DWELL_CORPUS is their folder; they are not shipped.

load common.bash

setup() {
	CORPUS=${DWELL_CORPUS:-$DWELL_SOURCE/../shared/corpus}
	need corpus
}

@test "dwell report --stats of each file of perf in the corpus has perf's counts" {
	local failed=0
	for stats in "$CORPUS"/*.stats; do
		file=${stats%.stats}.perf.data
		dwell report --stats -i "$file" 2>/dev/null |
			diff "$stats" - >"$BATS_TEST_TMPDIR/diff" && continue
		echo "${file##*/}:"
		cat "$BATS_TEST_TMPDIR/diff"
		failed=1
	done
	[ $failed = 0 ]
}

@test "report and script succeed on each file of perf in the corpus" {
	local wanted
	for file in "$CORPUS"/*.perf.data; do
		wanted=0
		case $file in
		# Damaged before its first sample.
		*corrupted*) wanted=3 ;;
		*)
			dwell report --stdio -i "$file" 2>/dev/null |
				grep -q '^# Samples: ' ;;
		esac
		run -$wanted dwell script -i "$file"
		dwell script -D -i "$file" >"$BATS_TEST_TMPDIR/dump" 2>/dev/null || [ $? = $wanted ]
		grep -q PERF_RECORD_ "$BATS_TEST_TMPDIR/dump"
		run -$wanted dwell report --json -i "$file"
	done
}

@test "compressed files of perf have as many samples as the same files without compression" {
	samples() {
		dwell report --stats -i "$CORPUS/$1" 2>/dev/null |
			awk '$1 == "SAMPLE" { print $3; exit }'
	}
	[ "$(samples sleep.compressed.perf.data)" -gt 0 ]
	[ "$(samples sleep.compressed.perf.data)" = \
		"$(samples sleep.compressed.pipe.perf.data)" ]
	[ "$(samples sleep.perf.data)" = \
		"$(samples sleep.compressed2.perf.data)" ]
	[ "$(samples sleep.compressed2.perf.data)" = \
		"$(samples sleep.compressed2.pipe.perf.data)" ]
}
