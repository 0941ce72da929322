#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Targets of dwell record, and the completeness of their recordings.

load common.bash

setup_file() {
	cc -O1 -g -pthread -o "$BATS_FILE_TMPDIR/threads" \
		"$DWELL_SOURCE/tests/cli/threads.c"
	cc -o "$BATS_FILE_TMPDIR/bpf" "$DWELL_SOURCE/tests/cli/bpf.c"
	cc -O1 -o "$BATS_FILE_TMPDIR/storm" "$DWELL_SOURCE/tests/cli/storm.c"
	cc -O1 -pthread -o "$BATS_FILE_TMPDIR/mapper" \
		"$DWELL_SOURCE/tests/cli/mapper.c"
}

teardown() {
	end_started
	if [ -n "${group:-}" ]; then
		until_true rmdir "$group/inner" "$group" || true
	fi
	no_findings
}

# sampled_pids FILE: prints the pids of the samples, each once.
sampled_pids() {
	perf script --force -i "$1" -F pid 2>/dev/null | tr -d ' ' | sort -u
}

### Selection of processes #####################################################

@test "record: --name, -u and --wait: invalid values and combinations are refused" {
	refuses 2 "$record" --name '(' true
	[[ $line == *"--name: '(': "* ]]
	refuses 2 "$record" -u no-such-user-at-all
	[[ $line == *"no user 'no-such-user-at-all'"* ]]
	refuses 1 "$record" --name '^no-such-process-at-all$'
	[[ $line == *"use --wait to wait for one"* ]]
	refuses 2 "$record" --wait -p 1
	[[ $line == *"--wait needs --name or -u"* ]]
	refuses 2 "$record" --name x -p 1
	refuses 2 "$record" -u 0 -a
	refuses 2 "$record" --per-thread -a
	refuses 2 "$record" -p 12,x
	refuses 2 "$record" -p 12,
	refuses 2 "$record" -t 99999999999
	refuses 2 "$record" -p 1-4
	[[ $line == *"not a list of IDs such as 12,345"* ]]
}

@test "live: record: -p: a process that is named twice is recorded once" {
	background sleep 60
	run -0 --separate-stderr "$record" -v -e cpu-clock:u --duration 0.1 \
		-p "$last,$last"
	"$report" script -D -i dwell.data >dump
	[ "$(grep -c 'COMM.*sleep' dump)" = 1 ]
}

@test "live: record: --name records all processes with a name, by the name of the thread or the command" {
	need perf
	# No other test has processes with these names.
	cp "$(command -v awk)" ./a-rather-long-name-for-$$
	cp "$(command -v awk)" ./named-$$
	background ./named-$$ 'BEGIN { while (1) n++ }'
	first=$last
	background ./named-$$ 'BEGIN { while (1) n++ }'
	second=$last
	background ./a-rather-long-name-for-$$ 'BEGIN { while (1) n++ }'
	third=$last
	"$record" -q -e cpu-clock:u --name "^named-$$\$" \
		-- "${while_run[@]}" "$first" "$second"
	[ "$(sampled_pids dwell.data)" = "$(printf '%s\n' $first $second | sort)" ]
	"$record" -q -e cpu-clock:u --name "long-name-for-$$\$" \
		-- "${while_run[@]}" "$third"
	[ "$(sampled_pids dwell.data)" = "$third" ]
}

@test "live: record: --wait waits for a process, records it, and ends when the process ends" {
	need perf
	cp "$(command -v awk)" ./awaited-$$
	"$record" -e cpu-clock:u --name "^awaited-$$\$" --wait 2>said 3>&- &
	recorder=$!
	started=$recorder
	until_true grep -q 'waiting for a process named ^awaited-'$$'\$' said
	background ./awaited-$$ 'BEGIN { while (1) i++ }'
	started="$recorder $last"
	until_true grep -q 'recording process' said
	until_ran "$last" 300
	kill -KILL "$last"
	wait "$recorder"
	cat said
	grep -q "recording process $last\$" said
	[ "$(sampled_pids dwell.data)" = "$last" ]
}

