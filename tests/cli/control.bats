#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# When a recording samples, when it ends, and where it goes, as its users ask
# for it. The tests named "live" sample something.

load common.bash

### -o - #######################################################################

@test "live: a stream has all samples, for perf and for dwell" {
	need_perf
	for options in "" "-g -z0"; do
		"$record" -e cpu-clock:u $options -o - \
			awk 'BEGIN { while (i < 5e6) i++ }' >stream 2>said
		cat said
		[ "$(told_samples said)" -gt 2 ]
		# Through a pipe, and as the file that it lies in.
		[ "$(perf script -i - <stream | grep -c ' cpu-clock:u: ')" = \
			"$(told_samples said)" ]
		[ "$(perf script -i stream | grep -c ' cpu-clock:u: ')" = \
			"$(told_samples said)" ]
		for tool in perf "$report"; do
			"$tool" report --stdio -i - --no-children -g none \
				-n -s comm,dso <stream 2>/dev/null |
				grep '^ .*%' | tr -s ' ' | sed 's, $,,' >rows."${tool##*/}"
		done
		diff rows.*
	done
}

@test "live: a stream carries its symbols" {
	cat >busy.c <<-END
		int main(void) { for (volatile long i = 0; i < 200000000; i++); }
	END
	${CC:-cc} -O0 -o busy busy.c
	"$record" -q -e cpu-clock:u -o - ./busy >stream
	rm busy
	"$report" report --stdio -i - -s sym <stream >text
	cat text
	grep -q '\[\.\] main' text
}

@test "live: the command's output doesn't get into the stream" {
	"$record" -q -e cpu-clock:u -o - echo from the command >stream 2>said
	[ "$(cat said)" = "from the command" ]
	[ "$(head -c 8 stream)" = PERFILE2 ]
	run ! grep -q "from the command" stream
}

@test "live: a stream that nobody reads ends the recording with one line" {
	mkfifo pipe
	head -c 100 pipe >/dev/null &
	refuses 1 timeout 60 sh -c "'$record' -e cpu-clock:u -o - \
		sh -c 'while :; do :; done' >pipe"
	[[ $line == *"standard output: "*"Broken pipe"* ]]
}

@test "live: a second SIGINT ends a stream that nobody reads on" {
	mkfifo pipe
	sleep 60 <pipe 3>&- &
	reader=$!
	"$record" -q -z0 -e cpu-clock -F 20000 -g -o - \
		sh -c 'echo $$ >pid; while :; do :; done' >pipe 3>&- &
	recorder=$!
	sleep 2
	kill -INT $recorder
	sleep 1
	# It waits for its reader, and for nothing else.
	kill -0 $recorder
	kill -INT $recorder
	status=0
	wait $recorder || status=$?
	kill $reader
	[ $status = 130 ]
	# The command has ended, too; nobody here waits for it.
	until_true has_ended "$(cat pid)"
}

@test "live: a stream to a terminal is refused" {
	need script
	run -2 script -qec "$record -e cpu-clock:u -o - true" /dev/null
	[[ $output == *"-o -: standard output is a terminal"* ]]
}

### When samples are taken #####################################################

# Seconds between samples of FILE that are further apart than 0.3 s.
gaps() {
	perf script -i "$1" -F time --ns | awk '{ t = $1 + 0 }
		last && t - last > 0.3 { print t - last } { last = t }'
}

@test "live: -D samples in its ranges, and ends with the last one" {
	need_perf
	run -0 --separate-stderr timeout 60 "$record" -e cpu-clock:u \
		-D 50-400,900-1250 sh -c 'while :; do :; done'
	echo "$stderr"
	[[ $stderr == *" sample"*", 0 lost"* ]]
	gaps dwell.data >found
	cat found
	[ "$(wc -l <found)" = 1 ]
	perf script -i dwell.data --show-mmap-events | grep -q PERF_RECORD_MMAP2
}

@test "a -D that makes no sense is refused" {
	refuses 2 "$record" -D 10-20,15-30 true
	[[ $line == *"-D: the range 15-30 doesn't lie behind the one before"* ]]
	refuses 2 "$record" -D soon true
}

# Seconds now, as the clock of that name has it.
now_on() {
	python3 -c "import time; print(time.clock_gettime(time.CLOCK_$1))"
}

