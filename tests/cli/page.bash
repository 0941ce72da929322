# SPDX-License-Identifier: GPL-2.0-or-later
# The common part of tests of a page of dwell export --format html: a recording
# with two threads, and the numbers of dwell report that the page must show.

load common.bash

setup() {
	enter_test
	make_data made.data entry work leaf_a leaf_b
}

# make_data FILE ENTRY WORK LEAF_A LEAF_B [COMM] [DSO]: makes a recording with
# functions of these names. ENTRY calls WORK, which calls itself and both
# leaves. There are two threads and four seconds: 8 samples of LEAF_A in the
# first two, 2 of LEAF_B in the last, and 6 of the other thread in WORK over all
# of them.
make_data() {
	local file=$1 entry=0xffffffffd0000010 work=0xffffffffd0001010
	local a=0xffffffffd0002010 b=0xffffffffd0003010
	{
		cat <<-END
			file
			event name=cpu-clock type=software ids=1 sample_id_all comm task
			 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN sample_period=1000000
			feature HOSTNAME str=made
			record KSYMBOL addr=0xffffffffd0000000 len=0x100 ksym_type=2 name="$2"
			record KSYMBOL addr=0xffffffffd0001000 len=0x100 ksym_type=2 name="$3"
			record KSYMBOL addr=0xffffffffd0002000 len=0x100 ksym_type=2 name="$4"
			record KSYMBOL addr=0xffffffffd0003000 len=0x100 ksym_type=2 name="$5"
			record COMM pid=7 tid=7 comm="${6:-made}" misc=exec time=1000
			record COMM pid=7 tid=8 comm=other time=1000
			record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 time=1001
			 filename="${7:-/bin/made}" prot=5
		END
		for i in 0 1 2 3 4 5 6 7; do
			echo "record SAMPLE misc=kernel ip=$a pid=7 tid=7" \
				"time=$((1000000000 + i * 250000000)) period=1000000" \
				"chain=kernel,$a,$work,$work,$entry,user,0x400100"
		done
		for i in 0 1; do
			echo "record SAMPLE misc=kernel ip=$b pid=7 tid=7" \
				"time=$((4500000000 + i * 100000000)) period=1000000" \
				"chain=kernel,$b,$work,$entry"
		done
		for i in 0 1 2 3 4 5; do
			echo "record SAMPLE misc=kernel ip=$work pid=7 tid=8" \
				"time=$((1000000000 + i * 700000000)) period=1000000" \
				"chain=kernel,$work,$entry"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - "$file"
}

# Prints "total self samples name" of each function, as in dwell report
# ARGUMENTS.
report_rows() {
	dwell report --json -s dso,sym "$@" | node -e '
		const report = JSON.parse(require("fs").readFileSync(0));
		for (const row of report.events[0].rows)
			console.log(row.children.toFixed(2) + " % " +
				row.self.toFixed(2) + " % " + row.samples + " " +
				row.sym.replace(/^\[.\] /, ""));' | sort
}

# page_rows PAGE COMMAND...: prints the same from the page's table, after these
# commands of the browser.
page_rows() {
	local page=$1 i
	local ask=()
	shift
	for i in 1 2 3 4 5 6; do
		ask+=("cells #functions tbody tr:nth-child($i)")
	done
	browse "$page" "$@" "${ask[@]}" |
		awk -F ' [|] ' 'NF { print $1, $2, $3, $4 }' | sort
}

# page_data PAGE EXPRESSION: prints an expression of the page's data.
page_data() {
	need node
	node -e '
		const { readFileSync } = require("fs");
		const names = ["decode", "code", "selection", "comparison"];
		const scripts = names.map((name) => readFileSync(
			`${process.env.DWELL_SOURCE}/report/html/page/${name}.js`));
		const [, text] = /id="data">([^<]*)</.exec(
			readFileSync(process.argv[1], "utf8"));
		globalThis.bytes = require("zlib").inflateSync(
			Buffer.from(text, "base64"));
		console.log(require("vm").runInThisContext(`${scripts.join("\n")}
			const { time, functions, nodes, tasks, events } =
				readData(bytes);
			${process.argv[2]}`));' "$@"
}
