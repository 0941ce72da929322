#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The views of a page of dwell export --format html: call tree, inverted tree, stack
# chart, the menu of transforms, and the zoom of the timeline.

load page.bash

# lines: a command of the browser that prints the visible lines of the call tree.
lines="ask Array.from(tree.children, (line) => line.getAttribute('aria-level') +
	' ' + Array.from(line.children, ({ textContent }) =>
		textContent.trim()).filter(Boolean).join(' ')).join('\n')"

@test "html: the call tree expands from the outermost callers, by keys and by clicks" {
	need browser
	dwell export --format html -o out.html made.data
	browse "out.html#tab=tree" "$lines" >said
	prints call-tree <said
	# End, unfold, to the first child, fold the parent, unfold everything.
	browse "out.html#tab=tree" "click #tree" "key End" "key ArrowRight" \
		"key ArrowRight" "$lines" "key ArrowLeft" "key ArrowLeft" "key Home" \
		"key ArrowLeft" "$lines" "key *" "count #tree > *" \
		"text #tree [aria-selected=true]" "text #chosen" >said
	prints call-tree-by-keys <said
	browse "out.html#tab=tree" "click #line-0 .sign" "count #tree > *" >said
	[ "$(cat said)" = 1 ]
}

@test "html: the inverted tree expands from functions with self time to their callers" {
	need browser
	dwell export --format html -o out.html made.data
	browse "out.html#tab=inverted" "$lines" >said
	prints inverted-tree <said
}

# Prints the rows of the flame graph: names and shares.
graph="ask (() => {
	const { graph: { depth, fn, total, n } } = page, rows = [];
	for (let i = 0; i < n; i++)
		if (total[i])
			(rows[depth[i]] ??= []).push(page.data.functions[fn[i]].name + ' ' +
			Math.round(1e4 * total[i] / total[0]) / 100);
	return rows.map((row) => row.sort().join(', ')).join('\n');
})()"

@test "html: the inverted flame graph has the numbers of the inverted tree" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "click #inverted" "state" "$graph" "click #tab-flame" \
		"ask { flame.focus(); }" "key Home" "key ArrowUp" "text #status" \
		"key ArrowUp" "key Enter" "state" "text #path" "click #inverted" \
		"state" "$graph" >said
	prints inverted-flame-graph <said
	# Transforms and time off the CPU; a state is part of the function above it.
	browse "out.html#inverted=1&transforms=R" "$graph" | sed -n 2p | grep -x \
		'leaf_a 50, leaf_b 12.5, work 37.5'
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	dwell export --format html --off-cpu --force -o out.html off.data
	browse "out.html#inverted=1" "$graph" >said
	cat said
	browse "out.html#tab=inverted" "count #tree [aria-level='1']" >lines
	[ "$(sed -n 2p said | tr , '\n' | wc -l)" = "$(cat lines)" ]
}

@test "html: selecting a thread resets the zoom of an inverted flame graph, and keeps that of another" {
	need browser
	dwell export --format html -o out.html made.data
	for link in "zoom=2&inverted=1" zoom=2; do
		browse "out.html#$link" "text #path" "ask { page.state.set({ thread: '7.7' }); }" \
			state "text #path"
	done | sed '/^undefined$/d' >said
	prints zoom-after-selection <said
}

@test "diff --html: the inverted flame graph shows the change of each function" {
	need browser
	make_data other.data entry work leaf_a leaf_b
	dwell diff --html --output out.html made.data other.data
	browse "out.html#inverted=1" "$graph" "ask page.numbersOf(page.graph, 1)[0]" \
		>said
	cat said
	sed -n 2p said | grep -x 'leaf_a 50, leaf_b 12.5, work 37.5'
	tail -1 said | grep '8.00 ms'
}

