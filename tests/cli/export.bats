#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Behaviour common to all formats of `dwell export`: where the output goes, and
# what happens after an error. tests/clients checks the content.

load common.bash

formats="folded pprof speedscope firefox callgrind chrome perf-script json csv
	perf-data html svg"

setup() {
	enter_test
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/plain.txt" data
}

@test "export: -o FILE and -o - have the same output in every format" {
	for format in $formats; do
		dwell export --format $format -i data -o out.$format
		[ -s out.$format ]
		# A stream of records has no tables at its end.
		[ $format != perf-data ] || continue
		dwell export --format $format -i data -o - | cmp - out.$format
	done
	[ "$(ls | wc -l)" = 13 ]
}

@test "export: an existing file is replaced only with --force" {
	for format in $formats; do
		echo mine >out
		refuses 1 dwell export --format $format -i data -o out
		[[ $line == *"out: it exists; use --force to replace it" ]]
		[ "$(cat out)" = mine ]
		dwell export --format $format -i data -o out --force
		absent grep -qx mine out
	done
	dwell export --format folded -i data -o /dev/null
	# A symbolic link without a target is not overwritten either.
	ln -s nowhere link
	refuses 1 dwell export --format folded -i data -o link
	[[ $line == *"link: it is a symbolic link to a missing file; use --force to replace it" ]]
	[ "$(readlink link)" = nowhere ]
	dwell export --format folded -i data -o link --force
	[ -f link ]
}

@test "export: a FIFO that no program reads is refused" {
	mkfifo out
	for verb in "export --format folded" "export --format html --force" \
		"pack -q" "pack -q --force"; do
		# shellcheck disable=SC2086
		refuses 1 dwell $verb -i data -o out
		[[ $line == *": cannot write out: it is a FIFO that no program reads; start the program that reads it first" ]]
	done
	[ -p out ]
	dwell export --format folded -i data -o wanted
	exec {held}<>out
	cat <out >got {held}>&- 3>&- &
	dwell export --format folded -i data -o out
	exec {held}>&-
	wait
	cmp got wanted
	dwell export --format folded -i data -o >(cat >got)
	wait $!
	cmp got wanted
}

@test "export: a FIFO of another user, and another user's link to a device in /tmp, are refused" {
	need root
	mkfifo fifo
	mkdir -m 1777 shared
	ln -s /dev/null shared/link
	chown -h 65534 fifo shared/link
	exec {held}<>fifo
	for verb in "export --format folded" "export --format html --force" \
		"pack -q" "pack -q --force"; do
		# shellcheck disable=SC2086
		refuses 1 dwell $verb -i data -o fifo
		[[ $line == *": cannot write fifo: it is a FIFO of user 65534; use another name: -o FILE" ]]
		# shellcheck disable=SC2086
		refuses 1 dwell $verb -i data -o shared/link
		[[ $line == *": cannot write shared/link: it is a symbolic link of user 65534; use another name: -o FILE" ]]
	done
	exec {held}>&-
}

@test "export: an error of a full disk is one line, and no file remains" {
	for format in $formats; do
		refuses 1 dwell export -q --format $format -i data -o /dev/full
		[ "$line" = "dwell export: cannot write /dev/full: No space left on device" ]
	done
	[ "$(ls | grep -v ^separate-stderr)" = data ]
}

@test "export: every format is written with a stack size of 64 KiB" {
	local size=64 small
	# A sanitizer needs a larger stack.
	if is_sanitized; then
		size=8192
	fi
	# The environment is on the stack, too. That of make has 34 KB.
	small=(env -u MAKEFLAGS -u TESTS -u TEST_LOGS bash -c "ulimit -s $size; exec \"\$@\"" -)
	for format in $formats; do
		"${small[@]}" "$report" export --format $format -i data -o small.$format
		dwell export --format $format -i data -o usual.$format
		cmp small.$format usual.$format
	done
	"${small[@]}" "$report" report --stdio -i data >small
	dwell report --stdio -i data >usual
	cmp small usual
}

