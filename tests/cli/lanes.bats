#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of programs with many threads: lanes that threads share, and several chosen lanes.

load page.bash

setup() {
	enter_test
	make_threads
}

# make_threads: makes data. In process 7 the main thread has 8 samples, the threads
# worker-1 to worker-4 have 4, 3, 2 and 1 samples, and io has 2. In process 9 the main
# thread and three others, all named equal, have a sample each.
make_threads() {
	local i n time=1000000000
	{
		cat <<-END
			file
			event name=cpu-clock type=software ids=1 sample_id_all exclude_guest
			 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN sample_period=1000000
			feature HOSTNAME str=made
			record COMM pid=7 tid=7 comm=worker-0 misc=exec time=1000
			record COMM pid=7 tid=12 comm=io time=1000
			record COMM pid=9 tid=9 comm=equal misc=exec time=1000
		END
		for i in 1 2 3 4; do
			echo "record COMM pid=7 tid=1$((i + 2)) comm=worker-$i time=1000"
			echo "record COMM pid=9 tid=2$i comm=equal time=1000"
		done
		for n in 7.7.8 7.12.2 7.13.4 7.14.3 7.15.2 7.16.1 9.9.1 9.21.1 9.22.1 9.23.1; do
			IFS=. read -r pid tid count <<<"$n"
			for ((i = 0; i < count; i++)); do
				echo "record SAMPLE ip=0x${tid}00 pid=$pid tid=$tid" \
					"time=$time period=1000000 chain=user,0x${tid}00"
				((time += 10000000))
			done
		done
	} | "$DWELL_BUILD/tests/made/make_data" - data
}

@test "html: threads whose names differ only in digits share a lane, which a click expands" {
	need browser
	dwell export --format html -o out.html data
	browse out.html "rows #threads > li" "click #threads .sign" \
		"rows #threads > li" "attribute aria-expanded #threads .sign" \
		"click #threads .sign" "count #threads > li" >said
	prints lane-of-similar-names <said
}

@test "html: selecting a lane of several threads restricts all panels to these threads" {
	need browser
	dwell export --format html -o out.html data
	browse out.html "click #threads li:first-child button:last-child" "state" \
		"text #summary" "count #functions tbody tr" "ask page.tree.total[0] / 1e6" \
		"click #tab-chart" "text #chart-note" \
		"click #threads li:first-child button:last-child" "state" >said
	prints selected-lane <said
}

@test "html: Ctrl and a click select several lanes, and so does the address of the page" {
	need browser
	dwell export --format html -o out.html data
	browse out.html "click #threads li:nth-child(3) button" \
		"ctrl #threads li:nth-child(1) button:last-child" \
		"ctrl #threads li:nth-child(4) button" "state" "text #summary" \
		"count #threads [aria-pressed=true]" \
		"ctrl #threads li:nth-child(3) button" "text #summary" \
		"click #threads li:nth-child(2) button" "text #summary" \
		"click #threads li:nth-child(2) button" "text #summary" >said
	prints several-selected-lanes <said
	# The numbers are those of the report.
	browse "out.html#thread=7.12,7.14,9.9,9.21" "text #summary" \
		"rows #functions tbody tr" >said
	cat said
	grep -x '7 samples · 7.00 ms of cpu-clock · 4 threads' said
	[ "$(dwell report --json --tid 12,14,9,21 -s sym data | grep -c '"sym"')" = \
		"$(grep -c ' | ' said)" ]
	# Unknown groups are ignored.
	browse "out.html#thread=7*none,x" "text #summary" |
		grep -x '24 samples · 24.0 ms of cpu-clock'
}

@test "html: the colours of a lane of several threads show the share of its threads in each state" {
	need browser
	# Of four threads, three wait in the first half, and one in the second half.
	{
		sed -n '/^file/,/^feature HOSTNAME/p' "$DWELL_SOURCE/tests/made/offcpu.txt"
		echo "record COMM pid=7 tid=7 comm=main misc=exec time=1 event=3"
		for i in 1 2 3 4; do
			echo "record COMM pid=7 tid=1$i comm=worker time=1 event=3"
			echo "record SWITCH event=3 by_pid=7 by_tid=1$i time=999000000"
		done
		for i in 1 2 3; do
			leaves 1$i 1000000000
		done
		for i in 1 2 3; do
			echo "record SWITCH event=3 by_pid=7 by_tid=1$i time=2000000000"
		done
		leaves 14 2000000001
		echo "record SWITCH event=3 by_pid=7 by_tid=14 time=3000000000"
	} | "$DWELL_BUILD/tests/made/make_data" - off.data
	dwell export --format html --off-cpu -o out.html off.data
	browse out.html "rows #threads > li" "colour 0.25 3.5 #lanes" \
		"colour 0.75 3.5 #lanes" "ask (() => {
			const shades = shadesBetween(themeColour('track'),
				themeColour('blocked'));
			return [0.75, 0.25].map((share) => [...new Uint8Array(shades.buffer,
				4 * Math.round(63 * (0.3 + 0.7 * share)), 3)].join(' '))
				.join('\n');
		})()" >said
	cat said
	[ "$(sed -n 1p said)" = "▸ | worker ×4" ]
	# A pixel has a part of a time bin, or of several.
	paste -d' ' <(sed -n 2,3p said) <(sed -n 4,5p said) | awk '
		{ green[NR] = $2; exit_code += ($2 - $5) ^ 2 > 400 }
		END { exit exit_code || green[1] + 20 > green[2] }'
}

# leaves TID TIME: the thread blocks.
leaves() {
	echo "record SAMPLE event=1 ip=0x3000 pid=7 tid=$1 time=$(($2 - 10))" \
		"chain=user,0x3000"
	echo "record SWITCH event=3 by_pid=7 by_tid=$1 misc=switch_out time=$2"
}
