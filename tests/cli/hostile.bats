#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings that claim more data than they have, or that expand to an excessive
# size: every command ends, and its memory is at most ten times the file size
# plus 64 MB.

load common.bash

setup_file() {
	meets cc || return 0
	cc -O1 "$DWELL_SOURCE/tests/bench/meter.c" -o "$BATS_FILE_TMPDIR/meter"
}

setup() {
	enter_test
	need cc
	ln -s "$BATS_FILE_TMPDIR/meter" meter
	event='event name=cycles type=hardware ids=1 sample_id_all'
	event+=' sample_type=IP|TID|TIME|CALLCHAIN'
}

# make LINE...: makes a recording from a text.
make() {
	printf '%s\n' "$@" | "$DWELL_BUILD/tests/made/make_data" - data
}

# is_survived VERB...: each verb, of these and the usual ones, may refuse the
# recording or report it as damaged, but must not crash or take too much memory.
is_survived() {
	local verb status peak most
	# Compressed content counts up to 8 times the size of the file.
	most=$((80 * $(stat -c %s data) / 1024 + 64 * 1024))
	for verb in "report --stdio" "report --stats" script "script -D" \
		"export --format folded" "export --format html" \
		"export --format svg" "export --format pprof" \
		"export --format firefox" "$@"; do
		status=0
		# shellcheck disable=SC2086
		./meter took "$DWELL_BUILD/dwell-report" $verb -i data \
			>/dev/null 2>&1 || status=$?
		[[ $status == [013] ]]
		peak=$(sed 's/.*peak \([0-9]*\).*/\1/' took)
		echo "$verb: $peak of $most KiB"
		[ "$peak" -gt 0 ]
		# A sanitizer adds memory of its own.
		is_sanitized || [ "$peak" -le "$most" ]
	done
}

@test "hostile: a header with random fields does not crash a command" {
	for name in attr_size attrs_offset attrs_size data_offset data_size \
		types_offset types_size ids_offset ids_size; do
		for value in 0 0xffffffff 0xfffffffffffffff8; do
			make "file $name=$value" "$event" \
				'feature HOSTNAME str=made' \
				'record COMM pid=7 comm=made'
			is_survived
		done
	done
}

@test "hostile: sections with random contents do not crash a command" {
	for claim in 'offset=0 size=0xffffffffffffffff' \
		'offset=0xffffffffffffffff size=8' 'offset=0 size=200' \
		u32=0xffffffff 'u32=0x7fffffff u32=64' \
		u64=0xffffffffffffffff; do
		for bit in 1 2 3 7 11 12 13 14 16 17 18 20 22 25 26 28 30 31 \
			32; do
			echo "feature $bit $claim"
		done >features
		{
			printf 'file\n%s\n' "$event"
			cat features
			echo 'record COMM pid=7 comm=made'
		} | "$DWELL_BUILD/tests/made/make_data" - data
		is_survived
	done
}

@test "hostile: thread names that expand to a hundred times their size take bounded memory" {
	make file "$event" 'compressed 81' \
		'record COMM pid=7 tid=7 comm=x times=900000'
	is_survived
}

@test "hostile: mappings that expand to a thousand times their size take bounded memory" {
	make file "$event" 'compressed 81' \
		'record MMAP pid=7 addr=0x1000 len=0x1000 filename=/x times=900000'
	is_survived
}

@test "hostile: samples that expand to a thousand times their size take bounded memory" {
	make file "$event" 'compressed 81' \
		'record SAMPLE ip=1 pid=7 chain=user,1,2,3,4,5,6 times=300000'
	is_survived
}

@test "hostile: compressed data that need a window of 128 MB take bounded memory" {
	make file "$event" 'compressed 81 window_log=27' \
		'record SAMPLE pid=7 chain=1,2,3,4,5,6,7,8,9,10 times=900000'
	is_survived
}

@test "hostile: the row [others], for samples beyond the limit of rows, has no pid" {
	made_of lines 150000 'record SAMPLE ip=& pid=7'
	report() {
		"$DWELL_BUILD/dwell-report" report -i data -s pid,sym "$@" \
			2>/dev/null
	}
	report --csv | grep -q ',,\[others\]$'
	report --json | grep -q '"pid": null, "sym": "\[others\]"'
	report --csv >rows
	absent grep ',0,' rows
}

