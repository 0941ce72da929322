#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Callgrind's format, read by callgrind_annotate.

load clients.bash

setup() {
	need callgrind_annotate
	enter_test
	cp -p "$BATS_FILE_TMPDIR"/*.data .
}

# annotate FILE OPTION...: prints rows as "SAMPLES MARK FUNCTION".
annotate() {
	callgrind_annotate --threshold=100 "${@:2}" "$1" |
		sed -nE 's/^ *([0-9]+) \([^)]*\) +[0-9,]+ \([^)]*\) +([*<>]?) *([^ ]*:)?([^ :]+).*/\1 \2 \4/p'
}

@test "export: callgrind_annotate prints the totals of dwell report" {
	dwell export --format callgrind -i demo.data -o out
	callgrind_annotate out | tee text
	grep -q '^60 (100.0%) 600,000,000 (100.0%)  PROGRAM TOTALS' text
	annotate out --inclusive=yes --tree=calling | tee rows
	for row in '60 \* main' '50 > alpha' '10 > delta' '50 \* alpha' \
		'30 > beta' '20 > inner' '20 \* inner' '20 > mix' '30 \* beta'
	do
		grep -qx "$row" rows
	done
	[ "$(share_of inner)" = 200000000 ]
}

@test "export: callgrind_annotate prints costs beside the source" {
	dwell export --format callgrind -i demo.data -o out
	callgrind_annotate --threshold=100 --auto=yes out | tee text
	grep -E '^20 .* sink = sink \* 3 \+ 1;$' text
	grep -E '^30 .* sink\+\+;$' text
	grep -E '^50 .* => .*demo.c:alpha \(50x\)$' text
}

@test "export: callgrind_annotate counts a recursive function once" {
	sed -E 's/^(record SAMPLE .*chain=user,)([^,]*),([^,]*),(.*)/\1\2,\3,\2,\3,\4/' \
		"$BATS_FILE_TMPDIR/demo.txt" |
		"$DWELL_BUILD/tests/made/make_data" - twice.data
	dwell export --format callgrind -i twice.data -o out
	annotate out --inclusive=yes | tee rows
	grep -qx '60  main' rows
	grep -qx '50  alpha' rows
	grep -qx '30  beta' rows
	annotate out | tee rows
	grep -qx '30  beta' rows
	absent grep -q alpha rows
}

# Alternating stacks with cycles, with functions that are outermost in some and
# called in others, and with code without a symbol at two addresses of one DSO.
@test "export: callgrind_annotate prints the numbers of dwell report for every function" {
	python3 - "$BATS_FILE_TMPDIR/demo.txt" <<-'END' >circles.txt
		import re, sys
		turn = 0
		for line in open(sys.argv[1]):
		    found = re.match("(record SAMPLE )ip=[^ ]*(.* chain=user,)(.*)", line)
		    if not found:
		        print(line, end="")
		        continue
		    places = found[3].split(",")
		    a, b, c = places[0], places[1], places[-1]
		    chain = [[a, b, a, c, b], [b, a, b, c], [c, b, a], ["0x10", a, "0x20", c, "0x10"],
		        [a, b, c, c, a, c]][turn % 5]
		    turn += 1
		    print(found[1] + "ip=" + chain[0] + found[2] + ",".join(chain))
	END
	"$DWELL_BUILD/tests/made/make_data" circles.txt circles.data
	dwell report --no-inline --json -s sym -i circles.data |
		python3 -c '
import json, re, sys
for row in json.load(sys.stdin)["events"][0]["rows"]:
    name = re.sub("^\\[.\\] ", "", row["sym"])
    name = re.sub("^0x0*", "[unknown]+0x", name)
    print(row["children_period"] // 10**7, row["samples"], name)
' | sort >expected
	dwell export --no-inline --format callgrind -i circles.data -o out
	annotate out --auto=no --inclusive=yes | sort -k 2 >inclusive
	annotate out --auto=no | sort -k 2 >selves
	join -1 2 -2 2 -a 1 -e 0 -o 1.1,2.1,0 inclusive selves |
		grep -v -e PROGRAM -e ' demo$' -e ' helper$' | sort |
		diff expected -
	[ "$(wc -l <expected)" -ge 7 ]
	grep -q '\[unknown\]+0x10$' expected
}

@test "export: callgrind_annotate prints names with special characters unchanged" {
	dwell export --format callgrind -i hostile.data -o hostile
	is_inert <hostile
	callgrind_annotate hostile | grep -F '[<script>\x01'
}

@test "export: callgrind_annotate prints the off-CPU times of dwell report" {
	dwell export --format callgrind --wall -i off.data -o out
	callgrind_annotate out >text
	read -r _ n ns < <(times_of --wall | grep '^all ')
	grep "^ *$n (100.0%) *2,250 (100.0%)  PROGRAM TOTALS" text
	[ "$ns" = 2250 ]
	callgrind_annotate --threshold=100 out >text
	grep -E '^2 .* 1,300 .*\[blocked\]' text
	grep -E '^1 .* 400 .*\[runnable\]' text
	grep -E '^1 .* 300 .*\[preempted\]' text
	grep -E '^Events recorded: +Samples Wall_ns$' text
}
