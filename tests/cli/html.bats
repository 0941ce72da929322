#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell export --format html, in a browser: its numbers are those of a report
# after every action; and --format svg.

load page.bash

@test "html: the table has the numbers of dwell report" {
	need browser
	dwell export --format html -o out.html made.data
	page_rows out.html >shown
	report_rows made.data >wanted
	cat shown
	diff wanted shown
	[ "$(wc -l <shown)" = 5 ]
	browse out.html "text #summary" | grep '^16 samples · 16.0 ms of cpu-clock:HG$'
}

# Of 32 samples, 1, 3, 5, 7 and 16: 100 * 1 / 32 is 3.125, exactly between two texts.
@test "html: percentages are rounded as in dwell report" {
	need browser
	local at=0 n
	{
		printf '%s\n' file 'event name=cpu-clock type=software ids=1
			sample_type=IP|TID|PERIOD sample_period=1000'
		for n in 1 3 5 7 16; do
			at=$((at + 1))
			echo "record KSYMBOL addr=0xffffffffd000${at}000 len=0x100" \
				"ksym_type=2 name=f$n"
			echo "record SAMPLE misc=kernel ip=0xffffffffd000${at}010" \
				"pid=7 tid=7 period=1000 times=$n"
		done
	} | sed ':a; N; $!ba; s/\n\t\+/\n /g' |
		"$DWELL_BUILD/tests/made/make_data" - halves.data
	dwell report --stdio -s sym halves.data |
		awk '/^ / { print $1, $NF }' | sort >wanted
	prints rounded-percentages <wanted
	dwell export --format html -o halves.html halves.data
	browse halves.html "rows #functions tbody tr" |
		awk -F ' [|] ' '{ sub(/ /, "", $2); print $2, $4 }' | sort >shown
	diff wanted shown
}

@test "html: a search shows the percentage of its matches, and counts recursive calls once" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "click #search" "type work" "text #found" \
		"count #functions tbody tr" "state" >said
	diff - said <<-'END'
		100.00 % in 1 function
		1
		#search=work
	END
	# One stack is in the frames of both leaves.
	browse "out.html#search=leaf" "text #found" |
		grep '^62.50 % in 2 functions$'
	browse out.html "click #search" "type /_b$/" "text #found" |
		grep '^12.50 % in 1 function$'
	# An invalid regular expression matches nothing and hides nothing.
	browse "out.html#search=/(/" "click #search" "key Enter" "text #found" \
		"attribute aria-invalid #search" "count #functions tbody tr" \
		"key /" "type x" "attribute aria-invalid #search" >said
	prints search <said
}

@test "html: a regular expression from a link is not run before the user presses Enter" {
	need browser
	dwell export --format html -o out.html made.data
	# The function has no name for which this pattern ends.
	slow='/(([a-z_]*)*)*1/'
	make_data slow.data entry work "$(printf 'a%.0s' {1..60})" leaf_b
	dwell export --format html -o slow.html slow.data
	for search in "$slow" "dso:$slow" "file:$slow"; do
		browse "slow.html#search=$search" "text #found" "value #search" \
			"attribute aria-invalid #search" >said
		diff - said <<-END
			not searched: press Enter in the search
			$search
			false
		END
	done
	browse "out.html#search=/_b$/" "text #found" "click #search" "key Enter" \
		"text #found" >said
	diff - said <<-'END'
		not searched: press Enter in the search
		12.50 % in 1 function
	END
}

@test "html: a link has at most 50 transforms" {
	need browser
	dwell export --format html -o out.html made.data
	browse "out.html#transforms=$(printf 'R~%.0s' {1..3000})" \
		"count #transforms li" >said
	[ "$(cat said)" = 50 ]
}