@test "hostile: a group of counters with random fields does not crash a command" {
	make file 'event type=hardware sample_type=IP|READ read_format=GROUP|ID' \
		'record SAMPLE read=0xffffffffffffffff,1,2' \
		'record SAMPLE read=0x1000000000000000,1,2' \
		'record READ read=0xffffffff,1'
	is_survived
}

# lines N TEXT: prints N lines of TEXT, with another number for each &.
lines() {
	seq 4096 $((4095 + $1)) | sed "s/.*/$2/"
}

# made_of COMMAND...: makes a compressed recording from the output of COMMAND.
made_of() {
	{
		printf 'file\n%s sample_period=1\ncompressed 81\n' "$event"
		"$@"
	} | "$DWELL_BUILD/tests/made/make_data" - data
}

# Checks that samples beyond the limits are counted, in one row.
counts_all() {
	run --separate-stderr "$DWELL_BUILD/dwell-report" report --csv -i data
	[ "$status" -eq 0 ]
	[[ $stderr == *'stacks need more memory than a recording of this size'* ]]
	[ "$(grep -c '\[others\]' <<<"$output")" -eq 1 ]
	awk -F, -v wanted="$1" 'NR > 1 { n += $4 } END { exit n != wanted }' \
		<<<"$output"
}

@test "hostile: distinct addresses take bounded memory; all samples are counted" {
	made_of lines 150000 'record SAMPLE ip=& pid=7'
	is_survived "export --format speedscope" "export --format chrome"
	counts_all 150000
	# Samples stay, also if there is no memory for their stacks.
	"$DWELL_BUILD/dwell-report" export --format firefox -i data 2>told |
		tail -n 20 | grep '"length": 150000}'
	grep 'stacks need more memory than a recording of this size' told
}

@test "hostile: 90,000 distinct addresses, as a large program has, are all kept" {
	made_of lines 90000 'record SAMPLE ip=& pid=7'
	"$DWELL_BUILD/dwell-report" report --csv -s pid -i data >rows 2>told
	"$DWELL_BUILD/dwell-report" export --format firefox -i data \
		>/dev/null 2>>told
	[ ! -s told ]
	[ "$(wc -l <rows)" -eq 2 ]
}

@test "hostile: distinct threads take bounded memory; all samples are counted" {
	made_of lines 150000 'record SAMPLE ip=1 pid=7 tid=&'
	is_survived
	counts_all 150000
}

@test "hostile: 500 thread names with 500 functions each take bounded memory" {
	made_of lines 500 "record COMM pid=& tid=& comm=x& time=1\n$(
		)record SAMPLE ip=1 pid=& tid=& time=2 chain=user,$(seq -s, 1000 1500)"
	is_survived
	counts_all 500
}

@test "hostile: a truncated mapping record counts as damaged" {
	make file 'event type=software sample_type=IP|TID' \
		'record COMM pid=7 tid=7 comm=made' 'record 1 words=7' \
		'record SAMPLE ip=1 pid=7 tid=7'
	run --separate-stderr "$DWELL_BUILD/dwell-report" report --stdio -i data
	[ "$status" -eq 3 ]
	[[ $output == *made* ]]
	[[ $stderr == *'damaged records left out: 1,'* ]]
}

@test "report: a recording without the kernel's build ID gets no symbols of the running kernel" {
	local text
	need kernel-symbols
	text=$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)
	for release in "feature OSRELEASE str=$(uname -r)" '# none'; do
		make file "$event" "$release" \
			"record MMAP misc=kernel pid=0xffffffff addr=0x$text \
len=0x1000000 pgoff=0x$text filename=[kernel.kallsyms]_text" \
			"record SAMPLE misc=kernel ip=0x$text pid=7"
		"$DWELL_BUILD/dwell-report" report --stdio -i data >rows
		cat rows
		case $release in
		feature*) grep -q '\[k\] [^0]' rows ;;
		*) grep -q '\[k\] 0x' rows ;;
		esac
	done
}

