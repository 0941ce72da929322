#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is the same for every format of `dwell export`: where it goes, and what
# becomes of it when something goes wrong. What is in it tests/clients knows.

load common.bash

formats="folded pprof speedscope firefox callgrind chrome perf-script json csv
	perf-data html svg"

setup() {
	enter_test
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/plain.txt" data
}

@test "every format goes to a file and to a pipe, and is the same there" {
	for format in $formats; do
		dwell export --format $format -i data -o out.$format
		[ -s out.$format ]
		# A stream of records has no tables at its end.
		[ $format != perf-data ] || continue
		dwell export --format $format -i data -o - | cmp - out.$format
	done
	[ "$(ls | wc -l)" = 13 ]
}

@test "what is there already is replaced only by force" {
	for format in $formats; do
		echo mine >out
		refuses 1 dwell export --format $format -i data -o out
		[[ $line == *"out: it is there already; --force replaces it" ]]
		[ "$(cat out)" = mine ]
		dwell export --format $format -i data -o out --force
		! grep -qx mine out
	done
	dwell export --format folded -i data -o /dev/null
	# A link to what isn't there is somebody's, too.
	ln -s nowhere link
	refuses 1 dwell export --format folded -i data -o link
	[[ $line == *"link: it is there already, as a symbolic link to what isn't; --force replaces it" ]]
	[ "$(readlink link)" = nowhere ]
	dwell export --format folded -i data -o link --force
	[ -f link ]
}

@test "a full disk is one line, and leaves nothing behind" {
	for format in $formats; do
		refuses 1 dwell export -q --format $format -i data -o /dev/full
		[ "$line" = "dwell export: /dev/full: can't be written: No space left on device" ]
	done
	# Files may have no more than 1024 bytes.
	for format in firefox perf-data; do
		refuses 1 bash -c "trap '' XFSZ; ulimit -f 1
			exec dwell export -q --format $format -i data -o out"
		[[ $line == *": out: can't be written: File too large" ]]
	done
	[ "$(ls | grep -v ^separate-stderr)" = data ]
}

@test "a disk that fills up in the midst of compressing is one line, too" {
	# More than what zlib gives out at once.
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
	# What is freed is gone at once: who reads it again crashes.
	refuses 1 bash -c "trap '' XFSZ; ulimit -f 1
		export MALLOC_MMAP_THRESHOLD_=4096
		exec dwell export -q --format pprof -i large -o out"
	[[ $line == *"out: can't be written: File too large" ]]
	[ "$(ls | grep -vx -e separate-stderr.* -e data)" = large ]
}

# more N FILE: N samples of four stacks, each at its own time, of 40 ms in all.
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

@test "nothing is left of an export that is killed" {
	local pid
	more 400000 many
	"$report" export -q --format perf-script -i many -o out &
	pid=$!
	until ls -l /proc/$pid/fd | grep -q "$PWD/#.*deleted"; do
		! ls | grep '^out' || break
	done
	kill -KILL $pid
	wait $pid || [ $? = 137 ]
	! ls | grep '^out\..\{6\}$' ||
		skip "no files without names on this file system"
	[ "$(ls | grep -vx -e data)" = many ]
}

@test "memory doesn't grow with the number of samples, whatever the format" {
	need cc
	not_under_sanitizers "a sanitizer adds memory of its own"
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
		[ "$after" -lt $((before + 8192)) ]
	done
}

# in_little_room COMMAND...: with 32 KiB left in ./room.
in_little_room() {
	mkdir -p room
	unshare -rm sh -c 'mount -t tmpfs -o size=32k none room && exec "$@"' \
		sh "$@"
}

@test "a disk without room is one line in every format, and has no file then" {
	in_little_room true 2>/dev/null || skip "no file system of one's own"
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
		[ "$line" = "dwell export: room/out: can't be written: No space left on device" ]
		[ -z "$output" ]
	done
	more 400000 many
	refuses 1 in_little_room env TMPDIR=room "$report" export -q \
		--format firefox -i many -o out
	[[ $line == "dwell export: writing a temporary file in room: No space left on device; set TMPDIR to "* ]]
	[ "$(ls | grep -c '^out')" = 0 ]
}

