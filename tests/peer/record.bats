#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf's reading of dwell's recordings compared with dwell's: whole, killed and
# cut recordings.

load recordings.bash

record_files() {
	compile "$DWELL_SOURCE/tests/bench/chain.c" chain
	dwell record -q -e cpu-clock -F 5000 --call-graph fp -o chain.data \
		./chain 2 400000 >/dev/null
	dwell record -q -z0 -e cpu-clock -F 5000 --call-graph fp -o plain.data \
		./chain 2 400000 >/dev/null
	dwell record -q -e cpu-clock,page-faults -F 2000 --call-graph fp -o two.data \
		./chain 2 100000 >/dev/null
	compile "$DWELL_SOURCE/tests/bench/chain.c" chain_nofp \
		-fomit-frame-pointer
	dwell record -q -e cpu-clock -F 2000 --call-graph dwarf \
		-o stacks.data ./chain_nofp 2 400000 >/dev/null
	cp chain "chain.$own"
	own_programs sh ls sort gzip wc awk
	# Runs before the recording starts.
	background "./awk.$own" 'BEGIN { while (1) n++ }'
	dwell record -q -a -e cpu-clock -F 2000 --call-graph fp -o all.data -- \
		"./sh.$own" -c "for i in 1 2 3 4; do
			./ls.$own -lR /usr/include | ./sort.$own |
				./gzip.$own | ./wc.$own
			./chain.$own 1 20000; n=0
			while [ \$n -lt 20000 ]; do n=\$((n + 1)); done
		done" >/dev/null
	end_started
}

# all_known -i FILE [OPTION...]: succeeds if every sample has the name of its
# command and a mapping for its code. Options select samples.
all_known() {
	dwell script "$@" 2>/dev/null >script.text
	# Samples are "comm pid ...", frames are indented by a tab.
	absent grep -m3 -A9 -E '^ *:[0-9]' script.text
	awk '/^[^\t]/ { first = 1; next }
		/^\t/ && first { first = 0; if (/\(\[unknown\]\)/) { print; bad = 1 } }
		END { exit bad }' script.text
}

count_samples() {
	dwell script -i "$1" 2>/dev/null |
		grep -c '^[^	].*cpu-clock: ' || true
}

@test "record: the registers that can be sampled are those of perf record" {
	need perf
	for option in -I? --user-regs=?; do
		perf_list=$(perf record "$option" 2>&1 | grep available)
		[ "$(dwell record "$option")" = "${perf_list% }" ]
	done
}

@test "live: record: perf report and dwell report print the same flat rows of a recording" {
	need perf
	same_rows chain.data --no-children
	same_rows plain.data --no-children
	same_rows two.data --no-children
	same_rows stacks.data --no-children
	same_rows all.data --no-children --comms "$own_comms"
}

@test "live: record: perf report and dwell report print the same rows with callers" {
	need perf
	same_caller_rows chain.data
	same_caller_rows stacks.data
	same_caller_rows plain.data
	same_caller_rows two.data
	same_caller_rows all.data --comms "$own_comms"
}

@test "live: record: perf script and dwell script print the same text of every sample" {
	need perf
	for file in chain plain two all; do
		only=()
		[ $file != all ] || only=(-c "$own_comms")
		perf script --max-stack 512 -i $file.data "${only[@]}" \
			2>/dev/null | without_ways >perf.text
		dwell script -i $file.data "${only[@]}" |
			without_ways >dwell.text
		same_lines perf.text dwell.text
	done
}

@test "live: record: perf report --stats and dwell report --stats print the same counts" {
	need perf
	for file in chain plain two all; do
		perf report --stats -i $file.data 2>/dev/null >perf.stats
		# perf does not report CPU time without samples.
		dwell report --stats -i $file.data |
			grep -v 'has no sample$' >dwell.stats
		diff perf.stats dwell.stats
	done
}

@test "live: record: perf reads the names, events and header of a recording" {
	need perf
	perf evlist -i two.data >events
	grep -x cpu-clock events
	grep -x page-faults events
	perf report --header-only -i chain.data >header
	grep "# hostname : $(uname -n)" header
	grep "# cmdline : .*dwell" header
	perf buildid-list -i chain.data | grep libc.so.6
}

# Prints the lines about CPUs, caches, nodes and memory, without the sizes: free
# memory changes, and in a virtual machine total memory, too.
machine_lines() {
	grep -e '^# sibling' -e '^# CPU' -e '^# node' -e '^#  [L ]' \
		-e '^# memory' | sed -E 's/(total|free) = [0-9]+/\1/g'
}

