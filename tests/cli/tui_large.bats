#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive views on a large terminal, 200x50: whole screens.

load walk.bash
load named.bash

@test "tui: 200x50: rows, all their branches, and the help fit on the screen" {
	starts -x 200 -y 50
	shows 200x50-rows-all-their
	keys E
	shows 200x50-rows-all-their-2
	keys h
	shows 200x50-rows-all-their-3
}

@test "tui: 200x50: --off-cpu shows its rows" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" data
	starts -x 200 -y 50 --off-cpu
	sees 1/5
	keys Enter
	shows 200x50-time-off-cpu
}

@test "tui: 200x50: the code of a function is shown with complete instructions" {
	opens_code -x 200 -y 50
	dwell annotate --stdio -i w.data walk |
		grep -E '^ +[0-9.]* \| ' | sed 's/^ *//; s/ *$//' >listing
	grep -F xorl listing
	screen
	while read -r line; do
		grep -F -- "$line" screen
	done <listing
	# The line of the keys has the number of the last line, and of all lines.
	tail -1 screen | grep -E ' ([0-9]+)/\1 *$'
}

@test "tui: 200x50: diff shows all columns" {
	cp data old
	cp data new
	on_terminal "diff old new" -x 200 -y 50
	shows 200x50-diff-shows-all
}
