#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Code of functions in a page for a browser, of dwell export and of dwell
# annotate: the numbers are those of dwell annotate --json.

load common.bash
load walk.bash

# make_pages OPTION...: writes w.data as out.html and as json.
make_pages() {
	dwell export --format html --force -o out.html -i w.data "$@"
	dwell annotate --json -i w.data "$@" >json
}

# json_rows FUNCTION EVENT: prints share, samples and address of each
# instruction.
json_rows() {
	node -e '
		const found = JSON.parse(require("fs").readFileSync("json"));
		const { lines } = found.functions.find(({ sym, event }) =>
			sym === process.argv[1] && event === process.argv[2]);
		for (const { percent, samples, address } of lines)
			console.log([samples ? `${percent.toFixed(2)} %` : "",
				samples || "", address.slice(2)].join(" | "));
	' "$1" "$2"
}

# json_sources FUNCTION EVENT: prints samples and place of source lines.
json_sources() {
	node -e '
		const found = JSON.parse(require("fs").readFileSync("json"));
		const { sources } = found.functions.find(({ sym, event }) =>
			sym === process.argv[1] && event === process.argv[2]);
		for (const { samples, file, line, text } of sources)
			console.log([samples, file.replace(/.*\//, "") + ":" +
				line + text].join(" | "));
	' "$1" "$2" | sort -u
}

# page_rows PAGE COMMAND...: prints the same from the page.
page_rows() {
	browse "$@" "rows #code-lines .instruction" |
		awk -F ' [|] ' -v OFS=' | ' '{ print $1, $2, $3 }'
}
# A line whose instructions are not adjacent has several rows: their sum.
page_sources() {
	browse "$@" "rows #code-lines .source" | sed 's/inlined mix//' |
		awk -F ' [|] ' '{ sum[$3] += $2 }
			END { for (line in sum) print sum[line] " | " line }' |
		sort -u
}

# visible TABLE CLASS: a command of the browser that prints how many rows are visible.
visible() {
	echo "ask Array.from(document.querySelectorAll('#$1 tbody tr.$2'))
		.filter((row) => row.offsetHeight).length"
}

@test "html: the code panel has the numbers of dwell annotate --json" {
	need browser
	build
	recording w.data "ip=$walk period=100 times=3" \
		"ip=$((walk + 1)) period=100" "ip=$((walk + 16)) period=250" \
		"ip=$stroll period=300" "event=1 ip=$((walk + 16)) period=7"
	need capstone
	make_pages
	json_rows walk cycles:HG >wanted
	page_rows out.html >shown
	cat shown
	diff wanted shown
	json_sources walk cycles:HG >wanted
	page_sources out.html >shown
	cat shown
	diff wanted shown
	# Each row of a line has the share of the instructions that follow.
	browse out.html "rows #code-lines .source" >shown
	cat shown
	awk '{ sum += $1 } END { exit !(sum > 99.9 && sum < 100.1) }' shown
	# Another event, another function, and filtered samples.
	json_rows walk cache-misses:HG >wanted
	page_rows "out.html#event=1" >shown
	diff wanted shown
	grep '^100.00 % | 1 | ' shown
	json_rows stroll cycles:HG >wanted
	page_rows out.html "click #search" "type stroll" \
		"click #tab-functions" "click #functions tbody button" >shown
	diff wanted shown
	make_pages -S walk --tid 7 -e cycles:HG
	json_rows walk cycles:HG >wanted
	page_rows out.html >shown
	diff wanted shown
}

# json_totals FUNCTION: prints total, self, samples and address of each instruction.
json_totals() {
	node -e '
		const found = JSON.parse(require("fs").readFileSync("json"));
		const { lines } = found.functions.find(({ sym }) =>
			sym === process.argv[1]);
		const percent = (at) => at ? `${at.toFixed(2)} %` : "";
		for (const at of lines)
			console.log([percent(at.total_percent), percent(at.percent),
				at.samples || "", at.address.slice(2)].join(" | "));
	' "$1"
}

@test "html: with call chains, code shows totals that include callees" {
	need browser
	need capstone
	build
	find_calls
	with_chains=yes
	recording w.data \
		"ip=$walk period=100 times=3 chain=user,$walk,$first_return" \
		"ip=$walk tid=8 period=100 times=4 chain=user,$walk,$second_return" \
		"ip=$walk period=100 times=2 chain=user,$walk,$first_return,$second_return" \
		"ip=$second_return period=100 chain=user,$second_return"
	make_pages
	json_totals stroll >wanted
	browse out.html "click #search" "type stroll" "click #tab-functions" \
		"click #functions tbody button" "text #code-share" "cells #code-lines thead tr" \
		"rows #code-lines .instruction" "rows #source-lines .source" \
		"text #code-lines tr[tabindex=\"0\"]" >shown
	cat shown
	sed -n 1p shown | grep ' · 1 sample, 10 with callees$'
	[ "$(sed -n 2p shown)" = "Total | Self | Samples | Address | Instruction" ]
	grep -E '^([^|]*\|){3} [0-9a-f]+ \| ' shown |
		awk -F ' [|] ' -v OFS=' | ' '{ print $1, $2, $3, $4 }' | diff wanted -
	grep -E '^100\.00 % \| 10\.00 % \| 1 \| [0-9]+return walk\(n\) \+ walk' shown
	# The page scrolls to the instruction with the highest total.
	tail -n 1 shown | grep -F "$(printf %x "$second_call")"
	# Totals of a part are not in the page.
	browse "out.html#thread=7.8" "click #search" "type walk" "click #tab-functions" \
		"click #functions tbody button" "text #code-share" \
		"attribute hidden #code-lines .total" >shown
	cat shown
	absent grep 'with callees' shown
	# A function without own samples in the part has those of the whole recording.
	browse "out.html#thread=7.8" "click #search" "type stroll" "click #tab-functions" \
		"click #functions tbody button" "text #code-share" \
		"attribute hidden #code-part" "attribute hidden #code-hottest" \
		"rows #code-lines .instruction" >shown
	cat shown
	sed -n 1p shown | grep ' · 0 samples, 10 with callees · of the whole recording, not of the selection$'
	[ "$(sed -n 2,3p shown)" = $'null\nnull' ]
	grep -E '^[0-9.]+ % \|  \|  \| [0-9a-f]+ \| ' shown
}

# painted CANVAS: a command of the browser that prints whether CANVAS has a coloured pixel.
painted() {
	echo "ask document.querySelector('$1').offsetHeight > 0 &&
		document.querySelector('$1').getContext('2d')
		.getImageData(0, 0, 8, 1000).data.some((one) => one)"
}

@test "html: the key s switches to the whole source file; a strip beside the scrollbar marks sampled lines" {
	need browser
	need capstone
	build
	recording w.data "ip=$walk period=100" "ip=$stroll period=50"
	dwell export --format html -o out.html -i w.data
	browse out.html "$(painted '#code-strip')" "key s" "value #listing" \
		"$(painted '#code-strip')" "$(painted '#source-strip')" \
		"rows #source-lines .source" "key s" "value #listing" >shown
	cat shown
	prints whole-source-file grep -v ' | ' shown
	# All lines in their order, one row each; the sampled one has its share.
	grep ' | ' shown | sed 's/.* | //' >rows
	awk '{ gsub(/^[ \t]+|[ \t]+$/, ""); gsub(/[ \t]+/, " "); print NR $0 }' walk.c |
		diff - <(sed 's/[ \t]*$//' rows)
	grep -E '^100\.00 % \| 1 \| [0-9]+' shown
	# A packed recording has the lines of sampled functions.
	dwell pack -q --source -i w.data -o packed.data
	rm walk.c walk
	dwell export --format html --force -o out.html -i packed.data
	browse out.html "key s" "rows #source-lines .source" >packed
	cat packed
	grep 'return walk(n)' packed
	absent grep 'stroll(3)' packed
}

@test "html: the page opens at the function with the most samples among those with code" {
	need browser
	need capstone
	echo 'volatile unsigned s; void bare(void) { s++; s--; }' >bare.c
	gcc -O2 -c bare.c
	build "$PWD/bare.o"
	bare=$(awk '$1 == "bare" { print $2 }' functions)
	recording w.data "ip=0x7fff0000 period=900" "ip=$stroll period=100" \
		"ip=$walk period=300"
	dwell export --format html -o out.html -i w.data
	browse out.html "text #code-function" "text #code-lines tr[tabindex=\"0\"]" >shown
	cat shown
	[ "$(sed -n 1p shown)" = walk ]
	sed -n 2p shown | grep "^100.00 %1$(printf %x "$walk")"
	# A function with source text and at least half as many samples comes first.
	recording w.data "ip=$bare period=200" "ip=$walk period=100"
	dwell export --format html --force -o out.html -i w.data
	[ "$(browse out.html "text #code-function")" = walk ]
	recording w.data "ip=$bare period=200" "ip=$walk period=99"
	dwell export --format html --force -o out.html -i w.data
	[ "$(browse out.html "text #code-function")" = bare ]
}

# pages_of_mix: makes one.html, of a library that mix calls (60 samples) and stroll calls
# (40), and change.html, which compares one.html with a recording in which mix has more.
# mix, which is inlined, and stroll have no samples of their own.
pages_of_mix() {
	local library=0x7fff0000 mix

	build
	find_calls
	recording w.data "ip=$walk period=100"
	dwell annotate --json -i w.data walk >walk.json
	mix=$(node -e '
		const { functions: [{ lines }] } =
			JSON.parse(require("fs").readFileSync("walk.json"));
		console.log(lines.find(({ inlined }) => inlined === "mix").address);')
	with_chains=1
	for n in 60 160; do
		recording $n.data \
			"ip=$library tid=7 time=3000 times=$n period=1 chain=user,$library,$((mix + 1))" \
			"ip=$library tid=8 time=3000000000 times=40 period=1 chain=user,$library,$first_return"
	done
	dwell export --format html -o one.html 60.data
	dwell diff --html --output change.html 60.data 160.data
}

@test "html: if most samples are in a library, the page opens at the program's function that calls it" {
	need browser
	need capstone
	pages_of_mix
	# The function stays selected in a thread and in a time range without its samples.
	browse one.html "text #chosen" "text #code-function" \
		"ask page.state.set({ thread: '7.8' })" "text #summary" "text #chosen" \
		"ask page.state.set({ thread: '', from: page.data.time.slices - 1,
			to: page.data.time.slices })" \
		"text #summary" "text #chosen" >said
	cat said
	grep -v '^undefined$' said | sed 's/ · .*//' | prints caller-of-library
	browse change.html "text #chosen" >said
	diff - said <<<'mix (inlined)'
}

# opens_at FUNCTION TEXT COMMAND...: records COMMAND, and checks that its page opens at the
# code of FUNCTION with a line that contains TEXT.
opens_at() {
	local function=$1 text=$2

	shift 2
	dwell record -q -g -e cpu-clock:u -F 499 -o live.data -- "$@"
	dwell export --format html --force -o live.html live.data
	browse live.html "text #code-function" "text #source-lines" >shown
	cat shown
	[ "$(sed -n 1p shown)" = "$function" ]
	grep -F -- "$text" shown
}

@test "live: html: a page opens at the program's function, not at the library function that it calls" {
	need browser
	need gcc
	need capstone
	cat >waves.c <<-'END'
		#include <math.h>
		#include <time.h>
		double sum;
		__attribute__((noinline)) void waves(int n)
		{
			for (int i = 0; i < n; i++)
				sum += sin(i) * i + i / (sum + 2);
		}
		int main(void)
		{
			while (clock() < CLOCKS_PER_SEC / 2)
				waves(1000);
		}
	END
	gcc -g -O1 -o waves waves.c -lm
	opens_at waves 'sum += sin(i) * i' ./waves
}

@test "live: html: a page of Python or JavaScript opens at a function of the script" {
	need browser
	need bpf
	need python3
	cat >steps.py <<-'END'
		import time
		def steps(n):
		    count = 0
		    while n != 1:
		        n = n // 2 if n % 2 == 0 else 3 * n + 1
		        count += 1
		    return count
		while time.process_time() < 1:
		    steps(837799)
	END
	opens_at steps 'n // 2' python3 steps.py
	cat >steps.js <<-'END'
		function steps(n) {
			let count = 0;
			for (; n !== 1; count++)
				n = n % 2 === 0 ? n / 2 : 3 * n + 1;
			return count;
		}
		while (process.cpuUsage().user < 1e6)
			for (let i = 0; i < 1000; i++)
				steps(837799);
	END
	opens_at steps 'n / 2' node steps.js
}

# 100 * 109 / 800 is 13.625, exactly between two texts; 100 * (109 / 800) is not.
@test "html: percentages of code are rounded as in dwell annotate" {
	need browser
	build
	recording w.data "ip=$walk period=109" "ip=$((walk + 16)) period=691"
	need capstone
	make_pages
	dwell annotate --stdio -i w.data walk |
		awk '$1 ~ /^[0-9.]+$/ && $2 == "|" { print $1 " %" }' |
		sort -u >wanted
	grep -x '13.62 %' wanted
	grep -x '86.38 %' wanted
	page_rows out.html | sed -n 's/^\([0-9.]* %\) .*/\1/p' | sort -u >shown
	diff wanted shown
}

@test "html: the code panel shows loops, inlined functions and the names of called functions" {
	need browser
	build
	recording w.data "ip=$walk period=100 times=3"
	need capstone
	make_pages
	browse out.html "text #code-function" "text #code-share" \
		"rows #code-lines .note" "text #code-lines" "text #code-problem" \
		>said
	cat said
	[ "$(sed -n 1p said)" = walk ]
	[ "$(sed -n 2p said)" = "$(printf '0x%x · 3 samples' "$walk")" ]
	grep -E '^ \|  \| loop of [0-9]+ instructions$' said
	grep -F 'walk.c:5inlined mix' said
	grep -E '# [0-9a-f]+ <sink>' said
	[ "$(tail -n 1 said)" = "" ]
	# The share of a loop with samples.
	loop=$(node -e '
		const { functions } = JSON.parse(require("fs").readFileSync("json"));
		console.log(functions[0].lines[functions[0].loops[0].head].address);')
	recording w.data "ip=$walk period=100" "ip=$loop period=300"
	make_pages
	browse out.html "rows #code-lines .note" |
		grep -E '^75.00 % \| 1 \| loop of'
}

@test "html: basic blocks in the code panel have the counts of dwell annotate" {
	need browser
	build
	recording w.data "ip=$walk period=1"
	need capstone
	read -r head last < <(dwell annotate --json -i w.data walk | node -e '
		const [walk] = JSON.parse(require("fs").readFileSync(0)).functions;
		console.log(walk.lines[walk.loops[0].head].address,
			walk.lines[walk.loops[0].last].address);')
	recording w.data "ip=$head period=100 \
branches=$last,$head,0x51,$last,$head,0x52,$last,$head,0x52"
	make_pages
	dwell annotate -i w.data walk |
		sed -n 's/^ *| ; \(entered\|jump taken\)/\1/p' | sort >wanted
	cat wanted
	[ "$(wc -l <wanted)" -ge 1 ]
	browse out.html "rows #code-lines .note" |
		grep -oE '(entered|jump taken) .*cycles' | sort | diff wanted -
}

@test "html: arrow keys, Home and End select instructions, and Enter follows a jump" {
	need browser
	build
	recording w.data "ip=$walk period=100"
	need capstone
	make_pages
	node -e '
		const { functions } = JSON.parse(require("fs").readFileSync("json"));
		const { lines, loops } = functions[0];
		const at = (i) => lines[i].address.slice(2);
		console.log(at(loops[0].last), at(loops[0].head));' >jump
	read -r from to <jump
	browse out.html "click #code-hottest" "text tr:focus .address" \
		"key End" "key Home" "key ArrowDown" "text tr:focus .address" >said
	printf '%x\n%x\n' "$walk" "$walk" | diff - said
	# Down to the jump back.
	downs=()
	while read -r address; do
		downs+=("key ArrowDown")
		[ "$address" != "$from" ] || break
	done < <(browse out.html "rows #code-lines tr" |
		awk -F ' [|] ' 'NR > 2 { print $3 }')
	browse out.html "click #code-hottest" "key Home" "${downs[@]}" \
		"text tr:focus .address" "text tr.to .address" "key Enter" \
		"text tr:focus .address" "text tr.from .address" \
		"attribute tabindex tr:focus" >said
	printf '%s\n' "$from" "$to" "$to" "$from" 0 | diff - said
	# The other theme changes only colours.
	browse out.html light "click #code-hottest" "key Home" "key ArrowDown" \
		"ask globalThis.had = document.activeElement" \
		"ask globalThis.heat = document.querySelector(
			'.share[style]').style.background" dark \
		"ask had === document.activeElement" \
		"ask heat === document.querySelector(
			'.share[style]').style.background" >said
	sed -n '3,$p' said | diff - <(printf '%s\n' true false)
	# By a click, too.
	browse out.html "click #code-lines tr.instruction:last-child td" \
		"click .jump" "count tr:focus" >said
	[ "$(cat said)" = 1 ]
}

@test "html: a line in the code panel states why code is missing" {
	need browser
	build
	recording w.data "ip=$walk period=100" "ip=$stroll period=50"
	need capstone
	dwell annotate --html --force --limit 1 -o one.html -i w.data
	browse one.html "click #tab-functions" "click #functions tbody tr:nth-child(2) button" \
		"text #code-problem" >said
	grep -F 'has the code of the 1 function with the most samples' said
	mv walk moved
	dwell export --format html -o out.html -i w.data
	browse out.html "text #code-problem" "count #code-lines tbody tr" \
		"attribute hidden #code-scroll" >said
	cat said
	sed -n 1p said | grep '^This code has no symbol'
	[ "$(sed -n 2p said)" = 0 ]
	[ "$(sed -n 3p said)" = "" ]
	cat >bpf.txt <<-'END'
		file
		event name=cpu-clock type=software ids=1 sample_id_all
		 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN sample_period=1000000
		record KSYMBOL addr=0xffffffffd0000000 len=0x100 ksym_type=2
		 name=outer
		record KSYMBOL addr=0xffffffffd0001000 len=0x100 ksym_type=2
		 name=leaf
		record SAMPLE misc=kernel ip=0xffffffffd0001010 pid=7 tid=7
		 time=1000 period=1000000 chain=kernel,0xffffffffd0001010,0xffffffffd0000010
	END
	"$DWELL_BUILD/tests/made/make_data" bpf.txt bpf.data
	dwell export --format html -o bpf.html -i bpf.data
	dwell annotate --json -i bpf.data >json
	browse bpf.html "text #code-problem" "click #search" "type outer" \
		"click #tab-functions" "click #functions tbody button" "text #code-problem" >said
	cat said
	grep -F "\"problem\": \"$(sed -n 1p said)\"" json
	# A caller has a reason of its own.
	[ "$(sed -n 2p said)" = "$(sed -n 1p said)" ]
}

@test "html: source lines are shown if the instructions cannot be disassembled" {
	need browser
	build
	# A processor that dwell does not support.
	printf '\x05\x01' | dd of=walk bs=1 seek=18 conv=notrunc status=none
	recording w.data "ip=$walk period=300" "ip=$((walk + 16)) period=100"
	dwell annotate --json -i w.data >json
	grep -q '"lines": \[\]' json
	grep -q '"problem"' json
	dwell annotate -i w.data | grep -E '^ +75.00   walk.c:[0-9]+  '
	run ! grep walk.c: <(dwell annotate --no-source -i w.data)
	dwell export --format html -o out.html -i w.data
	json_sources walk cycles:HG | sed 's/walk.c://' >wanted
	browse out.html "rows #source-lines .source" | awk -F ' [|] ' \
		'$2 { print $2 " | " $3 }' | sort -u >shown
	cat shown
	diff wanted shown
	browse out.html "rows #source-lines tr" "$(visible source-lines source)" \
		"$(visible code-lines source)" >said
	cat said
	sed -n 2p said | grep 'walk.c$'
	grep '^75.00 % | 1 | 10' said
	[ "$(tail -1 said)" = 0 ] && [ "$(tail -2 said | head -1)" -ge 2 ]
	browse out.html "text #code-problem" | grep -i 'disassemble'
}

@test "annotate: --html opens the page at the function that the command line names" {
	need browser
	build
	recording w.data "ip=$walk period=300" "ip=$stroll period=100"
	need capstone
	dwell annotate --html -o out.html -i w.data stroll
	browse out.html "text #code-function" "count #code-lines .instruction" \
		"click #tab-functions" "click #functions tbody tr:nth-child(1) button" \
		"text #code-function" "text #code-problem" >said
	cat said
	[ "$(sed -n 1p said)" = stroll ]
	[ "$(sed -n 2p said)" -gt 5 ]
	[ "$(sed -n 3p said)" = walk ]
	grep 'the code of the chosen functions' said
	refuses 1 dwell annotate --html -o out.html -i w.data walk
	[[ $line == *"cannot create out.html: it exists; use --force to replace it"* ]]
	dwell annotate --html --force -o out.html -i w.data walk stroll
	browse out.html "text #code-function" | grep '^walk$'
	dwell annotate --html -o - -i w.data walk | cmp - \
		<(dwell annotate --html -i w.data walk)
	refuses 1 dwell annotate -q --html -o gone.html -i w.data wal
	[[ $line == *"no sample is in a function 'wal'; did you mean 'walk'?"* ]]
	[ ! -e gone.html ]
	refuses 2 dwell annotate -o out.html -i w.data
	[[ $line == *"-o requires --html"* ]]
	refuses 2 dwell annotate --force -i w.data
	[[ $line == *"--force requires --html"* ]]
	refuses 2 dwell annotate --html -i w.data -i w.data -o two.html
	[ ! -e two.html ]
	refuses 2 dwell annotate --tui -i w.data
	[[ $line == *"--tui: standard input and output are not a terminal"* ]]
}

@test "html: HTML tags and control characters in source code are shown as text" {
	need browser
	build
	sed 's|while (n--) {|& /* <img src=x onerror=alert(1)></table><script>alert(2)</script>\x1b[31m */|' \
		walk.c >evil.c
	mv evil.c walk.c
	touch -d '1 minute' w.data
	recording w.data "ip=$walk period=100"
	need capstone
	dwell annotate --html -o out.html -i w.data walk
	[ "$(grep -c '<script' out.html)" = 2 ]
	run ! grep -qE 'alert|onerror=' out.html
	browse out.html "count img" "count script" "text #code-lines" >said
	cat said
	[ "$(head -n 2 said | xargs)" = "0 1" ]
	grep -F '<img src=x onerror=alert(1)></table><script>alert(2)</script>\x1b[31m' said
}

@test "html: in long functions, instructions without samples are hidden until a click" {
	need browser
	{
		echo 'volatile unsigned sink;'
		echo '__attribute__((noinline)) unsigned walk(unsigned n) {'
		echo 'if (sink) goto end;'
		for i in $(seq 2000); do
			echo "n = n * 5 + sink;"
		done
		echo 'end: sink = 1; return n; }'
		echo '__attribute__((noinline)) unsigned stroll(unsigned n) {'
		echo 'if (sink) goto end;'
		for i in $(seq 150); do
			echo "n = n * 5 + sink;"
		done
		echo 'end: sink = 1; return n; } int main(void) { return walk(1) + stroll(1); }'
	} >walk.c
	build
	recording w.data "ip=$walk period=100" "ip=$stroll period=50"
	need capstone
	make_pages
	# Most of walk is omitted from the page, all of stroll is in it.
	[ "$(browse out.html "count #code-lines .instruction")" = 13 ]
	browse out.html "rows #code-lines .note" |
		grep -E '… [0-9,]+ instructions without samples aren’t here$'
	browse out.html "click #search" "type stroll" \
		"click #tab-functions" "click #functions tbody button" \
		"count #code-lines .instruction" "click #code-lines .note button" \
		"count tr:focus" "count #code-lines .note" >said
	cat said
	[ "$(sed -n 1p said)" = 9 ]
	[ "$(sed -n 2,3p said | xargs)" = "1 0" ]
	# A jump to a folded instruction works, a jump to missing code does not.
	browse out.html "count .jump" "text #code-lines" "click #search" \
		"type stroll" "click #tab-functions" "click #functions tbody button" \
		"count #code-lines .note" "click .jump" \
		"text tr:focus .label" "count #code-lines .note" >said
	cat said
	[ "$(sed -n 1p said)" = 0 ]
	sed -n 2p said | grep ' L1'
	[ "$(sed -n 3,5p said | xargs)" = "1 L1 0" ]
	json_rows stroll cycles:HG >wanted
	page_rows out.html "click #search" "type stroll" \
		"click #tab-functions" "click #functions tbody button" "click #code-lines .note button" \
		>shown
	diff wanted shown
}

# find_inlined [FUNCTION]: sets $inlined to the first address of FUNCTION (default: walk)
# in an inlined function.
find_inlined() {
	dwell annotate --json -i w.data "${1:-walk}" >json
	inlined=$(node -e '
		const { functions } = JSON.parse(require("fs").readFileSync("json"));
		console.log(functions[0].lines.find(({ inlined }) => inlined)
			.address);')
}

@test "html: the code panel of an inlined function lists the functions that contain its instructions" {
	need browser
	build
	recording w.data "ip=$walk period=100"
	need capstone
	find_inlined
	with_chains=yes
	recording w.data "ip=$inlined period=100 chain=user,$inlined,$walk"
	dwell export --format html -o out.html -i w.data
	browse out.html "click #search" "type mix" \
		"click #tab-functions" "click #functions tbody button" "text #code-function" \
		"text #code-problem" "click #code-hosts button" \
		"text #code-function" "text #code-problem" >said
	cat said
	prints inlined-function <said
}

@test "html: a source line that is inlined into two functions is one row with the sum" {
	need browser
	need capstone
	local first
	sed -i 's/return walk(n) + walk(n + 1);/return walk(n) + mix(sink);/' walk.c
	build
	recording w.data "ip=$walk period=100"
	find_inlined
	first=$inlined
	recording w.data "ip=$stroll period=100"
	find_inlined stroll
	with_chains=yes
	recording w.data "ip=$first period=300 chain=user,$first" \
		"ip=$inlined period=100 chain=user,$inlined"
	dwell export --format html -o out.html -i w.data
	browse out.html "click #search" "type mix" "click #tab-functions" \
		"click #functions tbody button" "choose source #listing" \
		"count #code-hosts button" "rows #source-lines .source" >said
	diff - said <<-'END'
		2
		100.00 % | 100.00 % | 2 | 5return x * 1103515245u + 12345u;
	END
}

# report_rows, table_rows: print total, self, samples and name of each function.
report_rows() {
	dwell report "$@" --json --no-branch-stack --inline-self -s sym -i w.data | node -e '
		const { events } = JSON.parse(require("fs").readFileSync(0));
		for (const row of events[0].rows)
			console.log([`${row.children.toFixed(2)} %`,
				`${row.self.toFixed(2)} %`, row.samples,
				row.sym.replace(/^\[.\] /, "")].join(" | "));' | sort
}
table_rows() {
	browse "$@" "rows #functions tbody tr" | sed 's/ | [^|]*$//' | sort
}

@test "html: samples in inlined functions count for these functions, as with report --inline-self" {
	need browser
	build
	recording w.data "ip=$walk period=100"
	need capstone
	find_inlined
	with_chains=yes
	recording w.data "ip=$inlined period=300 chain=user,$inlined,$((stroll + 5))" \
		"ip=$walk period=100 chain=user,$walk,$((stroll + 5))"
	report_rows >wanted
	cat wanted
	grep -x '75.00 % | 75.00 % | 1 | mix (inlined)' wanted
	grep -x '100.00 % | 25.00 % | 1 | walk' wanted
	dwell export --format html -o out.html -i w.data
	table_rows out.html >shown
	diff wanted shown
	# A frame's width is its total.
	browse out.html "click #flame" "key Escape" "key Home" "key ArrowUp" \
		"key ArrowUp" "key ArrowUp" "text #status" "key ArrowUp" \
		"text #status" >said
	diff - said <<-'END'
		walk, walk, 100.00 % (400, 2 samples), self 25.00 %, thread walk (7), walk.c:10
		mix (inlined), walk, 75.00 % (300, 1 sample), self 75.00 %, thread walk (7), walk.c:3
	END
	dwell export --format html --no-inline --force -o out.html -i w.data
	report_rows --no-inline >wanted
	table_rows out.html | diff wanted -
}

@test "html: choosing a thread or a time range changes the numbers in the code panel" {
	need browser
	build
	recording w.data "ip=$walk period=100 time=1000000000" \
		"ip=$((walk + 16)) period=100 time=2000000000" \
		"ip=$((walk + 16)) period=100 tid=8 time=2000000000" \
		"ip=$stroll period=100 tid=8 time=3000000000"
	need capstone
	make_pages
	browse "out.html" "choose 0.5 #from" "text #code-share" \
		"text #summary" >said
	cat said
	sed -n 1p said | grep ' 2 samples$'
	sed -n 2p said | grep '^3 samples'
	dwell annotate --json --time 1.5,4 -i w.data >json
	json_rows walk cycles:HG >wanted
	page_rows out.html "choose 0.5 #from" >shown
	diff wanted shown
	json_sources walk cycles:HG >wanted
	page_sources out.html "choose 0.5 #from" >shown
	diff wanted shown
	dwell annotate --json --tid 7 -i w.data >json
	json_rows walk cycles:HG >wanted
	page_rows "out.html#thread=7.7" >shown
	diff wanted shown
	[ "$(browse "out.html#thread=7.7" "attribute hidden #code-part")" = "" ]
}

@test "html: without instructions, source lines keep the numbers of the whole recording, and a note states it" {
	need browser
	build
	# Source lines alone have no numbers per thread.
	printf '\x05\x01' | dd of=walk bs=1 seek=18 conv=notrunc status=none
	recording w.data "ip=$walk period=100 times=3"
	dwell export --format html -o out.html -i w.data
	browse "out.html" "attribute hidden #code-part" >said
	browse "out.html#thread=7.7" "attribute hidden #code-part" \
		"text #code-part" >>said
	cat said
	[ "$(sed -n 1p said)" = "" ]
	[ "$(sed -n 2p said)" = null ]
	grep 'of the whole recording' said
}

@test "html: the code panel shows instructions, source lines, or both side by side" {
	need browser
	build
	recording w.data "ip=$walk period=300" "ip=$((walk + 16)) period=400" \
		"ip=$stroll period=100"
	need capstone
	dwell annotate --html -o out.html -i w.data
	# Numbers of visible rows: instructions, source lines between them, lines.
	browse out.html "text #code-function" "$(visible code-lines instruction)" \
		"$(visible code-lines source)" "$(visible source-lines source)" >mixed
	cat mixed
	read -rd '' name instructions fragments lines <mixed || :
	[ "$name" = walk ]
	[ "$instructions" -gt 8 ] && [ "$fragments" -gt 4 ] && [ "$lines" = 0 ]
	for listing in source both; do
		browse "out.html#listing=$listing" \
			"$(visible code-lines instruction)" \
			"$(visible code-lines source)" \
			"$(visible source-lines source)" "value #listing"
	done >said
	n=$(grep -c . walk.c)
	cat said
	[ "$(sed -n '1,2p' said | paste -sd ' ')" = "0 0" ]
	[ "$(sed -n 3p said)" -ge 5 ] && [ "$(sed -n 3p said)" -le "$n" ]
	[ "$(sed -n '4,6p' said | paste -sd ' ')" = "source $instructions 0" ]
	[ "$(sed -n 7p said)" = "$(sed -n 3p said)" ]
	[ "$(sed -n 8p said)" = both ]
	# The source lines have the sums of dwell annotate, and are in order.
	browse "out.html#listing=source" "rows #source-lines .source" |
		awk -F ' [|] ' '{ print $3 + 0, $2 + 0 }' >shown
	sort -nc shown
	dwell annotate --json -i w.data walk | node -e '
		const { functions } = JSON.parse(require("fs").readFileSync(0));
		for (const { line, samples } of functions[0].sources)
			console.log(line, samples);' | sort -n | awk '$2' >wanted
	awk '$2' shown | diff wanted -
}

@test "html: with code side by side, no option label is cut off, and source lines show at least 24 letters" {
	need browser capstone
	build
	find_calls
	with_chains=yes
	recording w.data "ip=$walk period=100 times=3 chain=user,$walk,$first_return" \
		"ip=$second_return period=100 chain=user,$second_return"
	dwell annotate --html -o out.html -i w.data
	# The text of a line begins behind its number.
	for size in "1280 720" "1000 700"; do
		browse "out.html#listing=both" "size $size" \
			"ask Array.from(document.querySelectorAll('#options label')).filter((label) =>
			label.scrollWidth > label.clientWidth + 1 && label.clientWidth).length" \
			"ask Math.min(...Array.from(document.querySelectorAll('#options select'))
			.map(({ offsetWidth }) => offsetWidth).filter(Boolean)) > 60" \
			"ask document.getElementById('source-scroll').getBoundingClientRect().left +
			document.getElementById('source-scroll').clientWidth -
			document.querySelector('#source-lines .source td:last-child > :last-child')
			.getBoundingClientRect().left > 24 * 7.3"
	done >said
	prints side-by-side <said
}

@test "html: selecting an instruction marks its source line, and selecting a source line its instructions" {
	need browser
	build
	recording w.data "ip=$walk period=300" "ip=$((walk + 16)) period=400"
	need capstone
	dwell annotate --html -o out.html -i w.data
	marked="ask Array.from(document.querySelectorAll('#source-lines .of-line'),
		(row) => row.textContent.trim()).join() + ': ' + Array.from(
		document.querySelectorAll('#code-lines .of-line .address'),
		(cell) => Number('0x' + cell.textContent) - $walk).join()"
	at="ask document.activeElement.querySelector('.address')?.textContent"
	# From the instruction at +16 to its line, and from the line of +0 to +0.
	browse "out.html#listing=both" "click #code-hottest" "$marked" \
		"ask (document.querySelector('#source-lines [tabindex=\"0\"]').focus(), 1)" \
		"key Home" "key ArrowDown" "$marked" "key Enter" "$at" >said
	cat said
	sed -n 1p said | grep -E '^[0-9. %]*.*: .*\b16\b'
	[ "$(sed -n 1p said | cut -d: -f1)" != "$(sed -n 3p said | cut -d: -f1)" ]
	first=$(sed -n 3p said | sed 's/.*: //; s/,.*//')
	[ "$(sed -n 4p said)" = "$(printf %x $((walk + first)))" ]
}
