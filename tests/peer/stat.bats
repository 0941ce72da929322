#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts of dwell stat, compared with those of perf stat and with what the counted
# program does.

load ../cli/common.bash

setup() {
	need perf cc
	enter_test
	cc -O1 -pthread -o counts "$DWELL_SOURCE/tests/peer/counts.c"
}

stat() {
	"$DWELL_BUILD/dwell" stat --no-big-num "$@"
}

# count EVENT COMMAND...: prints dwell's count of EVENT.
count() {
	local event=$1
	shift
	stat -o counted -e "$event" "$@" >/dev/null
	awk -v event="$event" '$2 == event { print $1 }' counted
}

# layout: prints text without the digits of its numbers and the blanks at the end of
# lines.
layout() {
	sed -e 's/ *$//' -e 's/[0-9][0-9]*\./9./g; s/\.[0-9]*/.9/g' \
		-e 's/^ *[0-9][0-9]* / 9 /' -e 's/^ *9\./ 9./' \
		-e 's/# *[0-9]/# 9/' -e 's/ [KMG]\/sec/ \/sec/'
}

# same_layout ARGUMENT...: compares the text of dwell stat with that of perf stat.
same_layout() {
	stat "$@" 2>&1 | layout >ours
	perf stat --no-big-num "$@" 2>&1 | layout >theirs
	diff theirs ours
}

@test "live: stat: the text is laid out as that of perf stat" {
	same_layout -e task-clock,page-faults,dummy true
	same_layout -e '{task-clock,page-faults}' -e dummy sh -c 'true a b'
	same_layout -e dummy,page-faults true
	same_layout -n true
	need no-pmu
	same_layout true
}

# columns SEPARATOR: replaces the numbers in CSV by 9.
columns() {
	awk -v separator="$1" 'BEGIN { FS = OFS = separator }
		{ for (i = 1; i <= NF; i++)
			if ($i ~ /^[0-9.]+%?$/)
				gsub(/[0-9.]+/, "9", $i)
		  sub(/[KMG]\/sec/, "/sec"); print }'
}

@test "live: stat: CSV has the columns of perf stat" {
	for separator in ',' ';' '\t'; do
		for more in '-r 2' ''; do
			# shellcheck disable=SC2086
			set -- $more -x "$separator" -e task-clock,page-faults,dummy \
				-e cycles true
			stat "$@" 2>&1 | columns "$separator" >ours
			perf stat "$@" 2>&1 |
				columns "$separator" >theirs
			diff theirs ours
		done
	done
}

@test "live: stat: CSV of CPUs and intervals has the columns of perf stat" {
	# perf may print no interval of a command that ends at once.
	for more in '-a -A' '-a' '-C 0 -A' '-I 600000' '-I 600000 -a -A'; do
		# shellcheck disable=SC2086
		set -- $more -x, -e task-clock,context-switches,cycles sleep 0.1
		stat "$@" 2>&1 | columns , | sed 's/^ *[0-9.]*,/9,/' >ours
		perf stat "$@" 2>&1 | columns , | sed 's/^ *[0-9.]*,/9,/' >theirs
		echo "$more"
		diff theirs ours
	done
	start_busy
	set -- -p "$last" --per-thread -x, -e dummy true
	stat "$@" 2>&1 | sed 's/<not counted>/0/' | columns , >ours
	perf stat "$@" 2>&1 | sed 's/<not counted>/0/' | columns , >theirs
	diff theirs ours
}

@test "live: stat: JSON has the members of perf stat" {
	need python3
	cat >members.py <<-'END'
		import json, sys
		for line in sys.stdin:
		    row = json.loads(line)
		    print([(key, type(row[key])) for key in row], row["unit"],
		          row["event"], row["pcnt-running"],
		          row["metric-unit"].lstrip("KMG"))
	END
	for more in '-r 2' '-a -A' '-I 600000 -a -A' ''; do
		# shellcheck disable=SC2086
		set -- $more -j -e task-clock,page-faults,dummy,cycles sleep 0.1
		stat "$@" 2>&1 | python3 members.py >ours
		perf stat "$@" 2>&1 | python3 members.py >theirs
		diff theirs ours
	done
}

# with_made_counters COMMAND...: each event that COMMAND counts has a value that
# depends only on the event, also one of hardware.
with_made_counters() {
	[ -e made.so ] || cc -O1 -shared -fPIC -o made.so \
		"$DWELL_SOURCE/tests/peer/made_counters.c" -ldl
	LD_PRELOAD=$PWD/made.so "$@"
}

# unmeasured: prints counts without what is measured: times, and the utilized CPUs;
# and without perf's names of numbers that a row of JSON lacks.
unmeasured() {
	sed -E -e 's/ *$//' -e '/ seconds /d' -e 's/^ +[0-9]+\.[0-9]{9}[ ,]//' \
		-e 's/"interval": [0-9.]+, //' \
		-e 's/ *[0-9.]+,?( CPUs|CPUs| *, "metric-unit": "CPUs)/\1/' \
		-e 's/"metric-unit": "(\(null\)|Ghz)"/"metric-unit": ""/'
}

