#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Pages of deep stacks: the frames that nearly all stacks begin with are folded.

load page.bash
load named.bash

setup() {
	enter_test
	make_deep
}

teardown() {
	leave_test
}

# make_deep [N [SIDE]]: makes deep.data. Stacks are begin, c1 ... c5, main; 60 samples
# continue with left and N (default: 40) with right. Of SIDE (default: 4) more samples,
# c2 calls side.
make_deep() {
	local kept=$BATS_FILE_TMPDIR/deep_symbols i
	local trunk=0x400710,0x400610,0x400510,0x400410,0x400310,0x400210,0x400110

	[ -s "$kept" ] || names /bin/deep 256 begin c1 c2 c3 c4 c5 main left right \
		side >"$kept"
	{
		cat <<-END
			file
			event name=cpu-clock type=software ids=1 sample_id_all
			 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN sample_period=1000000
			feature HOSTNAME str=made
			feature 132 bytes=$(cat "$kept")
			record COMM pid=7 tid=7 comm=deep misc=exec time=1000
			record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 time=1001 prot=5
			 maj=8 ino=9 filename=/bin/deep
		END
		for ((i = 0; i < 60; i++)); do
			deep_sample $i 0x400810 $trunk
		done
		for ((; i < 60 + ${1:-40}; i++)); do
			deep_sample $i 0x400910 $trunk
		done
		for ((n = 0; n < ${2:-4}; n++)); do
			deep_sample $((i + n)) 0x400a10 0x400310,0x400210,0x400110
		done
	} | "$DWELL_BUILD/tests/made/make_data" - deep.data
}

# deep_sample TIME LEAF CALLERS
deep_sample() {
	echo "record SAMPLE ip=$2 pid=7 tid=7 time=$((1000000000 + $1 * 1000000))" \
		"period=1000000 chain=user,$2,$3"
}

# boxes: a command of the browser that prints the rows of the flame graph.
boxes="ask (() => {
	const { flame, flame: { boxes } } = page;
	return Array.from({ length: boxes.rows }, (_, row) => Array.from(boxes.node
		.subarray(boxes.starts[row], boxes.starts[row + 1]), (node, i) =>
		flame.nameOf(node) + ' ' + Math.round(boxes.width[boxes.starts[row] + i] /
		flame.width * 104)).join(', ')).join('\n');
})()"

# lines: a command of the browser that prints the lines of the call tree.
lines="ask Array.from(tree.children, (line) => line.getAttribute('aria-level') +
	' ' + Array.from(line.children, ({ textContent }) =>
		textContent.trim()).filter(Boolean).join(' ')).join('\n')"

folded_boxes="all 104
deep 104
▸ 7 frames: begin … main 104
left 60, right 40, side 4"

open_boxes="all 104
deep 104
▾ begin 104
c1 104
c2 104
c3 100, side 4
c4 100
c5 100
main 100
left 60, right 40"

@test "html: common callers of all stacks are one box, which opens by a click, and the address has its state" {
	need browser
	dwell export --format html -o out.html deep.data
	browse out.html "$boxes" "over 0.5 46 #flame" "text #tip" "at 0.5 46 #flame" \
		"state" "$boxes" "at 0.002 46 #flame" "state" "click #trunk" "state" \
		"click #tab-flame" "key t" "$boxes" >said
	diff - said <<-END
		$folded_boxes
		7 frames: begin … main100.00 % (104 ms, 104 samples)a click or Enter shows these frames
		#trunk=open
		$open_boxes
		
		#trunk=open
		$folded_boxes
	END
	browse "out.html#trunk=open" "$boxes" | diff - <(echo "$open_boxes")
	# Numbers do not depend on it.
	browse out.html "rows #functions tbody tr" >rows
	browse "out.html#trunk=open" "rows #functions tbody tr" | diff rows -
	grep -q 'side' rows
}

@test "html: without a fork, the common callers are separate frames" {
	need browser
	make_deep 0 0
	dwell export --format html -o out.html deep.data
	browse out.html "$boxes" "attribute hidden #trunk-box" >said
	prints no-fork <said
}

@test "html: a double click on the box of common callers opens it, and does not zoom" {
	need browser
	dwell export --format html -o out.html deep.data
	browse out.html "twice 0.5 46 #flame" "state" "twice 0.5 46 #flame" \
		"state" >said
	cat said
	[ "$(sed -n 1p said)" = "#trunk=open" ]
	sed -n 2p said | grep '^#zoom=.*trunk=open'
}

@test "html: keys, zoom, search and the context menu work with the box of common callers" {
	need browser
	dwell export --format html -o out.html deep.data
	browse out.html "click #tab-flame" "ask { flame.focus(); }" "key Home" \
		"key ArrowUp" "key ArrowUp" "text #status" "key ArrowUp" \
		"text #status" "key ArrowRight" "key ArrowRight" "text #status" \
		"key ArrowDown" "key Enter" "state" >said
	prints keys <said
	# A frame in the folded box matches; the zoom to such a frame opens the box.
	browse "out.html#search=c4" "text #found" "ask [...page.trunks.folded.keys()]
		.every((node) => page.flame.isMatch(node))" "ask page.flame.isMatch(
		page.flame.boxes.node[3])" >said
	diff - said <<-'END'
		96.15 % in 1 function
		true
		0
	END
	node=$(browse out.html "ask page.tree.fn.findIndex((fn) =>
		page.data.functions[fn].name === 'c5')")
	browse "out.html#zoom=$node" "$boxes" "text #path" >said
	prints zoom <said
	# A transform applies to the innermost frame.
	browse out.html "click #tab-flame" "ask { flame.focus(); }" "key Home" \
		"key ArrowUp" "key ArrowUp" "key f" "text #transforms" "$boxes" >said
	prints transform <said
}

@test "html: the call tree is expanded to its first fork, with the common callers in one line" {
	need browser
	dwell export --format html -o out.html deep.data
	browse "out.html#tab=tree" "$lines" "click #line-1 .sign" "$lines" \
		"click #trunk" "click #tree" "key Home" "key ArrowDown" "key Enter" \
		"count #tree > *" "text #tree [aria-selected=true]" >said
	prints call-tree <said
}

@test "diff --html: the box of common callers shows their change" {
	need browser
	mv deep.data a.data
	make_deep 80
	dwell diff --html --output out.html a.data deep.data
	browse out.html "$boxes" "over 0.5 27 #flame" "text #tip" "at 0.5 27 #flame" \
		"ask page.flame.boxes.rows" "click #tab-tree" "count #tree > *" >said
	cat said
	grep -c '^▸ 7 frames: begin … main' said
	grep '7 frames: begin … mainA 1.01 s/s (104 ms) → B 1.01 s/s (144 ms)' said
	[ "$(tail -2 said)" = "9
10" ]
}
