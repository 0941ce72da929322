#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell record when it is refused something: by the kernel, by the user's
# privileges, by processes that have ended, by disks and pipes.

load common.bash

refuse=$DWELL_BUILD/tests/refuse

# samples_in FILE: prints the number of samples that dwell finds, the sum over
# the events.
samples_in() {
	"$report" report -i "$1" --json </dev/null |
		grep -oE '"event": [^{]*"samples": [0-9]+' |
		awk '{ n += $NF } END { print n + 0 }'
}

### Kernel #####################################################################

@test "record: each errno of perf_event_open is one error line with a cause and a remedy" {
	need seccomp
	# E2BIG EACCES EBADF EBUSY EFAULT EINVAL EINTR EMFILE ENODEV ENOENT
	# ENOSPC ENOSYS EOPNOTSUPP EOVERFLOW EPERM ESRCH, and ENOMEM, ENFILE.
	for errnum in 7 13 9 16 14 22 4 24 19 2 28 38 95 75 1 3 12 23; do
		refuses 1 "$refuse" "$errnum" "$record" true
		[[ $line == "dwell record: "*"; "* ]]
		[ ! -e dwell.data ]
		refuses 1 "$refuse" "$errnum" "$record" -a --duration 1
		[[ $line == "dwell record: "*"; "* ]]
	done
}

@test "record: if seccomp refuses perf_event_open, the error names the option seccomp=unconfined" {
	need seccomp
	for errnum in 1 38; do
		refuses 1 "$refuse" "$errnum" "$record" true
		[[ $line == *seccomp*seccomp=unconfined* ]]
	done
}

### Ordinary users #############################################################

@test "live: record: a user who samples his own process gets at most one note" {
	enter_users_folder
	need user-live
	# At this frequency even small ring buffers hold the samples of a second.
	for limit in 8388608 0; do
		run -0 --separate-stderr as_user \
			prlimit --memlock=$limit:$limit ./dwell-record -F 250 --call-graph fp -- \
			awk 'BEGIN { while (i < 5e6) i++ }'
		echo "$stderr"
		[[ $stderr == *" sample"*", 0 lost, "* ]]
		# awk can be built without frame pointers, which the summary reports.
		[ "$(grep -vc 'of the stacks are cut: ' <<<"$stderr")" -le 2 ]
		[ "$(samples_in dwell.data)" -gt 10 ]
	done
}

@test "live: record: a user who samples user space only gets no note" {
	enter_users_folder
	run -0 --separate-stderr as_user prlimit --memlock=0:0 \
		./dwell-record -e cpu-clock:u -- true
	[ "${#stderr_lines[@]}" = 1 ]
	# If the user selects a size, a message reports that it was reduced.
	run -0 --separate-stderr as_user prlimit --memlock=0:0 \
		./dwell-record -m 1M -e cpu-clock:u -- true
	[[ $stderr == *"KiB per CPU, the limit of locked memory"* ]]
}

@test "live: record: a message names programs whose events the kernel removes (setuid), with a remedy" {
	local missing='are missing: the kernel removes the events of a process that executes a program which is set-user-ID or set-group-ID, has capabilities, or cannot be read. To record it: dwell record -a'

	enter_users_folder
	need user-live
	need setuid
	cp "$(type -P id)" elevated
	chmod 4755 elevated
	cp elevated closed
	chmod 711 closed
	run -0 --separate-stderr as_user ./dwell-record -o own.data -- \
		./elevated -u
	echo "$stderr"
	[ "$output" = 0 ]
	[[ $stderr =~ "samples of elevated (PID "[0-9]+") $missing, or run dwell record as root" ]]
	[ "$(samples_in own.data)" = 0 ]
	for command in report script; do
		dwell "$command" -i own.data 2>said
		grep "samples of elevated (PID [0-9]*) $missing, or" said
	done
	# Children, and a program that only root can read.
	run -0 --separate-stderr as_user ./dwell-record -o child.data -- \
		sh -c './elevated -u; ./elevated -u; ./closed -u;
			i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	echo "$stderr"
	[[ $stderr =~ "samples of elevated (PID "[0-9]+" and 1 more), closed (PID "[0-9]+") $missing" ]]
	dwell report --stdio -i child.data |
		grep "^# Removed Events: samples of elevated (PID [0-9]* and 1 more), closed "
	dwell report --header-only -i child.data |
		grep '^# events_removed : samples of elevated '
	# The processes keep their events with both remedies.
	as_other=(setpriv --reuid="$user" --clear-groups)
	run -0 --separate-stderr "$record" -o root.data -- ./elevated -u
	[[ $stderr != *"are missing"* ]]
	run -0 --separate-stderr "$record" -a -F 99 -o root.data -- \
		"${as_other[@]}" ./elevated -u
	[ "$output" = 0 ]
	[[ $stderr != *"are missing"* ]]
	# Root does not help if the program is executed as another user.
	run -0 --separate-stderr "$record" -o root.data -- \
		"${as_other[@]}" ./elevated -u
	echo "$stderr"
	[[ $stderr$'\n' =~ "samples of elevated (PID "[0-9]+") $missing"$'\n' ]]
}