# same_made FILTER ARGUMENT...: compares the numbers of dwell stat and perf stat with
# made counters, after FILTER.
same_made() {
	local filter=$1
	shift
	with_made_counters "$DWELL_BUILD/dwell" stat --no-big-num "$@" 2>&1 |
		unmeasured | $filter >ours
	with_made_counters perf stat --no-big-num "$@" 2>&1 |
		sed 's/" : /": /g' | unmeasured | $filter >theirs
	echo "$@"
	diff theirs ours
	grep -qE '[1-9][0-9]{6}' ours
}

# second_lines: prints the second line of instructions without its place in a line.
second_lines() {
	sed -E -e 's/,+([0-9.]+,stalled cycles per insn)/,\1/' \
		-e '/stalled cycles per insn/s/ +#/ #/' -e 's/^ +#/#/'
}

@test "live: stat: the rates and ratios behind # are those of perf stat" {
	same_made cat -ddd -e task-clock,cycles,instructions,branches,branch-misses \
		-e cache-references,cache-misses,page-faults true
	all=task-clock,cycles,instructions,branches,branch-misses
	all+=,stalled-cycles-frontend,stalled-cycles-backend,cs
	for form in '' -j '-r 2 -x,' '-a --per-core' '-a --per-socket -x,' \
		'-a --per-node -j' '-a --per-die -j -I 600000' '-a -A -x,'; do
		# shellcheck disable=SC2086
		same_made second_lines -e "$all" $form true
	done
}

@test "live: stat: -S calls sync before each run" {
	with_made_counters "$DWELL_BUILD/dwell" stat -S -r 3 -n true >said
	[ "$(grep -c '^sync$' said)" = 3 ]
	with_made_counters "$DWELL_BUILD/dwell" stat -r 3 -n true >said
	[ ! -s said ]
}

@test "live: stat: counts of PMUs have the unit and scale of perf stat" {
	need root mount-namespace
	mkdir -p pmu/events pmu/format
	echo 1 >pmu/type
	echo config:0-63 >pmu/format/event
	for event in faults=2=0.25=Joules lines=3=64=MiB plain=4==; do
		IFS='=' read -r name number scale unit <<<"$event"
		echo "event=$number" >"pmu/events/$name"
		[ -z "$scale" ] || echo "$scale" >"pmu/events/$name.scale"
		[ -z "$unit" ] || echo "$unit" >"pmu/events/$name.unit"
	done
	cat >both.bash <<-'END'
		mount --bind pmu /sys/bus/event_source/devices/software
		for form in -x, -j '-I 600000'; do
			same_made cat -e task-clock,software/faults/ \
				-e software/lines/,software/plain/ $form true
		done
	END
	export DWELL_BUILD DWELL_SOURCE
	export -f with_made_counters same_made unmeasured
	unshare -m bash -e both.bash
}

