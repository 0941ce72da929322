#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Processes and threads that have the ID of an ended one: each is a process or
# thread of its own in every export, in the page and in comparisons.

load page.bash

# sample PID TID TIME [COUNT]: prints samples of "work", called by "main".
sample() {
	echo "record SAMPLE misc=kernel ip=0xffffffffd0001010 pid=$1 tid=$2" \
		"time=$3 period=1000000 times=${4:-1}" \
		"chain=kernel,0xffffffffd0001010,0xffffffffd0000010"
}

# make_head: prints the events, and the functions main and work.
make_head() {
	cat <<-'END'
		file
		event name=cpu-clock type=software ids=1 sample_id_all comm task
		 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN|ID sample_period=1000000
		event name=task-clock type=software config=1 ids=2 sample_id_all
		 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN|ID sample_period=1000000
		record KSYMBOL addr=0xffffffffd0000000 len=0x100 ksym_type=2 name=main
		record KSYMBOL addr=0xffffffffd0001000 len=0x100 ksym_type=2 name=work
		record COMM pid=1 tid=1 comm=init
		record COMM pid=7 tid=7 comm=first
	END
}

# make_reused FILE: process 7 was there before the start, ends, and is then
# another process: the child of process 1, which is "shell" until an exec.
make_reused() {
	{
		make_head
		sample 7 7 1000000 2
		echo "record EXIT pid=7 ppid=1 tid=7 ptid=1 time=4000000"
		# The tear-down after the EXIT record.
		sample 7 7 4000010
		echo "record FORK pid=7 ppid=1 tid=7 ptid=1 time=5000000"
		sample 7 7 5000010
		echo "record COMM pid=7 tid=7 comm=shell misc=exec time=6000000"
		sample 7 7 7000000
		echo "record COMM pid=7 tid=7 comm=second misc=exec time=8000000"
		sample 7 7 9000000 3
	} | "$DWELL_BUILD/tests/made/make_data" - "$1"
}

# make_threads FILE: process 7 has two threads with the ID 8.
make_threads() {
	{
		make_head
		echo "record FORK pid=7 ppid=7 tid=8 ptid=7 time=1000000"
		sample 7 8 2000000 2
		echo "record EXIT pid=7 ppid=7 tid=8 ptid=7 time=3000000"
		echo "record FORK pid=7 ppid=7 tid=8 ptid=7 time=4000000"
		echo "record COMM pid=7 tid=8 comm=later time=4000001"
		sample 7 8 5000000 3
	} | "$DWELL_BUILD/tests/made/make_data" - "$1"
}

# json FILE PROGRAM: prints the result of PROGRAM, JavaScript with "data".
json() {
	node -e 'const data = JSON.parse(require("fs").readFileSync(process.argv[1]));
		console.log([eval(process.argv[2])].flat().join("\n"));' "$1" "$2"
}

@test "export: folded: the second process with a PID has its own name" {
	make_reused reused.data
	dwell export --format folded reused.data >out
	diff out - <<-'END'
		first;main;work 3
		second;main;work 5
	END
	# By name at the time, as before.
	dwell export --format folded --group-by thread reused.data >out
	prints folded-by-thread <out
}

@test "export: svg and callgrind: the second process with a PID has its own frame" {
	make_reused reused.data
	dwell export --format svg reused.data >out
	grep -o '<title>[a-z]*: [0-9.]* %, [0-9]' out | diff - <(printf '%s\n' \
		'<title>all: 100.00 %, 8' '<title>first: 37.50 %, 3' \
		'<title>second: 62.50 %, 5')
	dwell export --format callgrind reused.data >out
	grep -A8 '(command)$' out | grep -e '(command)$' -e '^calls' |
		diff - <(printf '%s\n' 'fn=(2) first (command)' 'calls=3 0' \
			'fn=(5) second (command)' 'calls=5 0')
}

@test "export: speedscope, firefox and csv: the second process with PID 7 has the ID 7.1" {
	need node
	make_reused reused.data
	dwell export --format speedscope reused.data >out
	json out 'data.profiles.map(({ name, endValue }) => name + " " + endValue)' |
		diff - <(printf '%s\n' 'first 7/7 (cpu-clock:HG) 3000000' \
			'second 7.1/7.1 (cpu-clock:HG) 5000000')
	dwell export --format firefox reused.data >out
	json out 'data.threads.map((thread) => [thread.processName, thread.pid,
		thread.tid, thread.isMainThread, thread.samples.length].join(" "))' |
		diff - <(printf '%s\n' 'first 7 7.0 true 3' \
			'second 7.1 7.1.0 true 5')
	dwell export --format csv reused.data >out
	prints csv <out
}

