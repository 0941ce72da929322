#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell diff --html, in a browser: its numbers are those of dwell diff and dwell
# report, and its colours match the numbers.

load common.bash
load terminal.bash

# make_data FILE PATH=COUNT...: makes COUNT samples of each PATH, which is a
# list of functions, callers first: "main;work;leaf". $seconds is the duration
# (default: 1), $comm the command, $flags more words about the event.
make_data() {
	local file=$1 at name next=0 chain
	local -A places
	shift
	{
		cat <<-END
			file
			event name=cpu-clock type=software ids=1 sample_id_all comm task
			 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN sample_period=1000000 $flags
			record COMM pid=7 tid=7 comm="${comm:-made}" misc=exec time=1000
		END
		for at; do
			chain=
			while read -r name; do
				if [ -z "${places[$name]}" ]; then
					places[$name]=$((0xd0000010 + next++ * 4096))
					printf 'record KSYMBOL addr=0xffffffff%x' \
						$((places[$name] - 16))
					echo " len=0x100 ksym_type=2 name=\"$name\""
				fi
				printf -v chain ',0xffffffff%x%s' \
					"${places[$name]}" "$chain"
			done < <(tr ';' '\n' <<<"${at%=*}")
			echo "record SAMPLE misc=kernel ip=$(cut -d, -f2 <<<"$chain")" \
				"pid=7 tid=7 time=1500000000 period=1000000" \
				"times=${at##*=} chain=kernel$chain"
		done
		for at in 1000000000 "$((1000000000 + ${seconds:-1} * 1000000000))"; do
			echo "record SAMPLE misc=kernel ip=0xffffffffd0000010" \
				"pid=7 tid=7 time=$at period=1000000" \
				"chain=kernel,0xffffffffd0000010"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - "$file"
}

# The self samples of main come first, so that their place is known.
make_both() {
	make_data a.data main=28 'main;work;less=400' 'main;work;like=300' \
		'main;gone=100' 'main;work;work;more=200' 'main;few=3'
	make_data b.data main=38 'main;work;less=200' 'main;work;like=310' \
		'main;new=150' 'main;work;work;more=500' 'main;few=5'
}

# Prints "difference error before after mark name" of each function, as in dwell
# diff ARGUMENTS.
diff_rows() {
	dwell diff -c delta-abs --json "$@" | node -e '
		const { measure, events } = JSON.parse(
			require("fs").readFileSync(0));
		const last = events[0].totals.length - 1;
		const marks = { "~": "~", more: "▲", new: "▲", less: "▼",
			gone: "▼" };
		const text = (n) => measure !== "rate" ? n.toFixed(2)
			: !n ? "0 ns" : (n / 1e6).toFixed(
				n < 1e7 ? 2 : n < 1e8 ? 1 : 0);
		for (const { sym, cells, changes } of events[0].rows) {
			const { delta, delta_error, change } = changes[last];
			console.log(delta ? marks[change] : "=",
				`${delta < 0 ? "−" : "+"}${text(Math.abs(delta))}`,
				text(delta_error * 1.959964), text(cells[0].value),
				text(cells[last].value), sym.slice(4));
		}' | sort
}

# Prints the same from the rows of the page's table.
table_rows() {
	awk -F ' [|] ' '$2 + $3 > 0 {
		gsub(/ %| ms\/s|\/s/, "")
		sub(/ ±/, " ", $1)
		print($1 ~ /^[+]/ ? "= " $1 : $1, $2, $3, $7)
	}' | sort
}

page_rows() {
	browse "$1" "rows #functions tbody tr" | table_rows
}

@test "diff --html: the table has the numbers of dwell diff" {
	need browser
	make_both
	dwell diff -c delta-abs --html --output out.html a.data b.data
	page_rows out.html >shown
	diff_rows a.data b.data >wanted
	cat shown
	diff wanted shown
	[ "$(wc -l <shown)" = 7 ]
	grep -x '~ −3.32 3.71 29.04 25.73 like' shown
	grep -x '▲ +12.45 1.87 0.00 12.45 new' shown
	browse out.html "text #title" "text #summary" >said
	diff - said <<-'END'
		A a.data → B b.data
		CPU time +16.7 % (1.03 s -> 1.21 s), beyond sampling noise (9.0 %) · samples: A 1,033 · B 1,205
	END
}