@test "formats of what hasn't any samples are whole, and that is said" {
	printf '%s\n' file 'event name=cycles type=hardware ids=1
		sample_type=IP|TID|TIME' 'record COMM pid=7 comm=made' |
		"$DWELL_BUILD/tests/made/make_data" - none
	for format in pprof speedscope firefox callgrind chrome json csv html \
		svg; do
		run -0 --separate-stderr dwell export --format $format -i none \
			-o out.$format
		[ "${stderr_lines[0]}" = "dwell export: none has no samples" ]
		[ "${#stderr_lines[@]}" = 2 ]
		[ -s out.$format ]
	done
}

@test "all formats that show callers say that nobody has some" {
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
		[ "$(grep -cxF "dwell export: flat has no call chains, so nobody has callers; 'dwell record -g' records them" told)" = $said ]
		# Nor where there is nobody.
		dwell export --format $format -i flat -o out --force --tid 9 2>told
		! grep 'no call chains' told
	done
}

@test "all formats but perf-data take the filters of the report" {
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

@test "every format prints the same messages as the report if no sample passes the filters" {
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
			sed -i '/none: about .* will be written$/d' told
			tail -n $((1 + name)) told | diff wanted -
		done
	done
}

@test "folded says that it adds different events up" {
	run -0 --separate-stderr dwell export --format folded -i data
	[[ $stderr == *"samples of 2 events are added up: cycles, page-faults; -e takes those of one"* ]]
	run -0 --separate-stderr dwell export --format folded -e cycles -i data
	[[ $stderr != *"added up"* ]]
}

# The same in each format: a recording with two events.
@test "the largest stacks come first, others by names, the same in each run" {
	# Enough for several threads to count at once.
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
	# Of one weight by their functions, the sampled one first; then by thread.
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
	diff order - <<-'END'
		7 2 0,1
		9 1 2,3
		8 1 4,3
		9 1 4,3
		8 1 0,5
	END
}

@test "each event has its own values" {
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

@test "formats in the order of time tell if there are no times" {
	"$DWELL_BUILD/tests/made/make_data" - timeless.data <<-'END'
		file
		event name=cycles type=hardware sample_type=IP|TID|PERIOD ids=1
		record SAMPLE ip=0x400100 pid=7 tid=7 period=5
	END
	for format in speedscope firefox chrome; do
		dwell export --format $format -i timeless.data 2>said >out
		grep -F 'timeless.data: its samples have no times' said
		dwell export --format $format -i data 2>said >out
		run ! grep 'no times' said
	done
	dwell export --format folded -i timeless.data 2>said >out
	run ! grep 'no times' said
}

@test "formats of what was recorded don't take time off the CPU" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	for format in perf-data perf-script chrome; do
		refuses 2 dwell export --format $format --wall off.data
		[[ $line == *"--wall go with --format folded, html, svg, pprof, "* ]]
	done
	# What has no samples has no place among them.
	grep -v -e "SAMPLE event=[12]" -e "raw=" -e "chain=user,0x[34]" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" |
		sed 's/name=context-switches/& exclude_kernel/' |
		"$DWELL_BUILD/tests/made/make_data" - flat.data
	for format in speedscope firefox; do
		refuses 1 dwell export -q --format $format --off-cpu flat.data
		[[ $line == *"flat.data: its switches have no samples"*"folded"* ]]
	done
	dwell export -q --format folded --off-cpu flat.data >out
	dwell report -q --off-cpu --json flat.data >rows
	total=$(awk '{ n += $NF } END { print n }' out)
	grep -qF "\"event\": \"off-CPU time (ns)\", \"samples\": 3, \"period\": $total, " rows
}

# foretold MOST FILE: what "told" says of FILE beforehand is at most so many times
# what it has become, or it that.
foretold() {
	awk -v most="$1" -v file="$2" -v size="$(stat -c %s "$2")" '
		BEGIN { n["bytes"] = 1; n["kB"] = 1e3; n["MB"] = 1e6 }
		{ sub(/\r$/, "") }
		/ will be written$/ {
			times = $(NF - 4) * n[$(NF - 3)] / size
			is_right = index($0, ": " file ": about ")
			told++
		}
		END {
			print file ": " size " bytes, told " times " times that"
			exit !(told == 1 && is_right &&
				times < most && times > 1 / most)
		}' told || {
		cat told
		return 1
	}
}

