#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports of several recordings. The made recordings have the same pids,
# addresses and cgroup IDs with different meanings.

load common.bash

# made FILE HOST PROGRAM [MAKE-OPTION]: makes two samples at addresses that all
# recordings have, and one of an event that only this one has.
made() {
	local type="sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|ADDR|CGROUP"

	"$DWELL_BUILD/tests/made/make_data" ${4:+"$4"} - "$1" <<-END
		file
		event name=cycles type=hardware sample_id_all comm mmap $type ids=1
		event name=only-$3 type=software config=2 sample_id_all $type ids=2
		${2:+feature HOSTNAME str=$2}
		feature EVENT_DESC events
		record COMM pid=7 tid=7 comm=$3 misc=exec time=1
		record MMAP2 pid=7 tid=7 addr=0x400000 len=0x1000 filename=/bin/$3 prot=5 flags=2 time=2
		record CGROUP cgroup=5 path=/$3 time=3
		record SAMPLE ip=0x400100 pid=7 time=4 period=10 id=1 addr=0x400200 cgroup=5
		record SAMPLE ip=0x400104 pid=7 time=5 period=20 id=1 addr=0x400300 cgroup=6
		record SAMPLE ip=0x400100 pid=7 time=6 period=1 id=2 addr=0x400200 cgroup=5
	END
}

made_two() {
	made a.data alpha one -b
	made b.data "" two
}

# rows KEYS INPUT...: prints "event samples period KEY,..." of all rows, sorted.
rows() {
	local keys=$1

	shift
	dwell report --csv --no-children -s "$keys" "$@" |
		sed 1d | cut -d, -f1,4,5,7- | sort
}

# sum: merges rows that differ only in their numbers.
sum() {
	awk -F, '{ keys = $1; for (i = 4; i <= NF; i++) keys = keys "," $i
		samples[keys] += $2; period[keys] += $3 }
		END { for (keys in samples)
			print keys "," samples[keys] "," period[keys] }' | sort
}

# adds_up KEYS FILE FILE: succeeds if the common rows are the sum of each file's
# rows.
adds_up() {
	rows "$@" | sum >together
	(rows "$1" "$2"; rows "$1" "$3") | sum >each
	[ -s each ]
	diff together each
}

@test "report: with several recordings, equal addresses and IDs keep the names of their own recording" {
	made_two
	rows comm,dso,sym a.data -i b.data >text
	prints rows-of-two-recordings <text
}

@test "report: events with the same name in several recordings are one table" {
	made_two
	dwell report --json a.data b.data |
		python3 -c 'import json, sys
for event in json.load(sys.stdin)["events"]:
	print(event["event"], event["samples"], event["period"])' >events
	diff events - <<-'END'
		cycles 4 60
		only-one 1 1
		only-two 1 1
	END
	rows comm -e only-two a.data b.data >text
	[ "$(<text)" = only-two,1,1,two ]
	refuses 1 dwell report -e none a.data b.data
	[[ $line == *"the events are cycles, only-one, only-two" ]]
	dwell report a.data b.data | grep '^# Samples' >titles
	diff titles - <<-'END'
		# Samples: 4 of event 'cycles'
		# Samples: 1 of event 'only-one'
		# Samples: 1 of event 'only-two'
	END
}

@test "report: two events with the same name in one recording are two tables" {
	"$DWELL_BUILD/tests/made/make_data" - twins.data <<-'END'
		file
		event name=cycles type=hardware sample_type=IDENTIFIER|IP|TID|PERIOD ids=1
		event name=cycles type=hardware sample_type=IDENTIFIER|IP|TID|PERIOD ids=2
		feature EVENT_DESC events
		record SAMPLE ip=1 pid=7 tid=7 period=1 id=1
		record SAMPLE ip=1 pid=7 tid=7 period=5 id=2
	END
	made_two
	dwell report --csv -s event b.data twins.data |
		sed 1d | cut -d, -f1,5 >events
	diff events - <<-'END'
		cycles,31
		only-two,1
		cycles,5
	END
}

@test "report: -s file and -s host separate the rows of several recordings" {
	made_two
	rows file a.data b.data | sed -n '/^cycles/p' >text
	diff text - <<-'END'
		cycles,2,30,a.data
		cycles,2,30,b.data
	END
	rows host,comm a.data b.data | sed -n '/^cycles/p' >text
	diff text - <<-'END'
		cycles,2,30,[unknown],two
		cycles,2,30,alpha,one
	END
	dwell report --stdio -s file,host a.data b.data >text
	grep -qE '^ +50.00% +a.data +alpha' text
}