@test "html: a double click zooms into a frame, and the browser's Back zooms out" {
	need browser
	dwell export --format html -o out.html made.data
	# From below: all, made, entry. The frames of thread 7 are the wider
	# half.
	browse "out.html#group=thread" "twice 0.2 28 #flame" "text #path" "key Escape" \
		"text #path" "at 0.2 10 #flame" "key ArrowUp" \
		"text #status" "key Enter" "text #path" "back" "text #path" \
		"key ArrowUp" "key Enter" "text #path" "click #reset" "text #path" >said
	cat said
	[ "$(sed -n 1p said)" = made ]
	[ "$(sed -n 2p said)" = "" ]
	[ "$(sed -n 3p said)" = "made, 62.50 % (10.0 ms, 10 samples), thread made (7)" ]
	[ "$(sed -n 4p said)" = made ]
	[ "$(sed -n 5p said)" = "" ]
	[ "$(sed -n 6p said)" = made0x0000000000000100 ]
	[ "$(sed -n 7p said)" = "" ]
}

@test "html: a click on a column heading sorts the table by this column" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "click #tab-functions" \
		"click #functions thead th:nth-child(2) button" \
		"attribute aria-sort #functions thead th:nth-child(2)" \
		"text #functions tbody tr:first-child th" \
		"click #functions thead th:nth-child(4) button" \
		"attribute aria-sort #functions thead th:nth-child(4)" \
		"attribute aria-sort #functions thead th:nth-child(2)" state >said
	prints sorted-columns <said
}

@test "html: selecting a time range restricts all panels to its samples" {
	need browser
	dwell export --format html -o out.html made.data
	# The first two seconds of nearly four, by dragging.
	browse out.html "drag 0 0.5 #overview" "value #from" "value #to" >times
	cat times
	page_rows out.html "drag 0 0.5 #overview" >shown
	report_rows --time "$(awk 'NR == 1 { from = $1 } END {
		printf "%.9f,%.9f", 1 + from, 1 + $1 - 1e-9 }' times)" \
		made.data >wanted
	diff wanted shown
	# Typed, and cleared again.
	browse out.html "drag 0.9 1 #overview" "text #summary" \
		"text #functions tbody tr:nth-child(2) td" "click #all-time" \
		"text #summary" "state" >said
	cat said
	sed -n 1p said | grep '^3 samples'
	sed -n 3p said | grep '^16 samples · 16.0 ms of cpu-clock:HG$'
	[ "$(sed -n 4p said)" = "" ]
}

@test "html: the browser's Back undoes only the selection of a time range" {
	need browser
	dwell export --format html -o out.html made.data
	for plot in overview heat; do
		browse out.html "click #threads li:nth-child(2) button" \
			"choose $([ $plot = heat ] && echo heat || echo threads) #times" state \
			"drag 0.1 0.3 #$plot" state back state >said
		cat said
		grep -xE '#thread=7\.[78](&times=heat)?' said >thread
		[ "$(wc -l <thread)" = 2 ]
		sed -n 2p said | grep -E '^#from=[0-9]+&to=[0-9]+&thread=7'
	done
}

@test "html: the heat map ignores other mouse buttons, and a release without a press" {
	need browser
	dwell export --format html -o out.html made.data
	for what in "button: 2" "button: 0"; do
		types='["pointerdown", "pointerup"]'
		[ "$what" = "button: 2" ] || types='["pointerup"]'
		browse "out.html#times=heat" "ask {
			const area = heat.getBoundingClientRect();
			for (const type of $types)
				heat.dispatchEvent(new PointerEvent(type, {
					pointerId: 1, $what,
					clientX: area.left + 5, clientY: area.top + 5 }));
			location.hash === '#times=heat';
		}" | grep -x true
	done
}

