#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests names of functions of Python, with and without BPF. The tests run with each
# CPython of this machine: python3, those in /usr/bin, and those in ~/.pyenv.

load common.bash
load languages/shares.bash

setup() {
	enter_test
	unset DWELL_NO_BPF
	need x86_64
	need python3
	source=$DWELL_SOURCE/tests/cli/languages
}

# pythons [FIRST]: prints the paths of CPythons of version FIRST (an integer such as
# 308) to 3.15 with a global interpreter lock.
pythons() {
	local name

	for name in python3 /usr/bin/python3.[0-9] /usr/bin/python3.[0-9][0-9] \
		"$HOME"/.pyenv/versions/*/bin/python; do
		"$name" - "${1:-207}" 2>/dev/null <<-'END' || :
			import os, platform, sys, sysconfig
			version = sys.version_info[0] * 100 + sys.version_info[1]
			assert platform.python_implementation() == "CPython"
			assert version >= int(sys.argv[1]) and version <= 315
			assert not sysconfig.get_config_var("Py_GIL_DISABLED")
			print(os.path.realpath(sys.executable))
		END
	done | awk '!is_known[$0]++'
}

# tested_pythons [FIRST]: the same, but only one with a sanitizer, which makes the recorder
# slow.
tested_pythons() {
	if is_sanitized; then
		pythons "$@" | head -n 1
	else
		pythons "$@"
	fi
}

# pairs [FIRST]: prints "WAY:PYTHON" for tested_pythons and the ways bpf and copies. In tiers 1
# and 2, each Python has one of the two ways, in turn.
pairs() {
	local python n=0

	for python in $(tested_pythons "$@"); do
		n=$((n + 1))
		[ $((n % 2)) = 0 ] && [ -z "${DWELL_TEST_WHOLE:-}" ] || echo "bpf:$python"
		[ $((n % 2)) = 1 ] && [ -z "${DWELL_TEST_WHOLE:-}" ] || echo "copies:$python"
	done
}

# record_pair PAIR OPTION...: records in the way of PAIR.
record_pair() {
	if [ "${1%%:*}" = bpf ]; then
		dwell record "${@:2}"
	else
		DWELL_NO_BPF=1 dwell record "${@:2}"
	fi
}

@test "live: python: functions of each CPython version have the shares that the program measured" {
	local pair

	for pair in $(pairs); do
		echo "$pair" >&2
		record_pair "$pair" -q -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
			"${pair#*:}" "$source/shares.py" 30 >times 2>log
		# shellcheck disable=SC2046
		same_shares a.data '' $(cat times)
	done
	# The loop of hot() is in lines 10 and 11.
	dwell report --csv --no-children -s sym,srcline -i a.data |
		grep -E ' hot,shares.py:[0-9]+$' | sort -t, -k4,4nr | head -1 |
		grep -E 'shares.py:(10|11)$'
}

@test "live: python: annotate counts as many samples in a function as report" {
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		python3 "$source/shares.py" 30 >times 2>log
	for options in "" "--lang-frames only"; do
		# shellcheck disable=SC2086
		dwell report --csv --no-children -g none -s sym $options -i a.data |
			awk -F, '$NF == "[.] hot" { print $(NF - 3) }' >wanted
		# shellcheck disable=SC2086
		dwell annotate -n $options -i a.data hot >annotated
		sed -n 's/^# \([0-9]*\) samples of event .*/\1/p' annotated >got
		cat wanted annotated >&2
		diff wanted got
		[ "$(cat wanted)" -ge 20 ]
	done
}

@test "live: python: a blocked thread has the functions and lines that faulthandler prints" {
	for python in $(tested_pythons 311); do
		background dwell record -q --off-cpu -e cpu-clock:u -F 99 \
			--call-graph dwarf -o a.data -- "$python" "$source/blocked.py" \
			>stacks
		recorder=$last
		until_true grep -q 'Current thread' stacks
		until_true grep -q '<module>' stacks
		process=$(pgrep -P "$recorder")
		sleep 0.1
		kill "$process"
		wait "$recorder" || :
		# Convert 'File "/path/blocked.py", line 14 in sleep' to "sleep blocked.py:14".
		sed -nE '/^Thread/,/^$/s/^  File ".*\/([^\/]*\.py)", line ([0-9]+) in (.*)$/\3 \1:\2/p' \
			stacks >expected
		# Since 3.11, dwell shows qualified names.
		thread=$(dwell script --pid "$process" -F tid -i a.data | tr -d ' ' |
			grep -vx "$process" | tail -1)
		dwell script --tid "$thread" -F ip,sym,srcline -i a.data |
			awk 'NF == 0 { if (text ~ /sleep/) last = text; text = ""; next }
				$1 ~ /^[0-9a-f]+$/ { name = $2; next }
				/\.py:/ { sub(/^.*\.</, "<", name); sub(/^.*\./, "", name); text = text name " " $1 "\n" }
				END { if (text ~ /sleep/) last = text; printf "%s", last }' >got
		echo "$python" >&2
		diff expected got
		[ "$(wc -l <got)" -ge 9 ]
		rm a.data
	done
}