@test "html: the stack chart shows samples at their times, with gaps between them" {
	need browser
	dwell export --format html -o out.html made.data
	# Thread 7 has samples from 0 s to 1.75 s and from 3.5 s to 3.6 s. A sample
	# lasts until the next one, at most as long as is usual.
	browse "out.html#tab=chart&thread=7.7" "ask {
		const { boxes, tree, width, axis, functions } = page.chart;
		Array.from({ length: boxes.starts.at(-1) - boxes.starts.at(-2) },
			(_, i) => boxes.starts.at(-2) + i).map((i) =>
			[functions[tree.fn[boxes.node[i]]].name,
				axis.sliceAt(boxes.x[i] / width) / 1e6,
				axis.sliceAt((boxes.x[i] + boxes.width[i]) / width) / 1e6]
				.map((at) => at.toFixed?.(2) ?? at).join(' ')).join(', ');
	}" "ask {
		const { boxes, tree, width, axis, functions } = page.chart;
		const row = boxes.starts.slice(1, 3);
		Array.from({ length: row[1] - row[0] }, (_, i) => axis.sliceAt(
			boxes.x[row[0] + i] / width) / 1e6).map((at) => at.toFixed(2)).join();
	}" >said
	diff - said <<-'END'
		leaf_a 0.00 2.00
		0.00,3.50
	END
	# Enter selects the time of a frame.
	browse "out.html#tab=chart&thread=7.7" "click #chart" "key Home" \
		"key ArrowRight" "text #status" "key Enter" "text #summary" >said
	cat said
	sed -n 1p said | grep '^all, 100.00 % (10.0 ms, 10 samples), thread made (7), 3.50'
	sed -n 2p said | grep '^2 samples · .* from 3.5[0-9]* s to 3.[0-9]* s · thread 7$'
}

@test "html: the key z zooms the timeline into the selected range, down to one sample" {
	need browser
	dwell export --format html -o out.html made.data
	browse "out.html#from=3500000&to=3600001" "key z" state "text #summary" \
		"drag 0.9 1 #overview" "text #summary" "click #zoom-out" state >said
	cat said
	sed -n 1p said | grep -x '#from=3500000&to=3600001&view=3500000-3600001'
	sed -n 2p said | grep '^3 samples'
	# The range begins behind the samples at 3.5 s.
	sed -n 3p said | grep '^1 sample · .* from 3.59[0-9]* s to 3.600001 s$'
	sed -n 4p said | grep -xE '#from=3590[0-9]*&to=3600001'
}

@test "html: transforms by menu, by key and from the address are applied, and can be undone" {
	need browser
	dwell export --format html -o out.html made.data
	rows='rows #functions tbody tr'
	# By the menu of a row: leaf_a is merged into work.
	browse "out.html#tab=functions" "menu 0.5 5 #functions tbody tr:nth-child(4)" \
		"rows #menu button" "click #menu button:nth-child(2)" "$rows" state \
		"rows #transforms li" >said
	cat said
	grep -Fx 'Merge function leaf_a | m' said
	grep -F '100.00 % | 87.50 % | 14 | work | k[work]' said
	grep -xE '#transforms=m[0-9]+&tab=functions' said
	tail -n 1 said | grep -Fx 'merge leaf_a | ✕'
	run ! grep -F '| leaf_a |' said
	# By a key in the graph: only stacks with the frame, from it on.
	browse "out.html" "click #flame" "key Escape" "key Home" "key ArrowUp" \
		"key ArrowUp" "key ArrowUp" "key ArrowUp" "text #status" "key f" \
		"text #transforms" "text #summary" "key Home" "key ArrowUp" \
		"key ArrowUp" "text #status" back "count #transforms li" >said
	cat said
	sed -n 1p said | grep '^work, '
	sed -n 2p said | grep -x 'focus work✕'
	sed -n 4p said | grep '^work, .*100.00 %'
	sed -n 5p said | grep -x 0
	# Several: a click on the first removes the second, "All stacks" both.
	browse "out.html#tab=tree" "click #glue" "key h" \
		"click #line-0" "key d" "text #transforms" >said
	cat said
	state=$(browse "out.html" "ask {
		const fn = (name) => page.data.functions.findIndex((at) =>
			at.name === name);
		'transforms=d' + fn('leaf_a') + '~m' + fn('work');
	}")
	browse "out.html#$state" "text #summary" "text #transforms" \
		"click #transforms li:first-child button" "text #transforms" \
		"click #no-transforms" "count #transforms li" "text #summary" >said
	prints transforms-undone <said
}

@test "html: arrow keys on a divider resize the parts of the page" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "ask { byId('side-size').focus(); globalThis.had = stacks.offsetWidth; }" \
		"key ArrowLeft" "ask had - stacks.offsetWidth" "key Home" \
		"ask had - stacks.offsetWidth" \
		"ask { byId('time-size').focus(); globalThis.had = time.offsetHeight; }" \
		"key ArrowDown" "ask time.offsetHeight - had" >said
	[ "$(sed '1d;4d' said | paste -sd ' ')" = "24 0 24" ]
}

