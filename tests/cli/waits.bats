#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell record --off-cpu --min-block: waits that BPF programs measure in the kernel, and
# add up if they are short.

load common.bash

setup() {
	enter_test
	unset DWELL_NO_BPF
}

make_data() {
	"$DWELL_BUILD/tests/made/make_data" "$@"
}

# compile_waits [OPTION...]: compiles the program of this name.
compile_waits() {
	gcc -O1 -g "$@" -o waits "$DWELL_SOURCE/tests/cli/waits.c"
}

# rows [OPTION...]: prints "self_period samples key..." of the rows of off-CPU time.
rows() {
	dwell report --off-cpu --csv --no-inline "$@" | tail -n +2 | cut -d, -f4,5,7-
}

# ns_of PATTERN [OPTION...]: prints the ns, with those of callees, of rows that match.
ns_of() {
	local pattern=$1

	shift
	dwell report --off-cpu --csv --no-inline --children "$@" | tail -n +2 |
		awk -F, -v wanted="$pattern" '$0 ~ wanted { n += $6 }
			END { printf "%.0f", n }'
}

# A thread that was blocked from 1000 to 1600, waited for a CPU to 2000, was preempted
# for 300, and is blocked until the end, at 3700. Three short waits are a sum.
# raw FLAGS N BLOCKED RUNNABLE PREEMPTED LONGEST
raw() {
	local value

	printf 'raw=01000000%02x000000' "$1"
	shift
	for value; do
		printf '%02x%02x000000000000' $((value & 255)) $((value >> 8))
	done
	printf 00000000
}

made_waits() {
	cat <<-END
		file
		event name=cpu-clock type=software config=0 ids=1
		 sample_period=250 sample_id_all
		 sample_type=IDENTIFIER|IP|TID|TIME|CPU|CALLCHAIN
		event name=offcpu-waits type=software config=10 ids=2
		 sample_period=1 sample_id_all
		 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN|RAW
		feature EVENT_DESC events
		feature HOSTNAME str=made
		record COMM pid=7 tid=7 comm=made time=1
		record SAMPLE event=0 ip=0x1000 pid=7 tid=7 time=750
		 chain=user,0x1000,0x2000
		record SAMPLE event=1 ip=0x3000 pid=7 tid=7 time=2000 period=1000
		 chain=user,0x3000,0x2000 $(raw 0 1 600 400 0 1000)
		record SAMPLE event=1 ip=0x4000 pid=7 tid=7 time=2800 period=300
		 chain=user,0x4000 $(raw 0 1 0 0 300 300)
		record SAMPLE event=1 ip=0x5000 pid=7 tid=7 time=3500 period=90
		 chain=user,0x5000 $(raw 1 3 60 20 10 40)
		record SAMPLE event=1 ip=0x3000 pid=7 tid=7 time=3700 period=700
		 chain=user,0x3000,0x2000 $(raw 2 1 700 0 0 700)
	END
}

# unmeasured FILE: prints how many waits the kernel did not report, by the messages in
# FILE. In virtual machines, switches from a hidden process can have no tracepoint.
unmeasured() {
	awk '/waits were not measured/ { n = $3 } END { print n + 0 }' "$1"
}

@test "report: --off-cpu: a recorded sum of waits is divided by the state of the thread" {
	made_waits | make_data - a.data
	rows --no-children -s state,sym a.data | sort >out
	prints sums-by-state <out
	run -0 dwell report --off-cpu --stdio a.data
	[[ $output == *"; 6 switches; 1 of them lasted until the recording ended"* ]]
	run -0 dwell report --wall --json a.data
	[[ $output == *'"time": {"on_ns": 250, "blocked_ns": 1360, "runnable_ns": 420, "preempted_ns": 310, "switches": 6, "open": 1, "brief": 0, "lost": 0, "unknown": 0}'* ]]
	# A sum is left out if its longest wait is too short.
	run -0 dwell report --off-cpu --min-block 50ns --stdio a.data
	[[ $output == *"; 3 too short to count"* ]]
	run -0 dwell report --off-cpu --min-block 40ns --stdio a.data
	[[ $output != *"too short"* ]]
	# In the file's own events, the period is the time.
	run -0 dwell report --csv --no-children -s event a.data
	[[ $output == *"offcpu-waits,"*",4,2090,"* ]]
}

