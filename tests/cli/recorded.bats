#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings of an earlier dwell: every later one gives the same answers
# (tests/recorded/README.md).

load common.bash

shopt -s extglob

recorded=$DWELL_SOURCE/tests/recorded

# same_answers TEXT...: prints the difference of each text that differs.
same_answers() {
	local text status=0

	for text in "$@"; do
		"$recorded/answer" "$text" >answers
		diff -u --label "${text##*/}" --label now "$text" answers ||
			status=1
	done
	return $status
}

@test "recordings of an earlier dwell have the same answers" {
	same_answers "$recorded"/!(made_*|packed*|tracepoints|off_cpu).txt
}

@test "packed recordings of an earlier dwell have the same answers" {
	same_answers "$recorded"/packed*.txt
}

@test "recordings of other machines and kinds have the same answers" {
	same_answers "$recorded"/made_*.txt
}

@test "recordings of tracepoints by an earlier dwell have the same answers" {
	ldd "$DWELL_BUILD/dwell-report" | grep -q libtraceevent ||
		skip "dwell was built without libtraceevent"
	same_answers "$recorded"/tracepoints.txt "$recorded"/off_cpu.txt
}

# Texts without answers of their own would pass.
@test "each recording of an earlier dwell has a text, and is described" {
	local data name
	for data in "$recorded"/*.data; do
		name=$(basename "$data" .data)
		grep -q '^\$ dwell report --csv$' "$recorded/$name.txt"
		grep -Eq "^\|.*\b$name\b.*\|" "$recorded/README.md"
	done
}
