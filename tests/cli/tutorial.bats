#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The programs and the commands of doc/tutorial-*.md.

load common.bash

teardown() {
	started="${started:-} $(cat pids 2>/dev/null)"
	[ ! -e containers.conf ] || podman rm -t 0 -f -a
	leave_test
}

# run_tutorial NAME: writes the programs of the document to files, and runs the commands
# after "$" in one shell, with the output of command N in output.N.
run_tutorial() {
	local file=$DWELL_SOURCE/doc/tutorial-$1.md
	awk '/^```$/ { name = "" } name != "" { print >name }
		/^```[a-z]+ / { name = $2 }' "$file"
	sed -n 's/^    \$ //p' "$file" | awk '
		{ print "{ " $0 "\n} >output." NR " 2>&1 || { cat output." NR "; false; }" }
		END { print "jobs -p >pids" }' >commands
	bash -ex commands </dev/null 3>&-
}

@test "live: tutorial: in the C++ tutorial, the commands find the slow function and measure its fix" {
	need g++
	run_tutorial slow-program
	cat output.5 output.10
	# The share of intern with all that it called.
	awk '/intern/ && $1 + 0 > 80 { found = 1 } END { exit !found }' output.5
	grep -q '^# CPU time -[5-9][0-9]\.[0-9] %.*beyond' output.10
	test -s before.html
}

@test "live: tutorial: in the Python tutorial, the commands find the slow line" {
	need python3 curl
	run_tutorial python-service
	cat output.5 output.6
	awk '/ price / { found = $1 + 0 > 30 } END { exit !found }' output.5
	grep -q 'app\.py:9 .*if known == name' output.6
}

@test "live: tutorial: in the disk tutorial, the commands show blocked time" {
	need cc tracefs root
	run_tutorial slow-disk
	cat output.4
	grep -q '^# Time: .* blocked' output.4
}

@test "live: tutorial: in the tutorial about another machine, names are missing and then found" {
	need cc strip build-id
	run_tutorial another-machine
	cat output.6 output.7
	absent grep -q is_prime output.6
	awk '/is_prime/ { found = $1 + 0 > 80 } END { exit !found }' output.7
	grep -q 'primes\.c:' output.8
	test -s page.html
}

@test "live: tutorial: in the container tutorial, the commands find the container, function and line" {
	need container cgroup root
	own_podman
	run_tutorial container
	cat output.7 output.8 output.11 output.12 output.20
	id=$(sed -n 's/ shop$//p' output.8)
	grep -q "^ *[0-9].*$id" output.7
	awk '/ sign$/ { found = $1 + 0 > 80 } END { exit !found }' output.11
	grep -q 'shop\.c:14 (inlined checksum)' output.12
	grep -q '^# CPU time.* -[5-9][0-9]\.[0-9] %.*beyond' output.20
}
