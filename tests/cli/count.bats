#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell/count.h, the header with which programs count their own events, and the
# program and the commands in the how-tos about counting.
# tests/unit/include/dwell/test_count tests the arithmetic of the header.

load common.bash

# Warnings that programs with the header may have turned on.
strict=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef
	-Wmissing-declarations -Werror)

# Installs the files of dwell that do not depend on the processor.
install_data() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$DWELL_BUILD" install-data \
		DESTDIR="$PWD/root" prefix=/usr >made 2>&1
}

# Prints the program in the how-to: its first indented text.
documented_program() {
	awk '/^    #include/ { is_program = 1 }
		is_program && /^[^ ]/ { exit }
		is_program { sub(/^    /, ""); print }' \
		"$DWELL_SOURCE/doc/how-to-count-in-your-program.md"
}

@test "count: make install installs the header and the how-tos" {
	install_data
	cmp root/usr/include/dwell/count.h "$DWELL_SOURCE/include/dwell/count.h"
	[ "$(find root -name "how-to-count*.md" | wc -l)" = 2 ]
	head -n 1 root/usr/include/dwell/count.h | grep -q MIT-0
}

@test "count: the header compiles without warnings in C and C++" {
	local standard

	need gcc g++
	echo '#include <dwell/count.h>' >header.c
	for standard in c11 gnu11 gnu17; do
		gcc -I "$DWELL_SOURCE/include" "${strict[@]}" \
			-std=$standard -O2 -c header.c -o header.o
	done
	for standard in c++11 gnu++17 c++20; do
		g++ -x c++ -I "$DWELL_SOURCE/include" "${strict[@]}" \
			-std=$standard -O2 -c header.c -o header.o
	done
}

@test "count: for aarch64, the header compiles to reads of each hardware counter and of the clock" {
	need aarch64-linux-gnu-gcc aarch64-linux-gnu-objdump aarch64-libc
	aarch64-linux-gnu-gcc -I "$DWELL_SOURCE/include" "${strict[@]}" -O2 \
		-c "$DWELL_SOURCE/tests/cli/own_counts.c" -o counts.o
	aarch64-linux-gnu-objdump -d counts.o |
		grep -oE 'pmevcntr[0-9]+_el0|pmccntr_el0|cntvct_el0' |
		sort -u >registers
	[ "$(wc -l <registers)" = 33 ]
}

@test "live: count: a thread counts its own page faults and CPU time, in C and C++" {
	need gcc g++
	install_data
	gcc -Iroot/usr/include -O2 -pthread "$DWELL_SOURCE/tests/cli/own_counts.c" \
		-o in_c
	./in_c
	g++ -x c++ -std=c++11 -Iroot/usr/include -O2 -pthread \
		"$DWELL_SOURCE/tests/cli/own_counts.c" -o in_cpp
	./in_cpp
	need kernel-samples
	./in_c kernel
	./in_cpp kernel
}

@test "live: count: the program in the how-to compiles and prints its count" {
	need gcc g++
	documented_program >sum.c
	gcc -I "$DWELL_SOURCE/include" "${strict[@]}" -O2 sum.c -o sum
	run -0 ./sum
	[[ $output =~ ^[1-9][0-9]*\ (instructions|ns\ of\ CPU\ time)$ ]]
	g++ -x c++ -I "$DWELL_SOURCE/include" "${strict[@]}" -O2 sum.c -o sum
	run -0 ./sum
	[[ $output =~ ^[1-9] ]]
	# The command that the how-to has for it.
	grep -qxF '    cc -O2 sum.c -o sum && ./sum' \
		"$DWELL_SOURCE/doc/how-to-count-in-your-program.md"
}

teardown() {
	if [ -n "${group:-}" ]; then
		rmdir "$group"
	fi
	leave_test
}

# Prints the commands in the how-to, with the names of this test and short times.
documented_commands() {
	sed -nE 's/^    (sudo )?(dwell stat )/\2/p' \
		"$DWELL_SOURCE/doc/how-to-count.md" |
		sed -e "s/1234/$last/" -e 's/sleep 10/sleep 0.1/' \
			-e 's/-I 1000/-I 20/' \
			-e "s,system.slice/simulate,${group##*/},"
}

@test "live: count: each command in the how-to runs and prints a count" {
	local command n=0

	need root cgroup tracefs syscall-tracepoints cc
	cc -O1 -o simulate "$DWELL_SOURCE/tests/cli/hit.c"
	cp simulate before
	cp simulate after
	cp simulate server
	background ./server 1000000000000
	group=$(cgroup_mount)/dwell-count-$$
	mkdir "$group"
	while read -r command; do
		echo "$command"
		bash -c "$command" >output 2>&1 </dev/null
		cat output
		case $command in
		*'-o counts.csv'*)
			grep -qE '^ *[0-9.]+,[0-9.]+,msec,task-clock,' counts.csv ;;
		*) grep -q 'seconds time elapsed' output ;;
		esac
		case $command in
		*'uprobe:./simulate:step -- ./simulate')
			grep -qE '^ +1,000 +uprobe:./simulate:step$' output ;;
		esac
		n=$((n + 1))
	done < <(documented_commands)
	[ "$n" -ge 14 ]
}