@test "live: record: --wait: Ctrl-C ends the recorder, and no file remains" {
	# Background jobs of a shell ignore SIGINT; a recorder in the foreground
	# does not.
	env --default-signal=INT "$record" --name '^never-there$' --wait \
		2>said 3>&- &
	started=$!
	until_true grep -q 'waiting for' said
	kill -INT "$started"
	status=0
	wait "$started" || status=$?
	[ "$status" = 130 ]
	[ ! -e dwell.data ]
}

@test "live: record: -u records all processes of a user" {
	need root
	need perf
	# No other test has processes of these users.
	local user=$((100000000 + 2 * $$)) absent=$((100000001 + 2 * $$))
	background setpriv --reuid=$user --regid=$user --clear-groups \
		awk 'BEGIN { while (1) n++ }'
	first=$last
	start_busy
	until_true grep -q "^Uid:.$user" "/proc/$first/status"
	"$record" -q -e cpu-clock:u -u $user -- "${while_run[@]}" \
		"$first" "$last"
	[ "$(sampled_pids dwell.data)" = "$first" ]
	refuses 1 "$record" -u $absent
	[[ $line == *"-u: user $absent has no process"* ]]
}

### Threads ####################################################################

# all_are_joined: waits for a recorder with --control fifo:ask,answer, which
# answers when all threads are attached.
all_are_joined() {
	echo ping >ask
	[ "$(head -n 1 answer)" = ack ]
}

@test "live: record: -p: threads that are created while the recorder attaches are sampled once" {
	need perf
	background "$BATS_FILE_TMPDIR/threads" grow 0.7 >said
	threads=$last
	until_true grep -q ready said
	mkfifo ask answer
	# They touch some ten thousand pages at the same time.
	background "$record" -e page-faults:u -c 1 -m 8M -p "$threads" \
		--control fifo:ask,answer
	recorder=$last
	until_true grep -q grown said
	all_are_joined
	kill -USR1 "$threads"
	wait "$recorder"
	n=$(tail -n 1 said)
	echo "$n threads"
	[ "$n" -gt 100 ]
	perf script -i dwell.data -F tid,ip,sym 2>/dev/null |
		awk '/touch_pages/ { print $1 }' | sort | uniq -c |
		awk '{ print $1 }' | sort | uniq -c >counts
	cat counts
	[ "$(awk '{ print $1, $2 }' counts)" = "$n 16" ]
}

@test "live: record: -p: all 2,000 threads of a process are sampled, with their names" {
	need perf many-threads
	background "$BATS_FILE_TMPDIR/threads" idle 2000 >said
	threads=$last
	until_true grep -q ready said
	[ "$(ls /proc/$threads/task | wc -l)" -ge 2001 ]
	mkfifo ask answer
	# They touch 32,000 pages at the same time.
	background "$record" -e page-faults:u -c 1 -m 8M -p "$threads" \
		--control fifo:ask,answer
	recorder=$last
	all_are_joined
	kill -USR1 "$threads"
	wait "$recorder"
	perf script -i dwell.data --show-task-events -F comm,tid,event |
		grep -o 'COMM: thread-[0-9]*' | sort -u | wc -l >names
	cat names
	[ "$(cat names)" = 2000 ]
	perf script -i dwell.data -F ip,sym 2>/dev/null | grep -c touch_pages \
		>touched
	cat touched
	[ "$(cat touched)" = $((2000 * 16)) ]
}

@test "live: record: -i and --per-thread leave out threads and processes that are created later" {
	need perf
	cat >fork.sh <<-'EOF'
		awk 'BEGIN { while (i < 3e6) i++ }'
		i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done
	EOF
	for option in -i --per-thread; do
		"$record" -q "$option" -e cpu-clock:u -c 100000 -- sh fork.sh
		perf script -i dwell.data -F comm | sort -u | tr -d ' ' >comms
		cat comms
		[ "$(cat comms)" = sh ]
		# Sideband includes the other process: its mappings are
		# recorded.
		perf script -i dwell.data --show-task-events -F comm,event \
			2>/dev/null | grep -q 'COMM exec: awk'
	done
	"$record" -q -e cpu-clock:u -c 100000 -- sh fork.sh
	perf script -i dwell.data -F comm | grep -q awk
}

