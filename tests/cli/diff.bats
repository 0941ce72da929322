#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell diff: compares recordings, and separates changes from noise. Most
# recordings are made from a text (doc/how-to-make-a-recording.md), so that all
# numbers are known.

load common.bash

make_data() {
	"$DWELL_BUILD/tests/made/make_data" "$@"
}

# counted FILE LIBRARY=COUNT...: makes COUNT samples of period 10 in each
# library, spread over SECONDS (default: 1).
counted() {
	local file=$1 base=$((0x1000)) counts=() at
	shift
	{
		echo file
		echo 'event name=cycles type=hardware exclude_guest sample_id_all sample_type=IP|TID|TIME|PERIOD'
		echo 'record COMM pid=7 tid=7 comm=made'
		for at; do
			echo "record MMAP pid=7 tid=7 addr=$base len=0x1000" \
				"filename=/lib/${at%=*}"
			counts+=("$base ${at#*=}")
			base=$((base + 0x1000))
		done
		echo "record SAMPLE ip=1 pid=7 time=1000000000 period=0"
		for at in "${counts[@]}"; do
			echo "record SAMPLE ip=${at% *} pid=7 time=1500000000" \
				"period=10 times=${at#* }"
		done
		echo "record SAMPLE ip=1 pid=7 period=0" \
			"time=$((1000000000 + ${SECONDS_LONG:-1} * 1000000000))"
	} | make_data - "$file"
}

# Prints "baseline delta change library" of each row.
rows() {
	dwell diff -c delta-abs -t'|' -s dso "$@" | grep -v '^#' | grep . |
		awk -F'|' '{ print $1, $2, $4, $5 }'
}

