#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Usability of a page of dwell export --format html: large graphs, keys, screen
# readers, and contrast.

load page.bash

@test "html: of many callers of a function, the first ones are listed, and the others are one row" {
	need browser
	{
		printf '%s\n' file 'event name=cpu-clock type=software ids=1
 sample_type=IP|TID|CALLCHAIN sample_period=1'
		for i in {1..40}; do
			echo "record SAMPLE ip=0x10 pid=7 tid=7 times=$((100 - i))" \
				"chain=user,0x10,$((1000 + i))"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - many.data
	dwell export --format html -o out.html many.data
	# The last 15 of them have 100 - 26 samples and less: 1005 of 3180.
	browse out.html "count #callers-rows tr" "cells #callers-rows tr:last-child" \
		"click #callers-rows tr:last-child button" "count #callers-rows tr" \
		"cells #callers-rows tr:last-child" >said
	prints many-callers <said
}

@test "html: after quick typing, the address contains all of the search text" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "click #search" "type w" "type o" "type r" "ask {
		new Promise((done) => {
			const look = () => location.hash === '#search=wor'
				? done('it has') : setTimeout(look, 20);
			look();
		});
	}" "text #found" >said
	diff - said <<-'END'
		it has
		100.00 % in 1 function
	END
}

@test "html: a flame graph higher than its panel is drawn where it is scrolled to" {
	need browser
	{
		printf '%s\n' file 'event name=cpu-clock type=software ids=1
 sample_type=IP|TID|CALLCHAIN sample_period=1'
		for i in 1 2; do
			echo "record SAMPLE ip=0x$i$i pid=7 tid=7 chain=user,0x$i$i$(
				printf ',%#x' {5000..5120})"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - high.data
	dwell export --format html -o out.html high.data
	# 124 rows of 19 pixels, of which the canvas has the visible ones: first
	# the root; at the other end the leaves, side by side.
	place=.parentNode.parentNode
	for shape in flame icicle; do
		high=$(browse "out.html#trunk=open&shape=$shape" "ask flame.clientHeight")
		y=$([ $shape = flame ] && echo $((high - 10)) || echo 10)
		browse "out.html#trunk=open&shape=$shape" \
			"ask document.querySelector('.sheet').clientHeight / 19" \
			"ask flame.clientHeight === flame$place.clientHeight" \
			"ask flame$place.scrollTop > 1000" \
			"click #flame" "key Escape" "key Home" \
			"ask flame$place.scrollTop = flame$place.scrollTop > 1000 ? 0 : 9999" \
			"at 0.9 $y #flame" "text #status" "key Home" \
			"ask flame$place.scrollTop > 1000" \
			"size 700 500" "ask flame$place.scrollTop > 1000" >said
		cat said
		from=$([ $shape = flame ] && echo true || echo false)
		diff - <(sed 4d said) <<-END
			124
			true
			$from
			0x0000000000000022, [unknown], 50.00 % (1 ns, 1 sample), self 50.00 %, thread :7 (7)
			$from
			$from
		END
	done
}

@test "html: the page opens with the outermost frames of its flame graph visible" {
	need browser
	{
		printf '%s\n' file 'event name=cpu-clock type=software ids=1
 sample_type=IP|TID|TIME|CALLCHAIN sample_period=1'
		for i in {1..20}; do
			echo "record SAMPLE ip=0x11 pid=7 tid=$i time=${i}000000" \
				"chain=user,0x11$(printf ',%#x' {5000..5120})"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - high.data
	dwell export --format html -o out.html high.data
	root="ask {
		const { top, bottom } = flame.getBoundingClientRect();
		const { scrollTop, scrollHeight, clientHeight } =
			flame.parentNode.parentNode;
		[top > 0 && bottom <= innerHeight && bottom - top > 150,
			scrollTop + clientHeight === scrollHeight].join(' ');
	}"
	# The page does not scroll, except in a small window.
	for size in '1440 900' '1920 1080' '390 844'; do
		browse "out.html#trunk=open" "size $size" "$root" "ask scrollY" \
			"ask document.documentElement.scrollHeight > innerHeight"
	done >said
	cat said
	prints opening-position <said
	browse "out.html#trunk=open&shape=icicle" "ask {
		const { top, bottom } = flame.getBoundingClientRect();
		top > 0 && bottom <= innerHeight &&
			!flame.parentNode.parentNode.scrollTop;
	}" | grep -x true
}