@test "live: record: processes of other users are refused in one line" {
	enter_users_folder
	need paranoid
	refuses 1 as_user ./dwell-record -p $$
	[[ $line == *"process $$ belongs to another user; run dwell as root" ]]
	refuses 1 as_user ./dwell-record -t $$
	[[ $line == *"belongs to another user"* ]]
	refuses 1 as_user ./dwell-record -a --duration 1
	[[ $line == *"cannot record the whole system: kernel.perf_event_paranoid is "* ]]
	[[ $line == *"sysctl kernel.perf_event_paranoid=0"* ]]
	refuses 1 as_user ./dwell-record -C 0 --duration 1
	[[ $line == *"sysctl kernel.perf_event_paranoid=0"* ]]
	refuses 1 as_user ./dwell-record -e cpu-clock:k true
	[[ $line == *"cannot open event 'cpu-clock:k': kernel.perf_event_paranoid is "* ]]
	[ ! -e dwell.data ]
}

### Command line ###############################################################

@test "record: options that exclude each other are refused in one line" {
	refuses 2 "$record" -F 99 -c 1000 true
	refuses 2 "$record" -D 2000 --duration 1 true
	[[ $line == *"--duration ends before -D starts sampling"* ]]
	refuses 2 "$record" -D -1 true
	refuses 2 "$record" --switch-max-files 2 true
	refuses 2 "$record" -o - --switch-output true
	refuses 2 "$record" -p 1 -t 1
	refuses 2 "$record" --per-thread -a
	refuses 2 "$record" --wait true
	[ ! -e dwell.data ]
}

### Processes ##################################################################

@test "live: record: the error names a target process that has ended" {
	sleep 0 &
	gone=$!
	wait "$gone"
	refuses 1 "$record" -p "$gone"
	[[ $line == *"$gone"* ]]
	refuses 1 "$record" -p "$$,$gone"
	[[ $line == *"$gone"* ]]
	refuses 1 "$record" -t "$gone"
	[[ $line == *"$gone"* ]]
	[ ! -e dwell.data ]
}

@test "live: record: the error names a target process that is a zombie" {
	# sleep does not wait for a child that it had before its exec.
	sh -c 'sleep 0.2 & echo $! >pid; exec sleep 60' 3>&- &
	started=$!
	until_true test -s pid
	until_true grep -q 'State:.Z' "/proc/$(cat pid)/status"
	refuses 1 "$record" -p "$(cat pid)" --duration 1
	[[ $line == *"$(cat pid)"* ]]
}

@test "live: record: without /proc and /sys, the error names the missing file system" {
	need root mount-namespace
	run -1 --separate-stderr unshare -m sh -c '
		mount -t tmpfs none /proc && mount -t tmpfs none /sys &&
			exec "$1" true' - "$record"
	echo "$stderr"
	[[ $stderr == *"/proc, which is not mounted"* ]]
	run unshare -m sh -c '
		mount -t tmpfs none /proc && mount -t tmpfs none /sys &&
			PATH=$1:$PATH exec dwell doctor' - "$DWELL_BUILD"
	[ "$status" -lt 2 ]
}

