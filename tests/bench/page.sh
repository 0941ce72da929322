#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures two pages of dwell export --format html with about 200,000 frames
# each (frames.awk), in headless Chromium (page.js).
#
#	DWELL=/path/to/dwell MAKE_DATA=/path/to/tests/made/make_data page.sh
#
# BENCH_ONLY=page make bench runs it.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dwell-page.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

for walls in 0 1; do
	awk -v walls=$walls -f "$here/frames.awk" |
		"$MAKE_DATA" - "$tmp/frames.data"
	"${DWELL:-dwell}" export --format html --force -o "$tmp/frames.html" \
		"$tmp/frames.data"
	[ $walls = 0 ] && echo "stacks that branch" ||
		echo "stacks that share nothing"
	node "$here/page.js" "$tmp/frames.html"
done
