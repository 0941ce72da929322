#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Options that control when a recording samples, when it ends, and where it is
# written. Tests named "live" take samples.

load common.bash

### -o - #######################################################################

@test "live: record: -o - writes a stream that perf and dwell read with all samples" {
	need perf
	for options in "" "-g -z0"; do
		"$record" -e cpu-clock:u $options -o - \
			awk 'BEGIN { while (i < 5e6) i++ }' >stream 2>said
		cat said
		[ "$(told_samples said)" -gt 2 ]
		# perf reads it from a pipe, and from a file.
		[ "$(perf script -i - <stream | grep -c ' cpu-clock:u: ')" = \
			"$(told_samples said)" ]
		[ "$(perf script -i stream | grep -c ' cpu-clock:u: ')" = \
			"$(told_samples said)" ]
		for tool in perf "$report"; do
			"$tool" report --stdio -i - --no-children -g none \
				-n -s comm,dso <stream 2>/dev/null |
				grep '^ .*%' | tr -s ' ' | sed 's, $,,' |
				sort >rows."${tool##*/}"
		done
		same_own rows.perf rows.dwell-report
	done
}

@test "live: record: a stream contains symbols, so the program can be removed afterwards" {
	cat >busy.c <<-END
		int main(void) { for (volatile long i = 0; i < 50000000; i++); }
	END
	${CC:-cc} -O0 -o busy busy.c
	"$record" -q -e cpu-clock:u -o - ./busy >stream
	rm busy
	"$report" report --stdio -i - -s sym <stream >text
	cat text
	grep -q '\[\.\] main' text
}

@test "live: record: -o -: output of the recorded command does not go into the stream" {
	"$record" -q -e cpu-clock:u -o - echo from the command >stream 2>said
	[ "$(cat said)" = "from the command" ]
	[ "$(head -c 8 stream)" = PERFILE2 ]
	run ! grep -q "from the command" stream
}

@test "live: record: if the reader of a stream exits, the recording ends with one error line" {
	mkfifo pipe
	head -c 100 pipe >/dev/null &
	refuses 1 timeout 60 sh -c "'$record' -e cpu-clock:u -o - \
		sh -c 'while :; do :; done' >pipe"
	[[ $line == *"standard output: "*"Broken pipe"* ]]
}

# True if the main thread of process $1 does not block SIGINT.
has_default_sigint() {
	local blocked

	blocked=$(sed -n 's/^SigBlk:[^0-9a-f]*//p' "/proc/$1/status")
	[ $((0x$blocked >> 1 & 1)) = 0 ]
}

@test "live: record: if the reader of a stream does not read, a second SIGINT ends the recorder" {
	mkfifo pipe
	# shellcheck disable=SC2217
	sleep 60 <pipe 3>&- &
	reader=$!
	"$record" -q -z0 -e cpu-clock -F 20000 --call-graph fp -o - \
		sh -c 'echo $$ >pid; while :; do :; done' >pipe 3>&- &
	recorder=$!
	until_true waits_for_reader $recorder
	kill -INT $recorder
	until_true has_default_sigint $recorder
	# The recorder waits for its reader.
	until_true waits_for_reader $recorder
	kill -INT $recorder
	status=0
	wait $recorder || status=$?
	kill $reader
	[ $status = 130 ]
	# The command has ended, too. It is not a child of this shell.
	until_true has_ended "$(cat pid)"
}

@test "live: record: -o - is refused if standard output is a terminal" {
	need script
	run -2 script -qec "$record -e cpu-clock:u -o - true" /dev/null
	[[ $output == *"-o -: standard output is a terminal"* ]]
}

### When samples are taken #####################################################

# pauses TICKS FILE: prints a line for each interval between two samples of FILE
# in which the program ran for 50 ms or more: the number of times in TICKS. The
# timer of the event can skip shorter intervals.
pauses() {
	perf script -i "$2" -F time --ns | awk '
		NR == FNR { tick[++n] = $1 + 0; next }
		{ ticks = 0
		  for (; at < n && tick[at + 1] <= $1 + 0; at++) ticks++
		  if (FNR > 1 && ticks >= 50) print ticks }' "$1" -
}

