#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts of control groups: dwell stat -G and --for-each-cgroup, compared with what
# the processes of the groups do, and with perf stat.

load ../cli/common.bash

setup() {
	need root perf cc cgroup
	enter_test
	cc -O1 -pthread -o counts "$DWELL_SOURCE/tests/peer/counts.c"
	mount=$(cgroup_mount)
	name=dwell-stat-$$
	mkdir "$mount/$name" "$mount/$name"/{a,b}
	cat >in_group <<-'END'
		echo $$ >"$1/cgroup.procs"
		shift
		exec "$@"
	END
}

# A control group is busy for a moment after its last process.
removes_groups() {
	find "$mount/$name" -depth -type d -exec rmdir {} + 2>/dev/null
}

teardown() {
	end_started
	[ -z "${name:-}" ] || until_true removes_groups
	no_findings
}

stat() {
	"$DWELL_BUILD/dwell" stat --no-big-num "$@"
}

# table FILE: prints the event, the control group and the count of each row of CSV.
table() {
	awk -F, '$3 { print $3, $4, $1 }' "$1"
}

@test "live: stat: -G counts the events of the processes in the control group" {
	need tracefs syscall-tracepoints
	local call=syscalls:sys_enter_getppid
	# Processes outside of the groups call it, too.
	background sh -c 'while :; do ./counts forks 10; done'
	stat -x, -o got -e "$call,$call,$call" -G "$name/a,,$mount/$name/b" \
		sh -c "sh in_group $mount/$name/a ./counts forks 700
			sh in_group $mount/$name/b ./counts forks 300"
	cat got
	[ "$(table got | sed -n 1p)" = "$call $name/a 700" ]
	[ "$(table got | awk 'NR == 2 { print ($2 >= 1000) }')" = 1 ]
	[ "$(table got | sed -n 3p)" = "$call $mount/$name/b 300" ]
	# One name is that of all events before it, also of the whole group.
	stat -x, -o got -e "{$call,sched:sched_process_fork}" -G "$name/a" \
		-e dummy sh in_group "$mount/$name/a" ./counts forks 500
	cat got
	[ "$(table got | sed '$d')" = "$call $name/a 500
sched:sched_process_fork $name/a 500" ]
	# The events of -d belong to the last -e.
	stat -x, -o got -e dummy -G "$name/a" -d true
	[ "$(awk -F, -v name="$name/a" '$4 == name' got | wc -l)" = 5 ]
	stat -x, -o got -e dummy -G "$name/a" -e dummy -d true
	[ "$(awk -F, -v name="$name/a" '$4 == name' got | wc -l)" = 1 ]
	# The processes of a group include those of its groups.
	stat -x, -o got -e "$call" -G "$name" -e "$call" -G "$name/b" \
		sh in_group "$mount/$name/a" ./counts forks 500
	[ "$(table got)" = "$call $name 500
$call $name/b <not counted>" ]
}

@test "live: stat: a process is counted from joining a control group until it leaves" {
	need tracefs syscall-tracepoints
	stat -x, -o got -e syscalls:sys_enter_getppid -G "$name/a" sh -c "
		./counts forks 100
		echo \$\$ >$mount/$name/a/cgroup.procs
		./counts forks 200
		echo \$\$ >$mount/cgroup.procs
		./counts forks 400"
	[ "$(table got)" = "syscalls:sys_enter_getppid $name/a 200" ]
}

# columns: replaces the numbers of text, CSV or JSON by 9, and blanks by one. Removes
# what text shows only if two runs differ, or if an event was not counted all the time.
columns() {
	sed -E -e 's/[0-9]+\.[0-9]+/9/g' -e "s/$name/NAME/g" \
		-e 's/(^|[ ,":])[0-9]+/\19/g' -e 's/CPU[0-9]/CPU/' \
		-e 's/"metric-unit" : "\(null\)"/"metric-unit" : ""/' \
		-e 's/" : /": /g' -e 's/ [KMG]\/sec/ \/sec/' -e 's/ +/ /g' \
		-e '/elapsed/!s/ \( ?(\+- ?)?9% ?\)//g' -e 's/ $//' | cat -s
}

# same_columns ARGUMENT...: compares the output of dwell stat with that of perf stat.
same_columns() {
	stat "$@" 2>&1 | columns >ours
	perf stat --no-big-num "$@" 2>&1 | columns >theirs
	echo "$*"
	diff theirs ours
}

@test "live: stat: the columns of control groups are those of perf stat" {
	for form in '' '-x,' -j '-r 2' '-r 2 -x,' '-I 600000 -x,' \
		'-C 0 -A -x,' '-I 600000'; do
		# shellcheck disable=SC2086
		set -- $form -a -e page-faults,cs,dummy
		# perf may print no interval of a command that ends at once.
		run=(taskset -c 0 sh in_group "$mount/$name/a"
			sh -c './counts pages 9; sleep 0.1')
		same_columns "$@" -G "$name/a,,$name/b" "${run[@]}"
		same_columns "$@" --for-each-cgroup "$name/a,$name/b" "${run[@]}"
	done
	same_columns -a -e page-faults -G "$name/a" -e dummy "${run[@]}"
	same_columns -a -e task-clock,page-faults -G "$name/a" "${run[@]}"
}

@test "live: stat: --for-each-cgroup counts all events in each control group" {
	# The names have the order of the list.
	stat -x, -o got --for-each-cgroup "$name/b,^$name(/a)?\$" \
		-e page-faults,task-clock \
		sh in_group "$mount/$name/b" ./counts pages 1000
	cat got
	[ "$(table got | cut -d' ' -f1,2)" = "page-faults $name/b
task-clock $name/b
page-faults $name
task-clock $name
page-faults $name/a
task-clock $name/a" ]
	table got | grep -q "^page-faults $name/a <not counted>\$"
	table got | grep -qE "^page-faults $name/b 1[0-9]{3}\$"
	# Rates use the time of the same control group.
	[ "$(awk -F, '$7' got | grep -c "page-faults.*/sec")" = 2 ]
	# Copies of a group are groups.
	stat -x, -o got --for-each-cgroup "$name/a,$name/b" \
		-e '{page-faults,dummy}' \
		sh in_group "$mount/$name/b" ./counts pages 1000
	[ "$(table got | sed -n 4p)" = "dummy $name/b 0" ]
	# All runs count the groups that exist before the first one.
	stat -x, -o got -r 2 --for-each-cgroup "^$name/" -e dummy \
		mkdir -p "$mount/$name/later"
	[ "$(table got)" = "dummy $name/a <not counted>
dummy $name/b <not counted>" ]
	refuses 1 "$DWELL_BUILD/dwell" stat --for-each-cgroup "$name/c" true
	[[ $line == *"cannot open cgroup '$name/c' in $mount: No such"* ]]
	refuses 1 "$DWELL_BUILD/dwell" stat --for-each-cgroup "^$name/c" true
	[[ $line == *"no control group matches '^$name/c' in $mount" ]]
	refuses 2 "$DWELL_BUILD/dwell" stat --for-each-cgroup "^$name/[c" true
	[[ $line == *"--for-each-cgroup: '^$name/[c': "* ]]
	refuses 2 "$DWELL_BUILD/dwell" stat -G a --for-each-cgroup a true
}

@test "live: stat: each of a hundred control groups is counted completely" {
	need tracefs syscall-tracepoints
	mkdir "$mount/$name"/c{1..98}
	stat -o got -x, --for-each-cgroup "^$name/" -I 100 \
		-e syscalls:sys_enter_getppid,task-clock,page-faults sh -c "
		for group in $mount/$name/*/; do
			sh in_group \$group ./counts forks 20
		done"
	awk -F, '$4 ~ /getppid/ { sum[$5] += $2 } END {
		for (group in sum) { n++; if (sum[group] != 20) wrong++ }
		exit n != 100 || wrong }' got
}
