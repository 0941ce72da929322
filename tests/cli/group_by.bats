#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The first frame of the stacks of flame graphs: --group-by process, thread and
# none; and the note of dwell report about processes with many thread names.

load common.bash

# sample PID TID TIME: prints a sample of "work", called by "main".
sample() {
	echo "record SAMPLE misc=kernel ip=0xffffffffd0001010 pid=$1 tid=$2" \
		"time=$3 period=1000000" \
		"chain=kernel,0xffffffffd0001010,0xffffffffd0000010"
}

# make_head: prints the event, and the functions main and work.
make_head() {
	cat <<-'END'
		file
		event name=cpu-clock type=software ids=1 sample_id_all comm task
		 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN sample_period=1000000
		record KSYMBOL addr=0xffffffffd0000000 len=0x100 ksym_type=2 name=main
		record KSYMBOL addr=0xffffffffd0001000 len=0x100 ksym_type=2 name=work
	END
}

# make_data FILE: makes a recording from standard input.
make_data() {
	"$DWELL_BUILD/tests/made/make_data" - "$1"
}

# Process 7 was bash, and is python3 after an exec. The main thread of process
# 20 has no samples, that of process 30 no name. Process 40 has the name of
# process 7.
make_processes() {
	{
		make_head
		cat <<-'END'
			record COMM pid=7 tid=7 comm=bash misc=exec time=1000
			record COMM pid=20 tid=20 comm=server misc=exec time=1000
			record COMM pid=20 tid=21 comm=pool-0 time=1001
			record COMM pid=20 tid=22 comm=pool-1 time=1001
			record COMM pid=30 tid=31 comm=lonely time=1001
			record COMM pid=40 tid=40 comm=python3 misc=exec time=1001
		END
		sample 7 7 2000
		echo "record COMM pid=7 tid=7 comm=python3 misc=exec time=3000"
		echo "record FORK pid=7 tid=8 ppid=7 ptid=7 time=3001"
		echo "record COMM pid=7 tid=8 comm=worker time=3002"
		sample 7 7 4000
		sample 7 8 4000
		sample 20 21 4000
		sample 20 22 4000
		sample 30 31 4000
		sample 40 40 4000
	} | make_data processes.data
}

# first_frames FILE: prints the frames above "all" of a picture, with their
# samples.
first_frames() {
	python3 -c 'import re, sys
frames = re.findall(
	r"y=\"(\d+)\" width=\"[^\"]*\" height=\"\d+\">"
	r"<title>([^:]*): [0-9.]+ %, (\d+) sample", sys.stdin.read())
rows = sorted({int(y) for y, _, _ in frames}, reverse=True)
for line in sorted(f"{name} {n}" for y, name, n in frames if int(y) == rows[1]):
	print(line)' <"$1"
}

@test "export: folded stacks begin with the process, named as its main thread was last" {
	make_processes
	dwell export --format folded processes.data >out
	diff out - <<-'END'
		lonely;main;work 1
		python3;main;work 4
		server;main;work 2
	END
	dwell export --format folded --group-by process processes.data | diff out -
}

@test "export: folded: --group-by thread begins with the thread's name at each sample; none leaves it out" {
	make_processes
	dwell export --format folded --group-by thread processes.data >out
	prints folded-by-thread <out
	dwell export --format folded --group-by none processes.data >out
	[ "$(cat out)" = "main;work 7" ]
}

@test "export: svg: --group-by selects the outermost frames" {
	need python3
	make_processes
	dwell export --format svg processes.data >out.svg
	first_frames out.svg | diff - <(printf '%s\n' 'lonely 1' 'python3 4' \
		'server 2')
	dwell export --format svg --group-by thread processes.data >out.svg
	first_frames out.svg | diff - <(printf '%s\n' 'bash 1' 'lonely 1' \
		'pool-0 1' 'pool-1 1' 'python3 2' 'worker 1')
	dwell export --format svg --group-by none processes.data >out.svg
	first_frames out.svg | grep "^main .* 7$"
	[ "$(first_frames out.svg | wc -l)" = 1 ]
}

@test "export: svg: with --group-by none, frames of the recorded program have its colour" {
	{
		make_head
		cat <<-'END'
			record COMM pid=7 tid=7 comm=server misc=exec time=1000
			record COMM pid=7 tid=8 comm=pool time=1000
			record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 time=1001
			 filename=/bin/server prot=5
			record SAMPLE misc=user ip=0x400100 pid=7 tid=8 time=2000
			 period=1000000 chain=user,0x400100
		END
	} | make_data program.data
	for group in process thread none; do
		dwell export --format svg --group-by $group program.data |
			grep '<title>0x.* \[server\].*<rect class="c1"/>'
	done
}

@test "export: callgrind: --group-by selects the callers of the outermost functions" {
	make_processes
	dwell export --format callgrind processes.data >out
	[ "$(grep -o '[a-z0-9]* (command)$' out | sort | paste -sd ' ')" = \
		"lonely (command) python3 (command) server (command)" ]
	dwell export --format callgrind --group-by thread processes.data >out
	grep -q 'pool-1 (command)$' out
	dwell export --format callgrind --group-by none processes.data >out
	run ! grep -F -e '(command)' -e '[others]' out
	grep -qx 'totals: 7 7000000' out
}