# The ranges are longer than the machine takes a CPU away.
# The program prints the time once per millisecond of its CPU time, so that a
# program that waits for a CPU has no pauses.
@test "live: record: -D records only in the given time ranges, and ends after the last one" {
	need perf
	cat >ticks.c <<-'EOF'
		#include <stdio.h>
		#include <time.h>
		static double seconds(clockid_t clock)
		{
			struct timespec t;

			clock_gettime(clock, &t);
			return t.tv_sec + t.tv_nsec / 1e9;
		}
		int main(void)
		{
			for (double next = 0;;) {
				if (seconds(CLOCK_PROCESS_CPUTIME_ID) < next)
					continue;
				printf("%.9f\n", seconds(CLOCK_MONOTONIC));
				fflush(stdout);
				next = seconds(CLOCK_PROCESS_CPUTIME_ID) + 1e-3;
			}
		}
	EOF
	"${CC:-cc}" -O2 ticks.c -o ticks
	timeout 60 "$record" -k monotonic -e cpu-clock \
		-D 50-1050,2050-3050 ./ticks >ticks.text 2>said
	cat said
	grep ' sample.*, 0 lost' said
	pauses ticks.text dwell.data >paused
	cat paused
	[ "$(wc -l <paused)" = 1 ]
	perf script -i dwell.data --show-mmap-events | grep -q PERF_RECORD_MMAP2
}

@test "record: an invalid -D is refused" {
	refuses 2 "$record" -D 10-20,15-30 true
	[[ $line == *"-D: the range 15-30 is empty or starts before the end of the previous range"* ]]
	refuses 2 "$record" -D soon true
}

# now_on CLOCK: prints the time of CLOCK in seconds.
now_on() {
	python3 -c "import time; print(time.clock_gettime(time.CLOCK_$1))"
}

@test "live: record: -k selects the clock of the times of samples" {
	need perf
	need python3
	for name in MONOTONIC MONOTONIC_RAW REALTIME BOOTTIME TAI; do
		before=$(now_on "$name")
		"$record" -q --call-graph fp -k "$name" -e cpu-clock:u -- sh -c \
			'/bin/true; exec awk "BEGIN { while (i < 3e6) i++ }"'
		after=$(now_on "$name")
		perf script -i dwell.data -G --ns -F comm,time >text
		echo "$name: $before $(head -n 1 text) $after"
		awk -v before="$before" -v after="$after" '
			$NF + 0 < before || $NF + 0 > after { exit 1 }' text
		# Names from before are recorded, also exec's.
		grep -q awk text
		perf report -i dwell.data --header-only |
			grep -iq "clockid: $name ("
		[ "$(wc -l <text)" = \
			"$("$report" script -i dwell.data | grep -c ' cpu-clock:u: ')" ]
	done
	refuses 2 "$record" -k thread true
	[[ $line == *"there is no clock 'thread'; use monotonic,"* ]]
}

# ask RECORDER...: sends the commands to a recorder that started without
# samples, and writes its answers.
ask() {
	local word answer ctl ack
	mkfifo ctl ack
	exec {ctl}<>ctl {ack}<>ack
	"$@" -D -1 -e cpu-clock:u --control fifo:ctl,ack -- \
		sh -c 'while :; do :; done' 2>said 3>&- &
	started=$!
	for word in ping evlist 'evlist -F' enable 'disable cpu-clock:u' \
		'enable cpu-clock:u' 'enable nothing' bogus '' disable \
		'ping more' snapshot stop; do
		echo "$word" >&"$ctl"
		answer=none
		case $word in
		bogus | '') ;;
		*) read -r -t 60 -u "$ack" answer ;;
		esac
		echo "$word: $answer"
	done
	exec {ctl}>&- {ack}>&-
	rm ctl ack
}

@test "live: record: --control gives a client the same answers as perf record" {
	need perf
	ask "$record" >dwell.answers
	wait "$started"
	grep -E '^cpu-clock' said >dwell.events
	grep "ignored command for unknown event 'nothing'" said
	grep "ignored unknown command 'bogus'" said
	ask perf record -o perf.data >perf.answers
	wait "$started" || true
	grep -E '^cpu-clock' said >perf.events
	cat dwell.answers dwell.events
	diff perf.answers dwell.answers
	diff perf.events dwell.events
}

@test "live: record: --control enables and disables sampling, and ends the recording" {
	need perf
	mkfifo ctl ack
	exec {ctl}<>ctl {ack}<>ack
	"$record" -k realtime -D -1 -e cpu-clock:u \
		--control fd:"$ctl","$ack" -- \
		sh -c 'while :; do :; done' 2>said 3>&- &
	recorder=$! started=$!
	until_true has_child "$recorder"
	workload=$(child_of "$recorder")
	started="$recorder $workload"
	for word in ping enable disable enable stop; do
		until_ran "$workload" 200
		echo "$EPOCHREALTIME $word"
		echo "$word" >&"$ctl"
		read -r -t 60 -u "$ack" answer
		[ "$answer" = ack ]
		echo "$EPOCHREALTIME ack"
	done >times
	wait "$recorder"
	cat said times
	# The samples between the acknowledgement of one command and the next
	# command.
	perf script -i dwell.data -F time --ns | awk '
		NR == FNR { time[++n] = $1 + 0; next }
		{ t = $1 + 0
		  for (i = 2; i < n; i += 2)
			if (t > time[i] && t < time[i + 1]) samples[i]++ }
		END { for (i = 2; i < n; i += 2) print samples[i] + 0 }' \
		times - >samples
	cat samples
	[ "$(paste -sd ' ' samples | sed -E 's/[0-9]{2,}/many/g')" = \
		"0 many 0 many" ]
}

