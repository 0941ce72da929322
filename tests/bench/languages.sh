#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures the naming of functions of language runtimes. Each program calls hot(), warm()
# and cool() from middle(), and runs for a few seconds. It is recorded at 1 kHz, in turn
# with --lang none and --lang auto. For each program, the output contains:
#
#	named	the share of the samples in these functions whose callers include
#		middle() and main()
#	whole	the share of these samples whose stack contains the start of the thread
#
# For Python, PHP, Ruby, Perl and LuaJIT, the output contains the time of the BPF program for a stack
# and for its list of frames.
#
# The output also contains medians with their 95 % intervals: the number of rejected
# frames, the CPU time of the recorder per sample (us), and the difference of the CPU time
# of the program from that with --lang none (%). "warm" is the CPU time of the recorder per
# sample from the fourth to the ninth second of the recording of a running program, at most
# three rounds.
#
#	DWELL=/path/to/dwell languages.sh
#
# "BENCH_ONLY=languages make bench" runs this script. BENCH_RUNS is the number of rounds
# (default: 20). BENCH_NODES, BENCH_JAVAS and BENCH_PYTHONS are lists of the programs of
# Node.js (default: "node"), of Java (default: "java") and of Python (default: "python3").
set -euo pipefail
export LC_ALL=C

DWELL=${DWELL:-dwell}
RUNS=${BENCH_RUNS:-20}
top=$(cd "$(dirname "$0")/../.." && pwd)
programs=$top/tests/cli/languages
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dwell-languages.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
${CC:-gcc} -O2 "$top/tests/bench/meter.c" -o "$tmp/meter"
javac --release 8 -nowarn -d "$tmp" "$programs/Shares.java" 2>/dev/null ||
	echo "javac is missing: Java is not measured" >&2

# Functions of Lua have no names, but a place.
awk 'match($0, /function [a-z]+\(/) {
		print "s/function <shares.lua:" FNR ">/" substr($0, RSTART + 9, RLENGTH - 10) "/g"
	}
	END { print "s/main chunk <shares.lua>/main/" }' "$programs/shares.lua" >"$tmp/places.sed"

# run NAME WAY COMMAND...: records COMMAND with --lang WAY. Appends the CPU time of the
# program in seconds, the CPU time of the recorder per sample in us, and the number of
# rejected frames to $tmp/NAME.WAY.
run() {
	local name=$1 way=$2

	shift 2
	"$tmp/meter" "$tmp/meter.all" "$DWELL" record -v -e cpu-clock:u -F 1000 \
		--call-graph dwarf --lang "$way" -o "$tmp/$name.$way.data" -- \
		"$tmp/meter" "$tmp/meter.own" "$@" >/dev/null 2>"$tmp/log"
	awk 'FILENAME ~ /own/ && /^wall/ { own = $4 }
		FILENAME ~ /all/ && /^wall/ { all = $4 }
		/^dwell record: [0-9]+ samples, / { samples = $3 }
		/ not plausible/ { rejected = $(NF - 3) }
		/BPF program took/ { stack = $(NF - 3) }
		/it took .* ns more per stack/ { list = $5 }
		END {
			print "own", own
			print "recorder", (all - own) * 1e6 / samples
			print "rejected", rejected + 0
			print "stack", stack + 0
			print "list", list + 0
		}' "$tmp/meter.own" "$tmp/meter.all" "$tmp/log" >>"$tmp/$name.$way"
}

