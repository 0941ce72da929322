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
	for separator in , ';' '\t'; do
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

@test "live: stat: the page faults of a program are those that it makes" {
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

@test "live: stat: no count of a fork storm is lost" {
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

@test "live: stat: each switch of a ping-pong is counted" {
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