@test "record: a --control FIFO of another user is refused" {
	need root
	mkfifo own other
	chown 65534 other
	for verb in record stat; do
		for fifos in other own,other; do
			refuses 1 "$dwell" "$verb" --control fifo:$fifos true
			[ "$line" = "dwell $verb: --control: cannot use other: it is a FIFO of user 65534. To create your own: mkfifo FILE" ]
		done
	done
	# The user who called sudo is trusted.
	SUDO_UID=65534 "$dwell" stat -n --control fifo:other true
}

@test "record: a --control file that cannot be opened is refused" {
	refuses 2 "$record" --control ctl true
	[[ $line == *"is not fifo:CTL[,ACK] or fd:CTL[,ACK]"* ]]
	refuses 1 "$record" --control fifo:gone true
	[[ $line == *"gone: No such file or directory"* ]]
	touch plain
	refuses 1 "$record" --control fifo:plain true
	[[ $line == *"plain is not a FIFO"* ]]
	refuses 1 "$dwell" stat --control fifo:plain true
	[[ $line == *"plain is not a FIFO"* ]]
	# The file descriptors are closed here; dwell uses these numbers for
	# other files.
	for fd in 5 6 7 8; do
		refuses 1 sh -c "exec '$record' --control fd:$fd true \
			5>&- 6>&- 7>&- 8>&-"
		[[ $line == *"file descriptor $fd, which the caller did not open: Bad file descriptor"* ]]
	done
}

### When a recording ends ######################################################

@test "live: record: --max-size ends the recording at that size, with status 0" {
	need perf
	run -0 --separate-stderr timeout 60 "$record" -z0 --call-graph fp -F 20000 \
		-e cpu-clock:u --max-size 200K sh -c 'while :; do :; done'
	echo "$stderr"
	size=$(stat -c %s dwell.data)
	[ "$size" -ge 204800 ]
	perf report -i dwell.data --header-only | grep -q "hostname"
	refuses 2 "$record" --max-size big true
}

@test "live: record: on a terminal, recording a process prints that Ctrl-C ends it" {
	need script
	start_busy
	script -qec "$record -e cpu-clock:u -p $last" /dev/null >said \
		</dev/null 3>&- &
	recorder=$!
	until_true grep -q Ctrl-C said || true
	kill -KILL "$last"
	wait "$recorder"
	cat said
	grep -q "dwell record: recording. Press Ctrl-C to stop" said
	run -0 script -qec "$record -e cpu-clock:u true" /dev/null
	[[ $output != *Ctrl-C* ]]
}

@test "live: record: on a terminal, the last line is the command that reports the recording" {
	need script
	busy="awk 'BEGIN { while (i++ < 3000000); }'"
	said="dwell record: to show which functions used the time, type: dwell report"
	run -0 script -qec "$record -e cpu-clock $busy" /dev/null
	[ "${lines[-1]%$'\r'}" = "$said" ]
	run -0 script -qec "$record -e cpu-clock -o b.data $busy" /dev/null
	[ "${lines[-1]%$'\r'}" = "$said -i b.data" ]
	run -0 script -qec "$record -e cpu-clock -o 'b c.data' $busy" /dev/null
	[ "${lines[-1]%$'\r'}" = "$said -i 'b c.data'" ]
	run -0 script -qec "$record -q -e cpu-clock $busy" /dev/null
	[ -z "$output" ]
	run -0 eval "$record -e cpu-clock $busy"
	[[ $output != *" type: "* ]]
}

@test "live: record: without a target, a message states that the whole system is recorded, unless -q is given" {
	need root
	background "$record" -e cpu-clock 2>said
	until_true grep -q Ctrl-C said
	kill -INT "$last"
	wait "$last"
	grep -q "dwell record: recording the whole system. Press Ctrl-C to stop" \
		said

	background "$record" -q -e cpu-clock -o quiet.data 2>said
	until_true has_recorded quiet.data 1
	kill -INT "$last"
	wait "$last"
	[ ! -s said ]
}