# share_of NAME WANTED: prints the samples of NAME in "stacks", and those whose stack
# also matches the regular expression WANTED.
share_of() {
	grep -E ";$1[; ]" stacks | awk -v wanted="$2" '
		{ all += $NF }
		$0 ~ wanted { good += $NF }
		END { print all + 0, good + 0 }'
}

@test "live: python: stacks are complete with recursion, generators, exceptions, builtins and coroutines" {
	need bpf
	for python in $(tested_pythons 307); do
		dwell record -v -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
			"$python" "$source/mixed.py" 0.35 2>log
		dwell export --force --format folded -i a.data -o stacks
		cat log >&2
		# Qualified names begin with the class since 3.11.
		start='(start_thread|\[libc\.so\.6\]);(Thread\.)?_bootstrap;(Thread\.)?_bootstrap_inner;(Thread\.)?run;loop;'
		for row in "key by_builtin;key;" "generate consume;generate[; ]" \
			"fail fail[; ]" "made made;work" "task serve;task[; ]" \
			"(Shape\.)?__len__ (Shape\.)?method;(Shape\.)?__len__[; ]"; do
			read -r name wanted <<<"$row"
			read -r all good <<<"$(share_of "$name" "$start(.*;)?$wanted")"
			echo "$name: $good of $all" >&2
			[ "$all" -ge 5 ]
			# Some samples are at the beginning or end of a call, and
			# stacks that do not fit into a copy are incomplete.
			[ $((all - good)) -le $((all / 25 + 3)) ]
		done
		# A stack has one frame per call.
		all_calls
		# Each call of the interpreter has its frames.
		few_unassigned
	done
}

@test "live: python: a function that has a perf trampoline is in each stack once" {
	need python-perf
	python=$(perf_python perf)
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		"$python" -X perf "$source/shares.py" 30 >times 2>log
	rm -f /tmp/perf-"$(dwell script -i a.data -F pid | tail -n 1 | tr -d ' ')".map
	# shellcheck disable=SC2046
	same_shares a.data '' $(cat times)
	dwell export --format folded --lang-frames both -i a.data -o stacks
	grep -E ';middle;.*;hot[; ]' stacks
	# At the end of a call, Python has removed the frame, and only the trampoline is left.
	twice=$(grep -E ';middle;.*py::(hot|middle)' stacks | awk '{ n += $NF } END { print n + 0 }')
	echo "$twice samples" >&2
	[ "$twice" -le 20 ]
}

@test "live: python: processes that fork, exec and end have their functions" {
	need bpf
	cat >tree.py <<-'END'
		import os, sys, time
		def spin(n):
		    x = 0
		    for i in range(n):
		        x += i * i
		    return x
		def child():
		    spin(3000000)
		    time.sleep(0.3)
		def after_exec():
		    spin(3000000)
		    time.sleep(0.3)
		if len(sys.argv) > 1:
		    after_exec()
		    os._exit(0)
		pid = os.fork()
		if not pid:
		    child()
		    os.execv(sys.executable, [sys.executable, sys.argv[0], "again"])
		os.waitpid(pid, 0)
		for i in range(5):
		    if not os.fork():
		        os.execv("/bin/true", ["true"])
		    os.wait()
	END
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		python3 tree.py
	dwell export --format folded -i a.data -o stacks
	grep -E '<module> \(tree.py\);child;spin ' stacks
	grep -E '<module> \(tree.py\);after_exec;spin ' stacks
	# The process has this name since its exec, and no Python function since then.
	dwell script -F comm,ip,sym -i a.data |
		awk 'BEGIN { RS = "" } $1 == "true" && /<module>/' >wrong
	[ ! -s wrong ]
}

