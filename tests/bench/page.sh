#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures pages of dwell export --format html in headless Chromium (page.js): two
# with about 200,000 frames each, and one with 400,000 samples (frames.awk).
#
#	DWELL=/path/to/dwell MAKE_DATA=/path/to/tests/made/make_data page.sh
#
# BENCH_ONLY=page make bench runs it.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dwell-page.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# measure TITLE VARIABLE: measures the page that frames.awk makes with VARIABLE.
measure() {
	awk -v "$2" -f "$here/frames.awk" | "$MAKE_DATA" - "$tmp/frames.data"
	"${DWELL:-dwell}" export --format html --force -o "$tmp/frames.html" \
		"$tmp/frames.data"
	echo "$1: $(wc -c <"$tmp/frames.html") bytes"
	node "$here/page.js" "$tmp/frames.html"
}

measure 'stacks that branch' walls=0
measure 'stacks that share nothing' walls=1
measure '400,000 samples of 64 threads' samples=400000
