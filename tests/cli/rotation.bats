#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings in several files (--switch-output), and of the last moments only
# (--overwrite). Tests named "live" take samples.

load common.bash

teardown() {
	end_started
	[ -z "${mounted:-}" ] || umount "$mounted"
	no_findings
}

# parts: prints the closed files of out.data, the oldest one first.
parts() {
	ls out.data.[0-9]*
}

# has_parts N: succeeds if there are N files or more.
has_parts() {
	# A request to switch has no effect until the next file has begun.
	[ "$(compgen -G 'out.data.*' | wc -l)" -ge "$1" ] && [ -s out.data ]
}

# ends_with_parts N: ends the recorder that was started last after it has closed
# N files and started another one.
ends_with_parts() {
	started="${started:-} $!"
	until_true has_parts "$1"
	kill -INT $!
	wait $!
}

# good_parts: checks each file alone: perf and dwell have the same samples, with
# names.
good_parts() {
	local file
	for file in $(parts); do
		[[ $file =~ ^out\.data\.[0-9]{16}$ ]]
		perf script -i "$file" -G -F comm,pid,ip,sym,dso >perf.text
		"$report" script -i "$file" >dwell.text
		echo "$file: $(wc -l <perf.text) samples"
		[ "$(wc -l <perf.text)" = \
			"$(grep -c ' cpu-clock:u: ' dwell.text)" ]
		# The kernel writes the pid -1 for a task that has been reaped.
		run ! grep -E '^ *:[0-9]' perf.text
		# perf sometimes has no name for one sample.
		unknown=$(grep -cF '[unknown] ([unknown])' perf.text) || true
		[ "$unknown" -le $(($(wc -l <perf.text) / 100 + 1)) ]
		perf report --header-only -i "$file" | grep -q hostname
	done
}

sum_of_parts() {
	local file sum=0
	for file in $(parts); do
		sum=$((sum + $(perf script -i "$file" -G -F event | wc -l)))
	done
	echo "$sum"
}

### --switch-output ############################################################

@test "live: record: --switch-output: each file can be read alone, and no sample is lost" {
	need perf
	"$record" --call-graph fp -e cpu-clock:u -F 5000 -o out.data --switch-output -- \
		sh -c 'i=0; until [ -e end ]; do
				[ $((i % 5000)) != 0 ] || /bin/true; i=$((i + 1))
			done; awk "BEGIN { while (i < 2e7) i++ }"' 2>said 3>&- &
	recorder=$! started=$!
	until_true has_child "$recorder"
	workload=$(child_of "$recorder" | head -n 1)
	for ((n = 1; n <= 8; n++)); do
		until_ran "$workload" 100
		kill -USR2 "$recorder"
		until_true has_parts "$n"
	done
	touch end
	wait "$recorder"
	cat said
	parts
	[ "$(parts | wc -l)" = 9 ]
	[ ! -e out.data ]
	grep -q " in $(parts | wc -l) files, the last one out.data." said
	good_parts
	[ "$(sum_of_parts)" = "$(told_samples said)" ]
}

@test "live: record: --switch-output: if the next file cannot be created, the error names it, and files stay" {
	mkdir small
	need root mount-namespace
	mount -t tmpfs -o nr_inodes=2 none small
	mounted=$PWD/small
	run -1 "$record" --switch-output=1s --duration 20 -o small/out.data \
		-- sh -c 'while :; do :; done' 3>&-
	echo "$output"
	[[ ${lines[-1]} == "dwell record: cannot create small/out.data: No space left on device; use another name: -o FILE; the recording ended there. "* ]]
	[ "$(ls small | wc -l)" = 1 ]
	"$report" --stdio -i small/out.data.* >text
	grep -q 'Samples: ' text
}