@test "diff --html: 60 functions have the marks of dwell diff" {
	need browser
	paths=() later=()
	for ((i = 0; i < 60; i++)); do
		count=$((i * i % 97 * (i % 7) + 1))
		paths+=("main;work$((i % 3));f$i=$count")
		later+=("main;work$((i % 4));f$i=$((count * (i % 5 + 2) / 3 + 1))")
	done
	make_data a.data "${paths[@]}"
	make_data b.data "${later[@]}"
	dwell diff -c delta-abs --html --output out.html a.data b.data
	browse "out.html#tab=functions" "click #more" "rows #functions tbody tr" |
		table_rows >shown
	diff_rows a.data b.data >wanted
	cut -c 1 shown | sort | uniq -c
	diff wanted shown
	[ "$(wc -l <shown)" = 61 ]
	for mark in '~' ▲ ▼; do
		grep -q "^$mark" shown
	done
}

# report_rows FILE: prints "total self name" of each function.
report_rows() {
	dwell report --json -s dso,sym "$1" | node -e '
		const report = JSON.parse(require("fs").readFileSync(0));
		for (const row of report.events[0].rows)
			console.log(row.children.toFixed(2), row.self.toFixed(2),
				row.sym.slice(4));' | sort
}

@test "diff --html: percentages with callees are those of dwell report of each recording" {
	need browser
	make_both
	dwell diff -c delta-abs --html --output out.html a.data b.data
	browse out.html "rows #functions tbody tr" | sed 's/ %//g' >cells
	cat cells
	awk -F ' [|] ' '$5 > 0 { print $5, $2, $7 }' cells | sort >a.shown
	awk -F ' [|] ' '$6 > 0 { print $6, $3, $7 }' cells | sort >b.shown
	report_rows a.data | diff - a.shown
	report_rows b.data | diff - b.shown
	[ "$(wc -l <a.shown)" = 7 ]
}

@test "diff --html: --normalize time compares rates" {
	need browser
	seconds=2 make_data a.data main=38 'main;same=400' 'main;less=300'
	seconds=4 make_data b.data main=78 'main;same=800' 'main;less=200'
	dwell diff -c delta-abs --html --normalize time --output out.html a.data b.data
	page_rows out.html >shown
	diff_rows --normalize time a.data b.data >wanted
	cat shown
	diff wanted shown
	grep '^= +0 ns .* 200 200 same$' shown
	browse out.html "text #summary" | grep '^CPU time per second -27.0 % (370 ms/s -> 270 ms/s), beyond'
}

# Prints which part of "R G B" is largest: "red", "blue", or "grey" if none.
hue() {
	awk '{ more = $1 - $3; print(more > 20 ? "red" : more < -20 ? "blue" : "grey") }'
}

@test "diff --html: an increase is red, a decrease blue, noise grey" {
	need browser
	# From below: all, made, main, work and its leaves: 47 % less, 50 %
	# more.
	make_data a.data main=8 'main;work;down=600' 'main;work;up=300' \
		'main;work;like=100'
	make_data b.data main=8 'main;work;down=300' 'main;work;up=600' \
		'main;work;like=105'
	dwell diff -c delta-abs --html --group-by thread --output out.html a.data b.data
	for theme in light dark; do
		browse "out.html#widths=b" "$theme" "colour 0.4 86 #flame" \
			"colour 0.7 86 #flame" "colour 0.94 86 #flame" \
			"colour 0.4 48 #flame" | hue >said
		cat said
		[ "$(paste -sd ' ' said)" = "red blue grey grey" ]
	done
	# Swapped recordings, and colours by program.
	dwell diff -c delta-abs --html --group-by thread --force --output out.html b.data a.data
	browse "out.html#widths=b" "colour 0.4 86 #flame" \
		"colour 0.7 86 #flame" "text #legend" "choose dso #colour" "text #legend" >said
	cat said
	[ "$(head -n 2 said | hue | paste -sd ' ')" = "red blue" ]
	sed -n 3p said | grep '^▼ less.*only in A.*may be chance.*▲ more.*only in B$'
	sed -n 4p said | grep '^\[down\]'
}