@test "report: --off-cpu: sums of waits are read in big-endian recordings; unknown versions are left out" {
	made_waits | sed 's/raw=01/raw=02/' | make_data - new.data
	run -0 dwell report --off-cpu --stdio new.data
	[[ $output == *"; 4 left out because their length is unknown"* ]]
	made_waits | sed 's/raw=01000000\(..\)000000\(..\)\(..\)000000000000\(..\)\(..\)000000000000\(..\)\(..\)000000000000\(..\)\(..\)000000000000\(..\)\(..\)000000000000/raw=00000001000000\1000000000000\3\2000000000000\5\4000000000000\7\6000000000000\9\8000000000000\3\2/' >big.txt
	make_data -b big.txt big.data
	rows --no-children -s sym big.data | sort >big
	made_waits | make_data - a.data
	rows --no-children -s sym a.data | sort | diff - big
}

@test "export: --wall and --off-cpu include recorded sums of waits" {
	made_waits | make_data - a.data
	dwell export --format folded --wall a.data >out
	grep -q '^made;.*\[blocked\] 1300$' out
	dwell export --format firefox --wall a.data >out.json
	dwell export --format html --wall -o out.html a.data
	dwell export --format svg --off-cpu a.data | grep -q '\[blocked\]'
}

@test "live: record: --off-cpu --min-block: sums and single waits are those that the program measures" {
	local graph least

	need bpf
	need gcc
	for graph in dwarf fp; do
		# Without frame pointers, each wait has another chain of -g.
		compile_waits "$([ $graph = dwarf ] && echo -fomit-frame-pointer ||
			echo -fno-omit-frame-pointer)"
		dwell record -v --off-cpu --min-block 5ms -e cpu-clock:u -F 99 \
			--call-graph $graph -o a.data -- ./waits 1000 20 >measured 2>log
		cat log measured
		# All naps are waits, except a nap that ends before the thread has left
		# its CPU, because the machine stalled. The short ones are in few samples.
		least=$((900 - $(unmeasured log)))
		awk -v least=$least '/ waits: .* recorded alone/ {
			exit !($3 >= least && $5 >= 5 && $5 < 200) }' log
		[ "$(rows --no-children -s tid a.data | awk -F, '{ n += $1 } END { print n }')" -lt 300 ]
		dwell report --off-cpu --json a.data >json
		[ "$(grep -o '"switches": [0-9]*' json | grep -o '[0-9]*$')" -ge $least ]
		absent grep -q 'no stack' log
		[ $graph = dwarf ] || continue
		# A nap is the wait, and a system call around it, in which the machine
		# can stall.
		short=$(ns_of ' nap_short$' -s sym a.data)
		long=$(ns_of ' nap_long$' -s sym a.data)
		read -r short_measured < <(sed -n 1p measured)
		read -r long_measured < <(sed -n 2p measured)
		[ "$long" -le "$long_measured" ]
		[ "$long" -ge $((long_measured / 100 * (70 - 6 * $(unmeasured log)))) ]
		[ "$short" -le "$short_measured" ]
		[ "$short" -ge $((50000000 - 100000 * $(unmeasured log))) ]
		# The parent waits for both, from its next system call on.
		[ "$(unmeasured log)" != 0 ] ||
			[ "$(ns_of ' main$' -s sym a.data)" -ge $((short + long + (short_measured + long_measured) / 2)) ]
	done
}