@test "live: python: new functions of short processes have names, also in the next file of --switch-output" {
	need bpf
	cat >phases.py <<-'END'
		import os, signal, time
		def spin(seconds):
		    end = time.process_time() + seconds
		    while time.process_time() < end:
		        pass
		def long():
		    spin(0.3)
		def short():
		    spin(0.2)
		for _ in range(3):
		    if not os.fork():
		        long()
		        short()
		        time.sleep(0.3)
		        os._exit(0)
		    os.wait()
		time.sleep(0.5)
		os.kill(os.getppid(), signal.SIGUSR2)
		time.sleep(0.5)
		short()
		time.sleep(0.3)
	END
	dwell record -q --switch-output -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		python3 phases.py
	for file in a.data.*; do
		dwell export --force --format folded -i "$file" -o stacks
		short=$(samples_of '<module> (phases.py);short;spin')
		unknown=$(samples_of '<module> (phases.py);(unknown function)')
		echo "$file: $short, $unknown unknown" >&2
		[ "$short" -gt 20 ]
		[ "$unknown" -lt $((short / 4 + 3)) ]
	done
}

@test "live: python: processes that have ended need little memory of the recorder" {
	need unsanitized
	cat >many.sh <<-'END'
		# many.sh PYTHON: prints the recorder's memory after 20 and after 120 processes.
		for i in $(seq 120); do
			"$1" -S -E -c 'for i in range(100000): pass'
			case $i in
			20 | 120) awk '$1 == "VmHWM:" { print $2 }' "/proc/$PPID/status" ;;
			esac
		done
	END
	# Not a script that looks for a version of Python.
	python=$(python3 -c 'import sys; print(sys.executable)')
	dwell record -q -e cpu-clock:u -F 999 -g -o a.data -- \
		sh many.sh "$python" >kilobytes
	cat kilobytes
	# The functions of nearly all processes were read.
	dwell report --stdio -s pid,sym --lang-frames only -g none -i a.data |
		grep -c '<module>' >named
	(($(cat named) > 60))
	mapfile -t kilobytes <kilobytes
	((kilobytes[1] - kilobytes[0] < 64 * 1024))
}

@test "live: python: a process in a container with its own PIDs, mounts and root has its functions" {
	need root
	need bpf
	need mount-namespace
	need unshare
	# shellcheck disable=SC2016 # The inner shell expands it.
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -a -o a.data -- \
		unshare -fpm --mount-proc sh -c '
			mkdir inner && mount --rbind / inner &&
			exec chroot inner '"$(python3 -c 'import sys; print(sys.executable)')"' \
				'"$source"'/shares.py 30' >times 2>log
	cat log >&2
	# Programs of other tests have functions of these names.
	only_comms=$(python3 -c 'import os, sys; print(os.path.basename(sys.executable)[:15])')
	# shellcheck disable=SC2046
	same_shares a.data '' $(cat times)
}

@test "live: python: functions have names if the recorder runs in a PID namespace of its own" {
	need root
	need mount-namespace
	need unshare
	unshare -fp --mount-proc dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf \
		-o a.data -- python3 "$source/shares.py" 30 >times 2>log
	cat log >&2
	# shellcheck disable=SC2046
	same_shares a.data '' $(cat times)
}

@test "live: python: each export format shows Python functions" {
	dwell record -q --off-cpu -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		python3 "$source/shares.py" 30 >times 2>log
	for format in html svg folded chrome speedscope firefox pprof callgrind json; do
		dwell export --format $format -i a.data -o default
		dwell export --format $format --lang-frames fold -i a.data -o fold
		cmp default fold
		rm default fold
	done
	dwell export --format folded --lang-frames both -i a.data -o both
	# Stripped files have a symbol for a part of the function only.
	grep -E ';(_PyEval_EvalFrameDefault|\[python[0-9.]*\]);(.*;)?middle;(.*;)?hot[; ]' both
	dwell export --format folded --lang-frames native -i a.data -o native
	grep -E '(_PyEval_EvalFrameDefault|\[python[0-9.]*\]) ' native
	absent grep -E '[; ]hot[; ]' native
	# Filters are applied to the stacks that are shown.
	dwell export --format chrome -S hot -i a.data -o - | grep -c '"hot"' >count
	[ "$(cat count)" -gt 10 ]
}

@test "live: python: code that is created again has its own lines" {
	cat >again.py <<-'END'
		import time
		text = "def made(n):\n    x = 0\n    for i in range(n):\n        x += i\n    return x\n"
		end = time.process_time() + 0.5
		while time.process_time() < end:
		    for shift in 10, 500:
		        space = {}
		        exec(compile("\n" * shift + text, "gen.py", "exec"), space)
		        space["made"](20000)
	END
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- python3 again.py
	dwell report --csv --no-children -s srcline -i a.data >rows
	cat rows >&2
	# Without BPF, a late recorder finds fewer frames of such short calls.
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "samples") at = i }
		/gen\.py:1[1-5](,|$)/ { first += $at; next }
		/gen\.py:50[1-5](,|$)/ { second += $at; next }
		/gen\.py/ { others += $at }
		END {
			exit first < 20 || second < 20 || others > (first + second) / 50
		}' rows
}