@test "diff --html: keys select frames, and the status line describes the change of the selected frame" {
	need browser
	make_both
	dwell diff -c delta-abs --html --group-by thread --output out.html a.data b.data
	browse out.html "click #flame" "key Escape" "key Home" "key ArrowUp" \
		"key ArrowUp" "text #status" "key ArrowUp" "text #status" \
		"key ArrowUp" "key ArrowUp" "text #status" "key Enter" \
		"text #path" "state" >said
	cat said
	sed -n 1p said | grep '^main, .*A 100.00 % (1.03 s) → B 100.00 % (1.21 s), +0.00 % ±0.00 %: the same$'
	sed -n 2p said | grep '^work, .*A 87.12 % .*: .*'
	sed -n 3p said | grep '^more, .*A 19.36 % (200 ms) → B 41.49 % (500 ms), +22.13 % ±3.68 %: more$'
	sed -n 4p said | grep 'more$'
}

@test "diff --html: the outermost frames are functions, or with --group-by processes or threads" {
	need browser
	make_both
	for group in '' --group-by=process --group-by=thread; do
		dwell diff -c delta-abs --html $group --output out.html --force a.data b.data
		browse out.html "click #flame" "key Home" "key ArrowUp" \
			"text #status" | sed 's/, .*//'
	done >said
	[ "$(paste -sd ' ' said)" = "main made made" ]
}

@test "diff --html: with the widths of the baseline, frames of missing functions are visible" {
	need browser
	make_both
	dwell diff -c delta-abs --html --group-by thread --output out.html a.data b.data
	browse out.html "choose a #widths" "state" "click #search" \
		"type gone" "text #found" "count #functions tbody tr" \
		"text #functions tbody th" "click #tab-functions" \
		"click #functions tbody th button" \
		"text #chosen-share" "text #callers-rows" >said
	cat said
	sed -n 1p said | grep -x '#widths=a'
	sed -n 2p said | grep -x '1 function, A 9.68 % (100 ms) → B 0.00 % (0 ns), −9.68 % ±1.81 %: gone, only in A'
	[ "$(sed -n 3,4p said | paste -sd ' ')" = "1 gone" ]
	sed -n 5p said | grep 'total A 9.68 %.*gone, only in A · self A 9.68 %'
	[ "$(sed -n 6p said)" = "100.00 %9.68 % → 0.00 %main" ]
}

@test "diff --html: a search shows the percentage of its matches in both recordings" {
	need browser
	make_both
	dwell diff -c delta-abs --html --output out.html a.data b.data
	browse out.html "click #search" "type work" "text #found" >said
	cat said
	grep -x '1 function, A 87.12 % (900 ms) → B 83.82 % (1.01 s), −3.31 % ±2.91 %: less' said
	browse "out.html#merge=1&search=work" "text #found" | diff said -
}

@test "diff --html: numbers and headings of the table are not cut off" {
	need browser
	make_both
	dwell diff -c delta-abs --html --output out.html a.data b.data
	for sort in change selfDelta totalA dso; do
		browse "out.html#tab=functions&sort=$sort" "size 1440 900" \
			"ask Array.from(document.querySelectorAll('#functions thead th, #functions .number'))
			.filter((cell) => {
				const range = document.createRange(), box = cell.getBoundingClientRect();
				range.selectNodeContents(cell.tagName === 'TD' ? cell.firstChild : cell);
				const text = range.getBoundingClientRect();
				return text.left < box.left + 4 || text.right > box.right - 4;
			}).map(({ textContent }) => textContent).join()"
	done >said
	cat said
	[ "$(grep -c . said)" = 0 ]
	[ "$(wc -l <said)" = 4 ]
}

@test "diff --html: a click on the heading of the change column sorts by change" {
	need browser
	make_both
	dwell diff -c delta-abs --html --output out.html a.data b.data
	browse "out.html#tab=functions" "text #functions tbody tr th" \
		"click #functions thead th:nth-child(1) button" \
		"attribute aria-sort #functions thead th:nth-child(1)" \
		"text #functions tbody tr th" \
		"click #functions thead th:nth-child(1) button" \
		"text #functions tbody tr th" \
		"click #functions thead th:nth-child(2) button" \
		"text #functions tbody tr th" "state" >said
	prints sorted-by-change <said
}

@test "diff --html: each of several recordings can be compared with the first" {
	need browser
	make_both
	make_data c.data main=28 'main;work;less=400' 'main;work;like=100'
	dwell diff -c delta-abs --html --output out.html a.data b.data c.data
	browse out.html "text #title" "value #with" "text #with" "text #summary" \
		"choose 1 #with" "state" "text #summary" >said
	cat said
	sed -n 1p said | grep -x 'A a.data'
	sed -n 2p said | grep -x 2
	sed -n 3p said | grep -x 'B b.dataB c.data'
	sed -n 4p said | grep '1.03 s -> 530 ms.*A 1,033 · B 530$'
	sed -n 5p said | grep -x '#with=1'
	sed -n 6p said | grep '1.03 s -> 1.21 s.*A 1,033 · B 1,205$'
	page_rows out.html >shown
	diff_rows a.data c.data | diff - shown
	for state in with=0 with=7 with=x 'event=9&widths=q' order=time; do
		browse "out.html#$state" "text #summary" | grep 'B 530$'
	done
}

