#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell diff compared with perf diff row by row, on recordings of perf and of
# dwell. These intended differences are removed first:
# - perf does not mark rows that are gone;
# - perf has no weighted difference for new rows, and shows no difference of 0;
# - perf also collects the unknown functions of a library in one row, but shows
#   one of their addresses;
# - perf pads columns also with -t, and has no percent sign in the baseline;
# - @plt: see rows.bash;
# - without -c, dwell compares CPU time.

load recordings.bash

needed=(perf)

record_files() {
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

# perf_diff OPTION...: prints "event baseline|computed|keys" of each row; these
# are the last columns.
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
	dwell diff -c delta-abs -n -t'|' "$@" | sed 's/%//g' |
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

# PLT entries (f@plt) that only one of the two resolves are code without a name
# for the other one.
comparable() {
	grep -v -e '@plt$' -e ' _init$' -e '\[\.\] \[unknown\]$'
}

# same_diff OPTION...: succeeds if perf diff and dwell diff have the same rows.
same_diff() {
	perf_diff "$@" | comparable >perf.order
	dwell_diff "$@" | comparable >dwell.order
	sort perf.order >perf.rows
	sort dwell.order >dwell.rows
	same_own perf.rows dwell.rows
}

@test "live: diff: differences of shares are those of perf diff" {
	same_diff perf.data.old perf.data
	same_diff -c delta perf.data.old perf.data
	same_diff dwell.data.old dwell.data
	same_diff -c delta dwell.data.old dwell.data
	# Recordings of both recorders, and the same recording twice.
	same_diff perf.data dwell.data
	same_diff dwell.data dwell.data
}

@test "live: diff: ratios and weighted differences are those of perf diff" {
	same_diff -c ratio perf.data.old perf.data
	same_diff -c wdiff:2,3 perf.data.old perf.data
	same_diff -c ratio dwell.data.old dwell.data
	same_diff -c wdiff:1,2 dwell.data.old dwell.data
}

# Functions of another build with other addresses are in the same rows.
@test "live: diff: functions of two builds are matched by name, as by perf diff" {
	nm chain | awk '/ leaf$/ { print $1 }' >old.place
	nm new/chain | awk '/ leaf$/ { print $1 }' >new.place
	run -1 diff -q old.place new.place
	same_diff -S leaf,north,south,east,west perf.data.old perf.data
	awk -F'|' '$2 != "" && $3 != ""' dwell.rows | grep -q ' leaf$'
}

# perf cuts the key to the length of the longest thread name at the end.
@test "live: diff: rows by other sort keys are those of perf diff" {
	local turn=0
	for key in dso comm,dso dso,comm,sym; do
		for pair in dwell.data perf.data; do
			is_chosen || continue
			same_diff -s $key $pair.old $pair
		done
		turn=$((turn + 1))
	done
}

# perf omits the column of a key that has only one value.
@test "live: diff: filtered rows are those of perf diff" {
	local turn=0
	for of in absolute relative; do
		turn=$((turn + 1))
		for pair in perf.data dwell.data; do
			is_chosen || continue
			set -- --percentage $of $pair.old $pair
			same_diff -d chain,libc.so.6 "$@"
			same_diff -s comm,dso,sym -C chain,ls "$@"
			same_diff -d chain,ls -S leaf,north "$@"
		done
	done
}

@test "live: diff: rows of a part of the time are those of perf diff" {
	same_diff --time 10%-60% dwell.data.old dwell.data
	same_diff --time 0%-50% dwell.data.old dwell.data
}

@test "live: diff: each event has its own table, as in perf diff" {
	same_diff two.data.old two.data
	[ "$(cut -d'|' -f1 dwell.rows | sort -u | wc -l)" = 2 ]
}

# perf sorts rows of both recordings by the computed value.
@test "live: diff: rows are in the order of perf diff" {
	for compute in delta-abs delta ratio wdiff:1,2; do
		same_diff -c $compute dwell.data.old dwell.data
		for side in perf dwell; do
			awk -F'|' '$2 != "" && $3 != "" { print $3 }' $side.order |
				sed 's/-0.00/+0.00/' >$side.numbers
			# Values of equal size are in another order.
			if [ "$compute" = delta-abs ]; then
				sed -i 's/^[-+]//' $side.numbers
			fi
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

@test "live: diff: periods and formulas are those of perf diff" {
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
		same_own perf.rows dwell.rows
	done
}

# Only rows of both recordings. perf's baseline then adds up to 100 % of the
# remaining rows.
@test "live: diff: --baseline-only shows the rows of perf diff" {
	same_diff dwell.data.old dwell.data
	awk -F'|' '$2 != "" && $3 != ""' dwell.rows >wanted.rows
	dwell_diff -b dwell.data.old dwell.data | comparable | sort >dwell.rows
	diff wanted.rows dwell.rows
	perf_diff -b dwell.data.old dwell.data | comparable |
		cut -d'|' -f3- | sort >perf.rows
	cut -d'|' -f3- dwell.rows | sort >changed.rows
	same_own perf.rows changed.rows
}

@test "live: diff: three recordings have the columns of perf diff" {
	perf diff -t'|' dwell.data.old dwell.data perf.data 2>/dev/null |
		sed -e 's/ *|/|/g' -e 's/ *$//' -e 's/%//g' \
			-e 's/\] 0x[0-9a-f]*$/] [unknown]/' |
		awk -F'|' '!/^#/ && NF' | comparable | sort >perf.rows
	dwell diff -c delta-abs -n -t'|' dwell.data.old dwell.data perf.data |
		sed 's/%//g' | awk -F'|' -v OFS='|' '!/^#/ && NF {
			print $1, $6 ? $3 : "", $10 ? $7 : "", $11, $12
		}' | comparable | sort >dwell.rows
	same_own perf.rows dwell.rows
}