@test "diff: changes above the sampling noise are marked, and changes within it are not" {
	counted old like=5000 grown=500 gone=100 rare=3
	counted new like=5060 grown=700 fresh=100 rare=1
	run -0 rows old new
	echo "$output"
	[ "$output" = "8.92% +3.02% more grown
89.24% -2.90% less like
1.78% -1.78% gone gone
 +1.71% new fresh
0.05% -0.04% ~ rare
0.00% +0.00% ~ [unknown]" ]
}

@test "diff: functions that moved to a program or library of another name are matched and reported" {
	local at rest
	need cc
	cc -o before "$DWELL_SOURCE/tests/cli/away.c" -lpthread
	cp before after
	rest=$(nm before | awk '$3 == "rest" { print $1 }')
	for at in before after; do
		make_data - "$at.data" <<-END
			file
			event name=cycles type=hardware sample_type=IP|TID|TIME ids=1 sample_period=5
			record MMAP2 pid=7 tid=7 addr=0x10000000 len=0x10000 filename="$PWD/$at" prot=5
			record SAMPLE ip=$((0x10000000 + 0x$rest)) pid=7 tid=7 time=1000 times=9
		END
	done
	run -0 --separate-stderr dwell diff before.data after.data
	echo "$stderr"
	[ "$stderr" = "dwell diff: before in before.data and after in after.data have functions of the same names; to compare functions regardless of their file, use -s sym" ]
	run -0 --separate-stderr dwell diff -s sym before.data after.data
	echo "$stderr$output"
	[ -z "$stderr" ]
	[[ $output =~ 100.00%.*'[.] rest' ]]
}

@test "diff: --off-cpu and --wall compare the numbers that dwell report prints" {
	make_data "$DWELL_SOURCE/tests/made/offcpu.txt" old
	# The wait for a CPU is 100 ns instead of 400.
	sed 's/ time=2000$/ time=1700/' "$DWELL_SOURCE/tests/made/offcpu.txt" |
		make_data - new
	for time in --off-cpu --wall; do
		dwell diff -q --csv $time -s state old new >rows
		cat rows
		# The baseline and the other recording, as
		# "samples,period,state".
		for side in old,3,4 new,7,8; do
			tail -n +2 rows | cut -d, -f"${side#*,},19" | sort >compared
			dwell report -q --csv $time -s state "${side%%,*}" |
				tail -n +2 | cut -d, -f4,5,7 | sort >wanted
			diff wanted compared
		done
	done
	[ "$(wc -l <compared)" = 4 ]
	# By default the wait states are shown.
	run -0 dwell diff -c delta-abs -q --stdio -t'|' --off-cpu old new
	[[ $output == *"
20.00%|-14.12%|38.77%|~|runnable|made|[unknown]|[.] [unknown]
"* ]]
	run -0 dwell diff -c delta-abs -q --csv --off-cpu --min-block 500ns -s state old new
	[ "$(cut -d, -f3,7,19 <<<"${lines[1]}")" = 2,2,blocked ]
	refuses 2 dwell diff --min-block 1ms old new
	counted without like=3
	refuses 1 dwell diff --off-cpu old without
	[[ $line == "dwell diff: without: no context switches in the recording; 'dwell record --off-cpu' records them" ]]
}

@test "diff: -c ratio sorts finite ratios first, then new and missing rows" {
	counted old less=5000 same=300 more=500 gone=100 rare=3
	counted new less=4060 same=301 more=700 fresh=100 rare=1 fresher=400
	run -0 rows -c ratio old new
	echo "$output"
	[ "$(awk '{ print $NF }' <<<"$output")" = "more
same
less
rare
fresher
fresh
gone
[unknown]" ]
}

# json FILTER FILE...: evaluates a Python expression on the JSON output.
json() {
	dwell diff -c delta-abs --json -s dso "${@:2}" >diff.json
	python3 -c "
import json
d = json.load(open('diff.json'))
rows = d['events'][0]['rows']
row = {r['dso']: r for r in rows}
print($1)"
}

@test "diff: the numbers of JSON and CSV are those of the text" {
	need python3
	counted old like=5000 grown=500 gone=100
	counted new like=5060 grown=700 fresh=100
	run -0 json "row['grown']['cells'][1]['samples'],
		round(row['grown']['cells'][0]['share'], 2),
		round(row['grown']['changes'][1]['delta'], 2),
		round(row['grown']['changes'][1]['ratio'], 4),
		row['grown']['changes'][1]['noise'],
		row['fresh']['changes'][1]['ratio'],
		row['gone']['changes'][1]['change'],
		d['recordings'][1]['file'], d['measure'],
		d['events'][0]['totals'][1]" old new
	[ "$output" = "700 8.93 3.02 1.3379 False None gone new share \
{'samples': 5862, 'period': 58600}" ]
	# The p-value of Fisher's exact test of 500 of 5600 and 700 of 5860.
	run -0 json "'%.3g' % row['grown']['changes'][1]['p']" old new
	[ "$output" = 1.47e-07 ]
	run -0 dwell diff -c delta-abs --csv -s dso old new
	[ "${lines[0]}" = "event,file,base_samples,base_period,base_share,\
base_value,samples,period,share,value,delta,delta_error,ratio,ratio_error,\
wdiff,wdiff_error,p,change,dso,base_whole,whole,whole_percent,whole_error,whole_noise" ]
	[[ ${lines[1]} == cycles,new,500,5000,*,700,7000,*,more,grown,* ]]
	[[ $output == *cycles,new,100,1000,*,0,0,0,0,*,gone,gone,* ]]
}

@test "diff: a recording compared with itself has no marked row" {
	counted old a=1000 b=10 c=1
	run -0 rows old old
	[ "$output" = "98.91% +0.00% ~ a
0.99% +0.00% ~ b
0.10% +0.00% ~ c
0.00% +0.00% ~ [unknown]" ]
}

# 1000 libraries with random changes, as independent samples have, and one with
# a change of 3 %.
@test "diff: of 1,000 rows with random changes, only the row that really changed is marked" {
	need python3
	python3 -c "
import random
random.seed(7)
def poisson(mean):
    return max(0, round(random.gauss(mean, mean ** 0.5)))
for name, factor in ('old', 1), ('new', 1.3):
    words = ['l%d=%d' % (i, poisson(20 + i / 10)) for i in range(1000)]
    words.append('changed=%d' % poisson(2000 * factor))
    open(name + '.words', 'w').write(' '.join(words))
"
	counted old $(cat old.words)
	counted new $(cat new.words)
	run -0 rows old new
	[ "${#lines[@]}" = 1002 ]
	grep -qE ' more changed$' <<<"$output"
	[ "$(grep -cv ' ~ ' <<<"$output")" -le 2 ]
	# More than 20 rows would be marked if each were the only row.
	run -0 json "sum(r['changes'][1]['p'] < 0.05 for r in rows) > 20" old new
	[ "$output" = True ]
}

@test "diff: --normalize time compares rates per second of each recording" {
	SECONDS_LONG=2 counted old a=600 b=200
	SECONDS_LONG=4 counted new a=1200 b=800
	run -0 rows --normalize time -c delta old new
	[ "$output" = "1.000k/s +1.000k/s more b
3.000k/s +0.000/s ~ a
0.000/s +0.000/s ~ [unknown]" ]
	run -0 dwell diff --normalize time old new
	[[ $output == *"[0] old (Baseline): 802 samples, event count 8000, 2.000000 s"* ]]
	# The absolute number of a is twice as large, its share is smaller.
	run -0 rows -c ratio old new
	[[ $output == *"75.00% 2.000000 more a"* ]]
	run -0 rows -c ratio --normalize total old new
	[[ $output == *"75.00% 0.800000 less a"* ]]
	run -0 rows -c wdiff:2,1 old new
	[[ $output == *"75.00% 0 ~ a"* ]]
	[[ $output == *"25.00% 4000 more b"* ]]
}

@test "diff: --time selects one time range for all recordings, or one for each" {
	counted old a=600
	counted new a=900
	run -0 dwell diff -s dso --time 1.2,1.6:0%-90% old new
	[[ $output == *"old (Baseline): 600 samples"*"new: 901 samples"* ]]
	run -0 dwell diff -s dso --normalize time --time 0%-75% old new
	[[ $output == *"old (Baseline): 601 samples, event count 6000, 0.750000 s"* ]]
	run -2 dwell diff --time 1,2:3,4:5,6 old new
	[ "$output" = "dwell diff: --time: 3 ranges for 2 recordings; use one \
range for all, or one per recording, separated by colons" ]
	run -2 dwell diff --time soon old new
	[[ $output == *"--time: 'soon' is not a time"* ]]
}

@test "diff: three recordings are compared, and -o selects the order" {
	counted a x=100 y=100 z=100
	counted b x=100 y=300 z=100
	counted c x=100 y=100 w=300
	run -0 dwell diff -c delta-abs -t, -s dso a b c
	[[ $output == *"
# Baseline/0,Delta Abs/1,+/-/1,Change/1,Delta Abs/2,+/-/2,Change/2,Shared Object
33.33%,+26.67%,6.85%,more,-13.33%,6.38%,less,y
"* ]]
	run -0 dwell diff -c delta-abs -t, -s dso -o 2 a b c
	[[ $output == *"
,,,,+60.00%,"*",new,w
33.33%,-13.33%,"*",-33.33%,"*",gone,z
"* ]]
	run -0 dwell diff -c delta-abs -t, -s dso -o 0 -b a b c
	[[ $output != *,w* ]]
	run -2 dwell diff -o 3 a b c
	[ "$output" = "dwell diff: --order: there is no recording number 3; \
the last one is 2" ]
}

@test "diff: code without symbols is one row per library" {
	counted old a=100 b=100
	counted new b=100 a=300
	run -0 dwell diff -c delta-abs -t'|' old new
	[[ $output == *"|more|a|[.] [unknown]
"*"|less|b|[.] [unknown]
"* ]]
}

@test "diff: without arguments, the last recording is compared with the .old one" {
	counted perf.data.old a=100
	counted perf.data a=200
	run -0 dwell diff -s dso
	[[ $output == *"[0] perf.data.old (Baseline): 102 "*"[1] perf.data: 202 "* ]]
	counted dwell.data a=300
	run -1 dwell diff -s dso
	[ "$output" = "dwell diff: dwell.data.old: cannot open the file: No such \
file or directory; name two recordings, or record twice: the first becomes \
dwell.data.old" ]
	run -0 dwell diff -s dso dwell.data
	[[ $output == *"[0] perf.data.old (Baseline): 102 "*"[1] dwell.data: 302 "* ]]
	counted dwell.data.old a=400
	run -0 dwell diff -s dso
	[[ $output == *"[0] dwell.data.old (Baseline): 402 "*"[1] dwell.data: 302 "* ]]
	run -0 --separate-stderr dwell diff -s dso perf.data
	[[ $output == *"[0] dwell.data.old (Baseline): 402 "*"[1] perf.data: 202 "* ]]
	[ "$stderr" = "dwell diff: only perf.data was named: it is compared with \
the baseline dwell.data.old. To select another one: dwell diff BASELINE perf.data" ]
	run -0 --separate-stderr dwell diff -s dso dwell.data.old perf.data
	[ -z "$stderr" ]
	# A folder stands for all recordings in it.
	mkdir both
	mv dwell.data dwell.data.old both
	run -0 dwell diff -s dso both perf.data
	[[ $output == *"[0] both (Baseline): 704 samples"* ]]
}

@test "diff: recordings without a common event or without samples are refused in one line" {
	counted old a=100
	printf '%s\n' file 'event name=cpu-clock type=software exclude_guest sample_id_all sample_type=IP|TID|TIME' \
		'record SAMPLE ip=1 pid=7 time=1' | make_data - other
	printf '%s\n' file 'event name=cycles type=hardware exclude_guest sample_id_all sample_type=IP|TID|TIME' \
		'record COMM pid=7 tid=7 comm=made' | make_data - empty
	run -1 dwell diff old other
	[ "$output" = "dwell diff: no common event to compare: old has cycles, \
other has cpu-clock; use the same -e for all recordings" ]
	run -1 dwell diff old empty
	[ "$output" = "dwell diff: empty: nothing to compare: the recording has \
no samples" ]
	run -1 dwell diff old missing
	[ "$output" = "dwell diff: missing: cannot open the file: No such file or \
directory" ]
	run -1 dwell diff --percentage relative -d nothing old old
	[ "$output" = "dwell diff: old: nothing to compare: no sample passes the \
filters" ]
	run -0 --separate-stderr dwell diff -d nothing old old
	[ "${stderr_lines[0]}" = "dwell diff: no sampled program or library is \
named 'nothing'" ]
	[ "${stderr_lines[1]}" = "dwell diff: no sample passes the filters" ]
	[ "${#stderr_lines[@]}" = 2 ]
	run -2 dwell diff - -
	[ "$output" = "dwell diff: -: standard input can be only one of the \
recordings" ]
	counted moment a=1
	run -1 dwell diff --normalize time moment empty
	[ "$status" = 1 ]
	run -1 dwell diff --normalize time other other
	[ "$output" = "dwell diff: other: all samples have the same time; \
--normalize share compares shares instead" ]
	head -c 60 old >cut
	run -1 dwell diff old cut
	[[ $output == "dwell diff: cut: "* ]]
}

@test "diff: an invalid value of -c, -o or a sort key is refused with the list of valid values" {
	run -2 dwell diff -c more a b
	[ "$output" = "dwell diff: --compute: unknown method 'more'; use \
delta-abs, delta, ratio or wdiff:W1,W2" ]
	run -2 dwell diff -c wdiff:2 a b
	[ "$output" = "dwell diff: --compute: wdiff:2 has one weight; use \
wdiff:W1,W2 with the weight of the baseline first" ]
	run -2 dwell diff -c wdiff:0,1 a b
	[ "$output" = "dwell diff: --compute wdiff: 0 is not between 1 and \
1000000" ]
	run -2 dwell diff -c cycles a b
	[[ $output == *"use dwell annotate" ]]
	run -2 dwell diff --normalize size a b
	[ "$output" = "dwell diff: --normalize: unknown value 'size'; use none, time or share" ]
	run -2 dwell diff -s overhead a b
	[[ $output == *"rows cannot be grouped by the number 'overhead'"* ]]
	run -2 dwell diff -s , a b
	[[ $output == *"--sort: no key given"* ]]
	run -2 dwell diff -o -1 a b
	[[ $output == *"--order: '-1' is not a number"* ]]
}

@test "diff: an event that only some recordings have is left out" {
	{
		printf '%s\n' file \
			'event name=cycles type=hardware exclude_guest ids=1 sample_type=IP|TID|TIME|IDENTIFIER' \
			'event name=page-faults type=software config=2 exclude_guest ids=2 sample_type=IP|TID|TIME|IDENTIFIER' \
			'record SAMPLE ip=1 pid=7 time=1'
	} >text
	make_data - old <text
	echo 'record SAMPLE event=1 ip=1 pid=7 time=2' | cat text - | make_data - new
	run -0 --separate-stderr dwell diff old new
	[ "$stderr" = "dwell diff: event page-faults is not compared: it needs samples \
in the baseline and in another recording" ]
	[ "$(grep -c '# Event' <<<"$output")" = 1 ]
}

@test "diff: control characters in names are escaped in each view" {
	need python3
	counted old $'\e[31m<b>,"x"|=100'
	counted new $'\e[31m<b>,"x"|=100' "+cmd=5"
	run -0 dwell diff -s dso old new
	[[ $output != *$'\e'* ]]
	run -0 json "sorted(row)" old new
	[[ $output != *$'\e'* ]]
	run -0 dwell diff -t'|' -s dso old new
	[ "$(grep -v '^#' <<<"$output" | grep . | tr -cd '|\n' | sort -u)" = '||||' ]
	dwell diff --csv -s dso old new | python3 -c '
import csv, sys
assert {len(row) for row in csv.reader(sys.stdin)} == {24}'
}

@test "diff: without TERM, or if standard output is no terminal, it prints text without a pager" {
	need script
	counted old a=500
	unset DWELL_PAGER
	PAGER="echo paged" script -qec \
		"env -u TERM $dwell diff -s dso old old" log >/dev/null </dev/null
	grep -q "TERM is not set; printing the report as text" log
	grep -q 'Delta Abs' log
	absent grep paged log
	PAGER="echo paged" TERM=xterm script -qec \
		"$dwell diff --stdio -s dso old old" log >/dev/null </dev/null
	grep paged log
}

@test "diff: on a terminal, an increase is red, a decrease green, and noise dim" {
	need script
	counted old a=500 b=500 c=100
	counted new a=300 b=700 c=102
	unset NO_COLOR
	DWELL_PAGER=cat TERM=xterm \
		script -qec "$dwell diff -c delta-abs --stdio -s dso old new" log >/dev/null \
		</dev/null
	grep -qF $'\e[31m+18.07%\e[m' log
	grep -qF $'\e[32mless\e[m' log
	grep -qF $'\e[2m~\e[m' log
	NO_COLOR=1 DWELL_PAGER=cat TERM=xterm \
		script -qec "$dwell diff -c delta-abs --stdio -s dso old new" log >/dev/null \
		</dev/null
	absent grep -qF $'\e' log
}

# Of twenty comparisons of the same work, one may mark rows. No row differs by 5 standard
# deviations, which has a probability of 6e-7.
@test "live: diff: two runs of the same work differ by noise only; more work in one function is marked" {
	cat >work.c <<-'END'
		#include <stdlib.h>
		static volatile unsigned long sum;
		#define DEFINE(name) __attribute__((noinline)) \
			static void name(long n) { while (n--) sum += n; }
		DEFINE(first) DEFINE(second) DEFINE(third) DEFINE(fourth)
		int main(int argc, char **argv)
		{
			long times = atol(argv[1]);

			/* Never in step with the samples. */
			srandom(1);
			for (long i = 0; i < 10000; i++) {
				long n = random() % 2000;

				first(40 * n);
				second(20 * n);
				third(10 * n);
				fourth(times * n);
			}
		}
	END
	"${CC:-cc}" -O1 work.c -o work
	for number in 1 2 3; do
		dwell record -q -e cpu-clock:u -F 4000 -o $number \
			./work $((number < 3 ? 10 : 40))
	done
	dwell diff -c delta-abs -q --csv -s sym -d work 1 2 | cut -d, -f3,7,17- >same
	cat same
	head -n 1 same | grep -x 'base_samples,samples,p,change,sym,base_whole,.*'
	grep -q 'fourth,' same
	awk -F, 'NR > 1 && $3 != "" && $3 + 0 < 6e-7 { exit 1 }' same
	run -0 rows -s sym -d work 2 3
	echo "$output"
	[[ $output == *" more [.] fourth"* ]]
}