@test "report: data addresses and control groups keep the names of their own recording" {
	made_two
	rows dso_daddr,cgroup a.data b.data | sed -n '/^cycles/p' >text
	prints data-and-control-groups <text
	made c.data gamma one
	[ "$(rows cgroup a.data c.data | head -n 1)" = cycles,2,20,/one ]
}

@test "report: rows of several recordings are the sums of the rows of each" {
	made_two
	made c.data gamma one
	for keys in comm,dso,sym pid,tid,cpu host,cgroup symbol_daddr event; do
		adds_up $keys a.data b.data
		adds_up $keys a.data c.data
	done
	cp "$DWELL_SOURCE"/tests/made/{plain,branches,memory}.txt .
	for name in plain branches memory; do
		"$DWELL_BUILD/tests/made/make_data" $name.txt $name.data
		"$DWELL_BUILD/tests/made/make_data" -b $name.txt $name.big
	done
	adds_up comm,dso,sym plain.data plain.big
	adds_up mem,symbol_daddr,socket memory.data memory.big
	adds_up symbol_from,symbol_to branches.data branches.big
}

@test "report: a directory as input means the recordings in it, by name" {
	mkdir -p dir/perf.threads
	made dir/b.data beta two
	made dir/a.data alpha one -b
	made dir/perf.threads/data gamma three
	made dir/.hidden delta four
	echo "not a recording" >dir/notes
	dwell report --header-only dir/ | sed -n 's/^# file : //p' >files
	diff files - <<-'END'
		dir/a.data
		dir/b.data
		dir/perf.threads
	END
	rows host dir | grep ^cycles >text
	diff text - <<-'END'
		cycles,2,30,alpha
		cycles,2,30,beta
		cycles,2,30,gamma
	END
	mkdir empty
	refuses 1 dwell report empty
	[[ $line == *"empty: the directory contains no recording" ]]
}

@test "report: --host selects recordings by their host name" {
	made_two
	made c.data gamma three
	rows host --host 'alp*,[[]unknown]' a.data b.data c.data |
		grep ^cycles >text
	diff text - <<-'END'
		cycles,2,30,[unknown]
		cycles,2,30,alpha
	END
	refuses 1 dwell report --host delta a.data b.data c.data
	[[ $line == *"--host: no recording of this host; the hosts are alpha, [unknown], gamma" ]]
	dwell script --host alpha a.data | grep -q 'one '
	refuses 1 dwell script --host beta a.data
}

@test "report: a missing recording is an error; a damaged one is left out with a message" {
	made_two
	refuses 1 dwell report a.data gone.data b.data
	[[ $line == *"gone.data: cannot open the file: No such file or directory" ]]
	head -c 40 a.data >cut.data
	rows comm a.data cut.data b.data 2>notes >text
	rows comm a.data b.data | diff - text
	[ "$(wc -l <notes)" = 1 ]
	grep -q 'cut.data: .*; skipped this recording' notes
	head -c -500 a.data >short.data
	rows comm b.data short.data 2>notes >text
	grep -q ',one$' text
	[ "$(wc -l <notes)" = 1 ]
	grep -q 'short.data: .*; the rest is shown' notes
	refuses 1 dwell report cut.data
}

@test "commands for one recording refuse several" {
	made_two
	for verb in script "export --format folded" evlist buildid-list \
		"report --stats" "report --tasks" "report --mmaps"; do
		refuses 2 dwell $verb -i a.data b.data
		[[ $line == *"accepts one recording, not 2" ]]
	done
}

@test "live: report: rows of two recordings are the sums of the rows of each" {
	dwell record -q --call-graph fp -e cpu-clock -F 2000 -o a.data -- \
		sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'
	dwell record -q --call-graph fp -e cpu-clock -F 2000 -o b.data -- \
		seq 6000000 >/dev/null
	adds_up comm,dso,sym a.data b.data
	adds_up pid,file a.data b.data
	dwell report --no-children -g caller a.data b.data >text
	grep -q -- '--' text
	# With callers, too.
	dwell report --csv -s dso a.data b.data | sed 1d | cut -d, -f1,5,6,7 |
		sum >together
	(dwell report --csv -s dso a.data | sed 1d
	dwell report --csv -s dso b.data | sed 1d) | cut -d, -f1,5,6,7 | sum >each
	diff together each
}