### Disks and pipes ############################################################

# fill_disk: records until 300 KiB are full. The written part is in the file
# "kept".
fill_disk() {
	run -1 --separate-stderr unshare -m sh -c '
		mount -t tmpfs -o size=300k none disk
		"$@" -o disk/x -e cpu-clock:u -F 20000 -g -- \
			sh -c "while :; do :; done"
		status=$?
		cp disk/x kept
		exit $status' - "$@"
	echo "$stderr"
	[[ $stderr == *"disk/x: "*"No space left on device"*"The samples written before can be reported"* ]]
}

@test "live: record: a full disk ends the recording, and the written part is kept" {
	need root mount-namespace
	mkdir disk
	for level in -z -z0; do
		fill_disk "$record" $level
		# All of 300 KiB except less than a block.
		[ "$(stat -c %s kept)" -gt 200000 ]
		[ "$(samples_in kept)" -gt 1000 ]
		run -0 --separate-stderr "$report" report -i kept --stats \
			</dev/null
		[[ $stderr != *"cut off"* ]]
	done
}

@test "live: record: a disk without space is an error before the command starts" {
	need root mount-namespace
	mkdir disk
	run -1 --separate-stderr unshare -m sh -c '
		mount -t tmpfs -o size=4k none disk
		printf "%4096s" >disk/filler
		"$1" -o disk/x -e cpu-clock:u -- touch ran
		status=$?
		ls disk >left
		exit $status' - "$record"
	echo "$stderr"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"disk/x: "*"No space left on device"* ]]
	[ ! -e ran ]
	[ "$(cat left)" = filler ]
}

@test "live: record: a read-only directory is an error before the command starts" {
	need root mount-namespace
	mkdir disk
	refuses 1 unshare -m sh -c '
		mount --bind disk disk
		mount -o remount,bind,ro disk
		exec "$1" -o disk/x -e cpu-clock:u -- touch ran' - "$record"
	[[ $line == *"cannot create disk/x: Read-only file system; use another name: -o FILE" ]]
	[ ! -e ran ]
}

@test "live: record: in a directory of another user, the error leaves the older recording" {
	enter_users_folder
	echo old >dwell.data
	chmod 755 .
	refuses 1 as_user ./dwell-record -e cpu-clock:u -- touch ran
	[[ $line == *"Permission denied"* ]]
	[ "$(cat dwell.data)" = old ]
	[ ! -e ran ]
}

@test "live: record: if the limit of open files permits no pipe, the error names the limit" {
	local limit named=0
	for limit in {4..20}; do
		# The dynamic loader needs a descriptor, too: status 127.
		run sh -c "ulimit -n $limit; \"\$@\" || exit \$((\$? % 127))" - \
			"$record" -e cpu-clock:u -- touch ran
		echo "$limit: $output"
		[ "$status" != 0 ] || continue
		[ "$status" = 1 ]
		[[ $output == *"the limit"*" is $limit;"*"ulimit -"* ]]
		[[ $output != "dwell record: cannot create a pipe: Too many open files; the limit of open files is $limit; to raise it: ulimit -n 1024" ]] ||
			named=$((named + 1))
	done
	[ "$named" -gt 0 ]
	[ ! -e ran ]
}

@test "live: record: at a file size limit, the written part can be reported" {
	run -1 --separate-stderr sh -c 'ulimit -f 200; exec "$@"' - \
		"$record" -z0 -e cpu-clock:u -F 20000 --call-graph fp \
		sh -c 'while :; do :; done'
	[[ $stderr == *"File too large"*"The samples written before can be reported"* ]]
	[ "$(samples_in dwell.data)" -gt 300 ]
}

@test "live: record: if the reader of a stream exits, the recording ends with one error line and status 1" {
	sh -c '"$1" -o - -e cpu-clock:u -F 20000 -g -- \
		sh -c "while :; do :; done" 2>said; echo $? >status' - \
		"$record" | head -c 5000 >/dev/null
	cat said
	[ "$(cat status)" = 1 ]
	[ "$(wc -l <said)" = 1 ]
	grep -q 'standard output: .*Broken pipe; the program that read the stream has ended' said
}
