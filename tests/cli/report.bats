#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell and dwell-report without recording: help, bad input, exit status.

load common.bash

@test "dwell: help lists the commands" {
	run -0 dwell --help
	for verb in record report script export evlist buildid-list pack unpack; do
		[[ $output == *$verb* ]]
	done
}

@test "dwell: help COMMAND and COMMAND --help print the same text" {
	for verb in report script export evlist buildid-list pack unpack; do
		run -0 dwell $verb --help
		[[ $output == usage:\ dwell\ $verb* ]]
		[[ $output == *--input* ]]
		wanted=$output
		run -0 dwell help $verb
		[ "$output" = "$wanted" ]
	done
	run -0 dwell help doctor
	[[ $output == usage:\ dwell\ doctor* ]]
	run -2 dwell help frobnicate
	[[ $output == *"no command 'frobnicate'"* ]]
}

@test "dwell: --version prints the version" {
	run -0 dwell --version
	[[ $output == dwell\ [0-9]* ]]
	run -0 dwell-report --version
	[[ $output == dwell\ [0-9]* ]]
}

@test "dwell: --help and --version fail if standard output cannot be written" {
	local command

	need dev-full
	for command in dwell "dwell-report" "dwell-record" "dwell export" \
		"dwell-record --user-regs=?"; do
		run -1 sh -c "$command --help >/dev/full"
		[[ $output == "dwell"*": writing to standard output: No space left on device" ]]
		run -1 sh -c "$command --version >&-"
		[[ $output == "dwell"*": writing to standard output: Bad file descriptor" ]]
	done
	# It is not an error if the reader of the pipe ends early.
	run -0 sh -c 'dwell report --help | true'
	[ -z "$output" ]
}

@test "dwell: an unknown command is refused with the list of commands" {
	run -2 dwell frobnicate
	[[ ${lines[0]} == *"no command 'frobnicate'" ]]
	[[ $output == *record* ]]
	run -2 dwell reprot
	[[ ${lines[0]} == *"no command 'reprot'; did you mean 'report'?" ]]
}

@test "report: for an option that only perf has, the error states what to use" {
	for verb in report script evlist buildid-list; do
		refuses 2 dwell $verb -f
		[[ $line == *"perf's -f is not available: "* ]]
	done
}

@test "report and script: the error about a misspelled field suggests the nearest name only" {
	refuses 2 dwell report -s com!
	[[ $line == *"unknown field 'com!'; did you mean 'comm'?" ]]
	refuses 2 dwell script -F commm,ip
	[[ $line == *"unknown field 'commm'; did you mean 'comm'?" ]]
}

@test "report: the error names a missing file, and without -i how to record one" {
	refuses 1 dwell report -i gone.data
	[[ $line == *gone.data*"No such file"* ]]
	refuses 1 dwell report
	[[ $line == *dwell.data*"No such file"*"dwell record"* ]]
}

@test "report: perf.data is read if there is no dwell.data" {
	echo nonsense >perf.data
	refuses 1 dwell report
	[[ $line == *perf.data*"not a recording of dwell or perf"* ]]
}

@test "report: a directory, an empty file, and a file that is not a recording are refused" {
	echo "some words, more than sixteen" >words
	: >empty
	mkdir folder
	refuses 1 dwell report -i words
	[[ $line == *words*"not a recording of dwell or perf"* ]]
	refuses 1 dwell report -i empty
	[[ $line == *empty*"is empty"* ]]
	refuses 1 dwell report -i folder
	[[ $line == *folder*"contains no recording"* ]]
	refuses 1 dwell report -i /dev/null
	[[ $line == */dev/null*"not a regular file"* ]]
}

@test "report: a file without read permission is refused" {
	[ "$(id -u)" != 0 ] || need setpriv
	: >secret
	chmod 0 secret
	if [ "$(id -u)" = 0 ]; then
		chmod 755 .
		refuses 1 setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$DWELL_BUILD/dwell-report" report \
			-i "$BATS_TEST_TMPDIR/secret"
	else
		refuses 1 dwell report -i secret
	fi
	[[ $line == *secret*"ermission denied"* ]]
}

@test "report: a header with offsets outside of the file is refused" {
	printf 'PERFILE2\150\0\0\0\0\0\0\0\200\0\0\0\0\0\0\0%080d' 0 >odd
	refuses 1 dwell report -i odd
	[[ $line == *odd* ]]
}