@test "how much will be written is said of every file" {
	for format in $formats; do
		dwell export --format $format -i data -o out.$format 2>told
		# But for the rounding it is known.
		foretold 1.06 out.$format
	done
	run -0 --separate-stderr dwell export -q --format html -i data -o quiet
	[ -z "$stderr" ]
	# Who has a pipe isn't waiting for a file.
	run -0 --separate-stderr dwell export --format json -i data -o -
	[[ $stderr != *"will be written"* ]]
}

# names N: the symbols of N functions of a kernel, 4 KiB apart.
names() {
	awk -v n="$1" 'BEGIN {
		print "ffffffff81000000 T _text"
		for (i = 0; i < n; i++)
			printf "ffffffff%08x t function_of_some_length_%d\n",
				2165309440 + i * 4096, i
		printf "ffffffff%08x T _etext\n", 2165309440 + n * 4096
	}'
}

@test "how much will be written is guessed where it isn't known" {
	names 3000 >symbols
	# Some functions are in many stacks, most are in few.
	{
		sed '/^record SAMPLE/Q' "$DWELL_SOURCE/tests/made/plain.txt"
		awk 'BEGIN { for (i = 0; i < 40000; i++) {
			chain = ""
			for (n = 5 + int(rand() * 10); n; n--) {
				ip = 2165309440 + int(rand() ^ 4 * 3000) * 4096
				ip = sprintf("0xffffffff%08x", ip + int(rand() ^ 4 * 1000))
				chain = chain "," ip
			}
			print "record SAMPLE misc=kernel ip=" \
				substr(chain, 2, 18) " pid=7 tid=" i % 3 + 7 \
				" time=" 3000 + i " period=5 chain=kernel" chain
		} }'
	} | "$DWELL_BUILD/tests/made/make_data" - large
	for format in $formats; do
		dwell export --format $format -i large --kallsyms symbols \
			-o out.$format 2>told
		foretold 1.3 out.$format
	done
	# All but these are guessed: they are more than what is written at once.
	rm out.svg out.html
	[ -z "$(find . -name 'out.*' -size -1025k)" ]
}

@test "stacks that become longer are foreseen" {
	{
		sed '/^record SAMPLE/Q' "$DWELL_SOURCE/tests/made/plain.txt"
		awk 'BEGIN { for (i = 0; i < 20000; i++) {
			chain = ""
			for (n = i < 10000 ? 2 : 60; n; n--)
				chain = chain "," 4194304 + n * 16
			print "record SAMPLE ip=4195000 pid=7 tid=7 time=" \
				3000 + i " period=5 chain=user" chain
		} }'
	} | "$DWELL_BUILD/tests/made/make_data" - longer
	# By their number it would be an eighth of what comes.
	dwell export --format perf-script -i longer -o out 2>told
	foretold 3 out
}

@test "a terminal is told how much will come through a pipe, if it is much" {
	need script
	more 20000 long
	script -qec "$DWELL_BUILD/dwell export --format perf-script -i long |
		cat >out" /dev/null | tee told
	[ "$(stat -c %s out)" -gt 1048576 ]
	sed -i 's/standard output: about/out: about/' told
	foretold 1.1 out
	script -qec "$DWELL_BUILD/dwell export --format folded -i long |
		cat >out" /dev/null | tee told
	! grep 'will be written' told
	# Not in a log.
	run -0 --separate-stderr dwell export --format perf-script -i long
	[ -z "$stderr" ]
}

@test "what goes to a terminal is text" {
	need script
	run -2 script -qec "$DWELL_BUILD/dwell export -i data --format pprof" \
		/dev/null
	[[ $output == *"--format pprof: standard output is a terminal"* ]]
}

@test "a file without a name is none" {
	for verb in "export --format folded" "annotate --html" pack; do
		refuses 2 dwell $verb -i data -o ''
		[ "$line" = "dwell ${verb%% *}: --output: it names no file" ]
	done
	refuses 2 dwell diff --html --output= data data
	refuses 2 dwell report -i ''
	[ "$line" = "dwell report: --input: it names no file" ]
}

@test "formats are named where none, or a wrong one, is" {
	refuses 2 dwell export -i data
	[[ $line == *"--format: folded, "*csv* ]]
	refuses 2 dwell export --format opera -i data
	[[ $line == *"'opera'; there are folded, "*csv* ]]
}
