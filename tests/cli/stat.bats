#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell stat: options, refusals, and the end of a command. tests/peer/stat.bats
# compares the counts with those of perf.

load common.bash

stat() {
	"$dwell" stat "$@"
}

# forbids TEXT ARGUMENT...: dwell stat ends with a usage error that contains
# TEXT.
forbids() {
	local text=$1
	shift
	refuses 2 "$dwell" stat "$@"
	[[ $line == "dwell stat: "*"$text"* ]]
}

@test "stat: options that exclude each other are refused" {
	forbids 'exclude each other. Use one' -a -p 1
	forbids 'exclude each other' --all-user --all-kernel true
	forbids '-n counts no event' -n -e cs true
	forbids '-j and -x exclude each other' -j -x, true
	for by in -A --per-core --per-die --per-socket --per-node; do
		forbids '--per-node need -a or -C' "$by" true
		forbids '--per-node need -a or -C' "$by" -p 1
	done
	# The last one decides.
	forbids '--per-thread needs -p' --per-core --per-thread -a
	forbids '--per-node need -a or -C' --per-thread -A -p 1
	forbids '--per-thread needs -p' --per-thread true
	forbids '--per-thread needs -p' --per-thread -a
	forbids '--interval-count needs -I' --interval-count 1 true
	forbids '-r and -I exclude each other' -r 2 -I 10 true
	forbids '-r and --per-thread exclude each other' -r 2 --per-thread \
		-p 1 true
	forbids '--interval-print: 0 is not' -I 0 true
	forbids '-r needs a command' -r 2 -a
	forbids 'the separator is empty' -x '' true
	forbids '--append needs -o FILE' --append true
	forbids '--wait needs --name or -u' --wait true
	forbids "-2' is not a number" -D -2 true
	forbids 'is not fifo:CTL[,ACK] or fd:CTL[,ACK]' --control ctl true
	forbids '-G and --for-each-cgroup exclude' -G a --for-each-cgroup b
	forbids 'exclude each other. Use one' --for-each-cgroup a -p 1
	forbids 'more cgroups than events' -e cs -G a,b
	forbids 'the name is empty' -G '' true
	forbids 'no -e before it' --filter 'x == 1' true
}

@test "live: stat: without a target and a command, a message states that the whole system is counted" {
	local text="counting the whole system. To count a command: dwell stat -- COMMAND"

	need root
	run -0 --separate-stderr "$dwell" stat -e dummy --timeout 10
	[[ $stderr == "dwell stat: $text"* ]]
	for option in -q -a "-C 0"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr "$dwell" stat -e dummy --timeout 10 $option
		[[ $stderr != *"whole system"* ]]
	done
	background "$dwell" stat -e dummy 2>log
	until_true grep -q "^dwell stat: counting the whole system until Ctrl-C. To" log
	kill -INT "$last"
}