@test "hostile: long file names at many addresses take bounded memory" {
	local i path
	path=/$(head -c 2000 /dev/zero | tr '\0' x)
	{
		printf '%s\n' file "$event" 'record COMM pid=7 comm=made' \
			"record MMAP2 pid=7 addr=0x10000 len=0x10000000 prot=5 \
filename=$path"
		for i in {1..5}; do
			echo "record SAMPLE ip=1 pid=7 chain=user,$(
				seq -s, "$((i * 200000))" 16 \
					"$((i * 200000 + 128000 - 16))")"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - data
	is_survived "report --json" "report --csv"
	"$DWELL_BUILD/dwell-report" report --csv -i data -d none >got
	[ "$(wc -l <got)" -eq 1 ]
}

@test "hostile: mappings that thousands of children inherit take bounded memory" {
	make file "$event" "$(lines 1000 \
		'record MMAP2 pid=1 addr=&0000 len=0x1000 prot=5 filename=d time=1')" \
		"$(lines 5000 'record FORK pid=& ppid=1 tid=& ptid=1 time=2')" \
		"$(lines 5000 'record COMM pid=& tid=& comm=x time=3')" \
		'record SAMPLE ip=1 pid=7'
	is_survived "report --mmaps" "report --mmaps --json" "report --tasks"
	run --separate-stderr "$DWELL_BUILD/dwell-report" report --mmaps -i data
	[[ $stderr == *'threads and mappings need more memory than a recording of this size'* ]]
}

@test "hostile: forks that expand to a thousand times their size take bounded memory" {
	make file "$event" 'compressed 81' \
		'record FORK pid=7 ppid=1 tid=7 ptid=1 times=900000'
	is_survived "report --tasks" "report --tasks --csv"
}

@test "hostile: thread names beyond the memory limit are reported as left out, not as damage" {
	{
		printf '%s\n' file "$event"
		echo 'record COMM pid=7 tid=8 comm=x times=900000'
		echo 'record SAMPLE ip=1 pid=7'
	} | "$DWELL_BUILD/tests/made/make_data" - plain
	# Blocks of dwell: the names are 36 MB, the file is less than 1 MB.
	"$DWELL_BUILD/dwell-report" pack -q --level 3 -o data plain
	for verb in "report --stdio" "report --tasks" evlist; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr "$DWELL_BUILD/dwell-report" $verb -i data
		[[ $stderr == *'data: thread names, mappings and other records of processes need more memory than a recording of this size may use; '*' of these records were left out, the first one at 0x'* ]]
		absent grep -i 'is damaged\|are damaged\|damaged records' <<<"$output $stderr"
	done
	make file "$event" 'compressed 81' \
		'record COMM pid=7 tid=8 comm=x times=3000000' 'record SAMPLE ip=1 pid=7'
	run -3 --separate-stderr "$DWELL_BUILD/dwell-report" report --stdio -i data
	[[ $stderr == *': compressed data need more memory than a recording of this size may use at byte '* ]]
	absent grep -i 'is damaged\|are damaged\|damaged records' <<<"$output $stderr"
}

# periods N PERIOD: makes a recording of N samples with this PERIOD each.
periods() {
	make file "event name=cycles type=hardware ids=1 sample_type=IP|TID|PERIOD" \
		"record COMM pid=7 comm=made" \
		"record SAMPLE ip=0x400100 pid=7 period=$2 times=$1" \
		"record SAMPLE ip=0x400200 pid=8 period=1"
}

@test "hostile: if sums of periods would overflow, a message states it and the status is 3" {
	periods 4 0x4000000000000000
	run -3 --separate-stderr "$DWELL_BUILD/dwell-report" report --json \
		-s pid -g none -i data
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *': data: the periods of its samples add up to more than dwell counts; the periods of 2 samples were left out, in whole or in part, and the shares are wrong' ]]
	grep -q '"self": 100.0000, "children": 100.0000, "samples": 4, .*"pid": 7}' <<<"$output"
	for format in folded pprof callgrind json svg; do
		run -3 --separate-stderr "$DWELL_BUILD/dwell-report" export \
			--format $format -i data -o -
		[[ $stderr == *' data: the periods of '* ]]
	done
	# A sum of 2^56, 9 months of CPU time in cycles, is not limited.
	periods 4 0x40000000000000
	"$DWELL_BUILD/dwell-report" report --csv -s pid -g none -i data >rows \
		2>told
	[ ! -s told ]
	grep -q ',72057594037927936,7$' rows
}

