#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tables for programs (JSON and CSV), compared with the text.

load common.bash

setup() {
	need python3
	enter_test
	for name in plain records group places header; do
		"$DWELL_BUILD/tests/made/make_data" \
			"$DWELL_SOURCE/tests/made/$name.txt" $name.data
	done
}

# tables NAME VERB OPTION...: checks that JSON and CSV have the same rows with
# the columns that dwell-report(1) lists for NAME. Writes the rows to the file
# "rows", separated by tabs.
tables() {
	local name=$1
	shift
	dwell "$@" --json >json
	dwell "$@" --csv >csv
	python3 - "$name" "$DWELL_SOURCE/doc/dwell-report.1" >rows <<'END'
import csv, json, re, sys

page = open(sys.argv[2]).read().split("\n.SH JSON\n")[1].split("\n.SH CSV")[0]
documented = re.findall(r"[a-z_]+", re.search(
    r"^\.BR %s :\n(.*?)(\n\.TP|\n\.PP)" % sys.argv[1], page,
    re.M | re.S).group(1))
report = json.load(open("json"))
assert set(report) == {"version", sys.argv[1]}, set(report)
assert report["version"] == 1
lines = list(csv.reader(open("csv")))
assert len(lines) == len(report[sys.argv[1]]) + 1
for column in lines[0]:
    assert column in documented, column
for row, line in zip(report[sys.argv[1]], lines[1:]):
    assert list(row) == lines[0], row
    cells = ["" if cell is None else str(cell) for cell in row.values()]
    assert cells == line, (cells, line)
    print("\t".join(cells))
END
	[ -s rows ]
}

@test "report: --stats as JSON and CSV has the counts of the text" {
	for name in plain records group; do
		tables stats report --stats -i $name.data
		dwell report --stats -i $name.data |
			awk '/ stats:$/ { sub(/ stats:/, ""); event = $0 }
				/^Aggregated/ { event = "" }
				/ events: / { print event "\t" $1 "\t" $3 }' |
			diff - rows
	done
}

# The recorder reports the loss: 429 samples, in one record.
@test "report: --stats counts lost samples, not the records about them" {
	local lost=$DWELL_SOURCE/tests/recorded/lost.data
	dwell report --stats -i "$lost" | tail -n 1 |
		grep -x ' *LOST_SAMPLES events: *429'
	dwell report --stats --csv -i "$lost" | tail -n 1 |
		grep 'LOST_SAMPLES.*429'
}

@test "report: --tasks as JSON and CSV has the threads of the text, in its order" {
	for name in plain records; do
		tables tasks report --tasks -i $name.data
		dwell report --tasks -i $name.data | grep -v '^#' |
			sed 's/^ *\([^ ]*\) *\([^ ]*\) *\([^ ]*\) | */\1\t\2\t\3\t/' |
			diff - rows
	done
}

@test "report: --mmaps as JSON and CSV has the mappings of the text" {
	for name in plain records places; do
		tables mmaps report --mmaps -i $name.data
		# In the text, below each thread of the process.
		dwell report --mmaps -i $name.data | grep -v -e '^#' -e ' |' |
			sed 's/^ *//' | sort -u >text
		awk -F'\t' '{ gsub(/0x/, "")
			while (length($4) < 8)
				$4 = "0" $4
			print $2 "-" $3, $4, $5, $6 }' rows | sort -u |
			diff text -
	done
}

@test "report: --dsos as JSON and CSV has the files of the text, in its order" {
	for name in plain records group; do
		tables dsos report --dsos -i $name.data
		dwell report --dsos -i $name.data |
			sed -n 's/^ *[0-9.]*% .*  \([^ ]*\)$/\1/p' >text
		cut -f1 rows | diff text -
	done
}