@test "html: typing one end of a time range does not change the other end" {
	need browser
	{
		sed -n '1,/^record SAMPLE/p' "$DWELL_SOURCE/tests/made/plain.txt" |
			grep -v '^record SAMPLE'
		for ((i = 0; i < 12500; i++)); do
			echo "record SAMPLE pid=7 tid=7 ip=0x400100" \
				"time=$((1000000000 + i * 1000000)) period=1"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - slow.data
	dwell export --format html -o out.html slow.data
	browse "out.html#from=1005000&to=6255000" "text #slice-note" "value #from" \
		"choose 3.3 #to" state "choose 100 #from" state \
		"text #slice-note" >said
	prints typed-time-range <said
}

@test "html: the selected time range is shown as a --time option that selects the same samples" {
	need browser
	dwell export --format html -o out.html made.data
	[ "$(browse out.html "text #clock")" = "" ]
	for range in 'from=0&to=1500000' 'from=1500000&to=1500001' \
		'from=700000&to=3504000'; do
		time=$(browse "out.html#$range" "text #clock")
		page_rows "out.html#$range" >shown
		[[ $time == "--time "* ]]
		report_rows $time made.data >wanted
		diff wanted shown
	done
	[ "$time" = "--time 1.700000000,4.503999999" ]
	[ -s shown ]
}

@test "html: dragging over the heat map selects a time range, and typing into its fields changes it" {
	need browser
	dwell export --format html -o out.html made.data
	# From the middle of its first column to that of its fourth, of 100 ms.
	browse "out.html#times=heat" "drag 0 0.1 #heat" "text #summary" "state" >said
	cat said
	sed -n 1p said |
		grep '^1 sample · 1.00 ms .* from 0.05 s to 0.352 s$'
	grep '^#from=50000&to=352000&times=heat$' said
	browse "out.html#from=0&to=1000000" "text #summary" "value #to" \
		"choose 2 #to" "text #summary" >said
	cat said
	sed -n 1p said | grep '^6 samples · .* from 0.0 s to 1.0 s$'
	[ "$(sed -n 2p said)" = 1.0 ]
	sed -n 3p said | grep '^11 samples · .* from 0.0 s to 2.0 s$'
	# An invalid state has no effect.
	for state in 'from=9999999999&to=1' 'from=-1&to=x' 'event=7' 'zoom=1e9' \
		'fn=12345' 'sort=none' 'sort=constructor' 'thread=abc'; do
		browse "out.html#$state" "text #summary" |
			grep '^16 samples · 16.0 ms of cpu-clock:HG$'
	done
}

@test "html: the stack chart draws frames at the times when they ran" {
	need browser
	dwell export --format html -o out.html made.data
	# The last 2 of 16 samples of thread 7 are leaf_b's.
	browse "out.html#tab=chart&thread=7.7" "click #chart" \
		"key Home" "key ArrowUp" "key ArrowUp" "key ArrowRight" \
		"text #status" "key ArrowUp" "key ArrowUp" "text #status" >said
	cat said
	sed -n 1p said | grep '^entry, .*20.00 % (2.00 ms, 2 samples)'
	sed -n 2p said | grep '^leaf_b, .*20.00 % (2.00 ms, 2 samples)'
}

@test "html: the status line of a frame has the numbers of the selected thread" {
	need browser
	dwell export --format html -o out.html made.data
	# Thread 7 has 10 of 16 samples, all of them in entry.
	browse "out.html#group=thread" "at 0.2 28 #flame" "text #status" \
		"click #threads li:nth-child(1) button" "text #status" \
		"click #threads li:nth-child(2) button" "text #status" >said
	cat said
	sed -n 1p said | grep '^made, 62.50 % (10.0 ms, 10 samples), thread made (7)'
	run ! grep 62.50 <(sed 1d said)
}

@test "html: selecting a thread restricts all panels to its samples" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "text #threads" "click #threads li:nth-child(2) button" \
		"text #summary" "count #functions tbody tr" \
		"attribute aria-pressed #threads li:nth-child(2) button" >said
	prints selected-thread <said
}

@test "html: the label of a thread begins with its last name" {
	need browser
	{
		cat <<-'END'
			file
			event name=cpu-clock type=software ids=1 sample_id_all comm
			 sample_type=IP|TID|TIME|PERIOD sample_period=1000000
		END
		for name in bash pyenv a.out; do
			start=$((${start:-0} + 1000000000))
			echo "record COMM pid=7 tid=7 comm=$name time=$start"
			for i in 1 2 3; do
				echo "record SAMPLE pid=7 tid=7 ip=0x400100" \
					"time=$((start + i * 300000000)) period=1000000"
			done
		done
	} | "$DWELL_BUILD/tests/made/make_data" - names.data
	dwell export --format html -o out.html names.data
	browse out.html "text #threads" >said
	[ "$(cat said)" = "a.out, pyenv, bash 7" ]
}

@test "html: with --wall, the table has the numbers of dwell report --wall" {
	need browser
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	dwell export --format html --wall -o out.html off.data
	page_rows out.html >shown
	report_rows --wall off.data >wanted
	cat shown
	diff wanted shown
	browse out.html "text #summary" |
		grep '^5 samples · Thread time: 2.25 µs (1 thread, 2.24 µs)$'
	refuses 2 dwell export --format perf-data --wall off.data
	[[ $line == *"--wall require --format folded, html, svg, "* ]]
}

@test "html: a recording with --off-cpu is exported as with --wall, and a message states it" {
	need browser
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	dwell export --format html -o out.html off.data 2>said
	grep -x 'dwell.*: off.data was recorded with --off-cpu: showing time on and off the CPU, as with --wall. To show samples, use --no-wall' said
	dwell export --format html --wall off.data 2>said | cmp - out.html
	[ ! -s said ]
	page_rows out.html >shown
	report_rows --wall off.data >wanted
	diff wanted shown
	browse out.html "text #facts" |
		grep 'Countedon-CPU and off-CPU time, as with --wall'
	# With another choice of state, or with other events.
	dwell export --format html --no-wall --force -o out.html off.data
	browse out.html "count #event option" "text #summary" "text #facts" >said
	cat said
	sed -n 1p said | grep -x 3
	sed -n 2p said | grep '^1 sample · 250 ns of cpu-clock'
	grep 'Countedsamples; for times, use --off-cpu and --wall' said
	dwell export --format html -e cpu-clock --force -o out.html off.data
	[ "$(browse out.html "count #event option")" = 1 ]
	sed 's/^event name=dummy .*config=9/event name=page-faults type=software config=2/' \
		"$DWELL_SOURCE/tests/made/offcpu.txt" |
		"$DWELL_BUILD/tests/made/make_data" - more.data
	dwell export --format html --force -o out.html more.data 2>said
	grep 'showing the samples of each event. To show time, use --off-cpu or --wall$' said
	[ "$(browse out.html "count #event option")" = 3 ]
	# A picture has the same states.
	dwell export --format svg off.data 2>said >out.svg
	grep 'showing time on and off the CPU, as with --wall' said
	dwell export --format svg --wall off.data 2>said | cmp - out.svg
	[ ! -s said ]
	dwell export --format svg --no-wall off.data | grep 'cpu-clock: 1 sample<'
	# Other events of the recording count samples, and have no message.
	dwell export --format folded -e cpu-clock off.data 2>said
	[ ! -s said ]
}

# colours CANVAS: prints a command of the browser that lists the theme's colours
# of states in CANVAS.
colours() {
	echo "ask ((canvas) => {
		const { data } = canvas.getContext('2d').getImageData(
			0, 0, canvas.width, canvas.height);
		const words = new Uint32Array(data.buffer);
		return ['lane', 'runnable', 'blocked', 'preempted'].filter((name) => {
			const pen = new OffscreenCanvas(1, 1).getContext('2d');
			pen.fillStyle = themeColour(name);
			pen.fillRect(0, 0, 1, 1);
			return words.includes(new Uint32Array(pen.getImageData(
				0, 0, 1, 1).data.buffer)[0]);
		}).join(' ');
	})(document.querySelector('$1'))"
}

@test "html: with --off-cpu, the overview draws the sum of the off-CPU time of all threads" {
	need browser
	sed 's/time=[0-9]*/&000000/' "$DWELL_SOURCE/tests/made/offcpu.txt" |
		"$DWELL_BUILD/tests/made/make_data" - off.data
	for part in --off-cpu --wall; do
		dwell export --format html $part --force -o out.html off.data
		browse "out.html" "$(colours '#overview')" "text #all-threads" \
			"choose heat #times" "ask new Set(new Uint32Array(heat.getContext('2d').getImageData(
			0, 0, heat.width, heat.height).data.buffer)).size > 2"
	done >said
	prints off-cpu-overview <said
}