# low_limit N COMMAND...: runs COMMAND with at most N file descriptors, also as
# root.
low_limit() {
	local n=$1
	shift
	(
		ulimit -n "$n"
		exec setpriv --bounding-set -sys_resource \
			--inh-caps -sys_resource "$@"
	)
}

# touched: prints how many threads in dwell.data have how many samples of
# touch_pages().
touched() {
	perf script -i dwell.data -F tid,ip,sym 2>/dev/null |
		awk '/touch_pages/ { print $1 }' | sort | uniq -c |
		awk '{ print $1 }' | sort | uniq -c | awk '{ print $1, $2 }'
}

@test "live: record: more threads than file descriptors are recorded per CPU, without other threads" {
	need root
	need perf
	for target in -p -t -i; do
		# Output of the last round must not be taken for this round's.
		rm -f said answer
		background "$BATS_FILE_TMPDIR/threads" idle 100 >others
		others=$last
		background "$BATS_FILE_TMPDIR/threads" idle 100 >said
		threads=$last
		until_true grep -q ready said
		ids=$threads
		n=100
		if [ "$target" = -t ]; then
			# Half of the threads, without the first.
			n=50
			ids=$(ls "/proc/$threads/task" | grep -vx "$threads" |
				tail -n 50 | paste -sd ,)
		fi
		[ "$target" != -i ] || ids="-p $ids"
		# Page faults of all programs of the machine are in the ring buffers.
		low_limit 150 "$record" -e page-faults:u -c 1 -m 8M \
			--control fd:9,8 $target $ids 2>notes 3>&- \
			9< <(echo ping; sleep 60) 8>answer &
		recorder=$!
		started="$started $recorder"
		until_true grep -q ack answer
		kill -USR1 "$threads" "$others"
		wait "$recorder"
		cat notes
		grep -q "recording per CPU and keeping only the target's samples: \
[0-9]* file descriptors are needed, .* and the limit is 150; as root: \
ulimit -Hn [0-9]*\$" notes
		touched >counts
		cat counts
		[ "$(cat counts)" = "$n 16" ]
		[ "$(sampled_pids dwell.data)" = "$threads" ]
	done
}

# For the other threads only sideband is recorded, which needs fewer
# descriptors.
@test "live: record: -t needs file descriptors only for the samples of its threads" {
	need root
	background "$BATS_FILE_TMPDIR/threads" idle 100 >said
	until_true grep -q ready said
	events=page-faults,minor-faults,major-faults,context-switches
	low_limit $((110 * $(nproc --all) + 100)) "$record" -e "$events" \
		-t "$last" --duration 0.1 2>notes 3>&-
	cat notes
	run ! grep 'whole CPUs' notes
	low_limit 150 "$record" -e "$events" -t "$last" --duration 0.1 \
		2>notes 3>&-
	cat notes
	grep 'recording per CPU and keeping only the target' notes
	# The counts of a CPU are those of all programs.
	refuses 1 low_limit 150 "$record" -e "{$events}:S" -t "$last" \
		--duration 0.1
	[[ $line == *"file descriptors are needed, "*" and the limit is 150"* ]]
}

@test "live: record: without permission to sample whole CPUs, more threads than descriptors are an error" {
	need root
	need paranoid
	chmod 777 .
	background setpriv --reuid=54321 --regid=54321 --clear-groups \
		"$BATS_FILE_TMPDIR/threads" idle 100 >said
	until_true grep -q ready said
	ulimit -n 150
	refuses 1 setpriv --reuid=54321 --regid=54321 --clear-groups \
		"$record" -e page-faults:u -p "$last"
	[[ $line == *"file descriptors are needed, one per thread, CPU and event, \
and the limit is 150; as root: ulimit -Hn "* ]]
}