@test "diff --html: recordings of one name are distinguished by their directories" {
	need browser
	mkdir old new
	make_data old/made.data main=98
	make_data new/made.data main=48
	dwell diff -c delta-abs --html --output out.html old/made.data new/made.data
	browse out.html "text #title" "text #summary" "text #functions tbody" >said
	cat said
	grep -x 'A old/made.data → B new/made.data' said
	grep '100 ms -> 50.0 ms.*A 100 · B 50$' said
}

@test "diff --html: HTML tags in names of functions, threads and files are shown as text" {
	need browser
	hostile=("<img src=x onerror=alert(1)>" "</script><script>alert(2)</script>"
		'<b>bold</b>')
	export comm='<i>comm</i>'
	make_data '<u>a' "${hostile[0]};${hostile[1]}=50" "${hostile[2]}=20"
	make_data '<u>"b' "${hostile[0]};${hostile[1]}=9" "${hostile[2]}=70"
	dwell diff -c delta-abs --html --output out.html '<u>a' '<u>"b'
	[ "$(grep -c '<script' out.html)" = 2 ]
	run ! grep -qE 'alert|onerror=|<u>' out.html
	browse out.html "count img" "count b" "count i" "count u" \
		"count script" "text #functions" "text #title" "click #flame" \
		"key ArrowUp" "key ArrowUp" "text #status" "text #widths" >said
	cat said
	[ "$(head -n 5 said | paste -sd ' ')" = "0 0 0 0 1" ]
	grep -F "${hostile[0]}" said
	grep -F "${hostile[1]}" said
	grep -F '<u>a' said
}

@test "diff --html: code without symbols is one frame, also at different addresses" {
	need browser
	for at in 1 2; do
		"$DWELL_BUILD/tests/made/make_data" - "$at.data" <<-END
			file
			event name=cycles type=hardware sample_type=IP|TID|TIME ids=1 sample_period=5
			record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 filename="/bin/made" prot=5
			record SAMPLE ip=0x400${at}00 pid=7 tid=7 time=1000
			record SAMPLE ip=0x400${at}10 pid=7 tid=7 time=2000
		END
	done
	dwell diff -c delta-abs --html --output out.html 1.data 2.data
	browse out.html "count #functions tbody tr" \
		"cells #functions tbody tr" >said
	cat said
	[ "$(sed -n 1p said)" = 1 ]
	sed -n 2p said | grep '+0.00 % .* 100.00 % | 100.00 % | \[made\] | made$'
}

@test "diff --html: --output selects the file, and after an error no partial file remains" {
	make_both
	dwell diff -c delta-abs --html a.data b.data | tail -n 1 | grep '^</html>$'
	dwell diff -c delta-abs --html --output - a.data b.data | tail -n 1 | grep '^</html>$'
	echo mine >out.html
	refuses 1 dwell diff -c delta-abs --html --output out.html a.data b.data
	[ "$line" = "dwell diff: cannot create out.html: it exists; use --force to replace it" ]
	[ "$(cat out.html)" = mine ]
	dwell diff -c delta-abs --html --force --output out.html a.data b.data
	tail -n 1 out.html | grep '^</html>$'
	rm out.html
	refuses 1 dwell diff -c delta-abs --html --output out.html a.data missing.data
	[ ! -e out.html ]
	refuses 2 dwell diff --output out.html a.data b.data
	[[ $line == *"--output out.html requires --html; to sort by recording N, use -o N"* ]]
	refuses 2 dwell diff -o out.html a.data b.data
	[[ $line == *"--output out.html requires --html; to sort by recording N, use -o N"* ]]
	refuses 2 dwell diff --force a.data b.data
	refuses 2 dwell diff -c delta-abs --html --percentage relative a.data b.data
	if [ -w /dev/full ]; then
		run -1 dwell diff -c delta-abs --html --output /dev/full a.data b.data
	fi
	[ -z "$(find . -name "*out*")" ]
}

