#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# All formats that speedscope's app reads, in Chromium.

load clients.bash

# export_as FORMAT: exports demo.data to the file out.
export_as() {
	dwell export --format "$1" -i demo.data -o out
}

@test "export: speedscope shows its own format, one profile per thread" {
	export_as speedscope
	speedscope out
	[[ $text == *" 1 demo 7/7 (cpu-clock) 500.00ms 2 helper 7/9 (cpu-clock) 100.00ms "* ]]
	[[ $text == *" 300.00ms (60%) 300.00ms (60%) beta "* ]]
	[[ $text == *" 200.00ms (40%) 200.00ms (40%) mix "* ]]
	[[ $text == *" 500.00ms (100%) 0.00ns (&lt;0.01%) alpha "* ]]
	[ "$(share_of beta)" = 300000000 ]
}

@test "export: a speedscope file has only keys of the format, and weights that add up to its end" {
	need speedscope
	export_as speedscope
	python3 - out <<-'END'
		import json, sys
		profile = json.load(open(sys.argv[1]))
		assert set(profile) <= {"$schema", "exporter", "shared", "activeProfileIndex", "profiles", "name"}
		assert profile["$schema"] == "https://www.speedscope.app/file-format-schema.json"
		frames = profile["shared"]["frames"]
		assert [f["line"] for f in frames if f["name"] == "beta"] == [8]
		assert all(f["file"].endswith("/demo.c") for f in frames)
		for one in profile["profiles"]:
		    assert one["type"] == "sampled"
		    assert len(one["samples"]) == len(one["weights"])
		    assert sum(one["weights"]) == one["endValue"]
	END
}

@test "export: speedscope shows the totals of the pprof format" {
	export_as pprof
	speedscope out
	[[ $text == *" 300.00ms (50%) 300.00ms (50%) beta "* ]]
	[[ $text == *" 600.00ms (100%) 0.00ns (&lt;0.01%) main "* ]]
}

@test "export: speedscope shows the totals of the callgrind format" {
	export_as callgrind
	speedscope out
	[[ $text == *" 30 (50%) 30 (50%) beta "* ]]
	[[ $text == *" 60 (100%) 0 (&lt;0.01%) main "* ]]
}

@test "export: speedscope shows the Chrome format" {
	export_as chrome
	speedscope out
	[[ $text == *" demo (pid 7), demo (tid 7) 500.00ms 2 demo (pid 7), helper (tid 9) 100.00ms "* ]]
	[[ $text == *" 300.00ms (60%) 300.00ms (60%) beta "* ]]
	[[ $text == *" 500.00ms (100%) 0.00ns (&lt;0.01%) alpha "* ]]
}

# Adjacent frames of one name, whose times are not whole microseconds. The
# stacks are right only if one frame ends exactly when the next one starts.
@test "export: speedscope shows the totals of the Chrome format for times with fractions" {
	python3 - "$BATS_FILE_TMPDIR/demo.txt" <<-'END' >odd.txt
		import re, sys
		time, turn, places = 1000000000, 0, {}
		for line in open(sys.argv[1]):
		    found = re.match("record SAMPLE .* tid=7 .*chain=user,(.*)", line)
		    if not found:
		        if not line.startswith("record SAMPLE"):
		            print(line, end="")
		        continue
		    leaf, middle, top = found[1].split(",")
		    time += 250007
		    turn += 1
		    chain = [leaf, *[middle] * (turn % 4), *[top] * (1 + turn % 3)]
		    print(f"record SAMPLE ip={leaf} pid=7 tid=7 time={time} cpu=0",
		        "period=249813 chain=user," + ",".join(chain))
	END
	"$DWELL_BUILD/tests/made/make_data" odd.txt odd.data
	dwell export --format chrome -i odd.data -o out
	[ "$(grep -c -E '"(ts|dur)":[0-9]*\.' out)" = 0 ]
	speedscope out
	[[ $text == *" 12.49ms "* ]]
	[[ $text == *" 7.49ms (60%) 7.49ms (60%) beta "* ]]
	[[ $text == *" 5.00ms (40%) 5.00ms (40%) mix "* ]]
	[[ $text == *" 12.49ms (100%) 0.00ns (&lt;0.01%) main "* ]]
}

# speedscope counts the time until the next sample. Half of the last sample
# before each change, and a thread's last sample, are missing.
@test "script: speedscope shows the text in the format of perf script" {
	export_as perf-script
	speedscope out
	[[ $text == *" 1 demo tid: 7 490.00ms 2 helper tid: 9 90.00ms "* ]]
	[[ $text == *" 295.00ms (60%) 295.00ms (60%) beta "* ]]
}

@test "export: speedscope shows names with special characters unchanged" {
	for format in speedscope chrome callgrind perf-script; do
		dwell export --format $format -i hostile.data >hostile
		is_inert <hostile
		speedscope hostile
		grep -q '&lt;script&gt;' page
		absent grep -q "<script>[^<]*'" page
	done
}

@test "export: speedscope shows the off-CPU times of dwell report" {
	dwell export --format speedscope --wall -i away.data -o out
	speedscope out
	[[ $text == *" made 7/7 (wall) "* ]]
	[[ $text == *" 1.30s (58%) 1.30s (58%) [blocked] "* ]]
	[[ $text == *" 400.00ms (18%) 400.00ms (18%) [runnable] "* ]]
	[[ $text == *" 300.00ms (13%) 300.00ms (13%) [preempted] "* ]]
	[[ $text == *" 2.25s (100%) 250.00ms (11%) [unknown] "* ]]
	dwell report --wall --csv --no-children -s state -i away.data |
		tail -n +2 | cut -d, -f5,7 | sort | prints wall_time_by_state
}