@test "live: record: --switch-output: SIGUSR2 has no effect after sampling has ended" {
	"$record" --switch-output --duration 1 -o out.data \
		-- sh -c 'trap "" TERM; echo $$ >pid
			while [ ! -e end ]; do sleep 0.1; done' 2>said 3>&- &
	started=$!
	until_true grep -q ' samples*, ' said
	for ((i = 0; i < 5; i++)); do
		kill -USR2 "$started"
		until_true has_read_signals "$started"
	done
	touch end
	wait "$started"
	cat said
	[ "$(parts | wc -l)" = 1 ]
}

# With thousands of processes that have just ended, files would otherwise grow
# without limit.
@test "live: record: --switch-output: a file has no processes that ended before the previous file" {
	need perf
	"$record" -q -e cpu-clock:u --switch-output=1s -o out.data -- \
		sh -c 'while :; do /bin/true; done' 3>&- &
	ends_with_parts 4
	told=() forks=()
	for file in $(parts); do
		perf script -i "$file" --show-task-events >text
		told+=("$(grep -c ' 0\.000000: PERF_RECORD_COMM:' text)") || true
		forks+=("$(grep -c 'PERF_RECORD_FORK' text)") || true
	done
	echo "told: ${told[*]}, forks: ${forks[*]}"
	[ "${#told[@]}" -gt 3 ]
	# At most the processes of two seconds, not those of all seconds before.
	[ "${told[3]}" -le "$((forks[2] + forks[1] + 100))" ]
}

@test "live: record: --switch-output: a process that is older than the first file is in the last file" {
	need perf
	start_busy
	until_ran "$last" 10
	"$record" -q -e cpu-clock:u -p "$last" --switch-output=1s \
		-o out.data 3>&- &
	ends_with_parts 2
	parts
	[ "$(parts | wc -l)" -gt 2 ]
	good_parts
	# A file that begins right before the end can be without samples.
	for file in $(parts | tail -n +2 | tac); do
		perf script -i "$file" -G -F comm,dso 2>/dev/null >text
		[ ! -s text ] || break
	done
	grep -q awk text
}

@test "live: record: --switch-output: the last file has namespaces, control groups and data mappings" {
	need root
	need perf
	start_busy
	"$record" -q -d --namespaces --all-cgroups -e cpu-clock \
		-p "$last" --switch-output=1s -o out.data 3>&- &
	ends_with_parts 2
	parts
	[ "$(parts | wc -l)" -gt 2 ]
	for file in $(parts); do
		perf script -i "$file" -D >dump 2>/dev/null
		grep "RECORD_NAMESPACES.* $last/$last " dump
		grep -q "net: .*$(stat -L -c %i "/proc/$last/ns/net" |
			xargs printf %x)" dump
		grep -q 'PERF_RECORD_CGROUP cgroup: [0-9]* /$' dump
		# With the same mappings, of code and data.
		grep -q "MMAP2 $last/$last: .* r-xp .*awk" dump
		grep -q "MMAP2 $last/$last: .* rw-p .*awk" dump
	done
}

@test "live: record: --switch-output with a size keeps the newest files" {
	need perf
	# With registers, the samples are some megabytes.
	"$record" -z0 --call-graph fp -I --user-regs -F 10000 -e cpu-clock:u -o out.data \
		--switch-output=100K --switch-max-files 2 -- \
		sh -c 'ulimit -t 1; while :; do :; done' 2>said || true
	cat said
	ls -l
	[ "$(parts | wc -l)" = 2 ]
	good_parts
	[ "$(stat -c %s "$(parts | head -n 1)")" -ge 102400 ]
	[ "$(sed -n 's/.* in \([0-9]*\) files.*/\1/p' said)" -gt 2 ]
}