@test "export: json: stacks of the second process with a PID have the field pid_use" {
	need node
	make_reused reused.data
	dwell export --format json reused.data >out
	json out 'data.stacks.map((stack) => [stack.comm, stack.pid, stack.pid_use,
		stack.tid, stack.tid_use, stack.samples].join(" "))' |
		diff - <(printf '%s\n' 'first 7  7  3' 'second 7 1 7 1 3' \
			'init 7 1 7 1 1' 'shell 7 1 7 1 1')
}

@test "export: pprof: samples of the second process with a PID have the label pid_use" {
	need pprof
	make_reused reused.data
	dwell export --format pprof -o out reused.data
	PPROF_TMPDIR=$PWD go tool pprof -raw out >raw
	cat raw
	[ "$(grep -c ' pid:\[7\] *pid_use:\[1\] *tid:\[7\] *tid_use:\[1\]' raw)" = 3 ]
	[ "$(grep -c ' pid:\[7\] *tid:\[7\]' raw)" = 1 ]
}

@test "export: chrome: processes that reuse a PID, their threads and events have different IDs" {
	need node
	{
		make_head
		for pid in 7 8; do
			sample $pid $pid 1000000
			sample $pid $pid 1000000 | sed 's/SAMPLE/& event=1/'
			echo "record EXIT pid=$pid ppid=1 tid=$pid ptid=1 time=2000000"
			echo "record FORK pid=$pid ppid=1 tid=$pid ptid=1 time=3000000"
			sample $pid $pid 4000000
			sample $pid $pid 4000000 | sed 's/SAMPLE/& event=1/'
		done
	} | "$DWELL_BUILD/tests/made/make_data" - events.data
	dwell export --format chrome events.data >out
	json out 'data.traceEvents.filter(({ name }) => name === "thread_name")
		.map(({ pid, tid, args }) => [pid % 2 ** 22, pid >> 22, tid % 2 ** 22,
			tid >> 22, args.name].join(" ")).sort()' |
		diff - <(printf '%s\n' '7 0 7 0 first' \
			'7 0 7 1 first (task-clock:HG)' '7 1 7 2 init' \
			'7 1 7 3 init (task-clock:HG)' '8 0 8 0 :8' \
			'8 0 8 1 :8 (task-clock:HG)' '8 1 8 2 init' \
			'8 1 8 3 init (task-clock:HG)')
}

@test "export: speedscope, firefox and chrome: the second thread with a TID is a thread of its own" {
	need node
	make_threads threads.data
	dwell export --format speedscope threads.data >out
	json out 'data.profiles.map(({ name, endValue }) => name + " " + endValue)' |
		diff - <(printf '%s\n' 'first 7/8 (cpu-clock:HG) 2000000' \
			'later 7/8.1 (cpu-clock:HG) 3000000')
	dwell export --format firefox threads.data >out
	json out 'data.threads.map(({ name, pid, tid }) => [name, pid, tid].join(" "))' |
		diff - <(printf '%s\n' 'first 7 8.0' 'later 7 8.1.0')
	dwell export --format chrome threads.data >out
	json out 'data.traceEvents.filter(({ name }) => name === "thread_name")
		.map(({ pid, tid, args }) => `${pid} ${tid} ${args.name}`)' |
		diff - <(printf '%s\n' '7 8 first' "7 $((8 + 2 * (1 << 22))) later")
	# One process.
	dwell export --format folded threads.data >out
	[ "$(cat out)" = "first;main;work 5" ]
}

@test "html: processes and threads that reuse an ID have tasks and lanes of their own" {
	make_reused reused.data
	dwell export --format html -o out.html reused.data
	page_data out.html 'tasks.map(({ thread, tid, comm, process }) =>
		[thread, tid, comm, process].join(" ")).sort().join("\n")' |
		diff - <(printf '%s\n' '7-1.7-1 7.1 init second' \
			'7-1.7-1 7.1 second second' '7-1.7-1 7.1 shell second' \
			'7.7 7 first first')
	page_data out.html 'events[0].lanes.map(({ thread, sum }) =>
		`${thread} ${sum}`).sort().join("\n")' |
		diff - <(printf '%s\n' '7-1.7-1 5' '7.7 3')
	make_threads threads.data
	dwell export --format html -o threads.html threads.data
	page_data threads.html 'events[0].lanes.map(({ thread, tid, sum }) =>
		[thread, tid, sum].join(" ")).sort().join("\n")' |
		diff - <(printf '%s\n' '7.8 8 2' '7.8-1 8.1 3')
}