@test "diff --html: -o with a file name selects the file, -o with a number the order of rows" {
	make_both
	dwell diff -c delta-abs --html -o 1st.html a.data b.data
	dwell diff -c delta-abs --html --output same.html -o 1 a.data b.data
	cmp 1st.html same.html
	[ ! -e 1 ]
	refuses 2 dwell diff -c delta-abs --html -o 2 a.data b.data
	[[ $line == *"--order: there is no recording number 2"* ]]
	refuses 2 dwell diff -c delta-abs --html -o '' a.data b.data
	[[ $line == *"-o: the name is empty"* ]]
}

@test "diff --html: --off-cpu compares time off the CPU" {
	need browser
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" a.data
	sed 's/ time=2000$/ time=1700/' "$DWELL_SOURCE/tests/made/offcpu.txt" |
		"$DWELL_BUILD/tests/made/make_data" - b.data
	dwell diff -c delta-abs -q --html --off-cpu --output out.html a.data b.data
	browse out.html "text #summary" >said
	diff - said <<-'END'
		off-CPU time -15.0 % (2.00 us -> 1.70 us), within sampling noise (128.6 %) · samples: A 4 · B 4
	END
}

# Each error takes time in proportion to all nodes of the graph.
@test "diff --html: the error of the sum of all rows is computed for the first 64 events only" {
	need browser
	make_many() {
		local i
		echo file
		for ((i = 0; i < $1; i++)); do
			echo "event name=e$i type=software config=$i ids=$((i + 1))" \
				"sample_type=IDENTIFIER|IP|TID|TIME|CALLCHAIN|PERIOD"
		done
		for ((i = 0; i < $1; i++)); do
			echo "record SAMPLE event=$i misc=kernel pid=7 tid=7" \
				"ip=0xffffffffd0000010 time=1000 period=10" \
				"times=$((${2:-0} + i + 1))" \
				"chain=kernel,0xffffffffd0000010"
		done
	}
	make_many 64 | "$DWELL_BUILD/tests/made/make_data" - few.data
	make_many 65 | "$DWELL_BUILD/tests/made/make_data" - a.data
	make_many 65 500 | "$DWELL_BUILD/tests/made/make_data" - b.data
	run -0 dwell diff -c delta-abs --html --output few.html few.data few.data
	[[ $output != *random* ]]
	run -0 dwell diff -c delta-abs --html --output many.html a.data b.data
	[ "${lines[0]}" = "dwell diff: only the first 64 events are tested for random differences; \
of other events, use the error of each difference" ]
	[ "${#lines[@]}" = 1 ]
	[ "$(browse "many.html#event=64" "rows #functions tbody tr" | wc -l)" -gt 0 ]
}

@test "diff --html: recordings without a common event are refused, and no page is written" {
	make_both
	"$DWELL_BUILD/tests/made/make_data" - c.data <<-'END'
		file
		event name=cycles type=hardware sample_type=IP|TID|TIME|CALLCHAIN ids=1 sample_period=5
		record SAMPLE ip=0x400100 pid=7 tid=7 time=1000 chain=user,0x400100
	END
	refuses 1 dwell diff -c delta-abs --html --output out.html a.data c.data
	[[ $line == *"no common event to compare: a.data has cpu-clock:HG, c.data has cycles:HG"* ]]
	[ ! -e out.html ]
	refuses 1 dwell diff -c delta-abs --html --time 100,101 --output out.html a.data b.data
	[[ $line == *"nothing to compare"* ]]
}

# A command that searched a list, before and after the list became a table.
make_fix() {
	export flags=enable_on_exec
	make_data before.data main=28 'main;run;intern=1600' \
		'main;run;score=700' 'main;log=3'
	make_data after.data main=30 'main;run;score=690' 'main;run;table=240'
}

# Formats the columns DELTA, ERROR, A, NAME and VERDICT of standard input, with times
# in ns, as the other views do.
as_views() {
	node -e '
		const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
		const text = (ns) => {
			const [size, unit] = units.find(([least]) => ns >= least) ??
				units[3], value = ns / size;
			return `${value.toFixed(size === 1 || value >= 100 ? 0
				: value < 10 ? 2 : 1)} ${unit}`;
		};
		for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
			const [delta, error, a, name, verdict] = line.split("|");
			console.log([(delta < 0 ? "-" : "+") + text(Math.abs(delta)),
				text(error * 1.959964), a > 0 ? text(a) : "", name,
				verdict].join("|"));
		}' | sort
}