@test "report: --cgroup selects the samples of a control group" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/memory.txt" memory.data
	count() {
		dwell script -q --cgroup "$1" -i memory.data | grep -c ': '
	}
	all=$(dwell script -i memory.data | grep -c ': ')
	run count /made/group
	some=$output
	[ "$some" -gt 0 ]
	[ "$some" -lt "$all" ]
	run -0 count '/made/*'
	[ "$output" = "$some" ]
	run count /other
	[ "$output" = 0 ]
	# Recordings also have a sideband event, without control groups.
	sed 's/^feature HOSTNAME/event name=dummy type=software config=9 sample_type=IP|TID|TIME|ADDR|CPU|PERIOD sample_id_all ids=9\n&/
		s/mmap_data comm task/& ids=8/
		s/TIME|ADDR/IDENTIFIER|&/' \
		"$DWELL_SOURCE/tests/made/memory.txt" |
		"$DWELL_BUILD/tests/made/make_data" - dummy.data
	[ "$(dwell script --cgroup /made/group -i dummy.data | grep -c ': ')" \
		= "$some" ]
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/branches.txt" branches.data
	refuses 1 dwell script --cgroup / -i branches.data
	[[ $line == *--cgroup*--all-cgroups* ]]
}

@test "report: -t sets the separator of columns, and -w their widths" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/first.txt" first.data
	run -0 dwell report -t '|' --no-children -g none -n -i first.data
	grep '^# Overhead|Samples|Command|Shared Object|Symbol$' <<<"$output"
	grep -E '^[0-9.]+%\|[0-9]+\|[^|]+\|[^|]+\|\[.\] [^|]+$' <<<"$output"
	run -0 dwell report -t e --no-children -g none -s comm -i first.data
	grep '^# Ov.rh.adeCommand$' <<<"$output"
	run -0 dwell report -w 12,3 --no-children -g none -s comm,sym \
		-i first.data
	grep '^#     Overhead  Com  Symbol' <<<"$output"
	grep -E '^ {6,9}[0-9.]+%  [^ ]{1,3} *  \[' <<<"$output"
}

# Prints the width of the first line of dots in the text of standard input.
underline_width() {
	tr -d '\r' | grep -m 1 '^# \.\.' | wc -L
}

@test "report and diff: the line below the headings is as wide as the terminal, or 100 columns" {
	local long command
	long=$(printf '%0200d' 0)
	sed "s,filename=/bin/made,filename=/bin/$long," \
		"$DWELL_SOURCE/tests/made/plain.txt" |
		"$DWELL_BUILD/tests/made/make_data" - long.data
	for command in "dwell report --stdio -g none -s comm,dso -i long.data" \
		"dwell diff --stdio -s comm,dso long.data long.data"; do
		run -0 --separate-stderr $command
		grep "$long" <<<"$output"
		[ "$(underline_width <<<"$output")" = 100 ]
		script -qec "stty cols 60; DWELL_PAGER= $command" /dev/null >out
		[ "$(underline_width <out)" = 60 ]
		script -qec "stty cols 60; DWELL_PAGER='cat -' $command" \
			/dev/null >out
		[ "$(underline_width <out)" = 60 ]
	done
}

@test "report: JSON and CSV have the fields of dwell-report(1), and the same numbers" {
	need python3
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/plain.txt" plain.data
	dwell report --json -s comm,pid,sym -i plain.data >json
	dwell report --csv -s comm,pid,sym -i plain.data >csv
	python3 - "$DWELL_SOURCE/doc/dwell-report.1" <<'END'
import csv, json, re, sys

page = open(sys.argv[1]).read().split("\n.SH JSON\n")[1].split("\n.SH CSV")[0]
# Words in bold, as the page prints names of members, without its example.
documented = set(re.findall(r"[a-z_]+", " ".join(
    re.findall(r"^\.BR? .*", page, re.M)).replace('" and "', " ")))
number = (int, float)
shape = {"version": int, "lost": int, "lost_percent": number, "events": list}
event_shape = {"event": str, "samples": int, "period": int, "lost": int,
               "rows": list}
row_shape = {"self": number, "children": number, "samples": int,
             "self_period": int, "children_period": int,
             "comm": str, "pid": int, "sym": str}

def walk(found, wanted):
    assert set(found) == set(wanted), (found, wanted)
    for name, kind in wanted.items():
        assert isinstance(found[name], kind), (name, found[name])

report = json.load(open("json"))
walk(report, shape)
assert report["version"] == 1
rows = list(csv.reader(open("csv")))
assert rows[0] == ["event", "children", "self", "samples", "self_period",
                   "children_period", "comm", "pid", "sym"], rows[0]
at = 1
assert report["events"]
for event in report["events"]:
    walk(event, event_shape)
    assert event["rows"]
    assert sum(r["self_period"] for r in event["rows"]) == event["period"]
    assert sum(r["samples"] for r in event["rows"]) == event["samples"]
    for row in event["rows"]:
        walk(row, row_shape)
        assert row["children_period"] >= row["self_period"]
        assert abs(row["self"] - 100 * row["self_period"] /
                   event["period"]) < 1e-3
        line = dict(zip(rows[0], rows[at]))
        at += 1
        assert line["event"] == event["event"]
        for name in row_shape:
            assert line[name] == str(row[name]) or \
                float(line[name]) == row[name], (name, line, row)
assert at == len(rows)
columns = {"comm", "pid", "sym"}
missing = (set(shape) | set(event_shape) | set(row_shape)) - columns - documented
assert not missing, missing
END
}