@test "live: record: an uprobe samples new threads and children of the target, and no other process" {
	need root
	need perf
	probe=uprobe:$BATS_FILE_TMPDIR/threads:touch_pages
	cat >run.sh <<-'EOF'
		until [ -e "$3" ]; do sleep 0.1; done
		"$1" idle "$2" >"$4" &
		until grep -q ready "$4"; do sleep 0.1; done
		kill -USR1 $!
		wait
	EOF
	background "$BATS_FILE_TMPDIR/threads" idle 5 >others
	others=$last
	background sh run.sh "$BATS_FILE_TMPDIR/threads" 6 joined said
	mkfifo ask answer
	"$record" -e "$probe,cpu-clock:u" -p "$last" \
		--control fifo:ask,answer 2>notes 3>&- &
	recorder=$!
	started="$started $recorder"
	all_are_joined
	touch joined
	wait "$recorder"
	head -n 1 notes | grep "the probe slows down all processes that run this code"
	perf script -i dwell.data -F comm,event | grep uprobe: | sort -u >comms
	cat comms
	[ "$(wc -l <comms)" = 6 ]
	"$record" -q -e "$probe" -o command.data -- \
		sh run.sh "$BATS_FILE_TMPDIR/threads" 9 joined said.again
	kill -USR1 "$others"
	perf script -i command.data -F comm | sort -u >comms
	cat comms
	[ "$(wc -l <comms)" = 9 ]
}

### Control groups, namespaces, BPF ############################################

# make_group: makes a control group with a subgroup, and sets $group and their
# names.
make_group() {
	local mount
	mount=$(cgroup_mount)

	need root cgroup
	name=dwell-test-$$
	mkdir "$mount/$name" "$mount/$name/inner"
	group=$mount/$name
}

@test "live: record: -G records the processes of control groups, with one event for each group" {
	need perf
	make_group
	start_busy
	outer=$last
	start_busy
	inner=$last
	echo "$inner" >"$group/inner/cgroup.procs"
	echo "$outer" >"$group/cgroup.procs"
	"$record" -q -e cpu-clock -G "$name/inner" \
		-- "${while_run[@]}" "$inner" "$outer"
	[ "$(sampled_pids dwell.data)" = "$inner" ]
	"$record" -q -e cpu-clock,task-clock -G "$group/inner,$name" \
		-- "${while_run[@]}" "$inner" "$outer"
	perf script -i dwell.data -F pid,event | sort -u | tr -d ' ' >pairs
	cat pairs
	grep -q "^${inner}cpu-clock:" pairs
	grep -q "^${outer}task-clock:" pairs
	run ! grep "^${outer}cpu-clock:" pairs
	# A name that a process got before it was moved to the group.
	perf script -i dwell.data -F comm,pid | grep -q "awk *$outer"
	refuses 1 "$record" -e cpu-clock -G "$name/gone" true
	[[ $line == *"cannot open cgroup '$name/gone' in "*": No such file"* ]]
	refuses 2 "$record" -e cpu-clock -G "$name,$name" true
	[[ $line == *"more cgroups than events before this option (1)"* ]]
	refuses 2 "$record" -G "$name" -p "$outer"
}

@test "live: record: --all-cgroups records the control group of each sample" {
	need perf
	make_group
	start_busy
	echo "$last" >"$group/inner/cgroup.procs"
	for target in "-p $last" -a; do
		"$record" -q --all-cgroups -e cpu-clock $target \
			-- "${while_run[@]}" "$last"
		perf script -i dwell.data --show-cgroup-events 2>/dev/null |
			grep -q "PERF_RECORD_CGROUP.* /$name/inner\$"
		perf report -i dwell.data --stdio -s cgroup,pid 2>/dev/null |
			grep -q "/$name/inner.* $last:awk"
		run -0 "$report" report -i dwell.data
	done
}

@test "live: record: --all-cgroups records a control group whose name begins with a dot" {
	need perf
	make_group
	mkdir "$group/inner/.hidden"
	"$record" -q --all-cgroups -e cpu-clock true
	rmdir "$group/inner/.hidden"
	perf script -i dwell.data --show-cgroup-events 2>/dev/null |
		grep -q "PERF_RECORD_CGROUP.* /$name/inner/.hidden\$"
}