@test "report: --header-only as JSON and CSV has the lines of the text" {
	for name in plain header; do
		tables header report --header-only -I -i $name.data
		[ "$(wc -l <rows)" = "$(dwell report --header-only -I \
			-i $name.data | grep -c '^# [^=]')" ]
	done
	grep -q '^header.data	HOSTNAME	hostname	made$' rows
	grep -q '^header.data	PMU_CAPS	' rows
	grep -q '^header.data	BRANCH_STACK		contains samples with branch' \
		rows
	dwell report --json --header -i plain.data | python3 -c '
import json, sys
header = json.load(sys.stdin)["header"]
assert {"file": "plain.data", "section": "HOSTNAME", "name": "hostname",
        "value": "made"} in header'
}

@test "evlist: JSON and CSV have the events of the text, and their groups" {
	tables events evlist -i group.data
	cut -f1 rows | diff <(dwell evlist -i group.data) -
	[ "$(cut -f7 rows | sort -u)" = 0 ]
	tables events evlist -i plain.data
	[ "$(cut -f7 rows | sort -u)" = "" ]
	cut -f1,8 rows | sed 's/\t/: /' |
		diff <(dwell evlist -v -i plain.data) -
	tables events evlist --trace-fields -i plain.data
}

@test "buildid-list: JSON and CSV have the lines of the text" {
	for name in plain records; do
		tables build_ids buildid-list -i $name.data
		tr '\t' ' ' <rows |
			diff <(dwell buildid-list -i $name.data) -
	done
}

@test "report: a name with commas is quoted in CSV" {
	printf '%s\n' 'file' "event name=e type=software sample_type=IP|TID" \
		'record COMM pid=7 tid=7 comm=a,b' |
		"$DWELL_BUILD/tests/made/make_data" - odd.data
	tables tasks report --tasks -i odd.data
	grep -qx '7	7	-1	a,b' rows
	grep -qx '7,7,-1,"a,b"' csv
}

# The branches of a row add up to its value, as in the text.
@test "report: with -g, JSON contains call graphs" {
	run ! grep -q '"graph"' <(dwell report --json -i plain.data)
	dwell report --json -g caller,0 -i plain.data >json
	python3 - <<'END'
import json

def check(branches, period, text, level):
    assert sum(b["period"] for b in branches) <= period
    for branch in branches:
        assert branch["samples"] > 0
        text.append((level, branch["sym"], branch["period"]))
        check(branch.get("branches", []), branch["period"], text, level + 1)

seen = []
for event in json.load(open("json"))["events"]:
    for row in event["rows"]:
        check(row["graph"], row["children_period"], seen, 0)
assert (1, "[.] 0x0000000000001100", 5) in seen, seen
END
	dwell report --json -g callee,0 --no-children -i plain.data |
		grep -q '"graph": \[{"sym": "\[.\] 0x0000000000001100", "dso": "made", "period": 5, "samples": 1, "branches": \[{"sym": "\[.\] 0x0000000000001200"'
	# One caller with two branches, of which the first has two branches.
	printf '%s\n' file 'event name=e type=software sample_type=IP|TID|PERIOD|CALLCHAIN' \
		'record SAMPLE pid=7 ip=0x10 period=4 chain=user,0x10,0x20,0x30' \
		'record SAMPLE pid=7 ip=0x11 period=3 chain=user,0x11,0x20,0x30' \
		'record SAMPLE pid=7 ip=0x12 period=2 chain=user,0x12,0x30' |
		"$DWELL_BUILD/tests/made/make_data" - ways.data
	dwell report --json -g caller,0 -s comm --no-children -i ways.data |
		tr -d '\n' | grep -o '"graph": .*]}]' |
		sed 's/"dso": "[^"]*", //g; s/\[\.\] 0x00*//g' >got
	diff got - <<-'END'
	"graph": [{"sym": "30", "period": 9, "samples": 3, "branches": [{"sym": "20", "period": 7, "samples": 2, "branches": [{"sym": "10", "period": 4, "samples": 1}, {"sym": "11", "period": 3, "samples": 1}]}, {"sym": "12", "period": 2, "samples": 1}]}]}]}]
	END
	[ "$(dwell report --json -g none -i plain.data)" = \
		"$(dwell report --json -i plain.data)" ]
}
