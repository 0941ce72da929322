#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings that no machine at hand would write, made from a text
# (doc/how-to-make-a-recording.md).

load common.bash

made=$DWELL_SOURCE/tests/made

make_data() {
	"$DWELL_BUILD/tests/made/make_data" "$@"
}

@test "a made recording is read like one of perf" {
	make_data "$made/plain.txt" plain.data
	dwell script -i plain.data >got
	diff "$made/plain.script" got
	dwell report --stats -i plain.data >got
	diff "$made/plain.stats" got
}

@test "a mistake in the text of a made recording is told with its line" {
	run -1 make_data - x.data <<<$'file\nrecord COMM pid=7 com=made'
	[ "$output" = "make_data: -: line 2: record: nobody knows 'com'" ]
	run -1 make_data - x.data <<<$'file\n\nnothing'
	[ "$output" = "make_data: -: line 3: nothing: there is no such statement" ]
}