@test "live: export: a large line table is read with a stack size of 64 KiB" {
	local size=64
	if is_sanitized; then
		size=8192
	fi
	{
		echo 'volatile long s; int main(void) { for (int i = 0; i < 20000; i++) {'
		yes 's++;' | head -n 5000
		echo '} }'
	} >long.c
	cc -g -O0 long.c -o long
	dwell record -q -g -e cpu-clock:u -o long.data ./long
	for format in html callgrind; do
		env -u MAKEFLAGS -u TESTS -u TEST_LOGS bash -c "ulimit -s $size; exec \"\$@\"" - \
			"$report" export --format $format -i long.data -o small
		dwell export --format $format -i long.data -o usual
		cmp small usual
		rm small usual
	done
}

@test "export, pack: exceeding the file size limit is one error line, and no file remains" {
	# Files may have at most 1024 bytes.
	for format in firefox perf-data html; do
		refuses 1 bash -c "ulimit -f 1
			exec dwell export -q --format $format -i data -o out"
		[[ $line == *": cannot write out: File too large" ]]
	done
	refuses 1 bash -c "ulimit -f 1; exec dwell pack -q -i data -o out"
	[[ $line == *": cannot write out: File too large" ]]
	run -1 bash -c "ulimit -f 1; exec dwell report --header -i data >text"
	[[ $output == *": writing to standard output: File too large" ]]
	[ "$(stat -c %s text)" = 1024 ]
	rm text
	[ "$(ls | grep -v ^separate-stderr)" = data ]
}

@test "export: an error of a full disk during compression is one line" {
	# More output than zlib writes at once.
	{
		echo 'file'
		echo 'event name=cycles type=hardware ids=1 sample_type=IP|TID'
		awk 'BEGIN {
			for (i = 0; i < 40000; i++)
				printf "record SAMPLE ip=0x1%06x%06x pid=7\n",
					rand() * 2 ^ 24, rand() * 2 ^ 24
		}'
	} | "$DWELL_BUILD/tests/made/make_data" - large
	dwell export --format pprof -i large -o whole
	[ "$(stat -c %s whole)" -gt $((64 * 1024)) ]
	rm whole
	# Freed memory is unmapped immediately, so that a use after free
	# crashes.
	refuses 1 bash -c "ulimit -f 1
		export MALLOC_MMAP_THRESHOLD_=4096
		exec dwell export -q --format pprof -i large -o out"
	[[ $line == *"cannot write out: File too large" ]]
	[ "$(ls | grep -vx -e 'separate-stderr.*' -e data)" = large ]
}

# more N FILE: makes N samples of four stacks, each at another time, over 40 ms.
more() {
	awk -v n="$1" 'BEGIN {
		print "file"
		print "event name=cycles type=hardware ids=1"
		print " sample_type=IP|TID|TIME|PERIOD|CALLCHAIN"
		print "record COMM pid=7 comm=made"
		for (i = 0; i < n; i++)
			printf "record SAMPLE ip=0x%x pid=7 time=%d period=5 " \
				"chain=user,0x400100,0x400200\n",
				4198656 + i % 4, i * (40000000 / n)
	}' | "$DWELL_BUILD/tests/made/make_data" - "$2"
}

@test "export: if the command is killed, no partial file remains" {
	local pid
	need tmpfile
	more 2000000 many
	"$report" export -q --format perf-script -i many -o out &
	pid=$!
	until ls -l /proc/$pid/fd | grep -q "$PWD/#.*deleted"; do
		if ls | grep '^out'; then break; fi
	done
	kill -KILL $pid
	wait $pid || [ $? = 137 ]
	ls | absent grep '^out\..\{6\}$'
	[ "$(ls | grep -vx -e data)" = many ]
}

