#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell diff against perf diff on the same recordings, perf's own and dwell's, row
# by row. What differs on purpose is evened out:
# - perf says nothing of what became of rows that are gone;
# - perf has no weighted difference of rows that are new, and shows none of 0;
# - perf collects unknown functions of a library in one row, too, but shows one of
#   their addresses;
# - perf pads columns also with -t, and marks no percentages of the baseline;
# - @plt: see rows.bash.

load recordings.bash

record_files() {
	perf --version >/dev/null 2>&1 || return 0
	# Another build has other addresses.
	compile "$DWELL_SOURCE/tests/bench/chain.c" chain
	work='ls -lR /usr/include | sort | gzip | wc -c; ./chain 1 100000'
	perf_record -e cpu-clock -F 4000 -o perf.data.old -- \
		sh -c "$work" >/dev/null
	command dwell record -q -e cpu-clock -F 4000 -o dwell.data.old -- \
		sh -c "$work" >/dev/null
	perf_record -e cpu-clock,page-faults -F 1000 -o two.data.old -- \
		sh -c "$work" >/dev/null
	mkdir new
	compile "$DWELL_SOURCE/tests/bench/chain.c" new/chain -O1 \
		-falign-functions=128
	cd new
	work='ls -lR /usr/include | sort -r | xz -1 | wc -c; ./chain 1 200000'
	perf_record -e cpu-clock -F 2000 -o ../perf.data -- \
		sh -c "$work" >/dev/null
	command dwell record -q -e cpu-clock -F 2000 -o ../dwell.data -- \
		sh -c "$work" >/dev/null
	perf_record -e cpu-clock,page-faults -F 1000 -o ../two.data -- \
		sh -c "$work" >/dev/null
}

setup() {
	need_perf
	enter_recordings
}

