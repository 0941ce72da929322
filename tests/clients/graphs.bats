#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Folded stacks in flame graphs, and the JSON and CSV of counted stacks in
# programs.

load clients.bash

flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl

@test "export: flamegraph.pl draws the folded stacks" {
	need flamegraph
	dwell export --format folded -i demo.data | perl $flamegraph >demo.svg
	grep -F '<title>beta (30 samples, 50.00%)</title>' demo.svg
	grep -F '<title>alpha (50 samples, 83.33%)</title>' demo.svg
	grep -F '<title>mix (inlined) (20 samples, 33.33%)</title>' demo.svg
	grep -F '<title>all (60 samples, 100%)</title>' demo.svg
	dwell export --format folded -i hostile.data | perl $flamegraph >hostile.svg
	python3 -c 'import sys, xml.dom.minidom as dom; dom.parse("hostile.svg")'
}

# same_stacks: compares stacks on standard input, as "COMM SAMPLES PERIOD
# main;alpha;beta".
same_stacks() {
	sort >got
	diff got - <<-'END'
		demo 20 200000000 main;alpha;inner;mix
		demo 30 300000000 main;alpha;beta
		helper 10 100000000 main;delta
	END
}

@test "export: a JSON parser reads the stacks and their samples" {
	need python3
	dwell export --format json -i demo.data -o out.json
	python3 - <<-'END' | same_stacks
		import json
		all = json.load(open("out.json"))
		assert all["version"] == 1
		assert all["events"] == [{"event": "cpu-clock", "samples": 60, "period": 600000000}]
		for s in all["stacks"]:
		    frames = [all["frames"][f] for f in s["frames"]]
		    assert all["events"][s["event"]]["event"] == "cpu-clock"
		    assert frames[0]["line"] == 28 and "inlined" not in frames[0]
		    print(s["comm"], s["samples"], s["period"], ";".join(f["symbol"] for f in frames))
	END
	dwell export --format json -i hostile.data -o hostile.json
	is_inert <hostile.json
	python3 -m json.tool hostile.json >hostile.text
	grep -qF '"comm": "a<b>;${c}\\x1b[1m"' hostile.text
}

@test "export: a CSV parser reads the stacks and their samples" {
	need python3
	dwell export --format csv -i demo.data -o out.csv
	python3 - <<-'END' | same_stacks
		import csv
		for s in csv.DictReader(open("out.csv")):
		    assert s["event"] == "cpu-clock" and s["pid"] == "7"
		    print(s["comm"], s["samples"], s["period"], s["stack"].replace(" (inlined)", ""))
	END
	dwell export --format csv -i hostile.data -o hostile.csv
	is_inert <hostile.csv
	[ "$(wc -l <hostile.csv)" = 4 ]
}

@test "export: the JSON and CSV of stacks have the off-CPU times of dwell report" {
	need python3
	for mode in --off-cpu --wall; do
		times_of $mode >wanted
		dwell export --format json $mode -i off.data -o out.json --force
		dwell export --format csv $mode -i off.data -o out.csv --force
		python3 - >got <<-'END'
			import collections, csv, json
			n, ns = collections.Counter(), collections.Counter()
			all = json.load(open("out.json"))
			for s in all["stacks"]:
			    for state in s["state"], "all":
			        n[state] += s["samples"]
			        ns[state] += s["period"]
			assert [e["period"] for e in all["events"] if e["period"]] == [ns["all"]]
			for state in sorted(n):
			    print(state, n[state], ns[state])
			of = collections.Counter()
			for s in csv.DictReader(open("out.csv")):
			    leaf = s["stack"].split(";")[-1][1:-1]
			    of["on" if leaf == "unknown" else leaf] += int(s["period"])
			assert sum(of.values()) == ns["all"]
			for state in of:
			    assert of[state] == ns[state], (state, of, ns)
		END
		diff wanted got
	done
}