@test "html: a search finds files, Enter goes to the next match, and without a match no frame is dimmed" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "click #search" "type leaf" "key Enter" "text #status" \
		"key Enter" "text #status" >said
	cat said
	sed -n 1p said | grep '^leaf_[ab], '
	sed -n 2p said | grep '^leaf_[ab], '
	[ "$(sed -n 1p said)" != "$(sed -n 2p said)" ]
	# The frame of a thread, before and after its selection.
	browse "out.html#group=thread&thread=7.7&search=/^other$/" "click #search" \
		"key Enter" "text #found" "ask { page.state.set({ thread: '' }); }" "text #found" |
		sed '/^undefined$/d' | diff - <(printf '%s\n' "no match" \
		"37.50 % in 1 function")
	browse "out.html#search=nothing" "text #found" "ask page.matches" \
		"count #functions tbody tr" >said
	diff - said <<-'END'
		no match
		null
		5
	END
}

# report_table OPTION...: prints the rows of dwell report with these options:
# total and self in percent, samples, function and DSO.
report_table() {
	dwell report --json --children -s dso,sym -g none --inline-self \
		"$@" 2>/dev/null | node -e '
		const { events } = JSON.parse(require("fs").readFileSync(0));
		// The percentages of JSON are rounded already.
		const share = (n) => (100 * n / events[0].period || 0).toFixed(4);
		for (const row of events[0]?.rows ?? [])
			console.log([share(row.children_period),
				share(row.self_period), row.samples,
				row.sym.replace(/^\[.\] /, ""), row.dso].join(" | "));' |
		sort
}

page_rows="page.table.rows.map((row) => [
	(100 * row.total / page.table.whole || 0).toFixed(4),
	(100 * row.self / page.table.whole || 0).toFixed(4), row.samples, fullName(row),
	row.dso].join(' | ')).join('\n')"

# page_table PAGE TRANSFORM ARGUMENT [STATE]: prints the same from the page with STATE,
# after the transform of a function or DSO.
page_table() {
	browse "$1#tab=functions${4:-}" "ask {
		const { functions, libraries } = page.data;
		const argument = '$2' === 'g' ? undefined : '$2' === 'c'
			? Array.from(libraries).find(([dso]) => dso === '$3')[1]
			: functions.findIndex((at) => !at.isLibrary && at.name === '$3');
		page.state.set({ transforms: writeTransforms(
			[{ kind: '$2', argument }]) });
	}" "ask $page_rows" | sed '1d; /^$/d' | sort
}

# compare_transforms FILE FUNCTION DSO [STATE OPTION...]: compares the page with STATE
# and the report with OPTIONs for each transform.
compare_transforms() {
	local file=$1 fn=$2 dso=$3 state=${4:-} kind option argument
	local options=("${@:5}")

	dwell export --format html --force -o out.html -i "$file" 2>/dev/null
	while read -r kind option argument; do
		report_table -i "$file" "${options[@]}" $option \
			${argument:+"$argument"} >wanted
		page_table out.html "$kind" "$argument" "$state" >shown
		echo "$file: $option $argument"
		if [ ! -s wanted ]; then
			[ "$option" = --drop ] && [ ! -s shown ] || return 1
		else
			same_own wanted shown || return 1
		fi
	done <<-END
		f --focus $fn
		m --merge-fn $fn
		c --collapse-dso $dso
		r --collapse-recursion $fn
		d --drop $fn
		g --hide-glue
	END
}

@test "html: after transforms, rows of kernel modules are those of dwell report" {
	need browser
	compare_transforms made.data work '[work]'
}

@test "html: after transforms, rows of a time range and a thread are those of dwell report" {
	need browser
	dwell export --format html -o out.html made.data
	time=$(browse "out.html#from=0&to=1500000" "text #clock")
	[[ $time == "--time "* ]]
	compare_transforms made.data work '[work]' \
		'&from=0&to=1500000&thread=7.7' $time --tid 7 \
		--percentage relative
	compare_transforms made.data entry '[entry]' '&thread=7.8' --tid 8 \
		--percentage relative
}

@test "html: after transforms, rows of a program and its library are those of dwell report" {
	need browser
	cp "$DWELL_SOURCE/tests/recorded/frame_pointers.data" .
	compare_transforms frame_pointers.data leaf libc.so.6
}

@test "live: html: after transforms, rows of C++ with inlined functions are those of dwell report" {
	need browser
	need g++
	cat >sorting.cpp <<-'END'
		#include <algorithm>
		#include <ctime>
		#include <vector>
		static volatile unsigned sink;
		static unsigned weigh(unsigned key)
		{
			for (int i = 0; i < 10; i++)
				key = key * 1103515245u + 12345u;
			return key;
		}
		int main()
		{
			while (clock() < CLOCKS_PER_SEC / 2) {
				std::vector<unsigned> items;
				for (unsigned i = 0; i < 4000; i++)
					items.push_back(i * 2654435761u);
				std::sort(items.begin(), items.end(),
					[](unsigned a, unsigned b) {
						return weigh(a) < weigh(b);
					});
				sink = items[7];
			}
			return 0;
		}
	END
	g++ -O2 -g -fno-optimize-sibling-calls sorting.cpp -o sorting
	dwell record -q -e cpu-clock:u -F 2000 --call-graph dwarf -o live.data \
		-- ./sorting
	compare_transforms live.data weigh libc.so.6
}