@test "html: with --min-block, threads without a wait of that length have no line" {
	need browser
	sed -e '/time=3700$/i record SAMPLE event=1 ip=0x3000 pid=8 tid=8 time=3090 chain=user,0x3000' \
		-e '/time=3700$/i record SWITCH event=3 by_pid=8 by_tid=8 misc=switch_out time=3100' \
		"$DWELL_SOURCE/tests/made/offcpu.txt" |
		sed 's/time=[0-9]*/&000/' |
		"$DWELL_BUILD/tests/made/make_data" - off.data
	dwell export --format html --off-cpu -o all.html off.data
	dwell export --format html --off-cpu --min-block 800us -o out.html \
		off.data
	[ "$(browse all.html "count #threads button")" = 2 ]
	[ "$(browse out.html "count #threads button")" = 1 ]
}

# lane_times PAGE: prints state and microseconds of each lane off the CPU.
lane_times() {
	page_data "$1" 'events[0].lanes.filter(({ state }) => state)
		.map(({ state, tid, sum }) => `${tid} ${["", "runnable",
			"blocked", "preempted"][state]} ${sum}`).sort().join("\n")'
}

# report_times FILE: prints the same from dwell report.
report_times() {
	dwell report --off-cpu --json -s tid,state -i "$1" | node -e '
		const report = JSON.parse(require("fs").readFileSync(0));
		for (const { tid, state, self_period } of report.events[0].rows)
			console.log(tid, state,
				Math.floor(self_period / 1000));' | sort
}

@test "html: off-CPU times of each thread are those of dwell report" {
	# In steps of 1.7 us and of 1 us, which are fractions of the bin width.
	for unit in 1700 1; do
		awk -v unit=$unit '{
			if (match($0, /time=[0-9]+/))
				sub(/time=[0-9]+/, "time=" \
					substr($0, RSTART + 5, RLENGTH - 5) * unit)
			print }' "$DWELL_SOURCE/tests/made/offcpu.txt" >made.txt
		# Switches of less than a microsecond, two per bin; and one
		# without a sample, which is not counted.
		for ((i = 0; i < 50; i++)); do
			at=$((3800 * unit + i * 600000))
			echo "record SAMPLE event=1 ip=0x3000 pid=9 tid=9" \
				"time=$((at - 10)) chain=user,0x3000"
			echo "record SWITCH event=3 by_pid=9 by_tid=9" \
				"misc=switch_out time=$at"
			echo "record SWITCH event=3 by_pid=9 by_tid=9 time=$((at + 900))"
		done >>made.txt
		echo "record SWITCH event=3 by_pid=6 by_tid=6 misc=switch_out" \
			"time=$((3900 * unit))" >>made.txt
		"$DWELL_BUILD/tests/made/make_data" made.txt off.data
		report_times off.data >wanted
		dwell export --format html --off-cpu --force -o out.html off.data
		lane_times out.html >shown
		cat shown
		diff wanted shown
		grep '^9 blocked 45$' shown
		grep '^7 preempted ' shown
		run ! grep '^6 ' shown
	done
}

@test "html: a page with 300 threads that wait for long stays small" {
	{
		sed '/^event name=sched/,/RAW$/d
			/^feature EVENT_DESC/q' "$DWELL_SOURCE/tests/made/offcpu.txt"
		for i in {1..300}; do
			echo "record SAMPLE event=1 ip=0x3000 pid=7 tid=$i" \
				"time=$((1000000000 + i)) chain=user,0x3000"
			echo "record SWITCH event=2 by_pid=7 by_tid=$i" \
				"misc=switch_out time=$((1000000001 + i))"
		done
		for i in {1..300}; do
			echo "record SWITCH event=2 by_pid=7 by_tid=$i" \
				"time=$((21000000001 + i))"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - wait.data
	dwell export --format html --off-cpu -o out.html wait.data
	# 20 s in bins of 5 ms are 4000 bins. Their sum is unchanged.
	page_data out.html '[time.bin / 1e6, events[0].lanes.length,
		events[0].lanes.every(({ bins }) => bins.length === 2001),
		events[0].lanes.every(({ sum }) => sum === 20e6 - 1 || sum === 20e6)]
		.join(" ")' >said
	diff - said <<<'10 300 true true'
	dwell export --format html --off-cpu --tid 1,2 --force -o out.html wait.data
	[ "$(page_data out.html 'time.bin / 1e6')" = 5 ]
}

@test "html: with many stacks, the page has fewer time steps, and a line states it" {
	for stacks in 2000 60000; do
		awk -v stacks=$stacks 'BEGIN {
			print "file"
			print "event name=cpu-clock type=software ids=1" \
				" sample_type=IP|TID|TIME|CALLCHAIN sample_period=1"
			for (i = 0; i < stacks; i++)
				printf "record SAMPLE ip=0x10 pid=7 tid=7" \
					" times=%d time=%.0f" \
					" chain=user,0x10,%d,%d\n",
					1080000 / stacks,
					1e9 + i * 2e10 / stacks,
					4096 + i % 251 * 16, 65536 + i * 16
		}' | "$DWELL_BUILD/tests/made/make_data" - many.data
		dwell export --format html --force -o $stacks.html many.data 2>said
	done
	grep 'too many different stacks for short time slices: a time range can be selected in steps of 1.25 s$' said
	page_data 60000.html 'time.slices' | grep -x 17
	page_data 2000.html 'time.slices' | grep -x 251
}