@test "html: the status line and tooltips count the waits of a function as its self time" {
	need browser
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	dwell export --format html --wall -o out.html off.data
	self=$(report_rows --wall off.data | awk '/3000$/ { print $3 }')
	[ "$self" = 75.56 ]
	browse out.html "click #flame" "key Escape" "key Home" "key ArrowUp" \
		"key ArrowUp" "key ArrowUp" "text #status" "key ArrowUp" \
		"text #status" >said
	diff - said <<-END
		0x0000000000003000, [unknown], 75.56 % (1.70 µs, 3 samples), self $self %, thread made (7)
		[blocked] in 0x0000000000003000, 57.78 % (1.30 µs, 2 samples), thread made (7)
	END
	# The colour of a frame is its heat; a wait has the colour of its state.
	browse "out.html#colour=heat" "ask {
		const { data } = flame.getContext('2d').getImageData(
			flame.width / 4 | 0, 0, 1, flame.height);
		const at = (row) => '#' + Array.from(data.slice((flame.height -
			17 - 19 * row) * 4, (flame.height - 17 - 19 * row) * 4 + 3),
			(part) => part.toString(16).padStart(2, '0')).join('');
		[at(3) === palettes.light.heat[5], at(4) === themeColour('blocked')]
			.join();
	}" >said
	[ "$(cat said)" = true,true ]
}

@test "html: a tooltip of a frame has its samples and threads, in each kind of tree" {
	need browser
	dwell export --format html -o out.html made.data
	ask="ask (({ tree, functions }) => page.describe(tree,
		tree.fn.findIndex((fn) => functions[fn].name === 'entry'))
		.join())(page.flame)"
	browse "out.html#group=none" "$ask" >said
	browse "out.html#group=none&merge=1" "$ask" >>said
	browse "out.html#group=none&from=1750000&to=3600000" "$ask" >>said
	browse "out.html#group=none&thread=7.8" "$ask" >>said
	# In a tree of callers, the frames have no sums of samples.
	browse "out.html#group=none" "ask (({ tree }) => page.describe(tree, 1)
		.join())(page.sandwich.callers)" >>said
	prints tooltip-of-frame <said
}

@test "html: without a selected thread, the stack chart states that the order of time requires one" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "click #tab-chart" "text #chart-note" \
		"click #threads button" "text #chart-note" >said
	diff - said <<-'END'
		All threads: each column has their stacks in proportion. Choose one thread above for its stacks in the order of time.
		Thread 7
	END
}

@test "html: each graph of callers and callees has its heading above it" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "ask Array.from(sandwich.querySelectorAll(
		'h3, canvas, caption'), (each) =>
		each.id || each.textContent).join()" >said
	diff - said <<-'END'
		Called by,Calls,Callers,callers,Callees,callees
	END
}

@test "html: each control has a name for screen readers" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html roles >said
	cat said
	run ! grep -E '^(application|button|checkbox|combobox|image|navigation|region|searchbox|spinbutton|table): *$' said
	for role in 'searchbox: Search' 'button: Switch between light and dark' \
		'spinbutton: From s' 'spinbutton: to s' 'button: All time' \
		'combobox: Shape' 'combobox: Colour' 'tab: Stack chart' \
		'checkbox: merge recursion' 'button: other 8' \
		'list: Colours' 'application: Flame graph. Arrow keys' \
		'application: Graph of the callers.' 'button: About' \
		'table: Called by' 'table: Calls' 'image: Samples over time, all threads. The most is from 0.000 s to' \
		'combobox: Show' 'region: Time' 'region: Callers and callees' 'region: Stacks'; do
		grep -F "$role" said
	done
	browse "out.html#tab=functions&times=heat" roles >said
	grep -F 'image: Samples by second and part of it, all threads. The most' said
	grep -Fx 'table: Functions' said
	grep -Fx 'button: leaf_a' said
	browse "out.html#tab=tree" roles | grep -Fx 'tree: Call tree'
	# A selected frame is announced by a live region.
	browse "out.html#group=thread" "click #flame" "key Escape" "key Home" "key ArrowUp" \
		"attribute aria-live #status" "text #status" \
		"attribute aria-describedby #flame" "key Enter" "text #path" \
		"key ArrowUp" "key Space" "text #chosen" >said
	prints names-of-controls <said
}