@test "export: memory does not grow with the number of samples, except for the times in a page" {
	need cc
	need unsanitized
	cc -O1 "$DWELL_SOURCE/tests/bench/meter.c" -o meter
	more 100000 few
	more 400000 many
	[ "$(stat -c %s many)" -gt $((25 << 20)) ]
	for format in $formats; do
		for file in few many; do
			./meter $file.took "$report" export -q --force \
				--format $format -i $file -o out
		done
		before=$(sed 's/.*peak \([0-9]*\).*/\1/' few.took)
		after=$(sed 's/.*peak \([0-9]*\).*/\1/' many.took)
		echo "$format: $before, then $after KiB"
		# A page has the time of each sample.
		room=8192
		[ $format != html ] || room=40960
		[ "$after" -lt $((before + room)) ]
	done
}

# in_little_room COMMAND...: runs COMMAND with 32 KiB left in ./room.
in_little_room() {
	mkdir -p room
	unshare -rm sh -c 'mount -t tmpfs -o size=32k none room && exec "$@"' \
		sh "$@"
}

@test "export: if the disk has too little space, each format prints one line and leaves no file" {
	need user-namespace
	{
		echo file
		echo 'event name=cycles type=hardware ids=1 sample_id_all'
		echo ' sample_type=IP|TID|TIME|PERIOD'
		awk 'BEGIN {
			for (i = 1; i <= 1500; i++) {
				id = "pid=" i " tid=" i " time=" i
				print "record COMM comm=command" i " " id
				print "record MMAP2 addr=0x1000000000000" \
					" len=0x1000000000000 prot=5 " id \
					" filename=/bin/program-of-a-long-name" i
			}
			for (i = 0; i < 30000; i++)
				printf "record SAMPLE time=%d pid=%d period=1 " \
					"ip=0x1%06x%06x\n", i + 2000,
					i % 1500 + 1, rand() * 2 ^ 24,
					rand() * 2 ^ 24
		}'
	} | "$DWELL_BUILD/tests/made/make_data" - large
	for format in $formats; do
		echo "$format"
		refuses 1 in_little_room sh -c "
			\"$report\" export -q --format $format -i large -o room/out
			status=\$?
			ls -A room
			exit \$status"
		[ "$line" = "dwell export: cannot write room/out: No space left on device" ]
		[ -z "$output" ]
	done
	more 400000 many
	refuses 1 in_little_room env TMPDIR=room "$report" export -q \
		--format firefox -i many -o out
	[[ $line == "dwell export: cannot write a temporary file in room: No space left on device; set TMPDIR to "* ]]
	[ "$(ls | grep -c '^out')" = 0 ]
}

@test "export: without samples, each format writes a valid file, and a message states that there are none" {
	printf '%s\n' file 'event name=cycles type=hardware ids=1
		sample_type=IP|TID|TIME' 'record COMM pid=7 comm=made' |
		"$DWELL_BUILD/tests/made/make_data" - none
	for format in pprof speedscope firefox callgrind chrome json csv html \
		svg; do
		run -0 --separate-stderr dwell export --format $format -i none \
			-o out.$format
		[ "${stderr_lines[0]}" = "dwell export: none has no samples" ]
		[ "${#stderr_lines[@]}" = 1 ]
		[ -s out.$format ]
	done
}

@test "export: without call chains, each format that shows callers prints a message" {
	printf '%s\n' file 'event name=cycles type=hardware ids=1
		sample_type=IP|TID|TIME' 'record SAMPLE ip=0x400100 pid=7 time=5' |
		"$DWELL_BUILD/tests/made/make_data" - flat
	for format in $formats; do
		dwell export --format $format -i flat -o out --force 2>told
		case $format in
		perf-* | json | csv) said=0 ;;
		*) said=1 ;;
		esac
		echo "$format: $said"
		[ "$(grep -cxF "dwell export: flat has no call chains, so callers are unknown; to record them, use 'dwell record -g'" told)" = $said ]
		# No message either if no sample is left.
		dwell export --format $format -i flat -o out --force --tid 9 2>told
		absent grep 'no call chains' told
	done
}