@test "live: record: --off-cpu --min-block: sums are those of waits that are recorded one by one" {
	need bpf
	need gcc
	compile_waits
	# Both recorders measure the same waits.
	dwell record --off-cpu --min-block 1s -e cpu-clock:u -F 99 --call-graph dwarf \
		-o sums.data -- dwell-record -q --off-cpu -e cpu-clock:u -F 99 \
		--call-graph dwarf -o each.data -- ./waits 0 100 >measured 2>log
	each=$(ns_of ' nap_long$' -s sym -c waits each.data)
	sums=$(ns_of ' nap_long$' -s sym -c waits sums.data)
	measured=$(tail -n 1 measured)
	echo "each: $each, sums: $sums, measured: $measured" >&2
	# The machine can stall between the two measurements of a context switch,
	# and while the program reads its clock.
	[ $((sums * 1000 / each)) -ge $((950 - 12 * $(unmeasured log))) ]
	[ $((sums * 1000 / each)) -le 1050 ]
	[ "$sums" -le "$measured" ]
	[ $((sums * 100 / measured)) -ge $((80 - 2 * $(unmeasured log))) ]
	# The same functions, from the first in the kernel to _start().
	for way in each sums; do
		dwell script -F ip,sym -e $([ $way = each ] && echo context-switches || echo offcpu-waits) \
			-i $way.data | awk 'NF { line = line ";" $2; next }
				{ if (line ~ /nap_long/) print line; line = "" }
				END { if (line ~ /nap_long/) print line }' | sort -u >$way.chains
	done
	cat each.chains sums.chains
	comm -12 each.chains sums.chains | grep '^;schedule;.*;nap;nap_long;main;.*;_start$'
}

@test "live: record: --off-cpu --min-block: perf reads the recording with the same sum" {
	need perf
	need bpf
	need gcc
	compile_waits -fno-omit-frame-pointer
	dwell record -q --off-cpu --min-block 5ms -e cpu-clock:u -F 99 --call-graph fp -o a.data \
		-- ./waits 100 10
	perf script -i a.data -F event,period,comm 2>/dev/null |
		awk '/offcpu-waits/ { n += $2 } END { printf "%.0f\n", n }' >perf.sum
	rows --no-children -s event a.data | cut -d, -f2 >dwell.sum
	diff perf.sum dwell.sum
}

# has_napping_child PID: succeeds if the child of PID, which is left in $child, has
# waited several times. The first child of "waits 0 N" ends without a nap.
has_napping_child() {
	child=$(pgrep -P "$1") && [ "$(blocks_of "$child")" -ge 5 ]
}

@test "live: record: --off-cpu --min-block records a running process, a thread, or the whole system" {
	need bpf
	need gcc
	compile_waits
	background ./waits 0 100000
	sleeper=$last
	until_true has_napping_child "$sleeper"
	# Not the child, which exists at the start.
	dwell record -v --off-cpu --min-block 1ms -e cpu-clock:u -F 99 --call-graph fp -p "$child" \
		-o p.data -- "${while_blocked[@]}" "$child" 2>log
	rows --no-children -s tid p.data >out
	[ "$(cut -d, -f3 out | sort -u)" = "$child" ]
	[ "$(ns_of . -s comm p.data)" -gt 0 ]
	dwell record -q --off-cpu --min-block 1ms -e cpu-clock:u -F 99 --call-graph fp -t "$child" \
		-o t.data -- "${while_blocked[@]}" "$child"
	[ "$(rows --no-children -s tid t.data | cut -d, -f3 | sort -u)" = "$child" ]
	dwell record -v --off-cpu --min-block 1ms -e cpu-clock:u -F 99 -a --call-graph fp -o a.data \
		-- "${while_blocked[@]}" "$child" 2>log &
	recorder=$!
	wait $recorder
	rows --no-children -s pid,comm a.data >out
	grep ",$child,waits$" out
	# The process ID of the recorder's child is that of a waiting loop.
	cut -d, -f3 out | absent grep -x "$recorder"
	kill "$child"
}

@test "live: record: --off-cpu --min-block: -t, -i and --per-thread select threads and children" {
	need bpf
	need gcc
	compile_waits -fno-omit-frame-pointer
	# -i and --per-thread measure the process itself, and not its children.
	for option in -i --per-thread; do
		dwell record --off-cpu --min-block 1ms -e cpu-clock:u -F 99 --call-graph fp $option \
			-o a.data -- ./waits 0 25 2>log
		rows --no-children -s tid a.data >out
		[ "$(cut -d, -f3 out | sort -u | wc -l)" = 1 ]
		# The parent waits 0.5 s for its child, less if it stalls before.
		[ "$(unmeasured log)" != 0 ] || [ "$(ns_of . -s tid a.data)" -ge 100000000 ]
	done
	# -t measures the threads and processes that a thread starts.
	background sh -c 'until [ -e go ]; do sleep 0.01; done
		./waits 0 10; touch gone; exec sleep 100'
	shell=$last
	dwell record -q --off-cpu --min-block 1ms -e cpu-clock:u -F 99 --call-graph fp -t "$shell" \
		-o t.data -- sh -c 'touch go; until [ -e gone ]; do sleep 0.05; done'
	kill "$shell"
	rows --no-children -s comm t.data | grep ',waits$'
}

