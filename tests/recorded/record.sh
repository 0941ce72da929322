#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the recordings of this folder again, in the folder OUT. README.md
# describes each of them. As root, on x86-64 Linux, with gcc, g++ and 32-bit
# libraries:
#
#	record.sh BUILD OUT
#
# BUILD is the build folder of the dwell that records. The processes run in
# their own namespaces, so that the recordings have no names of this machine.
set -euo pipefail

source=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" != --inside ]; then
	[ $# = 2 ] || { echo "usage: record.sh BUILD OUT" >&2; exit 2; }
	mkdir -p "$2"
	exec unshare --mount --uts --pid --ipc --fork --mount-proc \
		"$0" --inside "$(realpath "$1")" "$(realpath "$2")"
fi

build=$2
out=$3
hostname recorded
mount -t tmpfs -o mode=0755 none /mnt
mkdir /mnt/out /mnt/bin /mnt/source
mount --bind "$out" /mnt/out
cp "$build"/dwell "$build"/dwell-record "$build"/dwell-report \
	"$build/tests/made/make_data" /mnt/bin/
cp "$source"/work.c "$source"/inlined.cpp "$source"/../cli/made.c \
	"$source"/../made/*.txt /mnt/source/
mount -t tmpfs none /tmp
export HOME=/mnt/home PATH=/mnt/bin:/usr/bin:/bin LC_ALL=C TZ=UTC0
unset DEBUGINFOD_URLS "${!XDG_@}" "${!DWELL_@}"
cd /mnt

"$source/kinds.sh"

# Recordings that are cut.
for name in level_0 level_22; do
	head -c 5380 out/$name.data >out/${name}_cut.data
done
# Recordings with one changed bit in their samples.
cp out/frame_pointers.data out/damaged.data
byte=$(od -An -tu1 -j5200 -N1 out/damaged.data)
printf %b "\\0$(printf %03o $((byte ^ 16)))" |
	dd of=out/damaged.data bs=1 seek=5200 conv=notrunc status=none

# Recordings that some machines cannot make are made from texts.
for name in aarch64 arm s390x bpf branches lbr memory plain offcpu places; do
	make_data source/$name.txt made.data
	dwell export --force --format perf-data -i made.data -o made_export.data
	dwell pack -q --level 3 -i made_export.data -o out/made_$name.data
done