@test "export: all formats but perf-data accept the filters of the report" {
	for format in folded speedscope firefox callgrind chrome perf-script \
		json csv; do
		dwell export -q --format $format -i data --tid 9 >some
		dwell export -q --format $format -i data >all
		[ "$(wc -c <some)" -lt "$(wc -c <all)" ]
	done
	dwell export --format csv -i data --tid 9 >some
	diff some - <<-'END'
		event,comm,pid,tid,samples,period,stack
		cycles,:9,7,9,1,11,[made]
	END
}

@test "export: if no sample passes the filters, every format prints the messages of the report" {
	local filter name
	for filter in "--tid 5" "-C 3" "--time 100,200" "-c nobody" "-d nothing"; do
		run -0 --separate-stderr dwell report --stdio -i data $filter
		echo "$stderr"
		# A filter by name adds a line about the unmatched name.
		name=0
		[[ $filter != -[cd]* ]] || name=1
		tail -n $((1 + name)) <<<"$stderr" |
			sed 's/^dwell report/dwell export/' >wanted
		[ "$(head -n 1 wanted)" = "dwell export: no sample passes the filters and limits" ]
		for format in $formats; do
			echo "$filter: $format"
			dwell export --format $format -i data $filter -o none \
				--force 2>told
			tail -n $((1 + name)) told | diff wanted -
		done
	done
}

@test "export: folded prints a note if the periods of samples differ by more than a factor of 2" {
	local note="dwell export: the numbers are samples, whose periods differ by more than a factor of 2: shares are not those of dwell report. For stacks with their periods: --format csv, json or pprof"

	# periods "N PERIOD"...: exports N samples of each PERIOD, each period in
	# a function of its own, and a second event with another period.
	periods() {
		local n period at=0
		{
			echo file
			for n in 1 2; do
				echo "event name=e$n type=hardware ids=$n
				 sample_type=IDENTIFIER|IP|TID|PERIOD|CALLCHAIN"
			done
			echo record SAMPLE id=2 ip=0x10 pid=7 period=7000 chain=user,0x10
			for at; do
				read -r n period <<<"$at"
				at=$(printf '0x%x' $((4096 + period)))
				echo "record SAMPLE id=1 ip=$at pid=7 times=$n \
					period=$period chain=user,$at"
			done
		} | tr -d '\\' | "$DWELL_BUILD/tests/made/make_data" - made
		run -0 --separate-stderr dwell export --format folded -i made
	}
	differs() {
		periods "$@"
		[ "$(grep -cxF "$note" <<<"$stderr")" = 1 ]
	}
	same() {
		periods "$@"
		[[ $stderr != *"periods differ"* ]]
	}
	differs "50 10" "50 22"
	differs "98 10" "2 1000"
	differs "98 1000" "2 10"
	same "50 10" "50 20"
	same "100 10"
	# The first samples of perf's frequencies, and 1 % of the largest.
	same "1 1" "98 1000" "1 100000"
	differs "1 1" "98 1000" "2 100000"
	run -0 --separate-stderr dwell export --format csv -i made
	[[ $stderr != *"periods differ"* ]]
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	run -0 --separate-stderr dwell export --format folded --wall -i off.data
	[[ $stderr != *"periods differ"* ]]
}

@test "export: folded prints a note if it adds samples of different events" {
	run -0 --separate-stderr dwell export --format folded -i data
	[[ $stderr == *"the samples of 2 events are added: cycles, page-faults. To use one event: -e NAME"* ]]
	run -0 --separate-stderr dwell export --format folded -e cycles -i data
	[[ $stderr != *"added up"* ]]
}

