#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The waits of a page of dwell export --format html: their places, and the choice of the
# states of threads.

load named.bash
load page.bash
load pool.bash

setup() {
	enter_test
	need browser
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
}

teardown() {
	leave_test
}

# report_waits FILE OPTION...: prints "share % samples state function in file" of the rows
# of dwell report.
report_waits() {
	dwell report --off-cpu --no-children --json -s state,waits_in -i "$@" | node -e '
		const report = JSON.parse(require("fs").readFileSync(0));
		for (const row of report.events[0].rows)
			console.log(`${row.self.toFixed(2)} % ${row.samples} ${row.state} ${
				row.waits_in}`);' | sort
}

# page_waits FILE[#STATE] COMMAND...: prints the same from the table of the page, after
# these commands of the browser.
page_waits() {
	browse "$@" "rows #waits tbody tr" | awk -F ' [|] ' '{
		print $1, $3, $4, $5 ($6 == "" ? "" : " in " $6) }' | sort
}

@test "html: the Waits table has the numbers of dwell report --off-cpu" {
	make_pool 8 "$(wait_sample 7 4000000 9 0xffff)"
	for file in data off.data; do
		report_waits $file >wanted
		dwell export --format html --force -o out.html $file
		page_waits "out.html#tab=waits" >shown
		cat shown
		diff wanted shown
	done
	make_pool 8
	dwell export --format html --force -o out.html data
	browse out.html "attribute hidden #tab-waits" "click #tab-waits" \
		"rows #waits tbody tr" "text #waits-note" "click #waits tbody button" \
		"text #chosen" "choose none #group" "click #merge" "click #tab-flame" \
		"ask page.flame.nameOf(page.tree.fn.findIndex((fn) =>
			page.data.functions[fn].name === '[blocked]'))" >said
	prints waits-table <said
	# Of one thread, and of names that match.
	browse "out.html#tab=waits&thread=7.7" "rows #waits tbody tr" >said
	diff - said <<<"100.00 % | 3.00 µs | 1 | blocked | futex_wait | libc.so.6"
	browse "out.html#tab=waits&search=next" "rows #waits tbody tr" \
		"text #waits-note" >said
	diff - said <<-'END'
		84.21 % | 16.0 µs | 8 | blocked | next_job | pool
		8 waits · 16.0 µs off the CPU
	END
}

# check_range FILE FROM TO: whether the page shows, for this range in seconds of its clock,
# what dwell report prints for the --time that the page names.
check_range() {
	local slices of

	slices=$(browse out.html "ask ((at) => 'from=' + at($2) + '&to=' + at($3))(
		(s) => (s * 1e9 - Number(page.data.time.first)) / page.data.time.slice)")
	of=$(browse "out.html#$slices" "text #clock")
	echo "$slices $of"
	# shellcheck disable=SC2086
	report_waits "$1" $of >wanted
	page_waits "out.html#tab=waits&$slices" >shown
	diff wanted shown
	# shellcheck disable=SC2086
	dwell report --wall --json $of -i "$1" >rows
	browse "out.html#$slices" "ask page.tree.total[0]" >shown
	cat shown
	grep "\"period\": $(cat shown)," rows
}

@test "html: a range of time has the waits of dwell report --time, cut at both ends" {
	local options

	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/waits.txt" waits.data
	dwell export --format html -o out.html waits.data
	check_range waits.data 2 3
	# At most the range for each thread, and the whole range for threads that wait.
	browse "out.html#from=1500000&to=2500000" "text #summary" |
		grep '^7 samples · Thread time: 2.60 s (6 threads, 1.00 s)'
	check_range waits.data 2.2 2.4
	check_range waits.data 1.25 1.75
	check_range waits.data 3.25 4
	browse "out.html#from=1500000&to=2500000&thread=7.12" "text #summary" >said
	cat said
	grep '^1 sample · Thread time: 1.00 s (1 thread, 1.00 s)' said
	# A page of the range only.
	dwell export --format html --time 2,3 --force -o out.html waits.data
	browse out.html "text #summary" >said
	cat said
	grep '^7 samples · Thread time: 2.60 s (6 threads, 1.00 s)' said
	page_waits "out.html#tab=waits" >shown
	report_waits waits.data --time 2,3 | diff - shown
}

@test "html: a function outside of the selection has no callers in the selection" {
	dwell export --format html -o out.html off.data
	browse "out.html#state=preempted" "ask { page.choose(page.data.functions.findIndex(
		(at) => at.name === '0x0000000000003000')); }" "text #no-callers" \
		"text #no-callees" >said
	cat said
	grep -x 'This function has no callers in the selection.' said
	grep -x 'This function has no callees in the selection.' said
	# Of all samples, it has callers.
	browse out.html "ask { page.choose(page.data.functions.findIndex(
		(at) => at.name === '0x0000000000003000')); }" "text #no-callees" >said
	grep -x 'This function has no callees in the recording.' said
}