@test "live: record: --all-cgroups records control groups that are created during the recording" {
	need perf
	make_group
	rmdir "$group/inner"
	"$record" -q --all-cgroups -e cpu-clock mkdir "$group/inner"
	perf script -i dwell.data --show-cgroup-events 2>/dev/null |
		grep -q "mkdir.* PERF_RECORD_CGROUP.* /$name/inner\$"
}

@test "live: record: --namespaces records namespaces of threads from before and after the start" {
	need root
	need perf
	background sleep 60
	"$record" -q --namespaces -e cpu-clock --duration 0.2 -p "$last"
	perf script -i dwell.data -D 2>/dev/null >dump
	for kind in net uts ipc pid user mnt cgroup; do
		inode=$(stat -L -c %i "/proc/$last/ns/$kind")
		grep -q "$kind: [0-9]*/0x$(printf %x "$inode")" dump
	done
	need mount-namespace
	"$record" -q --namespaces -e cpu-clock unshare -u true
	perf script -i dwell.data --show-namespace-events |
		grep -q 'unshare.*PERF_RECORD_NAMESPACES'
	run -0 "$report" report -i dwell.data
}

@test "live: record: BPF programs from before and after the start are recorded" {
	need root perf bpf
	mkfifo hold
	background sh -c 'exec "$1" dwell_early <hold' sh \
		"$BATS_FILE_TMPDIR/bpf" >said
	exec {hold}>hold
	until_true grep -q ready said
	"$record" -q -e cpu-clock -- \
		sh -c '"$1" dwell_late </dev/null' sh "$BATS_FILE_TMPDIR/bpf"
	perf script -i dwell.data --show-bpf-events 2>/dev/null >text
	cat text
	grep -q 'KSYMBOL.* flags 0x0 name bpf_prog_[0-9a-f]*_dwell_early$' text
	grep -q 'KSYMBOL.* flags 0x0 name bpf_prog_[0-9a-f]*_dwell_late$' text
	[ "$(grep -c 'BPF_EVENT type 1' text)" -ge 2 ]
	exec {hold}>&-
}

### --record-filter ############################################################

@test "record: an invalid --record-filter is refused" {
	refuses 2 "$record" --record-filter pid true
	[[ $line == *"'pid' is not a valid term. Use pid=1,2 tid=1,2"* ]]
	refuses 2 "$record" --record-filter 'comm=(' true
	refuses 2 "$record" --record-filter 'uid=no-such-user-at-all' true
}

@test "live: record: --record-filter keeps only matching samples, and all records of mappings and names" {
	need perf
	cat >two.sh <<-'EOF'
		awk 'BEGIN { while (i < 5e5) i++ }'
		sed -n '$p' big
		exec awk 'BEGIN { while (i < 5e5) i++ }'
	EOF
	seq 500000 >big
	one() {
		"$record" -e cpu-clock:u -c 200000 "$@" -- sh two.sh 2>said
		cat said
		perf script -i dwell.data -F comm | sort -u | tr -d ' ' \
			>comms
		perf script -i dwell.data --show-task-events -F comm,event \
			>events
		grep -q 'COMM exec: sed' events
		grep -q 'COMM exec: awk' events
	}
	one --record-filter 'comm=^aw'
	[ "$(cat comms)" = awk ]
	grep -q -- '--record-filter excluded [1-9][0-9]* samples$' said
	one --record-filter 'comm!=^(awk|sh)$'
	[ "$(cat comms)" = sed ]
	one --record-filter "uid=$(id -u)" --record-filter 'comm=^sed$'
	[ "$(cat comms)" = sed ]
	one --record-filter "uid!=$(id -u)"
	[ ! -s comms ]
}

@test "live: record: -a with --record-filter selects by process, thread and user" {
	need root
	need perf
	# No other test has processes of this user.
	local user=$((100000000 + 2 * $$))
	background setpriv --reuid=$user --regid=$user --clear-groups \
		awk 'BEGIN { while (1) n++ }'
	first=$last
	start_busy
	second=$last
	until_true grep -q "^Uid:.$user" "/proc/$first/status"
	for terms in "uid=$user" "pid=$first" "tid=$first" \
		"pid=$first,$second uid!=0"; do
		"$record" -q -a -e cpu-clock \
			$(printf -- ' --record-filter %s' $terms) \
			-- "${while_run[@]}" "$first" "$second"
		echo "$terms"
		[ "$(sampled_pids dwell.data)" = "$first" ]
	done
}