@test "html: a thread that reuses a TID has a row of its own, and can be selected" {
	need browser
	make_reused reused.data
	dwell export --format html -o out.html reused.data
	browse out.html "count #threads button" \
		"text #threads li:nth-child(1) button" \
		"text #threads li:nth-child(2) button" \
		"click #threads li:nth-child(1) button" state "text #summary" \
		"click #threads li:nth-child(2) button" state "text #summary" >said
	cat said
	[ "$(sed -n 1p said)" = 2 ]
	sed -n 2p said | grep '^second, .*7\.1'
	sed -n 3p said | grep '^first.*7'
	[ "$(sed -n 4p said)" = "#thread=7-1.7-1" ]
	sed -n 5p said | grep '^5 .*thread 7\.1'
	[ "$(sed -n 6p said)" = "#thread=7.7" ]
	sed -n 7p said | grep '^3 .*thread 7$'
}

@test "diff --html: the second process with a PID has its own frame" {
	make_reused reused.data
	dwell diff --html --group-by process -o out.html reused.data reused.data
	page_data out.html 'Array.from(nodes.fn)
		.filter((_, i) => nodes.parent[i] === 0)
		.map((fn) => functions[fn].name).sort().join("\n")' |
		diff - <(printf '%s\n' '[others]' first second)
}

@test "pack and export: processes that reuse a PID stay separate in the new recording" {
	make_reused reused.data
	dwell pack -o packed.data reused.data
	dwell export --format perf-data -o perf.data reused.data
	for file in packed.data perf.data; do
		dwell export --format folded $file |
			diff - <(printf '%s\n' 'first;main;work 3' \
				'second;main;work 5')
	done
}

# make_programs: makes the programs first and second, and again, which runs both
# with one PID.
make_programs() {
	local name

	cc -O1 "$DWELL_SOURCE/tests/cli/again.c" -o again
	for name in first second; do
		cc -O1 -g -fno-omit-frame-pointer -DSPIN="spin_$name" \
			"$DWELL_SOURCE/tests/cli/spin.c" -o $name
	done
}

# has_two_processes FILE: checks that each function is below its own process, and
# that the two processes have one PID.
has_two_processes() {
	dwell export --format folded "$1" >stacks
	cat stacks
	grep '^first;.*spin_first' stacks
	grep '^second;.*spin_second' stacks
	run ! grep -e '^first;.*spin_second' -e '^second;.*spin_first' stacks
	dwell export --format firefox "$1" >out
	json out 'data.threads.filter(({ name }) => /^(first|second)/.test(name))
		.map(({ processName, pid }) => `${processName} ${pid}`)' |
		sort -u >threads
	cat threads
	[ "$(wc -l <threads)" = 2 ]
	[ "$(sed -n 2p threads)" = "second $(sed -n 's/^first //p' threads).1" ]
}

@test "live: export: two programs that ran with one PID are two processes" {
	need same-pid node
	make_programs
	dwell record -q --call-graph fp ./again ./first ./second
	has_two_processes dwell.data
}

@test "live: export: two programs that ran with one PID are two processes in a recording of perf" {
	need same-pid node perf
	make_programs
	perf record -q -g ./again ./first ./second
	has_two_processes perf.data
}

@test "report: --off-cpu: switches of the second thread with a TID count for its own process" {
	{
		cat <<-'END'
			file
			event name=cpu-clock type=software ids=1 sample_id_all comm task
			 context_switch sample_type=IP|TID|TIME|CPU sample_period=1000000
			record COMM pid=7 tid=7 comm=first time=1
			record COMM pid=7 tid=8 comm=first time=1
			record COMM pid=9 tid=9 comm=second time=1
			record SWITCH misc=switch_out by_pid=7 by_tid=8 time=1000000
			record SWITCH by_pid=7 by_tid=8 time=4000000
			record EXIT pid=7 ppid=7 tid=8 ptid=7 time=5000000
			record FORK pid=9 ppid=9 tid=8 ptid=9 time=6000000
			record SWITCH misc=switch_out by_pid=9 by_tid=8 time=7000000
			record SWITCH by_pid=9 by_tid=8 time=8000000
		END
	} | "$DWELL_BUILD/tests/made/make_data" - off.data
	dwell report --stdio --off-cpu -s comm,pid -F period,comm,pid off.data |
		awk '/^ *[0-9]/ { print $1, $3, $4 }' |
		diff - <(printf '%s\n' '3.00 first 7' '1.00 second 9')
}