@test "html: in time slices, a wait counts in each slice that it covers" {
	# More samples than those that a page shows one by one.
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/waits.txt" waits.data
	dwell export --format html -o out.html waits.data
	browse out.html "ask {
		const { time, events, nodes, functions } = page.data;
		const { cells } = events[0], wide = 5e8, pieces = [];
		for (let i = 0; i < cells.n; i++) {
			const end = cells.slice[i] * time.slice + cells.period[i];
			if (!isState(functions[nodes.fn[cells.node[i]]])) {
				pieces.push([i, Math.floor(cells.slice[i] * time.slice / wide),
					1, cells.period[i]]);
				continue;
			}
			for (let at = cells.slice[i] * time.slice, n = 1; at < end; n = 0) {
				const next = Math.min(end, (Math.floor(at / wide) + 1) * wide);
				pieces.push([i, Math.floor(at / wide), n, next - at]);
				at = next;
			}
		}
		pieces.sort((a, b) => a[1] - b[1]);
		const column = (made, of) => made.from(pieces, of);
		events[0].cells = { ...cells, n: pieces.length,
			task: column(Int32Array, ([i]) => cells.task[i]),
			node: column(Int32Array, ([i]) => cells.node[i]),
			slice: column(Float64Array, (one) => one[1]),
			samples: column(Float64Array, (one) => one[2]),
			period: column(Float64Array, (one) => one[3]) };
		Object.assign(time, { slice: wide, bin: wide, slices: 8 });
		page.selection.shaped = null;
		page.state.set({ from: 3, to: 5 }); }" "text #summary" >said
	cat said
	grep '^7 samples · Thread time: 2.60 s (6 threads, 1.00 s)' said
}

@test "html: waits of different functions that a transform joins are shown without a function" {
	local names="ask Array.from(page.tree.fn, (fn, node) =>
		page.data.functions[fn].name === '[blocked]' && page.tree.total[node]
			? page.flame.nameOf(node) : '').filter(Boolean).sort().join()"
	local name
	local merges=()

	for name in next_job main; do
		merges+=("ask { page.transformList.add('m', { fn: page.data.functions
			.findIndex((at) => at.name === '$name') }); }" "$names")
	done
	# As the waits of the threads, but called by main() instead of next_job().
	make_pool 8 "$(wait_sample 7 4000000 9 \
		0x500110,0x500210,0x600110,0x400110,0x400210,0x500310,0x500410)"
	dwell export --format html --force -o out.html data
	browse "out.html#group=none" "$names" "${merges[@]}" >said
	cat said
	sed '/^undefined$/d' said | diff - <(printf '%s\n' \
		"[blocked] in futex_wait,[blocked] in main,[blocked] in next_job" \
		"[blocked] in futex_wait,[blocked] in main,[blocked] in next_job" \
		"[blocked],[blocked] in futex_wait")
}

@test "html: a page with waits opens at the program's function with the most time including waits" {
	make_pool 8
	dwell export --format html -o out.html data
	# The function stays selected with the time on the CPU only.
	browse out.html "text #chosen" "choose on #state" "text #summary" "text #chosen" >said
	cat said
	sed -n 2p said | grep 'on a CPU'
	diff - <(sed 2d said) <<-'END'
		next_job
		next_job
	END
	[ "$(browse "out.html#state=on" "text #chosen")" = square ]
	[ "$(browse "out.html#state=off" "text #chosen")" = next_job ]
}

@test "html: selecting a state of threads restricts all panels to it, and the address has the state" {
	dwell export --format html -o out.html off.data
	# dwell report counts the same samples.
	for state in off on; do
		[ $state = off ] && option=--off-cpu || option="--no-wall -e cpu-clock"
		# shellcheck disable=SC2086
		report_rows $option off.data >wanted
		page_rows "out.html#state=$state" >shown
		cat shown
		diff wanted shown
	done
	dwell report --off-cpu --csv --no-children -s state,sym off.data | sed 1d |
		awk -F, '{ print $7, $4 }' | sort >wanted
	for state in blocked runnable preempted; do
		browse "out.html#state=$state" "rows #functions tbody tr" |
			awk -F ' [|] ' -v state=$state '$3 > 0 { print state, $3 }'
	done | sort >shown
	cat shown
	diff wanted shown
	browse out.html "click #tab-waits" "choose runnable #state" "text #summary" \
		"rows #waits tbody tr" state "back" "value #state" >said
	cat said
	grep -q '^1 sample · .*400 ns.* · runnable$' said
	grep -x '100.00 % | 400 ns | 1 | runnable | 0x0000000000003000 | .*' said
	grep -x '#state=runnable&tab=waits' said
	[ "$(tail -n 1 said)" = "" ]
	# The stack chart, without and with the times off the CPU.
	for state in on off; do
		browse "out.html#state=$state&tab=chart" "ask Array.from(
			page.chart.boxes.node.slice(0, page.chart.boxes.n), (node) =>
			isState(page.data.functions[page.chart.tree.fn[node]])).includes(true)"
	done >said
	diff - said <<<$'false\ntrue'
	# A word that is no state selects all.
	browse "out.html#state=constructor" "text #summary" | grep '^5 samples '
}

@test "html: a page without waits has no Waits tab and no selection of states" {
	make_data made.data entry work leaf_a leaf_b
	dwell export --format html -o out.html made.data
	browse "out.html#tab=waits&state=blocked" "attribute hidden #tab-waits" \
		"attribute hidden #state-box" "attribute aria-selected #tab-flame" \
		"count #functions tbody tr" >said
	prints page-without-waits <said
}

@test "diff --html: a wait is shown with the function that waited" {
	make_pool 8
	cp data a.data
	make_pool 6
	dwell diff --off-cpu --html -o out.html a.data data
	browse "out.html" "ask page.flame.nameOf(page.tree.fn.findIndex((fn) =>
		page.data.functions[fn].name === '[blocked]'))" \
		"attribute hidden #tab-waits" >said
	cat said
	grep 'blocked. in ' said
	[ "$(tail -n 1 said)" = "" ]
	# Without a choice of states, an address with a state selects all.
	browse out.html "text #summary" >wanted
	browse "out.html#state=on&widths=constructor" "text #summary" | diff wanted -
}
