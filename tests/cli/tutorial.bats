#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The program and the commands of doc/tutorial-slow-program.md.

load common.bash

# block N: prints the program of that number in the tutorial.
block() {
	awk -v n="$1" '/^```$/ { inside = 0 } inside == n { print }
		/^```cpp$/ { inside = ++blocks }' \
		"$DWELL_SOURCE/doc/tutorial-slow-program.md"
}

@test "live: tutorial: its commands find the slow function, and show that it is gone" {
	local command n=0
	need g++
	block 1 >words.cpp
	block 2 >intern.cpp
	while read -r command; do
		echo "$command"
		n=$((n + 1))
		bash -c "$command" >output.$n 2>messages || {
			cat messages
			return 1
		}
	done < <(sed -nE 's/^    ((g\+\+|seq|cat|sed|dwell (record|report|export|diff)) .*)/\1/p' \
		"$DWELL_SOURCE/doc/tutorial-slow-program.md" |
		grep -v '^dwell record: ')
	cat output.5 output.10
	# The share of intern with all that it called.
	awk '/intern/ && $1 + 0 > 80 { found = 1 } END { exit !found }' output.5
	grep -q '^# CPU time -[5-9][0-9]\.[0-9] %.*beyond' output.10
	test -s before.html
}