@test "stat: carets below the message mark the wrong part of an event name" {
	run -2 --separate-stderr "$dwell" stat -e cs,cpu-clok true
	[ "$stderr" = "dwell stat: -e: there is no event 'cpu-clok'; did you \
mean 'cpu-clock'?
  cs,cpu-clok
     ^^^^^^^^" ]
}

@test "stat: a command that does not exist has the exit status 127, as in a shell" {
	refuses 127 "$dwell" stat ./nothing
	[[ $line == "dwell stat: ./nothing: "* ]]
	touch file
	refuses 126 "$dwell" stat ./file
}

@test "stat: --help prints all options to standard output" {
	run -0 --separate-stderr "$dwell" stat --help
	[ -z "$stderr" ]
	[[ $output == "usage: dwell stat "* ]]
}

@test "stat: an event that the kernel refuses is one error line with a cause and a remedy" {
	need seccomp
	for errnum in 1 13 38; do
		refuses 1 "$DWELL_BUILD/tests/refuse" "$errnum" "$record" --stat \
			-e page-faults true
		[[ $line == "dwell stat: cannot open event 'page-faults"*"; "* ]]
	done
}

@test "stat: -n prints only the times of the command" {
	run -0 --separate-stderr "$dwell" stat -n true
	[ -z "$output" ]
	[[ $stderr == *"Performance counter stats for 'true':"* ]]
	[[ $stderr == *" seconds time elapsed"*" seconds user"*" seconds sys" ]]
	[ "${#stderr_lines[@]}" = 4 ]
}

@test "stat: the exit status is that of the command" {
	run -3 --separate-stderr "$dwell" stat -n sh -c 'echo out; exit 3'
	[ "$output" = out ]
	run -137 --separate-stderr "$dwell" stat -n sh -c 'kill -9 $$'
}

@test "stat: -o writes to a file with the date, and --append keeps its text" {
	run -0 "$dwell" stat -n -o counts true
	[ -z "$output" ]
	run -0 "$dwell" stat -n -o counts --append true
	[ "$(grep -c '^# started on ' counts)" = 2 ]
	[ "$(grep -c 'seconds time elapsed' counts)" = 2 ]
	run -0 "$dwell" stat -n -o counts true
	[ "$(grep -c '^# started on ' counts)" = 1 ]
	# What cannot be counted does not change the file.
	cp counts old
	run -2 "$dwell" stat -e no-such-event -o counts true
	refuses 127 "$dwell" stat -n -o counts ./nothing
	cmp counts old
	refuses 1 "$dwell" stat -n -o no/file true
	[[ $line == "dwell stat: cannot write no/file: "* ]]
	need dev-full
	refuses 1 "$dwell" stat -n -o /dev/full true
	[[ $line == "dwell stat: cannot write /dev/full: "* ]]
	refuses 1 "$dwell" stat -n -I 10 -o /dev/full sleep 600
	[[ $line == "dwell stat: cannot write /dev/full: "* ]]
}

@test "stat: -o: a FIFO that no program reads is refused" {
	mkfifo out
	for append in "" --append; do
		# shellcheck disable=SC2086
		refuses 1 timeout -s KILL 60 "$dwell" stat -n $append -o out true
		[ "$line" = "dwell stat: cannot write out: it is a FIFO that no program reads; start the program that reads it first" ]
	done
	exec {held}<>out
	cat <out >got {held}>&- 3>&- &
	"$dwell" stat -n -o out true
	exec {held}>&-
	wait
	grep 'seconds time elapsed' got
}

@test "stat: -o: a signal ends dwell while the reader of a FIFO does not read" {
	mkfifo out
	exec {held}<>out
	# A pipe has room for 64 KiB, if root does not change this.
	timeout 10 head -c 65536 /dev/zero >&"$held"
	for signal in INT TERM HUP; do
		"$dwell" stat -n -o out true 2>log {held}>&- 3>&- &
		waiter=$!
		until_true grep -q '^SigBlk:.*[1-9a-f]' /proc/$waiter/status
		kill -s "$signal" $waiter
		status=0
		wait $waiter || status=$?
		cat log
		[ "$status" -eq 1 ]
		grep -q 'cannot write out: a signal arrived' log
	done
	exec {held}>&-
}

@test "stat: -o writes to descriptors of the shell, to links and to devices" {
	"$dwell" stat -n -o >(cat >got) true
	wait $!
	grep 'seconds time elapsed' got
	"$dwell" stat -n -o /dev/stderr true 2>got
	grep 'seconds time elapsed' got
	"$dwell" stat -n -o /dev/null true
	ln -s target link
	"$dwell" stat -n -o link true
	grep 'seconds time elapsed' target
	ln -s b a
	ln -s a b
	refuses 1 "$dwell" stat -n -o a true
	[[ $line == *"cannot write a: Too many levels of symbolic links" ]]
}

@test "stat: -o: a FIFO of another user, and another user's links and files in /tmp, are refused" {
	need root
	mkfifo fifo
	mkdir -m 1777 shared
	echo text >own
	echo text >shared/file
	ln -s ../own shared/link
	chown -h 65534 fifo shared/file shared/link
	exec {held}<>fifo
	for append in "" --append; do
		for file in fifo:FIFO shared/file:file "shared/link:symbolic link"; do
			# shellcheck disable=SC2086
			refuses 1 "$dwell" stat -n $append -o "${file%:*}" true
			[ "$line" = "dwell stat: cannot write ${file%:*}: it is a ${file#*:} of user 65534; use another name: -o FILE" ]
		done
	done
	exec {held}>&-
	[ "$(cat own shared/file)" = $'text\ntext' ]
	# Another user's FIFO is not waited for, either.
	refuses 1 timeout -s KILL 60 "$dwell" stat -n -o fifo true
	[[ $line == *"it is a FIFO of user 65534;"* ]]
	# The owner of the folder and the user who called sudo are trusted.
	SUDO_UID=65534 "$dwell" stat -n -o shared/link true
	grep 'seconds time elapsed' own
	chown 65534 shared
	"$dwell" stat -n -o shared/file true
	grep 'seconds time elapsed' shared/file
}

@test "live: stat: events of hardware that the machine lacks are printed as <not supported>" {
	need no-pmu
	stat -e page-faults -e '{cycles,instructions}' \
		-e '{cs,cycles}' true 2>counts
	[ "$(grep -c '^   <not supported>      cycles$' counts)" = 2 ]
	[ "$(grep -c '<not supported>      instructions$' counts)" = 1 ]
	grep -qE '^ +[0-9,]+      page-faults$' counts
	grep -qE '^ +[0-9,]+      cs$' counts
	# The events of a group without its first event are counted alone.
	stat -x, -e '{cycles,task-clock,page-faults}' true 2>counts
	awk -F, '$3 == "page-faults" { exit !($1 > 1) }' counts
	stat -v -e cycles true 2>counts
	grep -q "cannot open event 'cycles'" counts
}

@test "live: stat: -d adds the same cache events as perf stat -d" {
	need no-pmu
	for more in -d -dd '-d -dd' -dddd; do
		# shellcheck disable=SC2086
		stat -x, -e dummy $more true 2>"counts$more"
	done
	cut -d, -f3 counts-dddd | paste -sd ' ' >names
	[ "$(cat names)" = "dummy L1-dcache-loads L1-dcache-load-misses LLC-loads \
LLC-load-misses L1-icache-loads L1-icache-load-misses dTLB-loads \
dTLB-load-misses iTLB-loads iTLB-load-misses L1-dcache-prefetches \
L1-dcache-prefetch-misses" ]
	[ "$(grep -c '^<not supported>,' counts-dddd)" = 12 ]
	[ "$(wc -l <counts-d)" = 5 ]
	[ "$(wc -l <counts-dd)" = 11 ]
	[ "$(wc -l <'counts-d -dd')" = 13 ]
	stat -x, -d true 2>counts
	grep -q ',task-clock,' counts
	grep -q ',LLC-loads,' counts
	stat -n -d true 2>counts
	absent grep -q cache counts
}

# command_counter WORD...: sends a command, and waits for its acknowledgement.
command_counter() {
	local answer

	echo "$*" >&"$ctl"
	read -r -t 60 -u "$ack" answer
	[ "$answer" = ack ]
}

# fault: makes the counted command start a program.
fault() {
	local answer

	echo >&"$go"
	read -r -t 60 -u "$done" answer
}

@test "live: stat: --control enables and disables events, and ends the command" {
	mkfifo ctl ack go done
	exec {ctl}<>ctl {ack}<>ack {go}<>go {done}<>done
	background "$dwell" stat -x, -I 600000 -D -1 -e page-faults,dummy \
		-o counts --control fd:"$ctl","$ack" sh -c '
			while read -r line; do
				cat /dev/null
				echo done >done
			done <go'
	command_counter ping
	fault
	command_counter enable
	fault
	command_counter disable page-faults
	fault
	command_counter enable page-faults
	fault
	command_counter disable
	fault
	command_counter enable no-such-event
	command_counter stop
	wait "$last"
	cat counts
	# Each enabling and disabling ends an interval.
	grep ',page-faults,' counts | cut -d, -f2 |
		sed 's/^[1-9][0-9]*$/many/' | paste -sd ' ' >faults
	[ "$(cat faults)" = "<not counted> many <not counted> many \
<not counted>" ]
	grep ',dummy,' counts | cut -d, -f2 | paste -sd ' ' >dummies
	[ "$(cat dummies)" = "<not counted> 0 0 0 <not counted>" ]
}

@test "live: stat: --control works in each run of -r, and before the delay of -D ends" {
	mkfifo ctl ack end
	exec {ctl}<>ctl {ack}<>ack
	background "$dwell" stat -r 2 -D 600000 -x, -e dummy -o counts \
		--control fifo:ctl,ack sh -c 'echo >ready; read -r line <end'
	for i in 1 2; do
		until_true test -e ready
		rm ready
		command_counter enable
		command_counter evlist
		echo >end
	done
	wait "$last"
	grep -q '^0,,dummy,' counts
}

@test "live: stat: a disable command of --control before the delay of -D ends does not start the clock" {
	mkfifo ctl ack
	exec {ctl}<>ctl {ack}<>ack
	background "$dwell" stat -D 600000 -I 600000 -x, -e dummy -o counts \
		--control fifo:ctl,ack sleep 600
	command_counter disable
	command_counter enable
	command_counter stop
	wait "$last" || true
	cat counts
	# One interval, which the first command does not begin.
	[ "$(grep -c ',dummy,' counts)" = 1 ]
}

@test "live: stat: -p counts a running process until the command ends" {
	start_busy
	stat -e task-clock -p "$last" sleep 0.2 2>counts
	grep -q "stats for process id '$last':" counts
	grep -qE '^ +[1-9][0-9,]*\.[0-9]+ msec task-clock +# ' counts
	absent grep -q 'seconds user' counts
}

@test "live: stat: a signal ends the command, which is counted until its end" {
	need cc
	cc -o toucher "$DWELL_SOURCE/tests/cli/toucher.c"
	background "$dwell" stat -e page-faults -x, -o counts sh -c '
		sleep 600 &
		trap "kill $!; ./toucher; exit" TERM; echo >ready; wait'
	until_true test -e ready
	kill -TERM "$last"
	wait "$last"
	stat -e page-faults -x, -o least sh -c 'sleep 0 & wait'
	# The pages that the other program touches, even if they have 64 KiB.
	awk -F, '$3 != "page-faults" { next }
		FILENAME == "least" { least = $1; next }
		{ exit !($1 > least + 50) }' least counts
}

@test "live: stat: -r starts each run with the limits and signals of the shell" {
	need timeout
	run -0 --separate-stderr "$dwell" stat -r 3 -e dummy sh -c '
		echo run; trap; ulimit -n; grep -E "^Sig(Blk|Ign)" /proc/self/status'
	[ "$(grep -c '^run$' <<<"$output")" = 3 ]
	# Each run has the same limits and signals, those of this shell.
	sh -c 'echo run; trap; ulimit -n
		grep -E "^Sig(Blk|Ign)" /proc/self/status' >once
	diff <(cat once once once) - <<<"$output"
	[[ $stderr == *"(3 runs):"*"dummy"*" +- "*" seconds time elapsed "*"%"* ]]
	# The first run that fails is not the last.
	run -1 "$dwell" stat -r 2 -n false
}

@test "live: stat: -r prints the mean of the runs" {
	stat -r 4 -x, -e task-clock,dummy sh -c 'echo run >>ran' 2>counts
	[ "$(grep -c . ran)" = 4 ]
	grep -qE '^[0-9.]+,msec,task-clock,[0-9.]+%,[0-9]+,100.00,[0-9.]+,CPUs utilized$' \
		counts
	grep -qE '^0,,dummy,0.00%,[0-9]+,100.00,0.000,/sec$' counts
	[ "$(grep -c . counts)" = 2 ]
}

@test "live: stat: -j prints JSON, also into a file" {
	need python3
	stat -j -o counts.json -e task-clock,dummy true
	python3 - <<-'END'
		import json
		rows = [json.loads(line) for line in open("counts.json")]
		assert [row["event"] for row in rows] == ["task-clock", "dummy"]
		assert [row["unit"] for row in rows] == ["msec", ""]
		assert rows[1]["counter-value"] == "0.000000"
		assert rows[1]["pcnt-running"] == 100
	END
}

@test "live: stat: the intervals of -I add up to all events of the command" {
	need python3
	# The command starts, waits, and starts two programs.
	mkfifo started
	background "$dwell" stat -I 20 -j -o counts.json -e page-faults,dummy \
		sh -c 'read go <started; cat /dev/null; cat /dev/null'
	until_true grep -qs '"[1-9][0-9.]*", "unit": "", "event": "page' \
		counts.json
	# A sleeping process is not counted.
	until_true grep -qs '"<not counted>", "unit": "", "event": "page' \
		counts.json
	echo go >started
	wait "$last"
	python3 - <<-'END'
		import json
		rows = [json.loads(line) for line in open("counts.json")]
		times = [row["interval"] for row in rows]
		assert times == sorted(times)
		faults = [row["counter-value"] for row in rows
		          if row["event"] == "page-faults"]
		assert len(faults) * 2 == len(rows)
		counted = [float(n) for n in faults if n != "<not counted>"]
		assert sum(n > 0 for n in counted) > 1
		# Each program has about the same faults: no sum is repeated.
		assert counted[-1] < sum(counted) * 0.9
	END
}

@test "live: stat: --interval-count and --timeout end the command" {
	run -0 --separate-stderr "$dwell" stat -I 10 --interval-count 3 -x, \
		-e dummy sleep 600
	[ "${#stderr_lines[@]}" = 3 ]
	run -0 --separate-stderr "$dwell" stat --timeout 10 -e dummy sleep 600
	[[ $stderr == *" seconds time elapsed"* ]]
	run -0 --separate-stderr "$dwell" stat --timeout 10 -n -a
	[[ $stderr == *"'system wide'"* ]]
}

@test "live: stat: -D counts nothing before its delay ends" {
	stat -D 600000 -e page-faults,task-clock true 2>counts
	grep -qE '^ +<not counted> +page-faults$' counts
	grep -q ' 0.000000000 seconds time elapsed' counts
	# The program touches pages after that.
	mkfifo started
	background "$dwell" stat -D 20 -I 10 -x, -o counts -e page-faults \
		sh -c 'read go <started; cat /dev/null'
	until_true grep -qs ',page-faults,' counts
	echo go >started
	wait "$last"
	grep -qE ',[1-9][0-9]*,,page-faults,' counts
}

@test "live: stat: --per-thread has a row for each thread" {
	need python3
	background python3 -c '
import threading
stop = threading.Event()
for i in range(3):
    threading.Thread(target=stop.wait).start()
print(flush=True)
while True: pass'
	pid=$last
	until_true threads_of "$pid" 4
	stat -j --per-thread -o counts.json -e task-clock,dummy -p "$pid" \
		sleep 0.2
	python3 - "$pid" <<-'END'
		import json, os, sys
		rows = [json.loads(line) for line in open("counts.json")]
		assert len(rows) == 8
		threads = [row["thread"] for row in rows]
		assert set(threads[:4]) == set(threads[4:])
		assert len(set(threads)) == 4
		tids = [int(name.rsplit("-", 1)[1]) for name in threads[:4]]
		assert sorted(tids) == sorted(
		    int(tid) for tid in os.listdir("/proc/%s/task" % sys.argv[1]))
		busy = [row for row in rows
		        if row["thread"].endswith("-" + sys.argv[1])]
		assert float(busy[0]["counter-value"]) > 0
		# The thread with the highest count is first.
		assert busy[0] is rows[0]
	END
}

@test "live: stat: counts per CPU, core, die, socket and node add up to the same sum" {
	need python3 root
	for by in -A --per-core --per-die --per-socket --per-node; do
		stat -a "$by" -j -e dummy,cpu-clock -o "$by" sleep 0.1
	done
	python3 - <<-'END'
		import json
		cpus = {}
		for by in "-A", "--per-core", "--per-die", "--per-socket", "--per-node":
		    rows = [json.loads(line) for line in open(by)]
		    name = by.replace("--per-", "").replace("-A", "cpu")
		    places = [row[name] for row in rows]
		    # Each part has all events.
		    assert by == "-A" or places[::2] == places[1::2]
		    cpus[by] = sum(row.get("aggregate-number", 1) for row in rows)
		    assert all(float(row["counter-value"]) > 0 for row in rows
		               if row["event"] == "cpu-clock")
		assert len(set(cpus.values())) == 1, cpus
	END
}

# threads_of PID N: succeeds if PID has N threads.
threads_of() {
	[ "$(ls "/proc/$1/task" | wc -l)" = "$2" ]
}

@test "live: stat: the counts of a thousand threads are complete" {
	need many-threads
	cc -O1 -pthread -o threads "$DWELL_SOURCE/tests/cli/threads.c"
	for more in '' --per-thread; do
		rm -f said counts
		background ./threads idle 1000 >said
		threads=$last
		until_true grep -q ready said
		# shellcheck disable=SC2086
		background "$dwell" stat $more -x, -I 100 -o counts \
			-e page-faults,dummy -p "$threads"
		until_true grep -qs ,dummy, counts
		kill -USR1 "$threads"
		wait "$last"
		# Each thread touches 16 pages, and a few at its start and end.
		awk -F, -v more="$more" '
			!/,page-faults,/ { next }
			more { n[$2] += $3 }
			{ sum += $(more ? 3 : 2) }
			END {
				for (thread in n)
					if (n[thread] >= 16) threads++
				print sum, threads
				exit sum < 16000 || sum > 40000 ||
					(more && threads < 1000)
			}' counts
	done
}

@test "live: stat: with --timeout, no interval is printed after the last one" {
	stat -x, -I 20 --timeout 40 -e dummy sleep 600 2>counts
	[ "$(wc -l <counts)" -le 2 ]
}

@test "live: stat: after Ctrl-C, stat waits until a command that handles the signal has ended" {
	need python3
	cat >handler <<-'END'
		trap 'kill $!; sleep 0.5; echo >saved; exit' INT
		sleep 600 &
		echo ready
		wait
	END
	python3 - "$dwell" <<-'END'
		import os, pty, sys
		pid, terminal = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], [sys.argv[1], "stat", "-e", "dummy",
		        "-o", "counts", "sh", "handler"])
		told = b""
		while b"ready" not in told:
		    told += os.read(terminal, 4096)
		os.write(terminal, b"\3")
		os.waitpid(pid, 0)
	END
	test -e saved
	grep -q dummy counts
}