@test "html: the numbers of callers and callees add up to those of the function" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html "click #tab-functions" \
		"click #functions tbody tr:nth-child(2) button" \
		"text #chosen" "text #chosen-share" "text #callers-rows" \
		"text #callees-rows" >said
	cat said
	[ "$(sed -n 1p said)" = work ]
	grep 'total 100.00 % · self 37.50 %' said
	sed -n 3p said | grep '100.00 %100.00 %entry'
	# work calls itself in half of its samples.
	sed -n 4p said |
		grep '50.00 %50.00 %work12.50 %12.50 %leaf_b'
}

@test "html: merged recursion, icicle order and heat colours do not change numbers" {
	need browser
	dwell export --format html -o out.html made.data
	for state in merge=1 shape=icicle colour=heat \
		'merge=1&shape=icicle&colour=heat'; do
		browse "out.html#$state" "click #flame" "key Escape" "key Home" \
			"text #status" "text #summary" >said
		cat said
		grep -F 'all, 100.00 % (16.0 ms, 16 samples), 2 threads: made (7) 62.50 %, other (8) 37.50 %' said
	done
}

@test "html: with merged recursion, recursive calls are one frame" {
	need browser
	dwell export --format html -o out.html made.data
	for merge in '' 1; do
		browse "out.html#merge=$merge" "click #flame" "key Escape" \
			"key Home" "key ArrowUp" "key ArrowUp" "key ArrowUp" \
			"key ArrowUp" "text #status" "key ArrowUp" "text #status"
	done >said
	prints merged-recursion sed 's/, \[[a-z_]*\]//' said
}

