#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests names of functions of PHP, with and without BPF.

load common.bash
load languages/shares.bash

setup() {
	enter_test
	unset DWELL_NO_BPF
	need x86_64
	need php
	php=$(command -v php8.2 || command -v php8.4)
	source=$DWELL_SOURCE/tests/cli/languages
}

@test "live: php: functions have the shares that the program measured, with and without BPF" {
	for record in dwell "env DWELL_NO_BPF=1 dwell"; do
		$record record -q -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
			"$php" "$source/shares.php" 30 >times 2>log
		# shellcheck disable=SC2046
		same_shares a.data '' $(cat times)
	done
	# The loop of hot() is in lines 8 and 9.
	dwell report --csv --no-children -s sym,srcline -i a.data |
		grep -E ' hot,shares.php:[0-9]+$' | sort -t, -k4,4nr | head -1 |
		grep -E 'shares.php:[89]$'
}

@test "live: php: stacks are complete with recursion, generators, exceptions, callbacks and eval()" {
	need bpf
	# A turn of the program takes about 2 ms: there are several samples in each.
	dwell record -v -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
		"$php" "$source/mixed.php" 1.5 2>log
	cat log >&2
	dwell export --format folded -i a.data -o stacks
	has_callers ';{main};serve;' 'by_internal;array_map;key_of' 'consume;generate' \
		fail made 'usort;{closure}' 'Shape::measure;Shape::count'
	all_calls
	# Stacks before BPF knows the interpreter are read from the running process.
	few_unassigned
}

@test "live: php: functions have names after a start that takes long" {
	need gcc
	need bpf
	named_after_slow_start php ';hot' "$php" "$source/shares.php" 100
}

@test "live: php: forged structures cost the recorder little time, and their names are escaped" {
	need bpf
	need gcc
	gcc -O1 -rdynamic -DFORGED_PHP -o php8.2 "$source/forged_interpreter.c"
	records_forged php ./php8.2
}