@test "report: a wrong option is named in the error, with status 2" {
	refuses 2 dwell report --frob
	[[ $line == *--frob* ]]
	refuses 2 dwell report -s 'comm,shoe!'
	[[ $line == *"unknown field 'shoe!'"*comm* ]]
	refuses 2 dwell report -g spiral
	[[ $line == *spiral* ]]
	refuses 2 dwell report --call-graph=graph,0.5,many
	[[ $line == *many*fractal* ]]
	refuses 2 dwell report --call-graph=200
	[[ $line == *200*"not a percentage"* ]]
	refuses 2 dwell report --percent-limit many
	[[ $line == *many* ]]
	refuses 2 dwell report -i
	[[ $line == *-i*"needs a value"* ]]
	refuses 2 dwell script one two
	[[ $line == *"accepts one recording"* ]]
	refuses 2 dwell export
	[[ $line == *--format* ]]
	refuses 2 dwell export --format opera
	[[ $line == *opera*folded* ]]
	refuses 2 dwell report -C 3-1
	[[ $line == *--cpu*3-1*"not a list of CPUs"* ]]
	refuses 2 dwell script --time 5
	[[ $line == *--time*"'5'"*START,STOP* ]]
	refuses 2 dwell export --format folded --time 10%/11
	[[ $line == *--time*10%/11* ]]
	refuses 2 dwell report -p '('
	[[ $line == *--parent*"'('"* ]]
	refuses 2 dwell report --ignore-callees '['
	[[ $line == *--ignore-callees*"'['"* ]]
	refuses 2 dwell report -t .
	[[ $line == *--field-separator*"'.'"* ]]
	refuses 2 dwell report -w 3,wide
	[[ $line == *--column-widths*wide* ]]
	refuses 2 dwell report --percentage half
	[[ $line == *half*absolute*relative* ]]
	refuses 2 dwell script --max-stack 0
	[[ $line == *--max-stack*0* ]]
	refuses 2 dwell report --pid you
	[[ $line == *--pid*you*"not a number"* ]]
	refuses 2 dwell report --tid me
	[[ $line == *me*"not a number"* ]]
}

@test "report, annotate and diff: two different views are refused, except --stdio beside another one" {
	local two

	for two in "annotate --tui --html" "annotate --html --tui" \
		"diff --json --html" "report --csv --json" "report --tui --csv"; do
		refuses 2 dwell $two
		read -r _ first second <<<"$two"
		[[ $line == *"$first and $second exclude each other" ]]
	done
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" data
	dwell report --stdio --json --json -i data | grep '^{'
	dwell report --csv --no-csv --json -i data | grep '^{'
	dwell report --json --stdio -i data | grep '^# Samples: '
}

@test "report: a stream of more than 64 MB is stored in a temporary file" {
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" \
		data
	dwell report -i data >file
	TMPDIR=/nonexistent dwell report -i - <data | diff file -
	head -c 65M /dev/zero >zeros
	refuses 1 env TMPDIR=/nonexistent dwell report -i - <zeros
	[[ $line == *"-: cannot create a temporary file in /nonexistent: "* ]]
	refuses 1 env TMPDIR=. dwell report -i - <zeros
	[[ $line != *"temporary file"* ]]
	ls | absent grep dwell
}

@test "report: an empty or missing file of names (file://) is an error" {
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" \
		data
	refuses 1 dwell report -i data -c file://nowhere
	[[ $line == *"--comms: nowhere: cannot open: No such file"* ]]
	echo >empty
	refuses 1 dwell script -i data -S made,file://empty
	[[ $line == *"--symbols: empty: no names in the file" ]]
	refuses 2 dwell script -i data -S 0x10 --addr-range much
	[[ $line == *"--addr-range"* ]]
}

@test "report: code without a symbol is named by its offset in the file, also in call graphs" {
	printf '%s\n' file 'event name=e type=software sample_type=IP|TID|PERIOD|CALLCHAIN sample_id_all mmap comm' \
		'record MMAP2 pid=7 tid=7 addr=0x5500001000 len=0x1000 prot=5 pgoff=0x1000 filename=/no/such' \
		'record SAMPLE pid=7 tid=7 ip=0x5500001177 period=4 chain=user,0x5500001177,0x5500001200' |
		"$DWELL_BUILD/tests/made/make_data" - unnamed.data
	dwell report --stdio -g caller,0 -i unnamed.data >text
	cat text
	grep -E '\[\.\] 0x0000000000001177$' text
	grep -E '^ *--+0x1200$' text
	run ! grep -q 0x55 text
}
