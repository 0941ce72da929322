#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Proves that includes point one way. A module is X.c and X.h together; every
# quoted include is written from the top folder. Prints TAP.

top=${srcdir:-$(dirname "$0")/..}

# edges DIR: "MODULE INCLUDED-MODULE" for each quoted include below DIR.
edges() {
	(cd "$1" && grep -rsE '^[ 	]*#[ 	]*include[ 	]*"' \
		--include='*.[ch]' common record report dwell.c) |
		sed -n 's/^\([^:]*\)\.[ch]:[^"]*"\([^"]*\)".*/\1 \2/p' |
		sed 's/\.h$//' | grep -v ' config$'
}

# Each check prints what is wrong, and nothing when all is well.

written_otherwise() {
	edges "$1" | grep -vE ' (common|record|report)/'
}

wrong_way() {
	edges "$1" | grep -E \
		-e '^(common/.*|dwell) (record|report)/' \
		-e '^record/.* report/' -e '^report/.* record/'
}

circles() {
	# shellcheck disable=SC2069
	edges "$1" | tsort 2>&1 >/dev/null
}

# The folders of /proc through which another process's paths are reached.
paths_of_others() {
	(cd "$1" && grep -rlsE '/proc/[%0-9][^"]*/(root|cwd|exe|map_files)|"(root|map_files)"' \
		--include='*.[ch]' record)
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

seen() {
	[ -n "$1" ] && echo seen
}

bad=$(mktemp -d) || exit 1
trap 'rm -rf "$bad"' EXIT

echo 1..9

check "there are includes to look at" "$(seen "$(edges "$top")")" seen
check "includes are written from the top folder" "$(written_otherwise "$top")" ""
check "common/ and dwell.c know neither side, nor the sides each other" \
	"$(wrong_way "$top")" ""
check "files of other processes are opened by record/sys/safe_open.c alone" \
	"$(paths_of_others "$top")" record/sys/safe_open.c
check "modules form no circle" "$(circles "$top")" ""

# A small tree with one of each fault must be found out.
mkdir "$bad/common" "$bad/record" "$bad/report"
echo '#include "common/b.h"' >"$bad/common/a.c"
echo '#include <stdio.h>' >"$bad/common/a.h"
echo '# include "common/a.h" /* closes the circle */' >"$bad/common/b.h"
echo '#include "a.h"' >"$bad/record/c.c"
echo '#include "record/c.h"' >"$bad/report/d.h"
echo '#include "report/d.h"' >"$bad/dwell.c"

check "a circle is found" "$(seen "$(circles "$bad")")" seen
check "wrong directions are found" \
	"$(wrong_way "$bad" | sort)" "dwell report/d
report/d record/c"
echo 'x = open("/proc/1/root/etc/passwd");' >"$bad/record/e.c"
check "a path into another process is found" \
	"$(paths_of_others "$bad")" record/e.c
check "an include from elsewhere is found" \
	"$(written_otherwise "$bad")" "record/c a"