# Prints the total and free memory of node 0 that PROGRAM finds in FILE.
node_memory() {
	"$1" report --header-only -I -i "$2" 2>/dev/null |
		grep '^# node0 meminfo'
}

@test "live: record: the topology of the machine is that of perf record" {
	need perf cpu-cache
	perf_record -o peer.data true >/dev/null 2>&1
	perf report --header-only -I -i peer.data | machine_lines >peer.machine
	grep '^# sibling' peer.machine
	perf report --header-only -I -i chain.data 2>complaints |
		machine_lines >perf.machine
	diff peer.machine perf.machine
	diff complaints /dev/null
	dwell report --header-only -I -i chain.data | machine_lines >machine
	diff peer.machine machine
	node_memory dwell chain.data >memory
	grep 'total = [1-9][0-9]* kB, free = [1-9][0-9]* kB$' memory
	node_memory perf chain.data | diff memory -
	dwell record -q -o - true >pipe.data
	dwell report --header-only -I -i - <pipe.data | machine_lines >machine
	diff peer.machine machine
	perf report --stdio -I -i - <pipe.data 2>/dev/null >pipe.text
	grep -F -x -f pipe.text peer.machine >machine
	grep -v '^# node. meminfo' peer.machine | diff - \
		<(grep -v '^# node. meminfo' machine)
}