@test "html: a tooltip shows the samples of a thread at the time below the mouse or the keyboard cursor" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "over 0.001 30 #overview" "cells #tip" \
		"over 0.001 27 #lanes" "cells #tip" "over 0.03 27 #lanes" "cells #tip" \
		"choose heat #times" "over 0.001 1 #heat" "cells #tip" "over 0.5 0.5 #title" \
		"attribute class #tip" "choose threads #times" \
		"click #threads li:nth-child(2) button" "choose heat #times" \
		"over 0.001 1 #heat" "cells #tip" "choose threads #times" \
		"click #to" "key Tab" "key Tab" "cells #tip" >said
	prints tooltip-of-time <said
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	dwell export --format html --wall -o off.html off.data
	browse off.html "over 0.3 9 #lanes" "cells #tip" >said
	diff - said <<-'END'
		made 7 | 0.000 s to 0.001 s | 1 sample | blocked for 1.00 µs
	END
}

@test "html: keys reach every control, and the focus is visible" {
	need browser
	dwell export --format html -o out.html made.data
	where='ask (({ id, localName, textContent }) => `${id || (localName === "body"
		? localName : textContent)} ${getComputedStyle(
		document.activeElement).outlineStyle}`)(document.activeElement)'
	tabs=()
	for i in {1..40}; do
		tabs+=("key Tab" "$where")
	done
	browse out.html "${tabs[@]}" >said
	cat said
	# Tab goes once around, back to the start, from any focused element.
	for place in search show-time show-details theme about-open keys-open times from to \
		'other 8' time-size tab-flame shape colour merge glue flame side-size callers \
		callees; do
		grep -Fx "$place solid" said
	done
	[ "$(grep -cx 'search solid' said)" = 2 ]
	[ "$(grep -v ' solid$' said)" = 'body none' ]
	browse "out.html#tab=functions" "${tabs[@]}" >functions
	grep -Fx 'Samples solid' functions
	grep -Fx 'leaf_b solid' functions
	# An element that is recreated keeps the focus.
	browse out.html "click #threads li:nth-child(2) button" \
		"ask document.activeElement.textContent" \
		"click #tab-functions" \
		"click #functions tbody tr:nth-child(2) button" \
		"ask document.activeElement.textContent" \
		"ask { location.hash = 'tab=functions&sort=-total'; }" \
		"click #functions tbody tr:last-child button" \
		"ask { location.hash = 'tab=functions&sort=total'; }" \
		"ask document.activeElement.textContent" \
		"text #functions tbody tr:last-child" \
		"click #legend button" "ask document.activeElement.className ||
		document.activeElement.parentNode.localName" >said
	prints focus-by-keys <said
}

@test "html: texts have enough contrast in light and dark, and there is no animation" {
	need browser
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	dwell export --format html --wall -o out.html off.data
	for tab in flame tree inverted functions chart; do
		browse "out.html#search=a&tab=$tab" "click #threads button" light \
			contrasts dark contrasts
	done >said
	[ "$(sort -u said)" = $'dark: all asked\nlight: all asked' ]
	browse "out.html#from=0&to=1&search=a" "click #about-open" light contrasts dark contrasts >said
	diff - said <<-'END'
		light: all asked
		dark: all asked
	END
	run ! grep -E 'transition|animation:|scroll-behavior|smooth' out.html
}

# make_modules FILE: makes a recording of a program with two namespaces. Of ten samples,
# eight are in sim, two of them in a function of the standard library that it calls.
make_modules() {
	local step send sort main
	cat >app.c <<-'END'
		void step(void) __asm__("_ZN3sim4stepEv");
		void send(void) __asm__("_ZN3net4sendEv");
		void sort(void) __asm__("_ZNSt4sortEv");
		void step(void) {}
		void send(void) {}
		void sort(void) {}
		int main(void) { return 0; }
	END
	cc -O0 -fno-pie -no-pie -o app app.c
	step=0x$(nm app | sed -n 's/ T _ZN3sim4stepEv$//p')
	send=0x$(nm app | sed -n 's/ T _ZN3net4sendEv$//p')
	sort=0x$(nm app | sed -n 's/ T _ZNSt4sortEv$//p')
	main=0x$(nm app | sed -n 's/ T main$//p')
	{
		cat <<-END
			file
			event name=cpu-clock type=software ids=1 sample_id_all comm task
			 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN sample_period=1000000
			record COMM pid=7 tid=7 comm=app misc=exec time=1000
			record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 time=1001
			 filename=$PWD/app prot=5
		END
		sample() {
			echo "record SAMPLE misc=user ip=$2 pid=7 tid=7 time=2000" \
				"period=1000000 times=$1 chain=user,$2,$3"
		}
		sample 6 "$step" "$main"
		sample 2 "$sort" "$step,$main"
		sample 1 "$send" "$main"
		echo "record SAMPLE misc=kernel ip=0xffffffffd0000010 pid=7 tid=7" \
			"time=2000 period=1000000" \
			"chain=kernel,0xffffffffd0000010,user,$step,$main"
	} | "$DWELL_BUILD/tests/made/make_data" - "$1"
}

@test "html, svg: the colour of a frame depends on its module, and a legend shows the share of each module" {
	need browser cc nm libiberty python3
	make_modules app.data
	dwell export --format html -o app.html app.data
	browse app.html "rows #legend" "ask {
		const { functions } = page.data;
		const colour = (name) => page.colours.ofFunction(functions.findIndex(
			(at) => at.name.startsWith(name)), 1, false);
		const of = ['sim::step', 'net::send', 'std::sort', 'main'].map(colour);
		[of.length === new Set(of).size, of[3] === page.colours.palette.code[1],
			of[0] === page.colours.ofMeaning('sim')].join(' ');
	}" "ask document.querySelector('#legend button').click()" "value #search" \
		"text #found" "choose dso #colour" "rows #legend" \
		"choose heat #colour" "text #legend" "state" >said
	prints module-colours <said
	dwell export --format svg --inverted -o inverted.svg app.data
	dwell export --format svg -o app.svg app.data
	grep -o 'class="l">[^<]*' app.svg | sed 's/.*>//' >said
	grep -o 'class="l">[^<]*' inverted.svg | sed 's/.*>//' | diff - said
	prints module-legend <said
	python3 -c 'import sys, xml.dom.minidom as dom; dom.parse("app.svg")'
}

@test "html: colour-blind people see different colours where colours have different meanings" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html light similar dark similar >said
	cat said
	[ "$(paste -sd ' ' said)" = "166 pairs 166 pairs" ]
	# The formula: pairs of colours of G. Sharma, W. Wu and E. N. Dalal, "The CIEDE2000
	# Color-Difference Formula", Color Research & Application 30 (1), 2005.
	node -e '
		const { labDifference } = require(process.argv[1]);
		for (const pair of [[[50, 2.6772, -79.7751], [50, 0, -82.7485]],
			[[50, 2.49, -0.001], [50, -2.49, 0.0011]],
			[[50, 2.5, 0], [73, 25, -18]],
			[[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387]]])
			console.log(labDifference(...pair).toFixed(4));
	' "$DWELL_SOURCE/tests/cli/vision.js" | paste -sd ' ' >said
	[ "$(cat said)" = "2.0425 7.2195 27.1492 1.2644" ]
}

# make_hebrew FILE: all names are written from right to left.
make_hebrew() {
	make_data "$1" $'\xd7\x90(1)' $'\xd7\x91::2' $'\xd7\x92[3]' $'\xd7\x93 4' \
		$'\xd7\x94 5' $'/bin/\xd7\x95'
}

@test "html: a name written from right to left does not move the text beside it" {
	need browser
	make_hebrew $'\xd7\x96.data'
	dwell export --format html -o out.html $'\xd7\x96.data'
	browse "out.html#fn=2" "click #flame" "key ArrowUp" "key ArrowUp" \
		"key Enter" "ask {
		const walker = document.createTreeWalker(document.body,
			NodeFilter.SHOW_TEXT);
		const asked = [];
		while (walker.nextNode()) {
			const { parentElement, data } = walker.currentNode;
			if (/[\\u0590-\\u05ff]/.test(data))
				asked.push(parentElement);
		}
		const isBare = (element) => element.localName !== 'bdi' &&
			getComputedStyle(element).unicodeBidi !== 'plaintext';
		[asked.length > 5, ...asked.filter(isBare)
			.map(({ outerHTML }) => outerHTML)].join(' ');
	}" >said
	diff - said <<<true
}

@test "html: on a page 400 pixels wide, the column of function names has at least 100 pixels" {
	need browser
	dwell export --format html -o out.html made.data
	browse "out.html#tab=functions" "size 400 800" "ask {
		const { left } = document.querySelector(
			'#functions tbody th').getBoundingClientRect();
		const { right } = document.querySelector(
			'#view-functions .scroll').getBoundingClientRect();
		right - left > 100;
	}" "ask document.documentElement.scrollWidth <= 400" >said
	diff - said <<-'END'
		true
		true
	END
}

@test "html: a tooltip states that a function has no symbol, or lists its other names" {
	local id
	need browser
	need as
	need ld
	need strip
	id=$(printf '%040d' 3)
	cat >names.s <<-'END'
		.text
		.globl _start, grow, push
		.type _start, @function
		.type grow, @function
		.type push, @function
		_start: .skip 16, 0x90
		.size _start, 16
		grow: push: .skip 16, 0x90
		.size grow, 16
		.size push, 16
		.type secret, @function
		secret: .cfi_startproc
		.skip 16, 0x90
		.cfi_endproc
		.size secret, 16
	END
	as names.s -o names.o
	ld -Ttext-segment=0x400000 -e _start --build-id=0x$id names.o -o names
	strip -N secret names
	{
		printf '%s\n' file 'event name=e type=software sample_type=IP|TID|TIME sample_period=1 ids=1 sample_id_all' \
			"record COMM pid=7 tid=7 comm=made misc=exec time=1" \
			"record MMAP2 pid=7 tid=7 addr=0x401000 len=0x1000 pgoff=0x1000 prot=5 build_id=$id filename=$PWD/names time=1"
		for at in 0x401010 0x401020; do
			echo "record SAMPLE pid=7 tid=7 ip=$at time=2"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - names.data
	dwell export --format html -o out.html names.data
	browse "out.html#group=none" "over 0.25 28 #flame" "cells #tip" \
		"over 0.75 28 #flame" "cells #tip" "click #tab-functions" "rows #functions tbody tr" >said
	grep -E '^(grow \| and 1 more name: push|push \| and 1 more name: grow) \| names \| 50' said
	grep -F '[names+0x401020] | names | no symbol: ' said
	grep -E '\[names\+0x401020\].*no symbol ?names' said
}

@test "html: a note shows the percentage of cut stacks and their programs, until it is hidden" {
	need browser
	for callers in 0x400200,0x3730363035303430 0x400200,0x400300; do
		{
			printf '%s\n' file 'event name=cpu-clock type=software ids=1 sample_id_all comm
 sample_type=IP|TID|TIME|CALLCHAIN sample_period=1000000' \
				'record COMM pid=7 tid=7 comm=made time=1' \
				'record COMM pid=8 tid=8 comm=other time=1'
			printf 'record MMAP2 pid=%s tid=%s addr=0x400000 len=0x10000
 filename=/bin/made prot=5\n' 7 7 8 8
			echo "record SAMPLE ip=0x400100 pid=7 tid=7 time=2000 times=3" \
				"chain=user,0x400100,$callers"
			echo "record SAMPLE ip=0x400100 pid=8 tid=8 time=3002000" \
				"chain=user,0x400100,$callers"
			echo "record SAMPLE ip=0x400200 pid=7 tid=7 time=2000" \
				"chain=user,0x400200,0x400100"
		} | "$DWELL_BUILD/tests/made/make_data" - "$callers.data"
		dwell export --format html -o "$callers.html" "$callers.data"
	done
	browse 0x400200,0x3730363035303430.html "text #cut span" \
		"ask byId('cut').hidden" "click #cut button" \
		"ask byId('cut').hidden" "click #merge" "ask byId('cut').hidden" >said
	browse 0x400200,0x400300.html "ask byId('cut').hidden" >>said
	browse 0x400200,0x3730363035303430.html#group=none "text #cut span" >>said
	# The other program has no samples in the selected time.
	browse "0x400200,0x3730363035303430.html#from=0&to=1000" "text #cut span" >>said
	# The note of a comparison names the recording.
	dwell diff --html -o out.html 0x400200,0x{400300,3730363035303430}.data
	browse out.html "text #cut span" >>said
	prints note-about-cut-stacks <said
}

@test "html: frames that are too narrow are drawn as one grey box with their number and percentage" {
	need browser
	{
		printf '%s\n' file 'event name=cpu-clock type=software ids=1 sample_id_all comm
 sample_type=IP|TID|TIME|CALLCHAIN sample_period=1000000' \
			'record COMM pid=7 tid=7 comm=made time=1' \
			'record KSYMBOL addr=0xffffffffd0000000 len=0x100 ksym_type=2 name=entry'
		for i in {4097..7096}; do
			printf 'record KSYMBOL addr=0xffffffffd%x000 len=0x100 ksym_type=2 name=f%d\n' \
				"$i" "$i"
			printf 'record SAMPLE misc=kernel ip=0xffffffffd%x010 pid=7 tid=7 time=2000 chain=kernel,0xffffffffd%x010,0xffffffffd0000010\n' \
				"$i" "$i"
		done
		echo "record SAMPLE misc=kernel ip=0xffffffffd0000010 pid=7 tid=7" \
			"time=2000 times=2000 chain=kernel,0xffffffffd0000010"
	} | "$DWELL_BUILD/tests/made/make_data" - many.data
	dwell export --format html -o out.html many.data
	browse out.html "ask {
		const { flame } = page, { boxes } = flame;
		const i = boxes.node.findIndex((node) => node < 0);
		[flame.describeBox(i).join(', '), flame.nameOf(boxes.node[i]),
			(boxes.width[i] / flame.width).toFixed(2)].join('\n');
	}" >said
	# A double click zooms to the caller.
	browse out.html "ask {
		const { flame } = page, { boxes } = flame;
		const i = boxes.node.findIndex((node) => node < 0);
		const { left, top } = flame.sheet.getBoundingClientRect();
		flame.click({ clientX: left + boxes.x[i] + 5,
			clientY: top + flame.top(boxes.rowOf(i)) + 5 },
			(at) => flame.zoomTo(at));
		'clicked';
	}" "text #path" >>said
	prints narrow-frames <said
	dwell export --format svg many.data >out.svg
	grep -F '<title>3000 frames too narrow to draw: 60.00 %, 3000 samples</title>' out.svg
}

# make_long FILE: makes a recording of two threads with stacks of 70 functions with long
# names. Function 30 also calls short. The last function has no name in thread 7.
make_long() {
	local i names=() chain=
	for i in {01..70}; do
		names+=("record KSYMBOL addr=0xffffffffd00${i}000 len=0x100 ksym_type=2
 name=\"void made::table<std::pair<std::basic_string<char, std::char_traits<char>, std::allocator<char> >, std::map<int, std::vector<double> > > >::step$i(std::vector<made::table<std::basic_string<char> > > const&, unsigned long)\"")
		chain=,0xffffffffd00${i}010$chain
	done
	{
		printf '%s\n' file 'event name=cpu-clock type=software ids=1 sample_id_all comm
 sample_type=IP|TID|TIME|CALLCHAIN sample_period=1000000' \
			'record COMM pid=7 tid=7 comm=made time=1' \
			'record COMM pid=7 tid=8 comm=other time=1' \
			'record KSYMBOL addr=0xffffffffd0080000 len=0x100 ksym_type=2 name=short' \
			"${names[@]}"
		for i in 1 2 3 4 5 6; do
			echo "record SAMPLE misc=kernel ip=0xffffffffd0070010 pid=7 tid=$((7 + i % 2))" \
				"time=${i}00000000 chain=kernel$chain"
		done
		echo "record SAMPLE misc=kernel ip=0xffffffffd0080010 pid=7 tid=7 time=700000000" \
			"times=6 chain=kernel,0xffffffffd0080010${chain:$((40 * 19))}"
	} | "$DWELL_BUILD/tests/made/make_data" - "$1"
}

@test "html: selecting a frame, a thread or a time range does not move the flame graph" {
	need browser
	local where actions=() action size
	make_long long.data
	dwell export --format html -o out.html long.data
	# A graph of few rows has a canvas of few rows, above the same line.
	where="ask JSON.stringify([flame.getBoundingClientRect().bottom,
		...Array.from(document.querySelectorAll('#stacks > *, #options > *'),
		(one) => one.getBoundingClientRect())], (key, value) =>
		typeof value === 'number' ? Math.round(value) : value)"
	for action in "at 0.2 200 #flame" "twice 0.7 400 #flame" "over 0.4 100 #flame" \
		"key Escape" "menu 0.5 300 #flame" "key Escape" "at 0.5 250 #flame" "key m" \
		"click #no-transforms" "drag 0 0.5 #overview" "drag 0 0.1 #overview" \
		"click #threads button" "click #all-time" "click #search" "type step7" \
		"click #merge" "choose heat #colour" "choose none #group"; do
		actions+=("$action" "$where")
	done
	for size in "1280 720" "1440 900"; do
		browse out.html "size $size" "$where" "${actions[@]}" >said
		sort said | uniq -c
		[ "$(sort -u said | wc -l)" = 1 ]
		[ "$(wc -l <said)" = 19 ]
	done
}

@test "html: a long name is shown in two lines; its tooltip and its copy are complete" {
	need browser
	make_long long.data
	dwell export --format html -o out.html long.data
	browse out.html "size 1280 720" "ask page.choose(page.data.functions
		.findIndex(({ name }) => /step70/.test(name)))" "over 0.1 5 #chosen" \
		"ask Math.round(chosen.clientHeight / parseFloat(getComputedStyle(chosen).lineHeight))" \
		"ask chosen.title === page.data.functions[page.state.get('fn')].name" \
		"ask getSelection().selectAllChildren(chosen), getSelection().toString().length > 200" \
		"ask page.flame.focus > 0 && page.status.box.scrollHeight <
			1.5 * page.status.box.clientHeight" >said
	prints long-name sed 1d said
}

@test "html: a tooltip shows at most six lines of a name" {
	need browser
	make_data long.data entry "work<$(printf 'std::vector<int>, %.0s' {1..60})>" leaf_a leaf_b
	dwell export --format html -o out.html long.data
	browse "out.html#group=none" "size 1280 720" "over 0.1 66 #flame" \
		"ask Array.from(tip.children, (line) => Math.round(line.clientHeight /
		parseFloat(getComputedStyle(line).lineHeight))).join()" \
		"ask tip.firstChild.scrollHeight > tip.firstChild.clientHeight" >said
	cat said
	grep -x '6,6\(,1\)*' said
	grep -x true said
}

# shown_selection: prints a command of the browser that prints the function that is
# selected in each part of the page.
shown_selection() {
	echo "ask {
		const { data: { functions }, flame, callTree, chart, tree } = page;
		[chosen.textContent, byId('code-function').textContent,
			document.querySelector('#functions [aria-current] th')?.textContent,
			functions[(page.tab === 'chart' ? chart.tree : tree)
				.fn[(page.tab === 'chart' ? chart : flame).focus]].name,
			page.tab === 'tree' ? functions[callTree.lines[callTree.at].fn].name : '',
			getComputedStyle(flame.focusMark).display].join(' ');
	}"
}

@test "html: a click on a frame, a line, a row or a graph selects the function in all panels" {
	need browser
	local ask
	ask=$(shown_selection)
	dwell export --format html -o out.html made.data
	# From below: all, 0x100, entry, work, work, leaf_a; thread 8 has its own frames.
	browse "out.html#group=none" "at 0.2 28 #flame" "$ask" "at 0.2 67 #flame" "$ask" \
		"ask page.state.get('zoom')" "click #tab-tree" "$ask" \
		"ask page.callTree.lines[page.callTree.at].depth" \
		"click #tab-inverted" "click #line-1" "text #line-1 bdi" "text #chosen" \
		"click #tab-functions" "click #functions tbody tr:nth-child(2) td" \
		"click #tab-flame" "$ask" "ask page.flame.tree.total[page.flame.focus]" \
		"click #tab-chart" "at 0.003 28 #chart" "$ask" >said
	# In a graph of callers or callees, a double click does not select.
	later="ask new Promise((done) => setTimeout(() => done(chosen.textContent), 400))"
	browse out.html "ask page.choose(page.data.functions.findIndex(
		({ name }) => name === 'leaf_a'))" "twice 0.5 30 #callers" "$later" \
		"ask page.sandwich.zooms.callers > 0" "at 0.5 30 #callers" "$later" >>said
	prints selection-by-click sed 's/0x0000000000000100/0x100/g' said
}

@test "html: on a touch screen, a tap selects a frame and a double tap zooms into it" {
	need browser
	dwell export --format html -o out.html made.data
	browse "out.html#group=none" "size 390 844" "tap 1 0.2 67 #flame" "text #chosen" \
		"ask page.state.get('zoom')" "tap 2 0.2 48 #flame" "text #chosen" "text #path" >said
	prints taps sed 's/0x0000000000000100/0x100/g' said
}

@test "html: the context menu and keys copy the name, the stack and a link" {
	need browser
	local without='Object.defineProperty(navigator, "clipboard", { value: null }), ""'
	local box="element('textarea', '', { id: 'box' })"
	dwell export --format html -o out.html made.data
	# A dialog, to which the test adds a field of several lines, does not take keys of
	# the page. Without the interface of the clipboard, the page copies as of old.
	for prepare in '""' "$without"; do
		browse "out.html#group=none" "ask $prepare" "ask keys.append($box), ''" \
			"choose heat #colour" "menu 0.2 105 #flame" \
			"click #menu button:nth-last-child(3)" "text #status" \
			"click #keys-open" "click #box" paste "value #box" "click #keys button" \
			"menu 0.2 86 #flame" "key k" "text #status" "ask box.value = ''" \
			"click #keys-open" "click #box" paste "ask box.value.replaceAll('\n', ' < ')" \
			"click #keys button" "key l" "text #status" "ask box.value = ''" \
			"click #keys-open" "click #box" paste "value #box" >said
		sed -i -e 's/0x0000000000000100/0x100/g' -e 's,file://.*/out,out,' -e '/^$/d' said
		prints copied-texts <said
	done
}

@test "html: Ctrl and the mouse wheel zoom to the frame or the time below the mouse" {
	need browser
	dwell export --format html -o out.html made.data
	browse "out.html#group=none" "over 0.2 67 #flame" "turn -100 0.2 67 #flame" "text #path" \
		"turn -100 0.2 67 #flame" "text #path" \
		"turn 100 0.2 67 #flame" "text #path" "scroll -100 0.2 67 #flame" "text #path" \
		"over 0.9 48 #flame" "turn -100 0.9 48 #flame" "text #path" >said
	browse out.html "turn -200 0.25 20 #overview" "ask page.state.get('view')" \
		"turn 200 0.25 20 #overview" "ask page.state.get('view')" "click #tab-chart" \
		"turn -200 0.99 10 #chart" "ask page.state.get('view')" "scroll -200 0.99 10 #chart" \
		"ask page.state.get('view')" >>said
	prints wheel-zoom sed 's/0x0000000000000100/0x100/g' said
}

@test "html: the key ? shows the list of keys" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "ask keys.open" "key ?" "ask keys.open" "text #keys dd" "key Escape" \
		"ask keys.open" "click #keys-open" "ask keys.open" >said
	prints list-of-keys <said
}

@test "html: the flame graph takes at least 40 % of the window, and other parts can be hidden" {
	need browser
	local part="ask (({ offsetWidth, offsetHeight }) => 100 * offsetWidth * offsetHeight /
		innerWidth / innerHeight)(flame)"
	make_long long.data
	dwell export --format html -o out.html long.data
	browse out.html "size 1280 720" "$part" >said
	browse out.html "size 1440 900" "$part" >>said
	awk '{ print } $1 < (NR == 1 ? 40 : 45) { exit 1 }' said
	browse out.html "size 1280 720" "key 1" "key 2" state "click #show-code" state \
		"ask [time, details, code, side].map((one) => one.hidden).join()" "$part" \
		"attribute aria-pressed #show-time" "key 3" state \
		"ask [time, details, code, side].map((one) => one.hidden).join()" >said
	awk 'NR == 4 { exit $1 < 70 }' said
	prints hidden-parts sed 4d said
	browse "out.html#hide=time+details" "ask [time, details, code].map((one) => one.hidden).join()" |
		grep -x true,true,false
}

@test "html: no bar wraps to a second line, and no lane is cut off" {
	need browser
	make_long long.data
	dwell export --format html -o out.html long.data
	for size in "1280 720" "1440 900" "2560 1440"; do
		browse out.html "size $size" "ask document.documentElement.scrollWidth <= innerWidth" \
			"ask Array.from(document.querySelectorAll('header, .bar:not(td > *)'))
			.filter(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
			scrollHeight > clientHeight || scrollWidth > clientWidth)
			.map(({ id, parentNode }) => id || parentNode.id).join()" \
			"ask (document.querySelector('.times').clientHeight - 40) % 16" \
			"ask getComputedStyle(document.querySelector('.times')).scrollbarWidth"
	done >said
	[ "$(sort said | uniq -c | sed 's/^ *//')" = $'3 \n3 0\n3 thin\n3 true' ]
}

@test "html: the headings of the call tree are aligned with its columns" {
	need browser
	dwell export --format html -o out.html made.data
	browse "out.html#tab=tree" "ask Array.from(document.querySelectorAll('.lines-head .number'))
		.map((head, i) => head.getBoundingClientRect().right ===
		document.querySelectorAll('#line-0 .number')[i].getBoundingClientRect().right).join()" >said
	diff - said <<<true,true
}
