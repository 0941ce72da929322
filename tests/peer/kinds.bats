#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf opens a new recording of each kind, and has dwell's answers.

load recordings.bash

needed=(root perf 32bit tracefs breakpoint)

record_files() {
	mkdir source out
	cp "$DWELL_SOURCE"/tests/recorded/{work.c,inlined.cpp} \
		"$DWELL_SOURCE"/tests/cli/made.c source
	"$DWELL_SOURCE/tests/recorded/kinds.sh" >kinds.log 2>&1 3>&-
}

# The programs that make code leave files beside their perf maps.
teardown_file() {
	cd "$BATS_FILE_TMPDIR" || return
	[ ! -e out/perf_map.data ] ||
		rm -f "/tmp/perf-$(dwell script -i out/perf_map.data -F pid |
			awk 'NF { print $1; exit }').map"
}

# each_kind CHECK [NAME...]: runs CHECK for each recording except those NAMEs.
each_kind() {
	local check=$1 file name

	shift
	for file in out/*.data; do
		name=$(basename "$file" .data)
		[[ " $* " != *" $name "* ]] || continue
		echo "$name"
		"$check" "$name"
	done
}

# These files have no file header. perf 6.1 lists no events of a file if a
# section comes before them, no build IDs and counts if it is compressed, and no
# callers. The same is true of perf's own streams, except for the events.
is_stream() {
	case $1 in
	pipe* | killed) true ;;
	*) false ;;
	esac
}
streams=(pipe pipe_level_0 killed)

@test "live: each kind of recording in tests/recorded can be recorded again" {
	local name
	cat kinds.log
	for name in "$DWELL_SOURCE"/tests/recorded/*.data; do
		name=$(basename "$name" .data)
		case $name in
		made_* | format* | *_cut | damaged) continue ;;
		esac
		echo "$name"
		[ "$(dwell script -i "out/$name.data" -G -F ip | wc -l)" -gt 0 ]
	done
}

# has_lost NAME: succeeds if samples were lost, which happens on a slow machine.
has_lost() {
	dwell report --stats -i "out/$1.data" | grep -q LOST
}

opens_quietly() {
	local name=$1 command

	for command in "report --header-only" evlist buildid-list script \
		"report --stdio"; do
		[ "$command" != buildid-list ] || ! is_stream "$name" ||
			continue
		# shellcheck disable=SC2086
		perf $command -i "out/$name.data" >answer 2>messages </dev/null
		if [ "$name" = lost ] || has_lost "$name"; then
			grep -v -e '^$' -e '^Warning:' -e '^Processed ' \
				-e '^Check IO/CPU overload!' messages >others ||
				true
			mv others messages
		fi
		sed "s/^/perf $command: /" messages
		[ ! -s messages ]
	done
}

@test "live: perf opens each kind of recording without a warning" {
	each_kind opens_quietly
}

has_same_events() {
	perf evlist -g -i "out/$1.data" | grep -v '^# Tip' >perf.events
	dwell evlist -g -i "out/$1.data" >dwell.events
	[ -s perf.events ]
	diff perf.events dwell.events
}

@test "live: the events of each kind of recording are those of perf evlist" {
	each_kind has_same_events "${streams[@]}"
}

has_same_ids() {
	perf buildid-list -i "out/$1.data" | sort >perf.ids
	dwell buildid-list -i "out/$1.data" | sort >dwell.ids
	[ -s perf.ids ]
	diff perf.ids dwell.ids
}

@test "live: the build IDs of each kind of recording are those of perf buildid-list" {
	each_kind has_same_ids "${streams[@]}"
}

has_same_counts() {
	perf report --stats -i "out/$1.data" 2>/dev/null >perf.stats
	# perf does not report CPU time without samples.
	dwell report --stats -i "out/$1.data" |
		grep -v "of the CPU time .* has no sample$" >dwell.stats
	[ -s perf.stats ]
	diff perf.stats dwell.stats
}

# perf counts a sample of a group's leader again for each event whose counter
# increased.
@test "live: the counts of records of each kind of recording are those of perf report --stats" {
	each_kind has_same_counts pipe killed leader
}

# The programs of "system". Other programs of the machine may have been deleted
# or rebuilt.
system=work,left,right,chrt

# Code of a jitdump is in files that perf inject would write. perf has no names
# of files that exist only in the recording.
has_same_text() {
	local fields=()

	case $1 in
	system) fields=(-c "$system") ;;
	*jitdump*) fields=(-G -F comm,pid,tid,cpu,time,event,period) ;;
	packed_redacted) fields=(-F comm,pid,tid,cpu,time,event,period,ip) ;;
	esac
	perf script --no-inline --max-stack 512 "${fields[@]}" \
		-i "out/$1.data" 2>/dev/null | without_ways >perf.text
	dwell script "${fields[@]}" -i "out/$1.data" | without_ways >dwell.text
	same_lines perf.text dwell.text
}

@test "live: the text of each sample of each kind of recording is that of perf script" {
	each_kind has_same_text
}

# perf separates the columns of a group's events by blanks. For a sample without
# a call chain it prints the callers of the previous sample: off_cpu has samples
# without call chains.
has_same_rows() {
	local name=$1 keys=(--no-inline) side

	case $name in
	system) keys+=(--comms "$system") ;;
	*jitdump* | packed_redacted) keys+=(-s comm) ;;
	esac
	case $name in
	group | leader)
		perf_rows -i "out/$name.data" --no-children >perf.rows
		dwell_rows -i "out/$name.data" --no-children >dwell.rows
		for side in perf dwell; do
			tr '|' ' ' <$side.rows | sort >$side.columns
		done
		same_own perf.columns dwell.columns
		;;
	*)
		same_rows "out/$name.data" --no-children "${keys[@]}"
		[ "$name" = off_cpu ] || is_stream "$name" ||
			same_caller_rows "out/$name.data" "${keys[@]}"
		;;
	esac
}

@test "live: the rows of each kind of recording are those of perf report" {
	each_kind has_same_rows
}