@test "html: the page is light or dark as the system is, until a click on the theme button" {
	need browser
	dwell export --format html -o out.html made.data
	browse out.html light "attribute data-theme html" dark \
		"attribute data-theme html" "click #theme" \
		"attribute data-theme html" >said
	[ "$(paste -sd ' ' said)" = "light dark light" ]
}

# The name of a function. The text of a recording has no other quotes.
hostile="'><svg/onload=alert(3)>"

@test "html: HTML tags in names of functions, threads and files are shown as text in every panel" {
	need browser
	make_data hostile.data '<img src=x onerror=alert(1)>' \
		'</script><script>alert(2)</script>' $hostile \
		$'\e]0;title\a&lt;b>' '<b>comm</b>' '/bin/</script><i>dso'
	dwell export --format html -o out.html hostile.data
	[ "$(grep -c '<script' out.html)" = 2 ]
	run ! grep -qE 'alert|onerror=|comm</b>' out.html
	browse "out.html#fn=2" "count img" "count b" "count i" "count svg" \
		"count script" "text #functions" "text #threads" \
		"click #flame" "key ArrowUp" "key ArrowUp" "text #status" \
		"dark" "twice 0.3 40 #flame" "text #path" >said
	cat said
	[ "$(head -n 5 said | paste -sd ' ')" = "0 0 0 0 1" ]
	grep -F '<img src=x onerror=alert(1)>' said
	grep -F '</script><script>alert(2)</script>' said
	grep -F '\x1b]0;title\x07&lt;b>' said
	grep -F '<b>comm</b>' said
	dwell export --format svg -o out.svg hostile.data
	run ! grep -qE '<img|<b>|<i>|<svg/' out.svg
	[ "$(grep -c '<script' out.svg)" = 1 ]
	need python3
	python3 -c 'import sys, xml.dom.minidom as dom
text = "".join(t.firstChild.data for t in
	dom.parse(sys.argv[1]).getElementsByTagName("title"))
for name in sys.argv[2:]:
	assert name in text, name' out.svg '<img src=x onerror=alert(1)>' \
		'</script><script>alert(2)</script>' $hostile \
		'\x1b]0;title\x07&lt;b>' '<b>comm</b>'
}

