#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that clang-format would change no C file of the tree, with the version of
# clang-format that tests/needs.bash names. With -i it formats them. Prints TAP.

top=$(cd "${DWELL_SOURCE:-$(dirname "$0")/..}" && pwd)

# in_files FOLDER COMMAND...: runs COMMAND with the C files below FOLDER, without those
# that a build generates.
in_files() {
	(cd "$1" && shift && find common record report include tests dwell.c \
		-name '*.[ch]' ! -name html_page.c ! -name svg_script.c \
		! -name unwind_object.h -print0 2>/dev/null | xargs -0 -n 100 -P 2 "$@")
}

# differing FOLDER: prints the files that clang-format would change.
differing() {
	in_files "$1" clang-format -n 2>&1 |
		sed -n 's/^\([^ :]*\):[0-9].* \[-Wclang-format-violations\]$/\1/p' | sort -u
}

number=0
check() {
	number=$((number + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

if ! bash "$top/tests/needs.bash" check clang-format; then
	echo "1..0 # SKIP needs clang-format"
	[ "${1:-}" != -i ]
	exit
fi
if [ "${1:-}" = -i ]; then
	in_files "$top" clang-format -i
	exit
fi
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
mkdir "$made/common"
cp "$top/.clang-format" "$made"
echo 'int   a;' >"$made/common/a.c"
echo 'int b;' >"$made/common/b.c"

echo 1..3
check "C files are found to check" "$([ "$(in_files "$top" echo | wc -w)" -gt 700 ] && echo yes)" yes
check "all C files are formatted (to mend them: make format)" "$(differing "$top")" ""
check "the check finds a C file with another format" "$(differing "$made")" common/a.c