@test "live: record: --off-cpu --min-block: events with call-graph=dwarf keep their stacks" {
	need bpf
	need gcc
	gcc -O2 -fomit-frame-pointer -pthread -o deep "$DWELL_SOURCE/tests/cli/deep.c"
	dwell record --off-cpu --min-block 1ms -e cpu-clock/call-graph=dwarf,freq=999,name=clock/ \
		-o a.data -- ./deep 40 0.4 2>log
	cat log
	[ "$(dwell script -e clock -F ip,sym -i a.data | grep -c ' main$')" -gt 40 ]
}

@test "live: record: --off-cpu --min-block: if sums are impossible, each wait is recorded and a line states why" {
	need bpf
	need gcc
	compile_waits -fno-omit-frame-pointer
	while IFS='|' read -r options reason; do
		# shellcheck disable=SC2086
		dwell record --off-cpu --min-block 1ms -e cpu-clock:u -F 99 $options \
			-o a.data -- ./waits 0 15 2>log
		cat log
		grep -q -- "--min-block: waits are recorded one by one, not added up: .*$reason" log
		[ "$(ns_of '.*,waits$' -s comm a.data)" -ge 60000000 ]
		dwell evlist -i a.data | grep -x context-switches
	done <<-'END'
		--call-graph dwarf,8192|copies the stack of each wait
		--call-graph dwarf --keep-stacks|--keep-stacks and --user-regs
		-g -D 1|-D and --control
		-g -k boottime|CLOCK_MONOTONIC
	END
	DWELL_NO_BPF=1 dwell record --off-cpu --min-block 1ms -e cpu-clock:u -F 99 --call-graph fp \
		-o a.data -- ./waits 0 15 2>log
	grep -q 'the environment variable DWELL_NO_BPF is set' log
	[ "$(ns_of '.*,waits$' -s comm a.data)" -ge 60000000 ]
	refuses 2 dwell record --min-block 1ms -- true
	[[ $line == *"--min-block needs --off-cpu"* ]]
	refuses 2 dwell record --off-cpu --min-block 5 -- true
	[[ $line == *"--min-block: '5' is not a time"* ]]
}

@test "live: record: --off-cpu --min-block: the recorder unwinds stacks that have no unwind rules" {
	need bpf
	need gcc
	need strip
	compile_waits -fomit-frame-pointer -Wl,--export-dynamic
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr waits bare
	dwell record -v --off-cpu --min-block 5ms -e cpu-clock:u -F 99 \
		--call-graph dwarf -o a.data -- ./bare 50 20 >measured 2>log
	cat log
	# They are waits of the program, with the functions of libc.
	[ "$(ns_of nanosleep -s sym -c bare a.data)" -ge $((200000000 - 25000000 * $(unmeasured log))) ]
	absent grep -q 'no stack' log
}

@test "live: record: --off-cpu --min-block: no wait is lost with short threads and small ring buffers" {
	need bpf
	need gcc
	need perf
	dwell record -v --off-cpu --min-block 1ms -e cpu-clock:u -F 99 --call-graph fp -m 8 \
		-o a.data -- perf bench sched messaging -g 4 -l 200 >out 2>log
	cat log
	awk '/ waits: .* recorded alone/ { all = $3; alone = $5; sums = $8 }
		END { exit !(all > 1000 && all == alone + sums) }' log
	dwell report --off-cpu --json a.data >json
	all=$(sed -n 's/.*dwell record: \([0-9]*\) waits: .*/\1/p' log)
	counted=$(grep -o '"switches": [0-9]*' json | grep -o '[0-9]*$')
	open=$(grep -o '"open": [0-9]*' json | grep -o '[0-9]*$')
	echo "$all waits, $counted counted, $open open" >&2
	[ $((counted - open)) = "$all" ]
}
