#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that each file that replaces an optional library (report/*/X_none.c)
# compiles also if the library is installed, and defines all public functions of
# X.c. Prints TAP.

top=${DWELL_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${DWELL_BUILD:-$PWD}
cc=$(sed -n 's/^CC = //p' "$build/Makefile")
warn=$(sed -n 's/^WARN_CFLAGS = //p' "$build/Makefile")
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# compile FILE OBJECT: compiles FILE.
compile() {
	# shellcheck disable=SC2086
	$cc $warn -Werror -std=gnu11 -D_GNU_SOURCE -I"$build" -I"$top" \
		-include "$top/common/util/banned.h" \
		-c "$1" -o "$2"
}

# names OBJECT: prints the functions that it defines for other files.
names() {
	nm -g --defined-only "$1" | sed 's/.* //' | sort
}

# look_at FILE: prints what is wrong with FILE, or nothing.
look_at() {
	module=$(basename "$1" _none.c)
	object=$build/report/$(basename "$(dirname "$1")")/$module.o
	compile "$1" "$out/$module.o" || return
	if [ -e "$object" ]; then
		names "$out/$module.o" >"$out/has"
		names "$object" | comm -23 - "$out/has"
	fi
	if grep -q 'built without' "$1" && ! tr -d '\n\t"' <"$1" |
		grep -q "(Debian package: *\(lib\|zlib1g-\)[a-z-]*dev)"; then
		echo "the message does not name the missing package"
	fi
}

if ! command -v nm >/dev/null; then
	echo "1..0 # SKIP needs nm"
	exit 0
fi
set -- "$top"/report/*/*_none.c
number=0
echo "1..$#"
for file; do
	number=$((number + 1))
	wrong=$(look_at "$file" 2>&1)
	[ -z "$wrong" ] || printf 'not '
	echo "ok $number - $(basename "$file") stands in for what is missing"
	[ -z "$wrong" ] || echo "$wrong" | sed 's/^/# /'
done
