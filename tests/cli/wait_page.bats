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

# report_waits FILE: prints "share % samples state function in file" of the rows of
# dwell report.
report_waits() {
	dwell report --off-cpu --no-children --json -s state,waits_in -i "$1" | node -e '
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
