#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Samples with the counts of a group (the modifier S): of all threads and
# processes, and as ratios.

load common.bash

# make_inherited FILE: a group that two threads inherit, one after the other with
# the same ID, and the counts that Linux 6.13 gives each of them.
make_inherited() {
	local event='sample_type=IDENTIFIER|IP|TID|TIME|READ read_format=ID|GROUP inherit'

	"$DWELL_BUILD/tests/made/make_data" - "$1" <<-END
		file
		event name=page-faults type=software config=2 sample_period=1 $event sample_id_all comm task ids=1
		event name=minor-faults type=software config=5 $event ids=2
		feature EVENT_DESC events
		feature GROUP_DESC u32=1 str={anon_group} u32=0 u32=2
		record COMM pid=7 tid=7 comm=made time=100
		record SAMPLE ip=0x1000 pid=7 tid=7 time=200 id=1 read=2,10,1,5,2
		record FORK pid=7 ppid=7 tid=8 ptid=7 time=300
		record SAMPLE ip=0x1000 pid=7 tid=8 time=400 id=1 read=2,3,1,2,2
		record SAMPLE ip=0x1000 pid=7 tid=7 time=500 id=1 read=2,14,1,8,2
		record SAMPLE ip=0x1000 pid=7 tid=8 time=600 id=1 read=2,4,1,2,2
		record EXIT pid=7 ppid=7 tid=8 ptid=7 time=700
		record FORK pid=7 ppid=7 tid=8 ptid=7 time=800
		record SAMPLE ip=0x1000 pid=7 tid=8 time=900 id=1 read=2,6,1,1,2
	END
}

@test "group: each thread has counts of its own, also one with the ID of an ended thread" {
	make_inherited data
	"$report" report -n -F period,tid -s tid -i data | grep -v '^#' |
		awk 'NF { print $3, $1, $2 }' | sort >rows
	diff rows - <<-'END'
	7 14 8
	8 10 3
	END
	"$dwell" script -F tid,event,period -i data |
		awk '{ print $1, $2, $3 }' >samples
	diff samples - <<-'END'
	7 10 page-faults:
	7 5 minor-faults:
	8 3 page-faults:
	8 2 minor-faults:
	7 4 page-faults:
	7 3 minor-faults:
	8 1 page-faults:
	8 6 page-faults:
	8 1 minor-faults:
	END
}