@test "live: python: subinterpreters of each CPython version have their functions and callers" {
	local pair name
	cat >sub.py <<-'END'
		import sys, threading, time
		try:
		    import _interpreters as interpreters
		except ImportError:
		    import _xxsubinterpreters as interpreters
		text = """
		import time
		def inner(n):
		    value = 0
		    for i in range(n):
		        value += i
		    return value
		def spin(end):
		    while time.thread_time() < end:
		        inner(20000)
		spin(%f)
		"""
		def call(end):
		    run = getattr(interpreters, "run_string", interpreters.exec
		        if hasattr(interpreters, "exec") else None)
		    run(interpreters.create(), text % end)
		def first():
		    call(0.4)
		def second():
		    call(0.25)
		# Names are read after the first samples.
		while time.thread_time() < 0.2:
		    pass
		first()
		thread = threading.Thread(target=second)
		thread.start()
		thread.join()
	END
	for pair in $(pairs 308); do
		echo "$pair" >&2
		record_pair "$pair" -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
			"${pair#*:}" sub.py
		dwell export --force --format folded -i a.data -o stacks
		# Functions of C of the interpreter stand between call() and the code.
		for name in first second; do
			awk -v callers=";$name;call;(.*;)?<module> [(]<[a-z]+>[)];spin;inner " '
				$0 ~ callers { n += $NF }
				END { print callers, n; exit n < 40 }' stacks >&2
		done
		awk '/;inner / { all += $NF }
			/;(first|second);call;(.*;)?spin;inner / { good += $NF }
			END { print good, all; exit good < all * 0.95 }' stacks >&2
	done
}

@test "live: python: functions have names after a start that takes long" {
	need bpf
	need gcc
	for python in $(tested_pythons 311); do
		# The interpreter is in the program or in a library.
		name=python
		if ldd "$python" | grep -q libpython; then name=libpython; fi
		named_after_slow_start $name ';hot' "$python" "$source/shares.py" 100
	done
}

@test "live: python: forged structures cost the recorder little time and memory" {
	need bpf
	need gcc
	gcc -O1 -rdynamic -o python3.11 "$source/forged_python.c"
	for mode in 0 1 2 3 4; do
		SECONDS=0
		dwell record -v -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
			./python3.11 $mode 0.2 2>log
		cat log >&2
		[ "$SECONDS" -lt 20 ]
		dwell report --stdio --no-children -G -s dso,sym -i a.data >rows
		absent grep "$(printf '\033')" rows
		case $mode in
		0) grep 'functions of python in process [0-9]* have no names: the runtime was starting' log ;;
		1) grep 'functions of python in process [0-9]* have no names: the thread state of CPython' log ;;
		2 | 3) grep 'python: 0 frames were read, [1-9][0-9]* were not plausible' log ;;
		4) grep -F '[python]' rows && grep -F 'a\x1b[31m\x0ab' rows ;;
		esac
	done
}

@test "live: python: waits have the Python functions that waited, also if waits are recorded as sums" {
	need bpf
	cat >nap.py <<-'END'
		import time
		def first():
		    time.sleep(0.002)
		def second():
		    time.sleep(0.006)
		n, sums = 0, [0, 0]
		end = time.time() + 3
		while time.time() < end:
		    for i, nap in enumerate((first, second)):
		        start = time.perf_counter_ns()
		        nap()
		        sums[i] += time.perf_counter_ns() - start
		    n += 1
		print(n, *sums)
	END
	for block in 1us 1s; do
		dwell record -q --off-cpu --min-block $block -e cpu-clock:u --call-graph dwarf \
			-o a.data -- python3 nap.py >measured
		dwell export --force --format folded --off-cpu -i a.data -o stacks
		for name in first second; do
			grep -E "<module> \(nap.py\);$name;.*nanosleep.*;\[blocked\]" stacks |
				awk '{ n += $NF } END { printf "%.0f\n", n }'
		done | paste -s -d' ' - | paste -d' ' measured - | awk '{
			print
			exit $4 > $2 || $5 > $3 || $4 < 0.8 * 2e6 * $1 || $5 < 0.8 * 6e6 * $1
		}' >&2
	done
}