# compare_orders FILE OPTIONS STATE: compares the rows of dwell report with OPTIONS,
# and of the page with the transforms that the expression STATE returns.
compare_orders() {
	# shellcheck disable=SC2086
	report_table -i "$1" $2 >wanted
	browse "out.html#tab=functions" "ask {
		const fn = (name) => page.data.functions.findIndex((at) =>
			!at.isLibrary && at.name === name);
		page.state.set({ transforms: $3 });
	}" "ask $page_rows" | sed '1d; /^$/d' | sort >shown
	diff wanted shown
}

@test "html: transforms are applied in their order, and the innermost frame remains" {
	need browser
	dwell export --format html -o out.html made.data
	compare_orders made.data '--focus work --merge-fn work' \
		"'f' + fn('work') + '~m' + fn('work')"
	compare_orders made.data '--merge-fn work --focus leaf_a' \
		"'m' + fn('work') + '~f' + fn('leaf_a')"
	compare_orders made.data '--focus leaf_b --merge-fn leaf_b' \
		"'f' + fn('leaf_b') + '~m' + fn('leaf_b')"
	[ "$(cat shown)" = "100.0000 | 100.0000 | 2 | leaf_b | [leaf_b]" ]
	compare_orders made.data "--collapse-dso [work] --drop leaf_b" \
		"'c' + page.data.libraries.get('[work]') + '~d' + fn('leaf_b')"
}

@test "html: the key F focuses on the selected call path, also with merged recursion" {
	need browser
	dwell export --format html -o out.html made.data
	# The path made, 0x100, entry, work, work; then the same with merged recursion.
	for merge in '' 1; do
		browse "out.html#tab=tree&merge=$merge" "click #tree" "key Home" \
			"key ArrowDown" "key ArrowDown" "key ArrowDown" \
			"text #tree [aria-selected=true]" "key F" "text #transforms" \
			"text #summary" "$lines"
	done >said
	prints focused-call-path <said
}

@test "html: transforms of a page with time off the CPU keep the states" {
	need browser
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	dwell export --format html --wall -o off.html off.data 2>/dev/null
	browse "off.html#tab=tree" "ask {
		const fn = page.data.functions.findIndex(({ name }) =>
			name === '0x0000000000003000');
		page.state.set({ transforms: 'm' + fn });
		page.callTree.unfoldAll(0);
	}" "ask { page.callTree.unfoldAll(0); }" "$lines" >said
	cat said
	grep '57.78 % 57.78 % \[blocked\]\|57.78 % \[blocked\]' said
	browse "off.html#tab=chart" "ask page.chart.boxes.n > 2" | grep -x true
}

@test "html: an invalid address is ignored, and a zoom before a transform does not stop the page" {
	need browser
	dwell export --format html -o out.html made.data
	for state in transforms=c transforms=s transforms=c1e-1 transforms=f9999 \
		transforms=c2 'view=9-1' 'view=0-99999999999' 'tab=none' 'group=x'; do
		browse "out.html#$state" "text #summary"
	done >said
	[ "$(sort -u said)" = "16 samples · 16.0 ms of cpu-clock:HG" ]
	browse out.html "click #flame" "key Escape" "key Home" "key ArrowUp" \
		"key ArrowUp" "key ArrowUp" "key ArrowUp" "key ArrowUp" "key Enter" \
		"click #tab-tree" "click #tree" "key Home" "key ArrowDown" "key f" \
		"count #transforms li" >said
	[ "$(cat said)" = 1 ]
	# Arrow keys skip the chart of a page without times.
	printf '%s\n' file 'event name=cycles type=hardware ids=1 sample_type=IP|TID' \
		'record SAMPLE ip=0x10 pid=7 tid=7' |
		"$DWELL_BUILD/tests/made/make_data" - timeless.data
	dwell export --format html -o timeless.html timeless.data
	browse "timeless.html#tab=functions" "ask byId('tab-functions').focus()" \
		"key ArrowRight" "ask document.activeElement.id" >said
	tail -n 1 said | grep -x tab-flame
}