# Formats the rows of the text table, or of the screen, in the same way.
from_table() {
	sed -E -n '/\[k\]/{ s/^ +([+-])/|\1/; s/^ +| +$//g; s/  +/|/g; p }' |
		awk -F '|' -v OFS='|' '{
			sub(/^\[k\] /, "", $NF)
			print $2, $3, $1, $NF, $4
		}' | sort
}

@test "diff: a function that became faster is row 1, with the same numbers in text, CSV, JSON, screen and page" {
	need browser tmux ncurses
	make_fix
	dwell diff --json before.data after.data | node -e '
		const { measure, events: [{ rows, changes }] } =
			JSON.parse(require("fs").readFileSync(0));
		const { base_value: a, value: b, percent, noise } = changes[1];
		console.error(measure, a, b, percent.toFixed(1), noise);
		for (const { sym, cells, changes: [, change] } of rows)
			console.log([change.delta, change.delta_error,
				cells[0].value, sym.slice(4), change.change].join("|"));
		' 2>whole | as_views >wanted
	cat wanted
	[ "$(cat whole)" = "period 2333000000 962000000 -58.8 false" ]
	[ "$(wc -l <wanted)" = 5 ]
	grep -x -e '-1.60 s|78.4 ms|1.60 s|intern|gone' wanted
	dwell diff --csv before.data after.data | awk -F , -v OFS='|' 'NR > 1 {
		sub(/^\[k\] /, "", $20)
		print $11, $12, $6, $20, $18
	}' | as_views | diff wanted -
	dwell diff --csv before.data after.data | cut -d, -f21-22 | sort -u |
		grep -x 2.333e+09,962000000
	local headline='CPU time -58.8 % (2.33 s -> 962 ms), beyond sampling noise (4.8 %)'
	dwell diff --stdio before.data after.data >text
	grep -x "# $headline" text
	grep '\[k\]' text | head -n 1 | grep 'intern$'
	from_table <text | diff wanted -
	on_terminal "diff before.data after.data" -y 20
	sees 1/5
	has "$headline"
	from_table <screen | diff wanted -
	keys Enter
	sees ": gone, only in the baseline"
	ends
	dwell diff --html --output out.html before.data after.data
	browse out.html "text #summary strong" "text #functions tbody th" \
		"rows #functions tbody tr" >said
	cat said
	[ "$(sed -n 1,2p said | paste -sd '|')" = "$headline|intern" ]
	# The table also has callers without a value of their own.
	sed -n '3,$p' said | awk -F ' [|] ' -v OFS='|' '$2 $3 != "0 ns0 ns" {
		gsub(/−/, "-", $1)
		gsub(/µ/, "u")
		split($1, change, " ±")
		mark = change[1] ~ /^▲/ ? "more" : change[1] ~ /^▼/ ? "less" : "~"
		sub(/^(▲|▼|~) /, "", change[1])
		print change[1], change[2], $2 == "0 ns" ? "" : $2, $7, mark
	}' | sort | diff <(sed -e 's/gone$/less/' -e 's/new$/more/' wanted | sort) -
}

@test "diff --html: a function that is only in A is drawn as an outline and is the first selected one" {
	need browser
	make_fix
	dwell diff --html --output out.html before.data after.data
	# The upper edge and the inside of intern, and main at both ends: is a pixel
	# blue, and is it filled?
	pixels='const at = byId("flame"), { data } = at.getContext("2d")
		.getImageData(0, 0, at.width, at.height);
		[[0.3, 76], [0.3, 67], [0.2, 29], [0.8, 29]].map(([x, y]) => {
			const i = 4 * ((at.height - y) * at.width +
				Math.floor(x * at.width));
			return (data[i + 2] > data[i] + 20 ? "blue" : "grey") +
				(data[i + 3] > 200 ? "" : " hollow");
		}).join(", ")'
	browse out.html "ask $pixels" "text #chosen" \
		"text #chosen-share" "text #callers-rows" \
		"at 0.5 10 #flame" "key Home" "key ArrowUp" "key ArrowUp" "key ArrowUp" \
		"text #status" "choose b #widths" "text #no-callers" \
		"click #tab-tree" "text .lines-head" >said
	cat said
	[ "$(sed -n 1p said)" = "blue, blue hollow, blue, blue hollow" ]
	sed -n 2p said | grep -x intern
	sed -n 3p said | grep 'total A 1.60 s → B 0 ns, −1.60 s ±78.4 ms: gone, only in A'
	sed -n 4p said | grep -x '100.00 %1.60 s → 0 nsrun'
	sed -n 5p said | grep '^intern, .*gone, only in A$'
	sed -n 6p said | grep -x 'This function is only in A.'
	sed -n 7p said | grep '^Total in ATotal in BSelf in ASelf in BFunction'
}