@test "diff --html: a process has the name that it has in its own recording" {
	need python3
	mkdir both
	for name in one two; do
		{
			make_head
			echo "record COMM pid=7 tid=7 comm=$name misc=exec time=1"
			echo "record COMM pid=7 tid=8 comm=thread time=1"
			sample 7 8 2000
		} | make_data both/$name.data
	done
	dwell diff --html --group-by process --output out.html both both
	python3 -c 'import base64, re, sys, zlib
data = re.search(r">\s*(eJ[A-Za-z0-9+/=\s]+)<", sys.stdin.read()).group(1)
data = zlib.decompress(base64.b64decode(data))
for name in sys.argv[1:]:
	assert bytes([len(name)]) + name.encode() in data, name' one two <out.html
}

@test "export: folded: the sums of time off the CPU do not depend on --group-by" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	for time in --off-cpu --wall; do
		dwell export -q --format folded $time off.data >process
		grep '^made;' process
		[ "$(grep -vc '^made;' process)" = 0 ]
		dwell export -q --format folded $time --group-by none off.data |
			diff <(sed 's/^made;//' process | sort) <(sort)
	done
}

@test "export: --group-by is refused with an unknown value, and for formats without a first frame" {
	make_processes
	refuses 2 dwell export --format svg --group-by pid processes.data
	[[ $line == *"--group-by: unknown value 'pid'; use process, thread or none" ]]
	for format in csv json pprof speedscope firefox chrome perf-script \
		perf-data; do
		refuses 2 dwell export --format $format --group-by none \
			processes.data
		[[ $line == *"--group-by requires --format folded, html, svg or callgrind" ]]
	done
	refuses 2 dwell diff --group-by process processes.data processes.data
	[[ $line == *"--group-by requires --html" ]]
}

# make_workers N [NAME]: makes a recording of a process with N threads that have
# a name each (NAME-0, NAME-1, ...), and of a process with threads of one name.
make_workers() {
	local i
	{
		make_head
		echo "record COMM pid=7 tid=7 comm=pooled misc=exec time=1"
		echo "record COMM pid=90 tid=90 comm=equal misc=exec time=1"
		for ((i = 0; i < $1; i++)); do
			echo "record COMM pid=7 tid=$((8 + i)) comm=${2:-worker}-$i time=2"
			echo "record COMM pid=90 tid=$((91 + i)) comm=equal time=2"
			sample 7 $((8 + i)) 3000
			sample 90 $((91 + i)) 3000
		done
	} | make_data workers.data
}

@test "report: a note names a process whose threads have more than 8 names" {
	make_workers 9
	dwell report --stdio -s comm,dso,sym workers.data >out
	grep '^# Threads: ' out | diff - <(echo "# Threads: 9 threads of process" \
		"7 (pooled) have 9 names, each with rows of its own." \
		"To merge these rows: -s dso,sym")
	# It stands above the table, and only there.
	grep -B3 '^# Samples: ' out | grep '^# Threads: '
	dwell report --stdio -s comm workers.data | grep '^# Threads: 9 threads '
	for option in "-s dso,sym" "-s sym" "-s tid" "-s comm,tid" --json --csv \
		"--comms worker-1,worker-2" "--percent-limit 30"; do
		echo "$option"
		dwell report --stdio $option workers.data >out 2>/dev/null ||
			dwell report $option workers.data >out
		[ -s out ]
		run ! grep -E 'Threads:|rows of its own' out
	done
	make_workers 8
	dwell report --stdio -s comm,dso,sym workers.data >out
	run ! grep '^# Threads: ' out
}

@test "report: the note on a process with over 8 thread names counts per recording, and escapes its name" {
	make_workers 6 other
	mv workers.data others.data
	make_workers 6
	dwell report --stdio workers.data others.data >out
	[ "$(grep -c 'other-[0-5]' out)" -ge 6 ]
	run ! grep '^# Threads: ' out
	{
		make_head
		printf 'record COMM pid=7 tid=7 comm="a\e[1m" misc=exec time=1\n'
		for i in 0 1 2 3 4 5 6 7 8; do
			echo "record COMM pid=7 tid=1$i comm=t$i time=2"
			sample 7 1$i 3000
		done
	} | make_data hostile.data
	dwell report --stdio hostile.data | grep -F '7 (a\x1b[1m) have 9 names'
}

@test "live: svg: a process with 64 thread names has one outermost frame, as wide as the picture" {
	need python3
	cc -O1 -g -fno-omit-frame-pointer -pthread -o threads \
		"$DWELL_SOURCE/tests/cli/threads.c"
	background ./threads idle 64 >said
	threads=$last
	until_true grep -q ready said
	mkfifo ask answer
	background "$record" -q --call-graph fp -e page-faults:u -c 1 -p "$threads" \
		--control fifo:ask,answer
	recorder=$last
	echo ping >ask
	[ "$(head -n 1 answer)" = ack ]
	kill -USR1 "$threads"
	wait "$recorder"
	dwell export --format svg dwell.data >out.svg
	grep -c '<title>' out.svg
	[ "$(first_frames out.svg | wc -l)" = 1 ]
	first_frames out.svg | grep '^threads [0-9]*$'
	grep 'width="100.0000%".*<title>threads: 100.00 %.*<text .*>threads</text>' \
		out.svg
	dwell export --format svg --group-by thread dwell.data >out.svg
	[ "$(first_frames out.svg | grep -c '^thread-[0-9]* ')" = 64 ]
	for group in process thread none; do
		dwell export --format folded --group-by $group dwell.data |
			awk '{ n += $NF } END { print n }'
	done | uniq >sums
	cat sums
	[ "$(wc -l <sums)" = 1 ]
	[ "$(cat sums)" -ge $((64 * 16)) ]
	dwell report --stdio dwell.data |
		grep "^# Threads: 65 threads of process $threads (threads) have 65 names"
}