@test "html: the page allows only its own script and style" {
	dwell export --format html -o out.html made.data
	policy=$(grep -o 'Content-Security-Policy" content="[^"]*' out.html)
	[[ $policy == *"default-src 'none'; script-src 'sha256-"* ]]
	[[ $policy != *unsafe* ]]
	run ! grep -qE '(src|href)=' out.html
	need openssl
	hash=$(sed -n '/^<script>/,/^<\/script>/p' out.html | sed '1s/<script>//' |
		sed '$d' | openssl dgst -sha256 -binary | openssl base64)
	[[ $policy == *"script-src 'sha256-$hash'"* ]]
}

@test "html: panels of times and callers are hidden if samples have none" {
	need browser
	"$DWELL_BUILD/tests/made/make_data" - flat.data <<-'END'
		file
		event name=cycles type=hardware sample_type=IP|TID ids=1 sample_period=5
		record SAMPLE ip=0x400100 pid=7 tid=7
		record SAMPLE ip=0x400100 pid=7 tid=7
	END
	dwell export --format html -o out.html flat.data 2>said
	grep 'has no call chains' said
	# With code, this message is not useful.
	dwell annotate --html -o code.html -i flat.data 2>said
	[ -s code.html ]
	run ! grep 'call chains' said
	browse "out.html" "text #summary" "count #time[hidden]" >shown
	diff - shown <<-'END'
		2 samples · 10 of cycles:HG
		1
	END
}

@test "html: --group-by selects the outermost frames, and the table does not depend on it" {
	need browser
	for group in process thread none; do
		dwell export --format html --group-by $group \
			-o $group.html made.data
		page_rows $group.html >$group
		browse $group.html "click #flame" "key Home" "key ArrowUp" \
			"text #status"
	done >said
	cat said
	diff process thread
	diff process none
	# The default is the process.
	dwell export --format html made.data | cmp - process.html
	diff said - <<-'END'
		made, 100.00 % (16.0 ms, 16 samples), 2 threads: made (7) 62.50 %, other (8) 37.50 %
		made, 62.50 % (10.0 ms, 10 samples), thread made (7)
		0x0000000000000100, made, 50.00 % (8.00 ms, 8 samples), thread made (7)
	END
}

@test "html: after an error no partial page remains, and -o - writes the page to a pipe" {
	dwell export --format html -o - made.data | tail -n 1 | grep '^</html>$'
	run -1 dwell export --format html -o none/out.html made.data
	run -1 dwell export --format html -o out.html missing.data
	[ ! -e out.html ]
	if [ -w /dev/full ]; then
		run -1 dwell export --format html -o /dev/full made.data
		run -1 dwell export --format svg -o /dev/full made.data
	fi
}

