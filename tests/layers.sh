#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the order of the folders, which doc/architecture.md describes. A module
# is X.c and X.h together. Every quoted include is written from the top folder.
# Prints TAP.

top=${srcdir:-$(dirname "$0")/..}

# The one list of folders. A folder includes headers only of itself and of folders
# above it in this list; the two sides do not include each other.
folders='
common/util
common/perf
common/elf
common/maps
common/file
common/unwind
common/jit
record/sys
record/event
record/queue
record/synth
record/ring
record/open
record/doctor
record/symbols
record/unwind
record/stream
record
report/util
report/survey
report/symbols
report/lines
report/unwind
report/scan
report/resolve
report/rows
report/options
report/result
report/code
report/flame
report/view
report/diff
report/html
report/script
report/export
report/pack
report/tui
report
'

# edges DIR: "MODULE INCLUDED-MODULE" for each quoted include below DIR.
edges() {
	(cd "$1" && grep -rsE '^[ 	]*#[ 	]*include[ 	]*"' \
		--include='*.[ch]' common record report dwell.c) |
		sed -n 's/^\([^:]*\)\.[ch]:[^"]*"\([^"]*\)".*/\1 \2/p' |
		sed 's/\.h$//' | grep -v ' config$'
}

# Each check prints the faults, and nothing if there are none.

relative_includes() {
	edges "$1" | grep -vE ' (common|record|report)/'
}

# Includes of a folder that stands below the including one, or of the other side.
includes_against_the_order() {
	edges "$1" | awk -v list="$folders" '
		function folder_of(module) {
			return module ~ /\// ? substr(module, 1,
				match(module, /\/[^\/]*$/) - 1) : ""
		}
		function side_of(folder) {
			sub(/\/.*/, "", folder)
			return folder
		}
		BEGIN {
			n = split(list, name, "\n")
			for (i = 1; i <= n; i++)
				place[name[i]] = i
		}
		{
			from = folder_of($1)
			to = folder_of($2)
			if (from == "" && side_of(to) == "common")
				next
			if (!(from in place) || !(to in place) ||
				place[to] > place[from] ||
				side_of(to) != "common" &&
				side_of(to) != side_of(from))
				print $1, $2
		}'
}

# *_private.h is for the files of its own folder.
private_elsewhere() {
	edges "$1" | awk '
		$2 ~ /_private$/ {
			from = $1
			to = $2
			sub(/\/[^\/]*$/, "", from)
			sub(/\/[^\/]*$/, "", to)
			if (from != to)
				print $1, $2
		}'
}

include_circles() {
	# shellcheck disable=SC2069
	edges "$1" | tsort 2>&1 >/dev/null
}

# The folders of /proc through which paths of another process are reached.
paths_of_others() {
	(cd "$1" && grep -rlsE '/proc/[%0-9][^"]*/(root|cwd|exe|map_files)|"(root|map_files)"' \
		--include='*.[ch]' record)
}

# Folders of sources, and the headings of doc/architecture.md.
source_folders() {
	(cd "$1" && find common record report -name '*.c' -o -name '*.h') |
		sed 's,/[^/]*$,,' | sort -u
}

headings() {
	sed -n 's,^### \(\(common\|record\|report\)/[a-z]*\)$,\1,p' \
		"$1/doc/architecture.md" | sed 's,/$,,' | sort
}

# Folders without a section, and sections without a folder.
wrong_sections() {
	source_folders "$1" >"$bad/folders"
	headings "$1" | diff - "$bad/folders" | sed -n 's/^[<>] //p'
}

unlisted_folders() {
	source_folders "$1" | while read -r folder; do
		echo "$folders" | grep -qx "$folder" || echo "$folder"
	done
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

echo 1..15

check "the sources have includes" "$(seen "$(edges "$top")")" seen
check "includes are written from the top folder" \
	"$(relative_includes "$top")" ""
check "every folder of sources is in the list of folders" \
	"$(unlisted_folders "$top")" ""
check "no include goes against the order of the folders" \
	"$(includes_against_the_order "$top")" ""
check "private headers are included in their own folder only" \
	"$(private_elsewhere "$top")" ""
check "only record/sys/safe_open opens files that other processes name" \
	"$(paths_of_others "$top")" record/sys/safe_open.c
check "the includes of the modules form no circle" \
	"$(include_circles "$top")" ""
check "doc/architecture.md has a section for each folder" \
	"$(wrong_sections "$top")" ""

# A small tree that contains each fault: each check must find it.
mkdir -p "$bad/doc" "$bad/common/util" "$bad/common/perf" \
	"$bad/record/ring" "$bad/report/view" "$bad/report/odd"
echo '#include "common/util/b.h"' >"$bad/common/util/a.c"
echo '#include <stdio.h>' >"$bad/common/util/a.h"
echo '# include "common/util/a.h" /* closes the circle */' \
	>"$bad/common/util/b.h"
echo '#include "common/perf/p.h"' >"$bad/common/util/c.c"
echo '#include "a.h"' >"$bad/common/perf/p.c"
echo '#include "record/ring/r_private.h"' >"$bad/record/main.c"
echo '#include "record/ring/r.h"' >"$bad/report/view/v.c"
echo '#include "common/util/a.h"' >"$bad/report/odd/o.c"
echo '#include "report/view/v.h"' >"$bad/dwell.c"
echo 'x = open("/proc/1/root/etc/passwd");' >"$bad/record/ring/e.c"
printf '%s\n' '### common/util' '### record/gone' >"$bad/doc/architecture.md"

check "a circle of includes is found" \
	"$(seen "$(include_circles "$bad")")" seen
check "includes against the order are found" \
	"$(includes_against_the_order "$bad" | sort)" "common/perf/p a
common/util/c common/perf/p
dwell report/view/v
report/odd/o common/util/a
report/view/v record/ring/r"
check "a private header in another folder is found" \
	"$(private_elsewhere "$bad")" "record/main record/ring/r_private"
check "a path into another process is found" \
	"$(paths_of_others "$bad")" record/ring/e.c
check "an include from elsewhere is found" \
	"$(relative_includes "$bad")" "common/perf/p a"
check "a folder that is not in the list is found" \
	"$(unlisted_folders "$bad")" report/odd
check "a folder without a section and a section without a folder are found" \
	"$(wrong_sections "$bad" | sort)" "common/perf
record
record/gone
record/ring
report/odd
report/view"