@test "live: -k names the clock of all times" {
	need_perf
	need python3
	for name in MONOTONIC MONOTONIC_RAW REALTIME BOOTTIME TAI; do
		before=$(now_on "$name")
		"$record" -q -g -k "$name" -e cpu-clock:u -- sh -c \
			'/bin/true; exec awk "BEGIN { while (i < 3e6) i++ }"'
		after=$(now_on "$name")
		perf script -i dwell.data -G --ns -F comm,time >text
		echo "$name: $before $(head -n 1 text) $after"
		awk -v before="$before" -v after="$after" '
			$2 < before || $2 > after { exit 1 }' text
		# The names came before: exec's too.
		grep -q awk text
		perf report -i dwell.data --header-only |
			grep -iq "clockid: $name ("
		[ "$(wc -l <text)" = \
			"$("$report" script -i dwell.data | grep -c ' cpu-clock:u: ')" ]
	done
	refuses 2 "$record" -k thread true
	[[ $line == *"no clock 'thread'; there are monotonic,"* ]]
}

# Sends the commands to a recorder that began without samples, and writes
# their answers: ask RECORDER...
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
		*) read -r -t 20 -u "$ack" answer ;;
		esac
		echo "$word: $answer"
	done
	exec {ctl}>&- {ack}>&-
	rm ctl ack
}

@test "live: --control answers the same client as perf does" {
	need_perf
	ask "$record" >dwell.answers
	wait "$started"
	grep -E '^cpu-clock' said >dwell.events
	grep "there is no event 'nothing'" said
	grep "there is no command 'bogus'" said
	ask perf record -o perf.data >perf.answers
	wait "$started" || true
	grep -E '^cpu-clock' said >perf.events
	cat dwell.answers dwell.events
	diff perf.answers dwell.answers
	diff perf.events dwell.events
}

@test "live: --control switches samples, and stops" {
	need_perf
	mkfifo ctl ack
	exec {ctl}<>ctl {ack}<>ack
	"$record" -D -1 -e cpu-clock:u --control fd:"$ctl","$ack" -- \
		sh -c 'while :; do :; done' 2>said 3>&- &
	started=$!
	for word in ping enable disable enable stop; do
		[ "$word" != enable ] || sleep 0.5
		[ "$word" = enable ] || sleep 0.2
		echo "$word" >&"$ctl"
		read -r -t 20 -u "$ack" answer
		[ "$answer" = ack ]
	done
	wait "$started"
	cat said
	gaps dwell.data >found
	cat found
	[ "$(wc -l <found)" = 1 ]
	[ "$(told_samples said)" -gt 100 ]
}

@test "a --control that can't be opened is refused" {
	refuses 2 "$record" --control ctl true
	[[ $line == *"neither fifo:CTL[,ACK] nor fd:CTL[,ACK]"* ]]
	refuses 1 "$record" --control fifo:gone true
	[[ $line == *"gone: No such file or directory"* ]]
	touch plain
	refuses 1 "$record" --control fifo:plain true
	[[ $line == *"plain is not a FIFO"* ]]
	# Closed here; dwell has files of its own by these numbers.
	for fd in 5 6 7 8; do
		refuses 1 sh -c "exec '$record' --control fd:$fd true \
			5>&- 6>&- 7>&- 8>&-"
		[[ $line == *"descriptor $fd: Bad file descriptor"* ]]
	done
}

### When it ends ###############################################################

@test "live: --max-size ends when the file has it, with status 0" {
	need_perf
	run -0 --separate-stderr timeout 60 "$record" -z0 -g -F 20000 \
		-e cpu-clock:u --max-size 200K sh -c 'while :; do :; done'
	echo "$stderr"
	size=$(stat -c %s dwell.data)
	[ "$size" -ge 204800 ]
	perf report -i dwell.data --header-only | grep -q "hostname"
	refuses 2 "$record" --max-size big true
}

@test "live: on a terminal a recording without an end says how to end it" {
	need script
	start_busy
	script -qec "$record -e cpu-clock:u -p $last" /dev/null >said \
		</dev/null 3>&- &
	recorder=$!
	until_true grep -q Ctrl-C said || true
	kill -KILL "$last"
	wait "$recorder"
	cat said
	grep -q "dwell record: recording; Ctrl-C ends it" said
	run -0 script -qec "$record -e cpu-clock:u true" /dev/null
	[[ $output != *Ctrl-C* ]]
}