@test "live: stat: counts by core, die, socket and node have the places of perf stat" {
	need root mount-namespace
	mkdir nodes
	echo 0-1 >nodes/possible
	cp nodes/possible nodes/online
	for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
		n=${cpu##*/cpu}
		mkdir -p "cpu$n/topology" "cpu$n/node$((n % 2))" \
			"nodes/node$((n % 2))"
		ln -s ../../cpu "nodes/node$((n % 2))/cpu$n"
		echo "$((n * 7))" >"cpu$n/topology/core_id"
		echo "$((n % 3))" >"cpu$n/topology/die_id"
		echo "$((12 - n % 2))" >"cpu$n/topology/physical_package_id"
	done
	cat >both.bash <<-'END'
		for n in cpu[0-9]*; do
			mount --bind "$n" "/sys/devices/system/cpu/$n"
		done
		mount --bind nodes /sys/devices/system/node
		for by in core die socket node; do
			for form in -x, '-I 600000'; do
				same_made cat -a "--per-$by" $form \
					-e page-faults,cycles true
			done
		done
		for n in cpu[0-9]*; do
			rm "$n/topology/physical_package_id"
		done
		same_made cat -a --per-socket -x, -e page-faults,cycles true
	END
	export DWELL_BUILD DWELL_SOURCE
	export -f with_made_counters same_made unmeasured
	unshare -m bash -e both.bash
}

# ask COUNTER...: sends the commands to a counter, and prints its answers.
ask() {
	local word answer ctl ack

	mkfifo ctl ack
	exec {ctl}<>ctl {ack}<>ack
	"$@" -D -1 -e task-clock,dummy --control fifo:ctl,ack -- \
		sh -c 'read -r line <ending' >said 2>&1 3>&- &
	started=$!
	for word in ping evlist enable 'disable dummy' 'enable dummy' disable \
		'ping more' stop; do
		echo "$word" >&"$ctl"
		read -r -t 60 -u "$ack" answer
		echo "$word: $answer"
	done
	exec {ctl}>&- {ack}>&-
	rm ctl ack
}

@test "live: stat: --control answers the same client as perf stat does" {
	mkfifo ending
	ask "$DWELL_BUILD/dwell" stat >ours
	wait "$started" || true
	sed -n '/^task-clock$/,/^dummy$/p' said >>ours
	ask perf stat >theirs
	# The command stop does not end perf stat.
	echo >ending
	wait "$started"
	sed -n '/^task-clock$/,/^dummy$/p' said >>theirs
	diff theirs ours
	[ "$(wc -l <ours)" = 10 ]
}

@test "live: stat: the threads of --per-thread are ordered as by perf stat" {
	need python3
	background python3 -c '
import threading, time
def work(share):
    while True:
        start = time.thread_time()
        while time.thread_time() - start < share * 0.01: pass
        time.sleep(0.01)
for i in 1, 3, 2:
    threading.Thread(target=work, args=(i,)).start()
time.sleep(600)'
	until_true ran_for "$last" 1
	for tool in "$DWELL_BUILD/dwell" perf; do
		"$tool" stat -x, -e task-clock,cs --per-thread -p "$last" \
			sleep 0.5 2>counts
		cat counts
		# Each event has its own order.
		for event in task-clock cs; do
			grep ",$event," counts | cut -d, -f2 | sed 's/^</0&/' >of
			sort -srn of | diff of -
		done
	done
}

# ran_for PID SECONDS: succeeds if the process used CPU time.
ran_for() {
	local fields

	read -ra fields <"/proc/$1/stat"
	[ "${fields[13]}" -ge "$(($2 * 10))" ]
}

@test "live: stat: the page faults of a program are counted exactly" {
	few=$(count page-faults ./counts pages 1000)
	many=$(count page-faults ./counts pages 11000)
	# The start of a program makes some more or fewer faults at each run.
	[ "$((many - few))" -ge 9800 ]
	[ "$((many - few))" -le 10200 ]
	theirs=$(perf stat -x, -e page-faults ./counts pages 11000 2>&1 |
		cut -d, -f1)
	[ "$((many - theirs))" -ge -200 ]
	[ "$((many - theirs))" -le 200 ]
}

@test "live: stat: no count of thousands of short processes is lost" {
	need root tracefs syscall-tracepoints
	[ "$(count sched:sched_process_fork ./counts forks 10000)" = 10000 ]
	[ "$(count syscalls:sys_enter_getppid ./counts forks 10000)" = 10000 ]
	[ "$(count sched:sched_process_exit ./counts forks 10000)" = 10001 ]
	# One reading of a group contains the counts of all its events.
	stat -o group -e '{syscalls:sys_enter_getppid,sched:sched_process_fork}' \
		./counts forks 1000
	[ "$(awk '/:sys_enter_getppid|:sched_process_fork/ { print $1 }' \
		group)" = $'1000\n1000' ]
	# Only the process itself.
	stat -o alone -i -e syscalls:sys_enter_getppid ./counts forks 100
	grep -qE '^ +0 +syscalls:sys_enter_getppid' alone
}

@test "live: stat: each context switch of two threads that wake each other is counted" {
	[ "$(count context-switches ./counts pings 5000)" -ge 10000 ]
	stat -o group -e '{dummy,cs}' ./counts pings 5000
	[ "$(awk '$2 == "cs" { print $1 }' group)" -ge 10000 ]
}

@test "live: stat: each call of a function is counted by a uprobe" {
	need root
	cc -O1 -o hit "$DWELL_SOURCE/tests/cli/hit.c"
	stat -q -o all -e uprobe:./hit:step sh -c './hit 777; ./hit 1; :'
	[ "$(awk '/uprobe/ { print $1 }' all)" = 778 ]
	stat -q -o one -i -e uprobe:./hit:step,page-faults ./hit 777
	[ "$(awk '/uprobe/ { print $1 }' one)" = 777 ]
	stat -o noted -e uprobe:./hit:step ./hit 777 2>&1 |
		grep -q 'counts all processes'
}

@test "live: stat: a write to a variable is counted by a breakpoint" {
	need breakpoint
	cc -O1 -g -o hit "$DWELL_SOURCE/tests/cli/hit.c"
	[ "$(count mem:counter:w ./hit 777)" = 777 ]
}

@test "live: stat: the counts in samples of all threads and children add up to those of perf" {
	need root tracefs syscall-tracepoints inherited-counts
	cc -O1 -pthread -o tasks "$DWELL_SOURCE/tests/cli/tasks.c"
	calls=syscalls:sys_enter_getppid
	theirs=$(perf stat -x, -e $calls ./tasks 2>&1 >/dev/null | cut -d, -f1)
	[ "$theirs" = 2000 ]
	[ "$(count $calls ./tasks)" = "$theirs" ]
	for events in "{$calls/period=1/,page-faults}:S" \
		"{page-faults/period=1/,$calls}:S"; do
		dwell record -q -o data -e "$events" ./tasks
		dwell report --csv --comm tasks -s comm -i data 2>&1 |
			grep "^$calls" | cut -d, -f5 | diff - <(echo "$theirs")
	done
}