@test "live: record: samples have the socket and node of their CPU" {
	local cpu node socket system=/sys/devices/system
	dwell report --csv -i all.data -s cpu,socket,node |
		sed 1d | cut -d, -f7- >rows
	[ -s rows ]
	while IFS=, read -r cpu socket node; do
		[ "$((10#$socket))" -eq \
			"$(cat $system/cpu/cpu$((10#$cpu))/topology/physical_package_id)" ]
		[ -d $system/cpu/cpu$((10#$cpu))/node"$node" ]
	done <rows
	need perf
	for order in perf dwell; do
		$order report --stdio -g none --no-children -s socket,cpu -i all.data \
			2>/dev/null | grep '^ *[0-9]' | sed 's/  */ /g; s/ $//' \
			>$order.rows
	done
	diff perf.rows dwell.rows
}

@test "live: record: every sample has its command and mapping" {
	all_known -i chain.data
	all_known -i all.data -c "$own_comms"
	for command in sh ls sort gzip wc awk chain; do
		grep -q "^$command\.$own " script.text
	done
}

@test "live: export: an exported perf.data has the same samples for dwell and for perf" {
	dwell export --format perf-data -i all.data -o out.data
	dwell report --stdio -g none -n -c "$own_comms" -i all.data >ours
	dwell report --stdio -g none -n -c "$own_comms" -i out.data >exported
	diff ours exported
	if meets perf; then
		same_rows out.data --no-children --comms "$own_comms"
		run ! grep COMPRESSED <(perf report --stats -i out.data)
	fi
	parser=$(ls /usr/lib/*/libexec/hotspot-perfparser 2>/dev/null | head -1)
	[ -n "$parser" ] || return 0
	timeout 20 "$parser" --input out.data --print-stats |
		grep -x "samples: $(count_samples out.data)"
}

@test "live: export: folded stacks contain every sample" {
	dwell export --format folded -i chain.data >folded
	total=$(awk '{ n += $NF } END { print n }' folded)
	[ "$total" = "$(count_samples chain.data)" ]
	grep -E '^chain;.*start_thread;work;.*leaf [0-9]+$' folded
}

# repeats WHOLE PART: prints how many times a test repeats a case, or its step: WHOLE if
# DWELL_TEST_WHOLE is set, as in make check-long, otherwise PART.
repeats() {
	if [ -n "${DWELL_TEST_WHOLE:-}" ]; then
		echo "$1"
	else
		echo "$2"
	fi
}

@test "live: record: a recorder killed at a random time loses at most the last second" {
	for i in $(seq "$(repeats 20 4)"); do
		"$DWELL_BUILD/dwell" record -q -e cpu-clock -F 2000 --call-graph fp -o killed.data \
			./chain 1 100000000 >/dev/null 2>&1 3>&- &
		recorder=$!
		sleep "$(awk "BEGIN { srand($RANDOM + $i); print 0.3 + rand() * 2.5 }")"
		child=$(pgrep -P $recorder -x chain || true)
		ran=0
		[ -z "$child" ] || ran=$(user_ms "$child")
		kill -KILL $recorder
		[ -z "$child" ] || kill -KILL $child || true
		wait $recorder || true
		dwell report --stdio -g none -i killed.data >/dev/null
		all_known -i killed.data
		samples=$(count_samples killed.data)
		echo "$i: $samples samples of $ran ms"
		# One sample per 0.5 ms, except in the last second. Timers of a
		# loaded virtual machine skip some, and the recorder can stall.
		[ "$((samples * 2))" -ge "$((ran - 1500))" ]
		if meets perf; then
			perf script -i killed.data >perf.text 2>messages ||
				cat messages
			counted=$(grep -c 'cpu-clock: ' perf.text || true)
			echo "perf has $counted of them"
			[ "$samples" = "$counted" ]
		fi
	done
}

@test "live: record: a recording truncated at a random offset is read up to its end" {
	dwell record -q -e cpu-clock -F 1000 --call-graph fp -o whole.data \
		./chain 2 100000 >/dev/null
	size=$(stat -c %s whole.data)
	all=$(count_samples whole.data)
	# shellcheck disable=SC2013
	for at in $(awk "BEGIN { srand($RANDOM); for (i = 0; i < $(repeats 500 60); i++)
			print int(rand() * $size) }"); do
		head -c "$at" whole.data >cut.data
		status=0
		dwell script -i cut.data >script.text 2>errors || status=$?
		# The file opens (0), is refused because it is too short (1), or
		# lacks its end although it was closed (3). One line reports
		# that the file is cut, a second one that it has no event or no
		# sample.
		case $status in
		0 | 1 | 3) ;;
		*)
			echo "status $status at $at"
			false ;;
		esac
		[ "$(grep -vcE 'cut.data( has no samples$|: no events in the recording)' \
			errors)" -le 1 ]
		n=$(grep -c '^[^	].*cpu-clock: ' script.text || true)
		[ "$n" -le "$all" ] || { echo "$n > $all at $at"; false; }
		if grep -E '^ *:[0-9]|^\S.*cpu-clock: .*\[unknown\]' script.text
		then
			echo "without command or mapping at $at"
			false
		fi
	done
}

# unclosed FILE STREAM: writes FILE to STREAM as it was before its last write: a
# stream, with the record of the host's name (88 bytes, doc/format.md) in place
# of the file header.
unclosed() {
	local name
	name=$(uname -n)
	{
		printf 'PERFILE2\020\0\0\0\0\0\0\0'
		printf '\120\0\0\0\0\0\130\0\003\0\0\0\0\0\0\0\104\0\0\0'
		printf %s "$name"
		head -c $((68 - ${#name})) /dev/zero
		tail -c +105 "$1"
	} >"$2"
	[ "$(stat -c %s "$1")" = "$(stat -c %s "$2")" ]
}

@test "live: record: a file whose closing tail is truncated anywhere is a stream that perf reads" {
	dwell record -q -e cpu-clock -F 2000 --call-graph fp -o closed.data \
		./chain 2 100000 >/dev/null
	all=$(count_samples closed.data)
	unclosed closed.data stream.data
	size=$(stat -c %s stream.data)
	first=$(dwell script -D -i closed.data |
		sed -n 's/^0x\([0-9a-f]*\) .*PERF_RECORD_EVENT_TYPE.*/\1/p' |
		head -1)
	first=$((0x$first))
	[ $first -gt 0 ]
	echo "closing takes $((size - first)) bytes"
	for at in $(seq $first "$(repeats 97 389)" $size) $size; do
		head -c "$at" stream.data >cut.data
		[ "$(count_samples cut.data)" = "$all" ] ||
			{ echo "dwell at $at of $size"; false; }
		[ $at -lt $((size - 1024)) ] || continue
		meets perf || continue
		[ "$(perf script -i cut.data 2>/dev/null |
			grep -c 'cpu-clock: ')" = "$all" ] ||
			{ echo "perf at $at of $size"; false; }
	done
}

# has_more_than N: succeeds if growing.data has more than N samples. Sets
# $samples.
has_more_than() {
	samples=$(count_samples growing.data)
	[ "$samples" -gt "$1" ]
}

@test "live: report: a recording can be reported while it is written" {
	"$DWELL_BUILD/dwell" record -q -e cpu-clock -F 2000 -o growing.data \
		./chain 2 100000000 >/dev/null 2>&1 3>&- &
	recorder=$!
	started=$recorder
	samples=0
	for i in 1 2 3; do
		before=$samples
		until_true has_more_than "$before"
		echo "$samples"
	done
	kill -INT $recorder
	wait $recorder || true
	[ "$(count_samples growing.data)" -ge "$samples" ]
}