@test "diff --html: call trees have the numbers of both recordings, and mark rows by their total" {
	need browser
	make_data a.data 'main;work=300' 'main;work;leaf=300'
	make_data b.data 'main;work;leaf=100'
	dwell diff --html --output out.html a.data b.data
	browse "out.html#tab=tree&trunk=open" "ask page.callTree.unfoldAll(0)" \
		"rows #tree [role=treeitem]" "click #tab-inverted" \
		"rows #tree [role=treeitem]" "click #tab-functions" \
		"ask [...document.querySelectorAll('#functions tbody tr')].map((row) =>
			row.querySelector('button.name').textContent + ': ' + row.children[0].title +
			'; ' + row.children[3].title).sort().join(' ')" >said
	cat said
	grep -F '600 ms/s | 100 ms/s | 300 ms/s |  | ▾work' said
	grep -F '300 ms/s | 100 ms/s | 300 ms/s | 100 ms/s | ▾leaf' said
	grep -F '300 ms/s | 0 ns/s | 300 ms/s |  | ▸work' said
	grep -F 'work: less; less' said
}

@test "diff: CPU time is compared as it is for commands that ended, and as a rate otherwise" {
	make_fix
	flags= make_data attached.data main=28
	seconds=2 flags= make_data longer.data main=58
	measure() {
		dwell diff "$@" --json | grep -o '"measure": "[a-z]*"'
	}
	[ "$(measure before.data after.data)" = '"measure": "period"' ]
	[ "$(measure before.data attached.data)" = '"measure": "rate"' ]
	[ "$(measure attached.data longer.data)" = '"measure": "rate"' ]
	[ "$(measure --time 0%-50% before.data after.data)" = '"measure": "rate"' ]
	[ "$(measure - after.data <before.data)" = '"measure": "rate"' ]
	[ "$(measure --normalize share before.data after.data)" = '"measure": "share"' ]
	[ "$(measure --normalize none attached.data longer.data)" = '"measure": "period"' ]
	[ "$(measure -c delta-abs before.data after.data)" = '"measure": "share"' ]
	[ "$(measure -c ratio before.data after.data)" = '"measure": "period"' ]
	dwell diff attached.data longer.data |
		grep -x '# CPU time per second +0.0 % (30.0 ms/s -> 30.0 ms/s), within sampling noise (43.8 %)'
}

# build_inlined DIR OPTION...: builds DIR/made, whose function work consists of the
# inlined function inner, and makes DIR.data of samples in it.
build_inlined() {
	local start size id
	mkdir "$1"
	cat >"$1/made.c" <<-'END'
		static inline __attribute__((always_inline)) long inner(long n)
		{
			long sum = 0;
			for (long i = 0; i < n; i++)
				sum += sum % (i + 3);
			return sum;
		}
		__attribute__((noinline)) long work(long n) { return inner(n); }
		int main(int argc, char **argv) { return (int)work(argc); }
	END
	"${CC:-cc}" -O1 "${@:2}" -Wl,--build-id -o "$1/made" "$1/made.c"
	id=$(readelf -n "$1/made" | awk '/Build ID/ { print $3 }')
	read -r start size _ < <(nm -S "$1/made" | grep ' T work$')
	"$DWELL_BUILD/tests/made/make_data" - "$1.data" <<-END
		file
		event name=cpu-clock type=software ids=1 enable_on_exec exclude_guest
		 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN sample_period=1000000
		record MMAP2 pid=7 tid=7 addr=0x10000000 len=0x10000 filename="$PWD/$1/made" prot=5 build_id=$id
		record SAMPLE ip=$((0x10000000 + 0x$start + 0x$size / 2)) pid=7 tid=7
		 time=1000 period=1000000 times=9 chain=user,$((0x10000000 + 0x$start + 0x$size / 2))
	END
}