# Runs each format on a recording with two events.
@test "export: the stacks with the most samples come first, equal ones by name" {
	# Enough stacks for several counting threads.
	awk 'BEGIN {
		print "file"
		print "event name=cycles type=hardware ids=1" \
			" sample_type=IP|TID|CALLCHAIN sample_period=1"
		for (i = 0; i < 40000; i++) {
			at = i * 7919 % 5000
			printf "record SAMPLE ip=%d pid=7 tid=%d times=%d" \
				" chain=user,%d,%d,%d\n", 4096 + at % 50 * 16,
				7 + at % 2, 1 + at % 3, 4096 + at % 50 * 16,
				8192 + at * 16, 4096
		}
	}' | "$DWELL_BUILD/tests/made/make_data" - many.data
	for format in csv json pprof callgrind html; do
		for i in 1 2 3 4; do
			dwell export -q --format $format --force -o out.$i many.data
			cmp out.1 out.$i
		done
	done
	dwell export --format csv many.data | tail -n +2 >rows
	cut -d, -f6 rows | sort -c -rn
	cut -d, -f6 rows | sort -u | wc -l | grep -x 3
	# Stacks of equal weight are sorted by their functions, the sampled one
	# first; then by thread.
	"$DWELL_BUILD/tests/made/make_data" - few.data <<-'END'
		file
		event name=cycles type=hardware ids=1
		 sample_type=IP|TID|CALLCHAIN sample_period=1
		record SAMPLE ip=0x30 pid=7 tid=8 chain=user,0x30,0x10
		record SAMPLE ip=0x20 pid=7 tid=9 chain=user,0x20,0x50
		record SAMPLE ip=0x20 pid=7 tid=9 chain=user,0x20,0x40
		record SAMPLE ip=0x20 pid=7 tid=8 chain=user,0x20,0x50
		record SAMPLE ip=0x90 pid=7 tid=7 times=2 chain=user,0x90,0x10
	END
	dwell export --format json few.data | node -e '
		const { stacks, frames } = JSON.parse(
			require("fs").readFileSync(0));
		for (const { tid, period, frames: at } of stacks)
			console.log(tid, period, at.join());' >order
	prints largest-stacks-first <order
}

@test "export: each event has its own columns and sums" {
	dwell export --format csv -i data -e page-faults | tail -n +2 >some
	[ "$(cut -d, -f1,5,6 some)" = page-faults,1,1 ]
	dwell export --format callgrind -i data >out
	grep -qx 'events: Samples cycles page_faults' out
	grep -qx 'totals: 4 23 1' out
	dwell export --format json -i data >out
	grep -qF '{"event": "cycles", "samples": 3, "period": 23}' out
	grep -qF '{"event": "page-faults", "samples": 1, "period": 1}' out
	dwell export --format speedscope -i data >out
	[ "$(grep -c '(page-faults)", "unit": "none"' out)" = 1 ]
	dwell export --format chrome -i data >out
	grep -qF '"args":{"name":"made (page-faults)"}' out
}

@test "export: speedscope, firefox and chrome print a message if samples have no times" {
	"$DWELL_BUILD/tests/made/make_data" - timeless.data <<-'END'
		file
		event name=cycles type=hardware sample_type=IP|TID|PERIOD ids=1
		record SAMPLE ip=0x400100 pid=7 tid=7 period=5
	END
	for format in speedscope firefox chrome; do
		dwell export --format $format -i timeless.data 2>said >out
		grep -F 'timeless.data: samples have no times' said
		dwell export --format $format -i data 2>said >out
		run ! grep 'no times' said
	done
	dwell export --format folded -i timeless.data 2>said >out
	run ! grep 'no times' said
}

@test "export: --wall is refused for formats without time off the CPU, and the message lists the others" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	for format in perf-data perf-script chrome; do
		refuses 2 dwell export --format $format --wall off.data
		[[ $line == *"--wall require --format folded, html, svg, pprof, "* ]]
	done
	# States without samples have no index.
	grep -v -e "SAMPLE event=[12]" -e "raw=" -e "chain=user,0x[34]" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" |
		sed 's/name=context-switches/& exclude_kernel/' |
		"$DWELL_BUILD/tests/made/make_data" - flat.data
	for format in speedscope firefox; do
		refuses 1 dwell export -q --format $format --off-cpu flat.data
		[[ $line == *"flat.data: context switches have no samples"*"folded"* ]]
	done
	dwell export -q --format folded --off-cpu flat.data >out
	dwell report -q --off-cpu --json flat.data >rows
	total=$(awk '{ n += $NF } END { print n }' out)
	grep -qF "\"event\": \"off-CPU time\", \"samples\": 3, \"period\": $total, " rows
}