@test "svg: a flame graph has each frame with its percentage" {
	dwell export --format svg --group-by thread -o out.svg made.data
	grep -F '<title>entry [' out.svg | grep -F ': 37.50 %, 6 samples'
	grep -F '<title>leaf_a [' out.svg | grep -F ': 50.00 %, 8 samples'
	# Callers are below, as in the page.
	[ "$(grep -E '<title>(entry|leaf_a) ' out.svg |
		sed -E 's/.* y="([0-9]*)".*<title>([a-z_]*) .*/\1 \2/' |
		sort -n | sed 's/.* //' | uniq | paste -sd,)" = leaf_a,entry ]
	grep -F '<title>made: 62.50 %, 10 samples' out.svg
	# Colours by kernel and program.
	grep '<title>entry \[.*<rect class="c0"/>' out.svg
	grep '<title>0x.* \[made\].*<rect class="c1"/>' out.svg
	run ! grep -E 'https?://' <(sed 's,http://www.w3.org/2000/svg,,' out.svg)
}

@test "svg: --inverted puts functions with own samples outermost, and callers above them" {
	dwell export --format svg --inverted --group-by none -o out.svg made.data
	# Prints the names in the rows of the picture, from its root up.
	sed -En 's/.* y="([0-9]*)".*<title>([a-z_]*) .*: ([0-9.]+) %.*/\1 \2 \3/p' \
		out.svg | sort -k1,1rn -k2 | cut -d' ' -f2- >frames
	cat frames
	head -4 frames | diff - <(printf '%s\n' 'leaf_a 50.00' 'leaf_b 12.50' \
		'work 37.50' 'entry 37.50')
	refuses 2 dwell export --format html --inverted made.data
	[[ $line == *"--inverted requires --format svg;"* ]]
	# A state is next to the function that waits.
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	for option in "" --inverted; do
		dwell export --format svg --off-cpu $option -q off.data |
			grep -o '<title>[^<]*\[blocked\][^<]*' | sed 's/.*: //'
	done | uniq -c | awk '$1 == 2 { found = 1 } END { exit !found }'
}

@test "svg: a click zooms in, Escape zooms out, and a search shows the percentage of its matches" {
	need browser
	dwell export --format svg --group-by thread -o out.svg made.data
	local shown='[...document.querySelectorAll(".f")].filter(f => f.style.display !== "none")'
	local click='.dispatchEvent(new MouseEvent("click"))'
	browse out.svg "ask $shown.length" \
		"ask $shown.find(f => /^leaf_a /.test(f.textContent))$click" \
		"ask $shown.map(f => f.querySelector('title').textContent.split(' ')[0]).join(' ')" \
		"ask new Set($shown.map(f => f.getAttribute('width'))).size" \
		"key Escape" "ask $shown.length" \
		"ask search('leaf_'); document.querySelector('.q').textContent.trim()" \
		"ask search('/^(leaf_b|entry)/'); document.querySelector('.q').textContent.trim()" \
		"ask document.querySelectorAll('.found').length" \
		"ask search('kallsyms'); document.querySelector('.q').textContent.trim()" \
		"ask search(''); document.querySelector('.q').textContent.trim()" >said
	cat said
	prints svg-zoom-and-search <said
}

@test "svg: without a flame graph, because all periods are 0, a message states the cause" {
	"$DWELL_BUILD/tests/made/make_data" - none.data <<-'END'
		file
		event name=cycles type=hardware sample_type=IP|TID|PERIOD ids=1
		record SAMPLE ip=0x400100 pid=7 tid=7 period=0
		record SAMPLE ip=0x400100 pid=7 tid=7 period=0
	END
	dwell export --format svg -o out.svg none.data 2>said
	grep -F 'has no flame graph: the periods of all its samples are 0' said
	dwell export --format svg -o some.svg made.data 2>said
	run ! grep 'no flame graph' said
}