@test "diff --html: inlined functions are frames if all builds have debug information" {
	need browser cc
	build_inlined old -g
	build_inlined new -g -falign-functions=128
	build_inlined plain
	run -0 --separate-stderr dwell diff --html -o both.html old.data new.data
	[ -z "$stderr" ]
	run -0 --separate-stderr dwell diff --html -o one.html old.data plain.data
	echo "$stderr"
	[ "$stderr" = "dwell diff: inlined functions of made are not shown: not all recordings have debug information for them" ]
	browse both.html "rows #functions tbody tr" "text #unnamed" >said
	cat said
	grep 'inner (inlined)' said
	grep 'work' said
	browse one.html "rows #functions tbody tr" "text #unnamed" >said
	cat said
	absent grep 'inner' said
	grep '^+0 ns.* 9.00 ms .* work ' said
	grep '^inlined functions of made are not shown' said
}

# build_lambdas NAME LINES: builds NAME/made, whose function main calls leaf in two
# lambdas, in lines LINES + 5 and LINES + 10 of the source.
build_lambdas() {
	mkdir "$1"
	{
		head -c "$2" /dev/zero | tr '\0' '\n'
		cat <<-'END'
			#define INLINED __attribute__((always_inline))
			extern "C" __attribute__((noinline)) long leaf(long n) { return n % 7; }
			int main(int argc, char **)
			{
				auto first = [](long n) INLINED {
					for (; n % 3; n++)
						n += leaf(n); // first
					return n;
				};
				auto second = [](long n) INLINED {
					for (; n % 5; n++)
						n += leaf(n + 1); // second
					return n;
				};
				return (int)second(first(argc));
			}
		END
	} >"$1/pool.cpp"
	(cd "$1" && g++ -O1 -g -no-pie -Wl,--build-id -o made pool.cpp)
}

# sample_lambdas FILE NAME WORD=COUNT...: makes COUNT samples of NAME/made in leaf, which
# the lambda with a line that ends with "// WORD" calls.
sample_lambdas() {
	local file=$1 name=$2 id leaf at line place
	shift 2
	id=$(readelf -n "$name/made" | awk '/Build ID/ { print $3 }')
	leaf=0x$(nm "$name/made" | awk '$3 == "leaf" { print $1 }')
	{
		cat <<-END
			file
			event name=cpu-clock type=software ids=1 enable_on_exec exclude_guest
			 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN sample_period=1000000
			record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 filename="$PWD/$name/made" prot=5 build_id=$id
		END
		for at; do
			line=$(grep -n "// ${at%=*}\$" "$name/pool.cpp" | cut -d: -f1)
			place=$(readelf --debug-dump=decodedline "$name/made" | awk -v line="$line" \
				'$2 == line && $3 ~ /^0x/ { print $3; exit }')
			echo "record SAMPLE ip=$leaf pid=7 tid=7 time=1000 period=1000000" \
				"times=${at#*=} chain=user,$leaf,$((place + 1))"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - "$file"
}

# Prints "A B LINE" of each lambda, in ms: of the page, and of the text with the time of
# leaf moved to its callers, which is the same.
lambda_rows() {
	dwell diff --html --force -o out.html "$@"
	browse out.html "ask page.data.functions.flatMap(({ name }, fn) => name.includes('{lambda}')
		? [...page.selection.sides.map((side) => side.functions.total[fn] / 1e6),
			name.replace(/.* /, '')] : []).join(' ')" | xargs -n 3 | sort -k3V >page
	dwell diff -c wdiff:1,1 --csv --merge-fn leaf -s sym "$@" | awk -F, '/lambda/ {
		sub(/ \(inlined\)/, "", $19)
		sub(/.* /, "", $19)
		print $4 / 1e6, $8 / 1e6, $19 }' | sort -k3V >text
	diff page text >&2 &&
		cat page
}

@test "diff: lambdas are matched by their function if their lines moved" {
	need browser g++
	build_lambdas old 0
	build_lambdas new 5
	# The first lambda of the new build is in the line of the second one of the old build.
	sample_lambdas both.data old first=50 second=20
	sample_lambdas moved.data new first=52 second=10
	[ "$(lambda_rows both.data moved.data)" = $'50 52 pool.cpp:10\n20 10 pool.cpp:15' ]
	sample_lambdas one.data old first=50
	sample_lambdas one-moved.data new first=40
	[ "$(lambda_rows one.data one-moved.data)" = '50 40 pool.cpp:10' ]
	# It is not known which of the two the other recording has.
	[ "$(lambda_rows both.data one-moved.data)" = '70 40 pool.cpp' ]
	# Lines of the same build are those of the same function.
	sample_lambdas other.data old second=30
	[ "$(lambda_rows one.data other.data)" = $'50 0 pool.cpp:5\n0 30 pool.cpp:10' ]
}