@test "export: with -o, nothing is printed but a progress line on a terminal" {
	need script
	more 20000 long
	for format in $formats; do
		run -0 --separate-stderr dwell export --format $format -i data -o out.$format
		run ! grep -E 'written|out\.' <<<"$stderr"
	done
	script -qec "$DWELL_BUILD/dwell export --format perf-script -i long -o out" \
		/dev/null >told
	[ "$(stat -c %s out)" -gt 1048576 ]
	[ -z "$(sed 's/\r[a-z ]*[0-9]* %\x1b\[K//g; s/\r\x1b\[K//g' told)" ]
}

@test "export, pack: Ctrl-C ends the command and leaves no file" {
	need script
	more 20000 long
	mkfifo records keyboard
	exec {held}<>records {typed}<>keyboard
	for verb in "export --format html" pack; do
		# All of it fits into the FIFO only after dwell has read from it.
		{ cat long >records; printf '\003' >keyboard; } 3>&- &
		run -130 script -qec "$DWELL_BUILD/dwell $verb -i - -o out <records" \
			/dev/null <keyboard
		wait $!
	done
	exec {held}>&- {typed}>&-
	[ -z "$(find . -name 'out*')" ]
}

@test "export: if the output exceeds --max-output, no file remains, in any format" {
	echo old >kept
	for format in $formats; do
		echo "$format"
		refuses 1 dwell export -q --format $format -i data -o out \
			--max-output 10
		[ "$line" = "dwell export: out was not written: the output exceeds \
10 bytes, the limit of --max-output; use --max-output SIZE for another limit, or \
0 for none" ]
		refuses 1 dwell export -q --format $format -i data -o kept \
			--force --max-output 10
		[ "$(cat kept)" = old ]
		run -1 --separate-stderr dwell export -q --format $format \
			-i data --max-output 10
		[ "${#output}" -le 10 ]
		[[ $stderr == "dwell export: standard output is incomplete: the output exceeds 10 bytes, "* ]]
		[ "$(find . -name 'out*' -o -name 'kept*')" = ./kept ]
	done
	dwell export -q --format json -i data -o all
	dwell export -q --format json -i data --max-output 0 | cmp - all
	dwell export -q --format json -i data --max-output "$(stat -c %s all)" |
		cmp - all
	refuses 2 dwell export --format json --max-output 3X data
	refuses 2 dwell export --format json --max-output -1 data
}

@test "export: a binary format is refused if standard output is a terminal" {
	need script
	run -2 script -qec "$DWELL_BUILD/dwell export -i data --format pprof" \
		/dev/null
	[[ $output == *"--format pprof: cannot write a binary format to a terminal"* ]]
}

@test "export, annotate, pack, diff, report: an empty file name is refused" {
	for verb in "export --format folded" "annotate --html" pack; do
		refuses 2 dwell $verb -i data -o ''
		[ "$line" = "dwell ${verb%% *}: --output: the name is empty" ]
	done
	refuses 2 dwell diff --html --output= data data
	refuses 2 dwell report -i ''
	[ "$line" = "dwell report: --input: the name is empty" ]
}

@test "export: a missing or wrong format is refused with the list of formats" {
	refuses 2 dwell export -i data
	[[ $line == *"--format with one of folded, "*csv* ]]
	refuses 2 dwell export --format opera -i data
	[[ $line == *"'opera'; use one of folded, "*csv* ]]
}
