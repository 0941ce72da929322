#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests dwell record --lang: names of functions of Java and Node.js, which the recorder
# reads from the memory of the process.

load common.bash
load languages/shares.bash

# Compiles the Java programs of all tests.
setup_file() {
	if meets javac; then
		javac -g -d "$BATS_FILE_TMPDIR/classes" \
			"$DWELL_SOURCE"/tests/cli/languages/*.java
	fi
}

setup() {
	enter_test
}

# with_java: puts the compiled programs in "classes". Java functions are named on
# x86-64 only.
with_java() {
	need javac java x86_64
	ln -s "$BATS_FILE_TMPDIR/classes" classes
}

@test "live: languages: interpreted and compiled Java functions have the shares that the program measured" {
	with_java
	for way in '-Xint 30' '-XX:TieredStopAtLevel=1 400' '-XX:+TieredCompilation 600'; do
		read -r option calls <<<"$way"
		dwell record -q -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
			java "$option" -cp classes Shares "$calls" >times 2>log
		# shellcheck disable=SC2046
		same_shares a.data Shares. $(cat times)
	done
}

@test "live: languages: a blocked Java thread has the frames and lines that jstack prints" {
	with_java
	need jstack
	background dwell record -q --off-cpu -e cpu-clock:u -F 99 --call-graph dwarf \
		-o a.data -- java -cp classes Blocked
	recorder=$last
	until java=$(pgrep -P "$recorder" -x java) &&
		jstack "$java" 2>/dev/null >stacks &&
		grep -A 2 '"blocked"' stacks | grep -q Thread.sleep; do
		sleep 0.1
	done
	# The wait is one sample, which is read after it has begun.
	sleep 0.5
	kill "$java"
	wait "$recorder" || :
	# Convert each frame to "Class.method(File.java:12)", or "Class.method" without a line.
	sed -n '/^"blocked"/,/^$/p' stacks | sed -n 's/^\tat //p' |
		sed -E 's/\/0x[0-9a-f]+//; s/\(java\.base@[^)/]*\//(/; s/\((Native Method|Unknown Source)\)//' \
			>expected
	dwell script --comms blocked -F ip,sym,srcline -i a.data |
		awk 'NF == 0 { if (text ~ /Inner.sleep/) last = text; text = ""; next }
			$1 ~ /^[0-9a-f]+$/ { name = $2; next }
			{ if (name ~ /^(java\.lang|Blocked)/)
				text = text name ($1 == "??:0" ? "" : "(" $1 ")") "\n" }
			END { if (text ~ /Inner.sleep/) last = text; printf "%s", last }' >got
	diff expected got
	[ "$(wc -l <got)" -gt 8 ]
}

@test "live: languages: Java stacks are complete with exceptions, lambdas, recursion and garbage collection" {
	with_java
	for option in -XX:+UseSerialGC -XX:+UseG1GC; do
		dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
			java "$option" -cp classes Mixed 0.25
		dwell export --format folded --group-by thread -i a.data -o - |
			grep '^server' >stacks
		all=$(awk '{ n += $NF } END { print n + 0 }' stacks)
		serve=$(grep -F ';Mixed.serve;' stacks |
			awk '{ n += $NF } END { print n + 0 }')
		echo "$serve of $all" >&2
		[ "$all" -gt 100 ]
		[ $((serve * 100)) -ge $((all * 95)) ]
	done
}

@test "live: languages: --lang none records no functions of Java; an unknown runtime is refused" {
	with_java
	dwell record -q -e cpu-clock:u -F 499 --call-graph dwarf --lang none -o none.data -- \
		java -cp classes Shares 200 >times
	dwell report --csv -s dso -i none.data >rows
	absent grep -F '[java]' rows
	dwell record -q -e cpu-clock:u -F 499 --call-graph dwarf --lang node,java -o a.data -- \
		java -cp classes Shares 200 >times
	dwell report --csv -s dso -i a.data | grep -F '[java]'
	refuses 2 dwell record --lang cobol -o b.data true
	[[ $line == *"--lang: 'cobol' is not auto, none, or some of: java, node, python, php, ruby"* ]]
}

@test "live: languages: each file of --switch-output has the names of its Java functions" {
	with_java
	dwell record -q -e cpu-clock:u -F 499 --call-graph dwarf --switch-output=1s \
		--switch-max-files 9 -o a.data -- java -cp classes Shares 2500 >times
	ls a.data.* >files
	[ "$(wc -l <files)" -ge 2 ]
	while read -r file; do
		dwell report --csv -s sym -i "$file" >rows
		if grep -q '\] Shares.main$' rows; then echo "$file"; fi
	done <files >named
	cat files named >&2
	[ "$(wc -l <named)" -ge 2 ]
	# The virtual machine starts and ends in files without main(): the others are neighbours.
	sed -n "\|^$(head -n 1 named)\$|,\|^$(tail -n 1 named)\$|p" files | diff named -
	tail -n 2 files | grep -qxF "$(tail -n 1 named)"
}

@test "live: languages: --lang-frames only shows functions of the language, and native only native code" {
	with_java
	dwell record -q -e cpu-clock:u -F 499 --call-graph dwarf -o a.data -- \
		java -cp classes Shares 200 >times
	for which in both only native; do
		dwell export --format folded --lang-frames $which -i a.data -o $which
		awk '{ n += $NF } END { print n }' $which >>sums
	done
	[ "$(sort -u sums | wc -l)" = 1 ]
	grep ';start_thread;.*;Shares.main;Shares.middle;' both
	grep -E '^java;Shares.main;Shares.middle;' only
	absent grep 'start_thread;.*Shares' only
	absent grep 'Shares' native
	grep -E ';start_thread;' native
	refuses 2 dwell report --lang-frames all -i a.data
	[[ $line == *"--lang-frames: 'all' is not one of: fold, both, only, native"* ]]
}

@test "live: languages: perf and dwell pack read a recording of Java" {
	with_java
	need perf
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		java -Xint -cp classes Shares 60 >times
	# perf shows each of these addresses as unknown.
	perf script -i a.data -F ip,sym,dso 2>/dev/null | grep -F '([java])' >frames
	absent grep -vF '[unknown]' frames
	dwell report --csv -s sym,srcline -i a.data >before
	grep ' Shares.work,Shares.java:' before
	dwell pack -q -i a.data -o b.data
	dwell report --csv -s sym,srcline -i b.data | grep Shares >after
	grep Shares before | diff - after
	dwell annotate -i a.data Shares.work >annotated
	grep 'no machine code: the recording has only the source lines' annotated
	grep -E '^( *[0-9.]+)+ +Shares.java:[0-9]+' annotated
}

@test "live: languages: Java functions have names after a start that takes long" {
	with_java
	need gcc
	named_after_slow_start libjvm ';Shares.work' java -cp classes Shares 200
}

@test "live: languages: JavaScript functions have names after a start that takes long" {
	need node node-symbols x86_64 gcc
	named_after_slow_start node ';hot' node "$DWELL_SOURCE/tests/cli/languages/shares.js" 120
}

@test "live: languages: a forged libjvm.so costs the recorder little time and memory" {
	need gcc
	gcc -O1 -shared -fPIC -o libjvm.so "$DWELL_SOURCE/tests/cli/languages/forged_jvm.c"
	gcc -O1 -DPROGRAM -o forged "$DWELL_SOURCE/tests/cli/languages/forged_jvm.c" \
		"$PWD/libjvm.so"
	for mode in 0 1 2 3 4; do
		SECONDS=0
		dwell record -v -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
			./forged $mode 0.2 2>log
		cat log
		if [ $mode = 1 ]; then
			grep 'functions of java in process [0-9]* have no names: dwell cannot read' log
		else
			grep 'java: 0 frames were read, [1-9][0-9]* were not plausible' log
		fi
		[ "$SECONDS" -lt 20 ]
		dwell report --csv -s sym,dso -i a.data >rows
		absent grep -F '[java]' rows
	done
}

@test "live: languages: JavaScript functions have the shares that the program measured" {
	need node node-symbols x86_64
	for way in '--no-opt 4' '--always-sparkplug 40' '--max-lazy 40'; do
		read -r option calls <<<"$way"
		dwell record -q -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
			node "$option" "$DWELL_SOURCE/tests/cli/languages/shares.js" "$calls" \
			>times 2>log
		# shellcheck disable=SC2046
		same_shares a.data '' $(cat times)
	done
	# The loop of hot() is in lines 7 and 8.
	dwell report --csv --no-children -s sym,srcline -i a.data |
		grep -E ' hot,shares.js:[0-9]+$' | sort -t, -k4,4nr | head -1 |
		grep -E 'shares.js:(7|8)$'
}

@test "live: languages: a blocked JavaScript function has the frames and lines of Error.stack" {
	need node node-symbols x86_64
	background dwell record -q --off-cpu -e cpu-clock:u -F 99 --call-graph dwarf \
		-o a.data -- node "$DWELL_SOURCE/tests/cli/languages/blocked.js" >stack
	recorder=$last
	until grep -q 'made\|run' stack && node=$(pgrep -P "$recorder" -x node) &&
		grep -q '^S' <(sed -n 's/^State:\t//p' "/proc/$node/status"); do
		sleep 0.1
	done
	sleep 0.2
	sleep 0.5
	kill "$node"
	wait "$recorder" || :
	# Convert "at Outer.descend (/path/blocked.js:13:9)" to "descend blocked.js:13".
	sed -nE 's/^ +at (.*) \(.*\/(blocked.js:[0-9]+):[0-9]+\)$/\1 \2/p;
		s/^ +at [^ ]*\/(blocked.js:[0-9]+):[0-9]+$/(anonymous) \1/p' stack |
		sed -E 's/^[^ ]*\.([^. ]+ )/\1/; s/^<anonymous>/(anonymous)/' >expected
	dwell script --comms node -F ip,sym,srcline -i a.data |
		awk 'NF == 0 { if (text ~ /wait blocked/) last = text; text = ""; next }
			$1 ~ /^[0-9a-f]+$/ { name = $2; next }
			$1 ~ /^blocked.js/ { text = text name " " $1 "\n" }
			END { if (text ~ /wait blocked/) last = text; printf "%s", last }' >got
	diff expected got
	[ "$(wc -l <got)" -ge 8 ]
}

@test "live: languages: JavaScript stacks are complete with generators, exceptions and new Function()" {
	need node node-symbols x86_64
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		node "$DWELL_SOURCE/tests/cli/languages/mixed.js" 0.75
	dwell export --format folded -i a.data -o - >stacks
	for name in descend fail collect ArrayTimSort fibonacci; do
		all=$(grep -E ";${name}[; ]" stacks | awk '{ n += $NF } END { print n + 0 }')
		rooted=$(grep -E ";${name}[; ]" stacks |
			grep -E ';_start;.*;v8::.*;serve;' |
			awk '{ n += $NF } END { print n + 0 }')
		echo "$name: $rooted of $all" >&2
		[ "$all" -gt 0 ]
		# Some functions have few samples.
		[ $((all - rooted)) -le $((all / 20 + 3)) ]
	done
}

@test "live: languages: JavaScript has names if the program node was deleted while it runs" {
	need node node-symbols x86_64
	cp "$(readlink -f "$(type -P node)")" node
	background ./node "$DWELL_SOURCE/tests/cli/languages/shares.js" 100000
	until_ran "$last" 500
	rm node
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -p "$last" \
		-- "${while_run[@]}" "$last"
	dwell export --format folded -i a.data -o - | grep -E ';main;middle;(hot|warm|cool) '
}
