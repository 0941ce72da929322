#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf.data without compression, read by perf, and by hotspot, which cannot
# decompress.

load clients.bash

hotspot=$(compgen -G "/usr/lib/*/libexec/hotspot-perfparser") || true

@test "export: perf finds all samples of an exported recording" {
	need perf
	dwell export --format perf-data -i demo.data -o out.data
	[ "$(perf script -i out.data -F time,ip 2>/dev/null |
		grep -c ': $')" = 60 ]
	perf report --stdio -g none --no-children -n -i out.data 2>/dev/null |
		grep -E ' 30 .*\[\.\] beta$'
}

# samples_of FILE: prints the number of samples that hotspot finds.
samples_of() {
	"$hotspot" --input "$1" --print-stats 2>&1 |
		sed -n 's/^samples: \([0-9]*\)$/\1/p'
}

@test "live: export: the parser of hotspot finds all samples of a decompressed recording" {
	need hotspot
	run -0 dwell record -e cpu-clock -F 500 --call-graph fp -o live.data -- \
		awk 'BEGIN { while (i < 3000000) i++ }'
	[ "$(samples_of live.data)" = 0 ]
	dwell export --format perf-data -i live.data -o out.data
	n=$(samples_of out.data)
	[ "$n" -gt 0 ]
	dwell report --json -i live.data |
		grep -qF "{\"event\": \"cpu-clock\", \"samples\": $n, "
}

@test "live: export: perf reads an export to a pipe" {
	need perf
	dwell record -q -e cpu-clock -F 2000 --call-graph fp -o live.data \
		ls -lR /usr/include >/dev/null
	perf script -i live.data 2>/dev/null >text
	[ -s text ]
	dwell export --format perf-data -o - -i live.data |
		perf script -i - 2>/dev/null | diff text -
	perf report --stdio --no-children -g none -n -i live.data 2>/dev/null |
		grep -v '^#' | grep . | sort >rows
	dwell export --format perf-data -o - -i live.data |
		perf report --stdio --no-children -g none -n -i - 2>/dev/null |
		grep -v '^#' | grep . | sort | diff rows -
	# The build IDs are in the stream.
	dwell buildid-list -i live.data | sort >ids
	[ -s ids ]
	dwell export --format perf-data -o - -i live.data >stream
	dwell buildid-list -i stream | sort | diff ids -
}