### Completeness of samples ####################################################

# count_mapped FILE: prints the numbers of samples in mapped code and without a
# mapping. perf sometimes has no mapping for one sample.
count_mapped() {
	perf script --force -i "$1" -F ip,sym,dso 2>/dev/null >samples
	mapped=$(grep -c '/mapped-' samples) || true
	unknown=$(grep -c '(\[unknown\])' samples) || true
	echo "$mapped in mapped code, $unknown in none"
}

@test "live: record: with 20,000 short processes, no record is lost" {
	need perf
	# The recorder shares the CPUs with the storm and with other tests. The ring
	# buffers for sideband have an eighth of this size.
	run -0 --separate-stderr "$record" -m 32M -e cpu-clock:u -F 99 \
		"$BATS_FILE_TMPDIR/storm" 4 4999
	echo "$stderr"
	[ "$output" = 20000 ]
	[[ $stderr != *"were lost"* && $stderr != *"lost records of mappings"* ]]
	"$report" report -i dwell.data --stats >stats
	cat stats
	# The thread sanitizer has a thread of its own in the process that the
	# recorder forks, before the exec.
	forks=$(awk '/FORK events/ { print $3 }' stats)
	[ "$forks" = 20000 ] ||
		{ is_sanitized && [ "$forks" = 20001 ]; }
	# The program itself is included. The four parents have not called exec.
	[ "$(awk '/EXIT events/ { print $3 }' stats)" = $((forks + 1)) ]
	[ "$(awk '/COMM events/ { print $3 }' stats)" = $((20001 - 4)) ]
	perf script -i dwell.data --show-mmap-events -F pid,event 2>/dev/null |
		grep -c 'MMAP2.* r-xp .*/storm$' >mapped
	[ "$(cat mapped)" = $((20001 - 4)) ]
}

@test "live: record: 6,000 new mappings are recorded before their samples" {
	need perf
	need known-processor
	# The ring buffers for sideband hold all mappings, so that none is lost if
	# the recorder stalls.
	"$record" -q -e cpu-clock:u -F 20000 -m 8M -- \
		"$BATS_FILE_TMPDIR/mapper" 6000
	count_mapped dwell.data
	[ "$mapped" -gt 1000 ]
	[ "$unknown" -le 1 ]
}

@test "live: record: -t, -i and -p record mappings that another thread has made" {
	need perf
	need known-processor
	for options in -t "-i -p" "--per-thread -p" -p; do
		background "$BATS_FILE_TMPDIR/mapper" 300000 other >said
		until_true grep -q ready said
		"$record" -q -e cpu-clock:u -F 5000 -m 8M $options "$last" \
			-- "${while_run[@]}" "$last"
		kill "$last"
		wait "$last" || true
		count_mapped dwell.data
		[ "$mapped" -gt 100 ]
		[ "$unknown" -le 1 ]
	done
}

@test "live: record: -C records execs and mappings that happen on other CPUs" {
	need root
	need perf
	need taskset two-cpus
	cpus=($(taskset -cp $$ | sed 's/.*: //; s/[-,]/ /g'))
	cp "$(command -v awk)" ./moving-awk
	background "$record" -q -e cpu-clock:u -C "${cpus[-1]}"
	recorder=$last
	until_true test -s dwell.data
	background taskset -c "${cpus[0]}" ./moving-awk 'BEGIN { while (1) n++ }'
	until_true grep -q moving "/proc/$last/comm"
	taskset -cp "${cpus[-1]}" "$last"
	until_ran "$last" 500
	kill -INT "$recorder"
	wait "$recorder"
	perf script -i dwell.data -F comm,pid,ip,sym,dso 2>/dev/null |
		grep " $last " >samples
	wc -l samples
	[ "$(grep -c '^ *moving-awk.*/' samples)" -gt 10 ]
	[ "$(grep -cF '([unknown])' samples)" -le 1 ]
}