@test "diff --html: transforms are applied to both recordings, with and without --group-by" {
	need browser
	cp made.data other.data
	for options in '' '--group-by process'; do
		# shellcheck disable=SC2086
		dwell diff --html $options --output diff.html --force made.data other.data
		browse "diff.html#group=thread" "ask {
			const fn = page.data.functions.findIndex(({ name }) => name === 'work');
			page.state.set({ transforms: 'm' + fn });
		}" "text #summary" "ask page.table.rows.map(({ name }) => name).sort().join()"
	done | sed 1d >said
	cat said
	[ "$(grep -c 'entry,leaf_a,leaf_b' said)" = 2 ]
	run ! grep work said
}

@test "html: stacks of thousands of frames are shown in the call tree and the stack chart" {
	need browser
	{
		printf '%s\n' file 'event name=cpu-clock type=software ids=1
 sample_type=IP|TID|TIME|CALLCHAIN sample_period=1'
		for i in 1 2 3; do
			echo "record SAMPLE ip=0x11 pid=7 tid=7 time=${i}000000" \
				"chain=user,0x11$(printf ',%#x' {4096..12000})"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - deep.data
	dwell export --format html -o deep.html deep.data
	browse "deep.html#tab=tree&trunk=open" "ask page.callTree.lines.length" \
		"click #tab-inverted" "ask page.callTree.lines.length" \
		"click #tab-chart" "ask page.chart.boxes.rows" >said
	diff - said <<-'END'
		7907
		7907
		7908
	END
}

@test "html: a call tree with more lines than its limit shows a note" {
	need browser
	{
		printf '%s\n' file 'event name=cpu-clock type=software ids=1
 sample_type=IP|TID|TIME|CALLCHAIN sample_period=1'
		for i in 1 2; do
			seq -f "record SAMPLE ip=0x%.0f pid=7 tid=7 time=$i" \
				$((i * 20000)) $((i * 20000 + 10999)) | sed \
				's/ip=0x\([0-9]*\)/& chain=user,0x\1,0x1'$i/
		done
	} | "$DWELL_BUILD/tests/made/make_data" - wide.data
	dwell export --format html -o wide.html wide.data
	browse "wide.html#tab=tree" "ask page.callTree.lines.length" \
		"attribute hidden #tree-note" "click #tree" "key Home" "key *" \
		"ask page.callTree.lines.length" "text #tree-note" >said
	cat said
	[ "$(sed -n 2p said)" = "" ]
	[ "$(sed -n 3p said)" = 20000 ]
	sed -n 4p said | grep -Fx 'The list ends after 20,000 lines. Fold lines, or focus on a function, to see the others.'
}

@test "html: for samples in code without names, a note names the runtime and its option" {
	need browser
	for program in node app; do
		{
			printf '%s\n' file 'event name=cpu-clock type=software ids=1
 sample_type=IP|TID|TIME|CALLCHAIN sample_period=1000000' \
				"record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000
 filename=/usr/bin/$program prot=5"
			echo "record SAMPLE ip=0x7f0010 pid=7 tid=7 time=1000 times=3" \
				"chain=user,0x7f0010,0x400100"
			echo "record SAMPLE ip=0x400200 pid=7 tid=7 time=2000" \
				"chain=user,0x400200,0x400100"
		} | "$DWELL_BUILD/tests/made/make_data" - $program.data
		dwell export --format html -o $program.html $program.data
		browse $program.html "text #unnamed"
	done >said
	diff - said <<-'END'
		75.00 % of the samples are in code without names. Node.js made it: to record names, use dwell record -g.
		75.00 % of the samples are in code without names, which no file contains. If a runtime made it, look for its option that writes a perf map or a jitdump.
	END
	dwell export --format html -o out.html made.data --force
	[ "$(browse out.html "attribute hidden #unnamed")" = "" ]
}

@test "html: JIT code has a label and a colour of its own" {
	need browser
	cp "$DWELL_SOURCE/tests/recorded/jitdump.data" .
	dwell export --format html -o out.html jitdump.data
	browse "out.html#tab=functions" "ask Array.from(
		document.querySelectorAll('#functions .level'),
		({ textContent }) => textContent).includes('JIT')" "ask {
		const { functions, shades } = page.data;
		const jit = functions.find((at) => isJit(at));
		[jit.dso.slice(0, 5), shades.length - jit.dsoColour,
			functions.filter(({ dsoColour }) => dsoColour === jit.dsoColour)
				.every((at) => isJit(at))].join(' ');
	}" >said
	diff - said <<-'END'
		true
		[JIT] 3 true
	END
}