# A program with one thread and 1,000,002 calls, into a ring of one page.
@test "live: record: --switch-output: samples and losses of all files add up to the events that happened" {
	need perf
	need syscall-tracepoints
	make_calls 333334
	record_calls -m 1 -o out.data --switch-output=300K
	[ "$(parts | wc -l)" -gt 2 ]
	lost=$(told_lost said)
	[ "$lost" -gt 0 ]
	[ $(($(told_samples said) + lost)) = 1000002 ]
	sum=0 samples=0
	for file in $(parts); do
		"$report" report -i "$file" --header -s comm -g none >text
		"$report" report -i "$file" --stats >>text
		n=$(sed -n 's/^# losses: .* \([0-9]*\) lost in .*/\1/p' text |
			awk '{ n += $1 } END { print n + 0 }')
		told=$(perf report --stdio -i "$file" 2>/dev/null |
			sed -n 's/.*Total Lost Samples: //p')
		echo "$file: $n lost, perf finds $told"
		# perf prints no number for a last file that has no samples.
		[ "$n" = "${told:-0}" ]
		sum=$((sum + n))
		samples=$((samples + $(sed -n \
			's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' text | head -n 1)))
	done
	[ "$sum" = "$lost" ]
	[ "$samples" = "$(told_samples said)" ]
}

@test "live: record: --switch-output: the command snapshot of --control begins another file" {
	mkfifo ctl ack
	exec {ctl}<>ctl {ack}<>ack
	"$record" -q -e cpu-clock:u --switch-output -o out.data \
		--control fifo:ctl,ack -- sh -c 'while :; do :; done' 3>&- &
	started=$!
	until_true has_child "$started"
	for word in snapshot stop; do
		until_ran "$(child_of "$started")" 100
		echo "$word" >&"$ctl"
		read -r -t 20 -u "$ack" answer
	done
	wait "$started"
	[ "$(parts | wc -l)" = 2 ]
}

@test "live: record: --timestamp-filename appends the time to the name" {
	"$record" -q -e cpu-clock:u -o out.data --timestamp-filename true
	[ "$(parts | wc -l)" = 1 ]
	[[ $(parts) =~ ^out\.data\.20[0-9]{14}$ ]]
	[ ! -e out.data ]
}

# has_samples: succeeds if the file that is being written has samples.
has_samples() {
	perf script -i out.data -G -F comm 2>/dev/null | grep -q awk
}

@test "live: record: --switch-output: the last file of a killed recorder has the name of -o" {
	need perf
	"$record" -q -e cpu-clock:u -o out.data --switch-output -- \
		awk 'BEGIN { while (1) i++ }' 3>&- &
	recorder=$! started=$!
	until_true has_child "$recorder"
	workload=$(child_of "$recorder")
	started="$recorder $workload"
	until_ran "$workload" 100
	kill -USR2 "$recorder"
	until_true has_parts 1
	until_true has_samples
	kill -KILL "$recorder" "$workload"
	[ "$(parts | wc -l)" -ge 1 ]
	good_parts
	has_samples
}

@test "record: an invalid --switch-output is refused" {
	refuses 2 "$record" --switch-output=10x true
	[[ $line == *"'10x' is not \"signal\", a size such as 100M, or a time such as 30s"* ]]
	refuses 2 "$record" --switch-output -o - true
	[[ $line == *"exclude -o - and -o /dev/null"* ]]
	refuses 2 "$record" --switch-max-files 0 true
}

### --overwrite ################################################################

# two_phases N: writes the script "phases", which runs one program and then
# another one for N steps. It is run on one CPU.
two_phases() {
	cp "$(command -v awk)" earlier
	cp earlier later
	echo './earlier "BEGIN { while (i < 3e6) i++ }"
		exec ./later "BEGIN { while (i < '"$1"') i++ }"' >phases
}

