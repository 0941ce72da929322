#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Damaged recordings: nothing is missing without a message and status 3.

load common.bash

flip=$DWELL_BUILD/tests/flip/flip

# word_at FILE OFFSET: prints the u64 at OFFSET.
word_at() {
	od -A n -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# flip_byte FILE OFFSET: inverts the byte at OFFSET.
flip_byte() {
	local byte
	byte=$(od -A n -t u1 -j "$2" -N 1 "$1")
	# shellcheck disable=SC2059
	printf "\\x$(printf %x $((byte ^ 4)))" |
		dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Writes good.data, of 60 samples in 3 blocks, and bad.data, whose second block
# of samples is damaged; $block is where that block begins.
make_damaged() {
	local at
	"$flip" make good.data
	at=$(LC_ALL=C grep -obUaP '\x5d\x2a\x4d\x18' good.data |
		sed -n '3s/:.*//p')
	block=$((at - 8))
	cp good.data bad.data
	flip_byte bad.data $((block + 100))
	missing="bad.data: compressed data are damaged at byte $block of \
$(wc -c <bad.data): 20 samples are missing, from 0.001020 s to 0.001039 s"
}

@test "report: one flipped bit anywhere in a recording is reported, or does not change the report" {
	"$flip" make data
	run -0 "$flip" "$report" data 200
	[ "$output" = "200 places, 0 wrong" ]
}

@test "each command that reads a damaged recording reports the missing samples and exits with status 3" {
	local verb
	make_damaged
	for verb in "report --stdio" "report --json" "report --csv" \
		"report --stats" "report --tasks" "report --mmaps" \
		"report --dsos" "report --header-only" script "script -D" \
		"script --header-only" "annotate --stdio" "annotate --json" \
		evlist "evlist --json" buildid-list "buildid-list --with-hits"; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr dwell $verb -i bad.data
		[[ $stderr == *": $missing; the rest is shown"* ]]
	done
	run -3 --separate-stderr dwell diff good.data bad.data
	[[ $stderr == *": $missing; the rest is shown"* ]]
	[[ $output == *"[1] bad.data: "*"1 damaged place, 20 samples are missing"* ]]
	run -3 --separate-stderr dwell report -q -i bad.data
	[[ $stderr == *": $missing"* ]]
}

@test "text and JSON output of a damaged recording contain the number of missing samples" {
	make_damaged
	run -3 dwell report --stdio -i bad.data
	[[ $output == *$'\n'"# Damaged: $missing"$'\n'* ]]
	[[ $output == *$'\n# Damaged: 1 damaged place, 20 samples are missing\n'* ]]
	run -3 --separate-stderr dwell report --json -i bad.data
	[[ $output == *'"damage": [{"file": "bad.data", "offset": '$block', '* ]]
	[[ $output == *'"missing_samples": 20, "first_time": 1020000, "last_time": 1039000}]'* ]]
	run -3 --separate-stderr dwell annotate --json -i bad.data
	[[ $output == *'"damage": [{"file": "bad.data", "offset": '$block', '* ]]
	run -3 --separate-stderr dwell diff --json good.data bad.data
	[[ $output == *'"damaged_places": 1, "missing_samples": 20'* ]]
	run -0 --separate-stderr dwell report --json -i good.data
	[[ $output != *'"damage"'* ]]
}

@test "an export of a damaged recording has status 3, in each format" {
	local format
	make_damaged
	for format in folded html pprof speedscope firefox callgrind chrome \
		perf-script json csv svg perf-data; do
		run -3 --separate-stderr dwell export --format $format \
			-o out.$format bad.data
		[[ $stderr == *": $missing"* ]]
		[ -s out.$format ]
	done
	run -3 --separate-stderr dwell report -i out.perf-data
	[[ $stderr == *"out.perf-data: the file was copied from a damaged recording: \
20 samples are missing, from 0.001020 s to 0.001039 s"* ]]
}

@test "pack: damage is not copied, and the copy reports its missing samples" {
	local level
	make_damaged
	cp bad.data before.data
	for level in "" -q; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr dwell pack $level bad.data
		[[ $stderr == "dwell pack: bad.data: the file is damaged (compressed data are damaged at byte "*"); packing it in place would lose data; use -o FILE" ]]
		[ "${#stderr_lines[@]}" = 1 ]
	done
	cmp bad.data before.data
	for level in "" "--level 3" --redact; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr dwell pack --force $level \
			-o out.data bad.data
		[[ $stderr == *": $missing"* ]]
		run -3 --separate-stderr dwell report --stats -i out.data
		[[ $stderr == *"out.data: the file was copied from a damaged recording: \
20 samples are missing, from 0.001020 s to 0.001039 s"* ]]
		[[ $output == *"SAMPLE events:         40"* ]]
		[[ $stderr != *compressed* ]]
	done
	run -3 dwell pack --force -o again.data out.data
	run -3 --separate-stderr dwell report -i again.data
	[[ $stderr == *"20 samples are missing"* ]]
}

@test "a damaged event name in the header is reported" {
	local at
	"$flip" make data
	at=$(LC_ALL=C grep -obUa 'event-1' data | tail -1)
	flip_byte data $((${at%%:*} + 2))
	run -3 --separate-stderr dwell evlist -i data
	[[ $stderr == *"the description of events and host is damaged"* ]]
}

@test "a recording that was never closed has no damage; a closed recording that was cut has" {
	local size verb
	"$flip" make data
	# The file of a killed recorder: a stream with a cut block at its end.
	size=$(($(word_at data 40) + 200))
	{
		printf 'PERFILE2\20\0\0\0\0\0\0\0'
		printf 'P\0\0\0\0\0X\0\3\0\0\0\0\0\0\0D\0\0\0host'
		head -c 64 /dev/zero
		head -c "$size" data | tail -c +105
	} >killed.data
	run -0 --separate-stderr dwell report --stats -i killed.data
	[[ $stderr == *"killed.data: the last record is cut off at byte"* ]]
	head -c "$size" data >cut.data
	run -3 --separate-stderr dwell report --stats -i cut.data
	[[ $stderr == *"cut.data: the file is cut off; the rest is shown"* ]]
	# A file that ends in its head has no samples.
	for size in 20 104 200; do
		head -c "$size" data >head.data
		for verb in "report --stats" script evlist "export --format csv"; do
			# shellcheck disable=SC2086
			run -1 --separate-stderr dwell $verb -i head.data
			echo "$size: $stderr"
			[ "${#stderr_lines[@]}" = 1 ]
			[[ $stderr != *"the rest is shown"* ]]
		done
	done
}