# "event baseline|computed|keys", whose last columns these are.
perf_diff() {
	perf diff -t'|' "$@" 2>/dev/null |
		sed -e 's/ *|/|/g' -e 's/| */|/g' -e 's/^ *//' -e 's/ *$//' \
			-e 's/%//g' -e 's/\] 0x[0-9a-f]*$/] [unknown]/' |
		awk -F'|' -v OFS='|' '/^# Event/ { event = $0 }
			/^#/ || !NF { next }
			{ sub(/^# /, "", event); print event, $0 }'
}

dwell_diff() {
	local is_weighted=0

	[[ " $* " != *" wdiff"* ]] || is_weighted=1
	dwell diff -n -t'|' "$@" | sed 's/%//g' |
		awk -F'|' -v OFS='|' -v is_weighted=$is_weighted '
			/^# Event/ { event = $0; sub(/^# /, "", event) }
			/^#/ || !NF { next }
			{
				computed = $3
				if (!$6)
					computed = ""
				else if (is_weighted && !$2)
					computed = "N/A"
				else if (is_weighted && !computed)
					computed = ""
				row = event OFS $1 OFS computed
				for (i = 7; i <= NF; i++)
					row = row OFS $i
				print row
			}'
}

# Ways out to other files (f@plt) that only one of the two knows are code without
# a name to the other one.
comparable() {
	grep -v -e '@plt$' -e ' _init$' -e '\[\.\] \[unknown\]$'
}

# same_diff OPTION...
same_diff() {
	perf_diff "$@" | comparable >perf.order
	dwell_diff "$@" | comparable >dwell.order
	sort perf.order >perf.rows
	sort dwell.order >dwell.rows
	[ -s perf.rows ]
	diff perf.rows dwell.rows
}

@test "live: differences of shares are perf's" {
	same_diff perf.data.old perf.data
	same_diff -c delta perf.data.old perf.data
	same_diff dwell.data.old dwell.data
	same_diff -c delta dwell.data.old dwell.data
	# Of perf's recording and dwell's, too; and without a change.
	same_diff perf.data dwell.data
	same_diff dwell.data dwell.data
}

@test "live: ratios and weighted differences are perf's" {
	same_diff -c ratio perf.data.old perf.data
	same_diff -c wdiff:2,3 perf.data.old perf.data
	same_diff -c ratio dwell.data.old dwell.data
	same_diff -c wdiff:1,2 dwell.data.old dwell.data
}

# Functions of another build, whose addresses differ, are the same rows.
@test "live: functions are matched by name from build to build" {
	nm chain | awk '/ leaf$/ { print $1 }' >old.place
	nm new/chain | awk '/ leaf$/ { print $1 }' >new.place
	! diff -q old.place new.place
	same_diff -S leaf,north,south,east,west perf.data.old perf.data
	awk -F'|' '$2 != "" && $3 != ""' dwell.rows | grep -q ' leaf$'
}

# The key is cut to what the longest thread was called at the end.
@test "live: rows by other keys are perf's" {
	for key in dso comm,dso dso,comm,sym; do
		same_diff -s $key dwell.data.old dwell.data
		same_diff -s $key perf.data.old perf.data
	done
}

# perf leaves a key out of the table that only has one value.
@test "live: filtered rows are perf's" {
	for of in absolute relative; do
		for pair in perf.data dwell.data; do
			set -- --percentage $of $pair.old $pair
			same_diff -d chain,libc.so.6 "$@"
			same_diff -s comm,dso,sym -C chain,ls "$@"
			same_diff -d chain,ls -S leaf,north "$@"
		done
	done
}

@test "live: parts of the time are perf's" {
	same_diff --time 10%-60% dwell.data.old dwell.data
	same_diff --time 0%-50% perf.data.old perf.data
}

@test "live: each event has a part of its own" {
	same_diff two.data.old two.data
	[ "$(cut -d'|' -f1 dwell.rows | sort -u | wc -l)" = 2 ]
}

# Of rows that both have perf sorts by what is computed.
@test "live: rows stand in perf's order" {
	for compute in delta-abs delta ratio wdiff:1,2; do
		same_diff -c $compute dwell.data.old dwell.data
		for side in perf dwell; do
			awk -F'|' '$2 != "" && $3 != "" { print $3 }' $side.order |
				sed 's/-0.00/+0.00/' >$side.numbers
		done
		diff perf.numbers dwell.numbers
	done
	same_diff -c ratio dwell.data.old dwell.data
	for side in perf dwell; do
		awk -F'|' '{ print $2 == "" ? "new" : $3 == "" ? "gone" : "number" }' \
			$side.order | uniq >$side.kinds
	done
	diff perf.kinds dwell.kinds
	same_diff -o 0 dwell.data.old dwell.data
	diff <(cut -d'|' -f2 perf.order) <(cut -d'|' -f2 dwell.order)
}

@test "live: periods and formulas are perf's" {
	for compute in delta-abs ratio wdiff:3,2; do
		dwell diff -t'|' -c $compute -p -F -n -d libc.so.6,chain \
			dwell.data.old dwell.data |
			awk -F'|' -v OFS='|' '!/^#/ && $1 != "" && $8 > 0 {
				print $1, $3, $7, $9, $10, $11 }' |
			sed 's/%//' | comparable | sort >dwell.rows
		perf diff -t'|' -c $compute -p -F -d libc.so.6,chain \
			dwell.data.old dwell.data 2>/dev/null |
			sed -e 's/ *|/|/g' -e 's/ *$//' \
				-e 's/\] 0x[0-9a-f]*$/] [unknown]/' |
			awk -F'|' -v OFS='|' '!/^#/ && $1 != "" && $4 != "" {
				print $1, $2, $4, $5, $6, $7 }' |
			comparable | sort >perf.rows
		[ -s perf.rows ]
		diff perf.rows dwell.rows
	done
}

# Only those that both have. perf's baseline then adds up to 100 % of the rows that are left.
@test "live: --baseline-only leaves perf's rows" {
	same_diff dwell.data.old dwell.data
	awk -F'|' '$2 != "" && $3 != ""' dwell.rows >wanted.rows
	dwell_diff -b dwell.data.old dwell.data | comparable | sort >dwell.rows
	diff wanted.rows dwell.rows
	perf_diff -b dwell.data.old dwell.data | comparable |
		cut -d'|' -f3- | sort >perf.rows
	diff perf.rows <(cut -d'|' -f3- dwell.rows | sort)
}

@test "live: three recordings have perf's columns" {
	perf diff -t'|' dwell.data.old dwell.data perf.data 2>/dev/null |
		sed -e 's/ *|/|/g' -e 's/ *$//' -e 's/%//g' \
			-e 's/\] 0x[0-9a-f]*$/] [unknown]/' |
		awk -F'|' '!/^#/ && NF' | comparable | sort >perf.rows
	dwell diff -n -t'|' dwell.data.old dwell.data perf.data |
		sed 's/%//g' | awk -F'|' -v OFS='|' '!/^#/ && NF {
			print $1, $6 ? $3 : "", $10 ? $7 : "", $11, $12
		}' | comparable | sort >dwell.rows
	[ -s perf.rows ]
	diff perf.rows dwell.rows
}