# cpu_ns PID: prints the CPU time of the threads of PID.
cpu_ns() {
	cat /proc/"$1"/task/*/schedstat | awk '{ sum += $1 } END { printf "%d\n", sum }'
}

# warm NAME WAY COMMAND...: runs COMMAND, whose last word is a number of calls, with 50 times
# as many, and records it with --lang WAY. Appends the CPU time of the recorder per sample in
# us to $tmp/NAME.WAY. The program has one busy thread.
warm() {
	local name=$1 way=$2 calls=${!#} program recorder before after

	"${@:3:$#-3}" $((50 * calls)) >/dev/null 2>&1 &
	program=$!
	"$DWELL" record -q -e cpu-clock:u -F 1000 --call-graph dwarf --lang "$way" \
		--duration 10 -p "$program" -o "$tmp/$name.warm.data" &
	recorder=$!
	sleep 4
	before=$(cpu_ns "$recorder")
	sleep 5
	after=$(cpu_ns "$recorder")
	wait "$recorder"
	kill "$program"
	wait "$program" 2>/dev/null || true
	echo "warm $(((after - before) / 5 / 1000 / 1000))" >>"$tmp/$name.$way"
}

# median FILE NAME: prints the median and the 95 % interval of NAME in FILE.
median() {
	awk -v name="$2" '$1 == name { print $2 }' "$1" | sort -g |
		awk -v digits=2 -f "$top/tests/bench/median.awk"
}

# shares FILE: prints the shares of named and of whole stacks in the recording FILE.
shares() {
	"$DWELL" export --format folded -i "$1" -o - | sed -f "$tmp/places.sed" | awk '
		/[;.:](hot|warm|cool|work)[; ]/ {
			all += $NF
			named += $NF * (/[;.:]main;/ && /[;.:]middle;/)
			whole += $NF * /;(_start|clone3|start_thread|__libc_start_call_main);/
		}
		END { printf "named %.2f %%, whole %.2f %%", 100 * named / all,
			100 * whole / all }'
}

# compare NAME COMMAND...: runs all rounds of COMMAND, and prints the results of NAME.
compare() {
	local name=$1 i

	shift
	for ((i = 0; i < RUNS; i++)); do
		run "$name" none "$@"
		run "$name" auto "$@"
	done
	for ((i = 0; i < RUNS && i < 3; i++)); do
		warm "$name" none "$@"
		warm "$name" auto "$@"
	done
	printf '%-22s %s, rejected %s\n' "$name" "$(shares "$tmp/$name.auto.data")" \
		"$(median "$tmp/$name.auto" rejected)"
	printf '%-22s recorder us per sample: auto %s, none %s\n' '' \
		"$(median "$tmp/$name.auto" recorder)" \
		"$(median "$tmp/$name.none" recorder)"
	printf '%-22s warm: auto %s, none %s\n' '' \
		"$(median "$tmp/$name.auto" warm)" "$(median "$tmp/$name.none" warm)"
	paste "$tmp/$name.none" "$tmp/$name.auto" |
		awk '$1 == "own" { print "slower", 100 * ($4 / $2 - 1) }' >"$tmp/slower"
	printf '%-22s program slower by %% of its CPU time: %s\n' '' \
		"$(median "$tmp/slower" slower)"
}

echo "functions of language runtimes, 1000 Hz, $RUNS rounds: median (95 % interval)"
for java in ${BENCH_JAVAS:-java}; do
	[ -e "$tmp/Shares.class" ] || continue
	version=$("$java" -version 2>&1 | sed -n '1s/[^0-9]*\([0-9]*\).*/\1/p')
	compare "java-$version,-Xint" "$java" -Xint -cp "$tmp" Shares 100
	compare "java-$version,C1" "$java" -XX:TieredStopAtLevel=1 -cp "$tmp" Shares 2000
	compare "java-$version,C2" "$java" -cp "$tmp" Shares 3000
done
for node in ${BENCH_NODES:-node}; do
	compare "node-$("$node" --version | tr -d v | cut -d. -f1)" \
		"$node" "$programs/shares.js" 250
done
# interpreter NAME COMMAND...: the same as compare, with the time of the BPF program.
interpreter() {
	local name=$1

	compare "$@"
	printf '%-22s BPF ns per stack: %s, and for the frames of the language: %s\n' '' \
		"$(median "$tmp/$name.auto" stack)" "$(median "$tmp/$name.auto" list)"
}

for python in ${BENCH_PYTHONS:-python3}; do
	name=python-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	interpreter "$name" "$python" "$programs/shares.py" 200
done
# measured NAME SCRIPT CALLS PROGRAM [OPTION]...: the same, if PROGRAM is installed.
measured() {
	local name=$1 script=$2 calls=$3

	shift 3
	if command -v "$1" >/dev/null; then
		interpreter "$name" "$@" "$programs/$script" "$calls"
	else
		echo "$1 is missing: $name is not measured" >&2
	fi
}

measured php-8.2 shares.php 200 php8.2
measured ruby-3.1 shares.rb 150 ruby3.1
measured perl-5.36 shares.pl 200 perl
measured luajit-2.1 shares.lua 300 luajit
measured luajit-2.1,-joff shares.lua 60 luajit -joff