@test "live: record: --overwrite keeps the newest samples" {
	need perf
	two_phases 2e7
	cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	taskset -c "$cpu" "$record" --overwrite -m 8 -F 10000 -o out.data \
		-e cpu-clock:u sh phases 2>said
	cat said
	# 32 KiB of samples with 56 bytes each.
	[ "$(told_samples said)" -gt 500 ]
	[ "$(told_samples said)" -le 585 ]
	perf script -i out.data -G -F comm | sort | uniq -c >text
	cat text
	[ "$(awk '{ print $2 }' text)" = later ]
	[ "$(awk '{ print $1 }' text)" = "$(told_samples said)" ]
	[ "$("$report" script -i out.data | grep -c ' cpu-clock:u: ')" = \
		"$(told_samples said)" ]
}

@test "live: record: --overwrite: a snapshot by SIGUSR2 and one at the end write a file each" {
	need perf
	"$record" --overwrite --switch-output --call-graph fp -m 16 -F 5000 -o out.data \
		-e cpu-clock:u -- sh -c 'i=0; while :; do
			[ $((i % 5000)) != 0 ] || /bin/true; i=$((i + 1))
		done' 2>said 3>&- &
	recorder=$! started=$!
	until_true has_child "$recorder"
	workload=$(child_of "$recorder")
	started="$recorder $workload"
	for n in 1 2; do
		until_ran "$workload" 200
		kill -USR2 "$recorder"
		until_true has_parts "$n"
	done
	until_ran "$workload" 200
	kill -INT "$recorder"
	wait "$recorder"
	cat said
	[ "$(parts | wc -l)" = 3 ]
	good_parts
	for file in $(parts); do
		[ "$(perf script -i "$file" -G -F event | wc -l)" -gt 50 ]
	done
	[ "$(sum_of_parts)" = "$(told_samples said)" ]
}

@test "live: record: --overwrite: a snapshot of ring buffers larger than the queue is complete" {
	need perf
	# With registers, a few thousand samples are larger than the queue.
	"$record" --overwrite -m 8M --queue-size 1M -F 20000 -I --user-regs \
		-o out.data -e cpu-clock:u -- sh -c 'while :; do :; done' 2>said 3>&- &
	recorder=$! started=$!
	until_true has_child "$recorder"
	workload=$(child_of "$recorder")
	started="$recorder $workload"
	until_ran "$workload" 600
	kill -INT "$recorder"
	wait "$recorder"
	cat said
	grep -q ' samples*, 0 lost, ' said
	[ "$(perf script -i out.data -F event | wc -l)" = \
		"$(told_samples said)" ]
	[ "$(told_samples said)" -gt 4000 ]
	"$report" export --format perf-data -i out.data -o plain.data
	[ "$(stat -c %s plain.data)" -gt 1500000 ]
}

@test "live: record: --overwrite: without --switch-output, all snapshots are in one file" {
	need perf
	mkfifo ctl ack
	exec {ctl}<>ctl {ack}<>ack
	"$record" --overwrite -m 8 -F 10000 -o out.data -e cpu-clock:u \
		--control fifo:ctl,ack -- sh -c 'while :; do :; done' \
		2>said 3>&- &
	recorder=$! started=$!
	until_true has_child "$recorder"
	workload=$(child_of "$recorder")
	started="$recorder $workload"
	for word in snapshot snapshot stop; do
		until_ran "$workload" 400
		echo "$word" >&"$ctl"
		read -r -t 20 -u "$ack" answer
	done
	wait "$recorder"
	cat said
	# More than the rings of two snapshots can hold.
	cpus=$(nproc --all)
	[ "$(told_samples said)" -gt 1180 ]
	[ "$(told_samples said)" -le $((3 * 585 * cpus)) ]
	[ "$(perf script -i out.data -G -F event | wc -l)" = \
		"$(told_samples said)" ]
	# No sample is in two snapshots.
	perf script -i out.data -G -F time,cpu --ns | sort | uniq -d >twice
	[ ! -s twice ]
}

@test "record: --overwrite is refused with --switch-output=SIZE" {
	refuses 2 "$record" --overwrite --switch-output=1M true
	[[ $line == *"--overwrite and --switch-output=SIZE exclude each other"* ]]
}
