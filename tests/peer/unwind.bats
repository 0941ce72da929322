#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Unwinding rules beside libdw and libunwind.

load rows.bash

# frames FILE...: one step from both ends of each row is libdw's.
frames() {
	run "$DWELL_BUILD/tests/peer/frames" "$@"
	echo "$output"
	[ "$status" = 0 ]
}

@test "each row of libraries is libdw's, compiled and interpreted" {
	local files=() file
	for file in libc.so.6 libstdc++.so.6 libcrypto.so.3 libm.so.6; do
		file=$(ldconfig -p | awk -v name="$file" '$1 == name {
			print $NF; exit }')
		[ -z "$file" ] || files+=("$file")
	done
	frames "${files[@]}" "$DWELL_BUILD/dwell-report"
}

@test "each row of aarch64's libraries is libdw's" {
	local libc=/usr/aarch64-linux-gnu/lib/libc.so.6
	[ -e "$libc" ] || skip "no $libc (Debian: libc6-arm64-cross)"
	frames "$libc" "${libc%libc*}ld-linux-aarch64.so.1"
}

@test "each row of i386's libraries is libdw's" {
	local file
	for file in /usr/lib32/libc.so.6 /lib/i386-linux-gnu/libc.so.6 \
		/usr/libexec/valgrind/memcheck-x86-linux; do
		[ -e "$file" ] || continue
		frames "$file"
		return
	done
	skip "no program for i386 (Debian: libc6-i386)"
}