@test "hostile: if numbers of lost samples would overflow, a message states it and the status is 3" {
	make file 'event name=cycles type=hardware ids=1 sample_type=IP|TID' \
		'record LOST lost_id=1 lost=0x8000000000000001 times=2' \
		'record SAMPLE ip=1 pid=7'
	for verb in "report --stdio" "report --json"; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr "$DWELL_BUILD/dwell-report" $verb -i data
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *': data: its numbers of lost samples add up to more than 18446744073709551615, which is shown instead' ]]
		[[ $output == *18446744073709551615* ]]
	done
}

@test "hostile: report --tasks prints 15,000 generations of processes" {
	{
		printf '%s\n' file "$event"
		seq 2 15000 | awk '{ print "record FORK pid=" $1 " tid=" $1 \
			" ppid=" $1 - 1 " ptid=" $1 - 1 "\nrecord COMM pid=" $1 \
			" tid=" $1 " comm=x" }'
		echo 'record SAMPLE ip=1 pid=7'
	} | "$DWELL_BUILD/tests/made/make_data" - data
	is_survived "report --tasks" "report --mmaps"
	"$DWELL_BUILD/dwell-report" report --tasks -i data >got
	[ "$(wc -c <got)" -lt 20000000 ]
	awk '$2 == 1000 && length($0) < 999 || $2 == 1001 && length($0) < 1000 {
		exit 1 }' got
}

# events N: prints N events with the IDs 1 to N.
events() {
	seq "$1" | sed "s/.*/event name=e& type=raw config=& ids=& \
sample_period=1 sample_type=IDENTIFIER|IP|TID|TIME|CALLCHAIN/"
}

@test "hostile: 3,000 events have one table each" {
	{
		echo file
		events 3000
		seq 3000 | sed 's/.*/record SAMPLE ip=& pid=7 id=& chain=user,1,2,3/'
	} | "$DWELL_BUILD/tests/made/make_data" - data
	is_survived "report --json"
	"$DWELL_BUILD/dwell-report" report --csv -i data 2>messages |
		grep -c '\[others\]' | grep -x 0
	[ ! -s messages ]
}

@test "hostile: export: callgrind of 3,000 events in 3,000 functions takes bounded memory" {
	{
		echo file
		events 3000
		seq 3000 | sed "s/.*/record MMAP pid=7 addr=0x&000 len=0x1000 \
filename=d&/"
		seq 3000 | sed 's/.*/record SAMPLE ip=0x&010 pid=7 id=&/'
	} | "$DWELL_BUILD/tests/made/make_data" - data
	is_survived "export --format callgrind"
	"$DWELL_BUILD/dwell-report" export --format callgrind -i data \
		>got 2>told
	grep '^totals: 3000 1 1 .* 1$' got
	grep '^fn=(1) \[others\]$' got
	grep 'its call graph needs more memory than a recording of this size' told
}

@test "export: callgrind and pprof have no column for an event without samples" {
	{
		echo file
		events 3000
		echo 'record SAMPLE ip=1 pid=7 id=2000'
	} | "$DWELL_BUILD/tests/made/make_data" - data
	"$DWELL_BUILD/dwell-report" export --format callgrind -i data >got
	grep -x 'events: Samples raw_0x7d0_HG' got
	"$DWELL_BUILD/dwell-report" export --format pprof -i data >got
	[ "$(stat -c %s got)" -lt 1000 ]
}

@test "hostile: call graphs that are far longer than the recording take bounded memory" {
	make file "$event sample_period=1" 'compressed 81' \
		"record SAMPLE ip=1 pid=7 chain=user,$(seq -s, 4096 10095)"
	is_survived
	run --separate-stderr "$DWELL_BUILD/dwell-report" report --stdio -i data
	[[ $stderr == *'call graphs need more memory than a recording of this size'* ]]
}
