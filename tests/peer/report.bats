#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell's reports of perf's recordings compared with perf's.

load recordings.bash

needed=(perf)

record_files() {
	compile "$DWELL_SOURCE/tests/bench/chain.c" chain
	perf_record -e cpu-clock -F 5000 -g -o chain.data \
		./chain 2 400000 >/dev/null
	perf_record -z -e cpu-clock -F 5000 -g -o z.data \
		./chain 2 400000 >/dev/null
	perf_record -e cpu-clock,page-faults -F 2000 -g -o two.data \
		./chain 2 100000 >/dev/null
	# Two programs of one name: their functions must stay separate.
	mkdir other
	compile "$DWELL_SOURCE/tests/bench/chainr.c" "other/chain.$own" \
		-I "$DWELL_SOURCE"
	cp chain "chain.$own"
	own_programs sh ls sort gzip wc
	perf_record -a -e cpu-clock -F 2000 -g -o all.data -- \
		"./sh.$own" -c "for i in 1 2 3 4; do
			./ls.$own -lR /usr/include | ./sort.$own |
				./gzip.$own | ./wc.$own -c
			./chain.$own 1 20000; other/chain.$own 1 20000
			done" >/dev/null
	# Several programs one after another, with their CPUs.
	local programs="ls -lR /usr/include | sort | gzip | wc -c
		./chain 1 20000"
	perf_record --sample-cpu -e cpu-clock -F 5000 -g -o mix.data -- \
		sh -c "$programs" >/dev/null
	# With the times of the first and last sample, for parts in percent.
	dwell record -q -e cpu-clock -F 5000 --call-graph fp -o times.data -- \
		sh -c "$programs" >/dev/null
	# perf before 5.17 cannot record folders.
	perf_record --threads -z -e cpu-clock -F 5000 -g -o folder \
		./chain 2 400000 >/dev/null 2>&1 || true
	if meets c++; then
		c++ -O2 -g -fno-omit-frame-pointer \
			"$DWELL_SOURCE/tests/peer/words.cpp" -o words
		perf_record -e cpu-clock -F 5000 -g -o words.data \
			./words 10 >/dev/null
	fi
}

@test "live: report: flat rows of a threaded program are those of perf report" {
	same_rows chain.data --no-children
}

@test "live: report: rows with callers of a threaded program are those of perf report" {
	same_caller_rows chain.data
}

@test "live: report: flat rows of a compressed recording are those of perf report" {
	same_rows z.data --no-children
}

@test "live: report: rows with callers of a compressed recording are those of perf report" {
	same_caller_rows z.data
}

@test "live: report: rows of a directory by perf record --threads are those of perf report" {
	need perf-threads
	# One file per CPU; the programs may have run on any of them.
	[ -n "$(find folder -name 'data.[0-9]*' -size +0)" ]
	same_caller_rows folder
}

# with_made RECORDER...: records a program that writes its code's names to $map.
with_made() {
	cc -O1 -static "$DWELL_SOURCE/tests/cli/made.c" -o made
	./made map 60 3>&- &
	made=$!
	map=/tmp/perf-$made.map
	until [ -s "$map" ]; do :; done
	"$@" -e cpu-clock -F 2000 -g -o made.data -p "$made" \
		-- "${while_run[@]}" "$made" >/dev/null || failed=1
	kill -KILL "$made"
	[ -z "${failed:-}" ] || rm "$map"
	[ -z "${failed:-}" ]
}

@test "live: report: flat rows of JIT code that perf recorded are those of perf report" {
	with_made perf_record -N
	same_rows made.data --no-children
	grep -q first_made "$map"
	rm "$map"
}

@test "live: report: flat rows of JIT code that dwell recorded are those of perf report" {
	with_made dwell record -q
	perf_rows -i made.data --no-children >theirs
	rm "$map"
	dwell_rows -i made.data --no-children >ours
	grep first_made ours
	same_own theirs ours
}

@test "live: report: flat rows of two events are those of perf report" {
	same_rows two.data --no-children
}

@test "live: report: flat rows of the whole machine are those of perf report" {
	same_rows all.data --no-children --comms "$own_comms"
}

@test "live: report: rows with callers of the whole machine are those of perf report" {
	same_caller_rows all.data --comms "$own_comms"
}

@test "live: report: rows by command, library and symbol are those of perf report" {
	for keys in comm dso comm,dso dso,sym; do
		same_rows mix.data --no-children -s $keys
	done
	same_rows all.data --no-children --comms "$own_comms" -s comm
	same_rows all.data --no-children --comms "$own_comms" -s comm,dso
}

@test "live: report: rows of a C++ program with demangled names are those of perf report" {
	need c++
	same_rows words.data --no-children
	same_caller_rows words.data
	dwell report --stdio -g none -i words.data >words.text
	grep -F '[.] std::_Rb_tree' words.text
	run ! grep -F '[.] _Z' words.text
}

@test "live: report: rows filtered by command, library and symbol are those of perf report" {
	# perf omits a column if the list has one element.
	same_rows all.data --no-children -c "chain.$own,sort.$own"
	same_rows all.data --no-children -c "$own_comms" \
		-d "libc.so.6,chain.$own"
	same_rows chain.data --no-children -S leaf,north
}

# graph_lines: prints lines of call graphs without the characters that draw the
# tree, because branches of equal size may be in another order, and the last
# branch is drawn differently. For code without a name perf prints its run-time
# address, dwell its address in the file.
graph_lines() {
	grep -v '^#' |
		sed -e 's/^[ |]*//' -e 's/ *$//' -e 's/ (inlined)$//' | grep . |
		sed -E 's/(^|--|;)0x[0-9a-f]+/\10x/g' |
		without_ways |
		sed -e 's/\[k\] 0/[.] 0/' -e 's/\] 0*$/] 0x0000000000000000/' |
		sort
}

# some_cpu FILE: prints the last CPU with samples in FILE, because not every CPU
# has some.
some_cpu() {
	perf script -F cpu -i "$1" 2>/dev/null | tr -dc '0-9\n' | sort -n |
		tail -n 1
}

# time_of PERCENT: prints the time before which PERCENT of the samples of
# mix.data were taken.
time_of() {
	[ -e mix.times ] || perf script -F time -i mix.data 2>/dev/null |
		tr -d ' :' | sort -n >mix.times
	awk -v percent="$1" '{ time[NR] = $1 }
		END { print time[int(NR * percent / 100) + 1] }' mix.times
}

@test "live: report: rows of one CPU, process or part of the names are those of perf report" {
	local cpu

	cpu=$(some_cpu mix.data)
	same_rows mix.data --no-children -C "$cpu"
	same_caller_rows mix.data -C "$cpu"
	# perf takes the process of a row from its first sample: sh may be two
	# processes.
	same_rows mix.data --no-children --comms chain,sort,ls --pid \
		"$(perf script -i mix.data -c chain -F pid 2>/dev/null |
			awk 'NF { print $1; exit }'),1"
	same_rows mix.data --no-children --symbol-filter sys
	same_caller_rows mix.data --symbol-filter sys
}

# Sets first and second to the two tenths of times.data's time, from 1, that have
# the most samples. On a loaded machine others may have none.
full_tenths() {
	read -r first second < <(perf script -i times.data -F time --ns |
		awk '{ time[NR] = $1 + 0 }
		END { tenth = (time[NR] - time[1] + 1e-9) / 10
			for (i = 1; i <= NR; i++)
				print int((time[i] - time[1]) / tenth) + 1 }' |
		sort -n | uniq -c | sort -rn | head -n 2 |
		awk '{ print $2 }' | sort -n | xargs)
}

@test "live: report: rows of a part of the time are those of perf report" {
	full_tenths
	for part in 0%-100% "10%/$first,10%/$second" \
		"$((first * 10 - 10))%-${first}0%,$((second * 10 - 10))%-${second}0%"; do
		echo "$part"
		same_rows times.data --no-children --time "$part"
		if is_chosen; then
			same_caller_rows times.data --time "$part"
		fi
	done
	for part in "$(time_of 10)," \
		",$(time_of 10)" "$(time_of 10),$(time_of 20)" \
		"$(time_of 10),$(time_of 20) $(time_of 30),"; do
		echo "$part"
		same_rows mix.data --no-children --time "$part"
		if is_chosen; then
			same_caller_rows mix.data --time "$part"
		fi
	done
}

@test "live: script: selected samples, and a recording of them, are those of perf script" {
	cpu=$(some_cpu mix.data)
	for choice in "-c chain" "-S leaf" "-C $cpu" \
		"--time $(time_of 10),"; do
		perf script --max-stack 512 $choice -i mix.data 2>/dev/null |
			without_ways >perf.text
		dwell script $choice -i mix.data | without_ways >dwell.text
		same_lines perf.text dwell.text
		dwell export --force --format perf-data $choice -i mix.data \
			-o some.data
		perf script --max-stack 512 -i some.data 2>/dev/null |
			without_ways | diff perf.text -
	done
	# perf's filter of names is applied to rows, dwell's to samples.
	dwell script --symbol-filter ea -i mix.data >dwell.text
	[ -s dwell.text ]
	names=$(dwell report --csv --no-children -s sym -i mix.data \
		--symbol-filter ea | tail -n +2 | cut -d, -f7- |
		sed -e 's/^"\?\[.\] //' -e 's/"$//' | paste -sd,)
	dwell script -S "$names" -i mix.data | diff dwell.text -
	samples=$(dwell report --csv --no-children -s sym -i mix.data \
		--symbol-filter ea | awk -F, '{ n += $4 } END { print n }')
	[ "$(dwell export --format folded --symbol-filter ea -i mix.data |
		awk '{ n += $NF } END { print n }')" = "$samples" ]
	dwell script -e page-faults -i two.data >some.text
	grep -q page-faults: some.text
	run ! grep cpu-clock: some.text
	dwell script -i two.data >dwell.text
	dwell script -e 'cpu*,page-faults' -i two.data | diff dwell.text -
}

@test "live: report: rows by parent, of resolved names and short chains are those of perf report" {
	local children form turn=0
	for children in --no-children --children; do
		# perf has no names for PLT entries of stripped programs. Their
		# samples are then not in the total.
		turn=$((turn + 1))
		for form in "chain.data -U" "mix.data --max-stack 3" \
			"mix.data -s parent" "mix.data -p ^west$ -s parent"; do
			is_chosen || continue
			# shellcheck disable=SC2086
			same_caller_rows $form $children
		done
		same_rows mix.data $children -p '^[nw]' -x -s parent
	done
	same_rows chain.data --no-children -s sym -p west -x
	same_rows chain.data --no-children -s parent,dso -p south
	same_rows mix.data --no-children --percentage relative -c chain,ls
	same_rows mix.data --no-children --percentage relative -c chain,ls \
		--percent-limit 2
	same_rows mix.data --no-children --percentage relative \
		--symbol-filter sys
	# perf applies --ignore-callees only if it reads call chains.
	perf report --stdio --no-children -g folded,0 -s sym -i chain.data \
		--max-stack 512 --ignore-callees '^west$' 2>/dev/null |
		graph_lines >perf.graph
	dwell report --no-children -g folded,0 -s sym -i chain.data \
		--ignore-callees '^west$' | graph_lines >dwell.graph
	same_own perf.graph dwell.graph
}

@test "live: report: columns with a separator or of given widths are those of perf report" {
	# perf cuts names of threads if no width is given.
	for options in "--no-children -n" "--children" "-s comm,sym"; do
		perf report --stdio -g none --max-stack 512 -w 0,64,64 -t, \
			$options -i mix.data 2>/dev/null | only_comparable |
			grep -v '^#' | sed -e 's/ *, */,/g' -e 's/^ *//' \
			-e 's/ *$//' | grep . | sort >perf.rows
		dwell report -g none -t, $options -i mix.data |
			only_comparable | grep -v '^#' | grep . |
			sort >dwell.rows
		[ -s perf.rows ]
		# Without perf's unknown callers; see rows.bash.
		for side in perf dwell; do
			grep -v -e '\[unknown\]' -e '\] [0x]*$' -e '@plt$' \
				-e ' _init$' $side.rows >$side.known
		done
		same_own perf.known dwell.known
	done
	perf report --stdio -g none --no-children -n -w 10,20,3,6 \
		-i mix.data 2>/dev/null | grep -e '^  ' -e '^# *Overhead' |
		sed 's/ *$//' | only_comparable |
		grep -v -e '@plt$' -e ' _init$' | sort >perf.rows
	dwell report -g none --no-children -n -w 10,20,3,6 -i mix.data |
		grep -e '^  ' -e '^# *Overhead' | only_comparable |
		grep -v -e '@plt$' -e ' _init$' | sort >dwell.rows
	same_own perf.rows dwell.rows
}

@test "live: script: times in nanoseconds and shortened call chains are those of perf script" {
	perf script --ns --max-stack 3 -i mix.data 2>/dev/null |
		without_ways >perf.text
	dwell script --ns --max-stack 3 -i mix.data | without_ways >dwell.text
	same_lines perf.text dwell.text
}

@test "live: report: rows above a percent limit are those of perf report" {
	same_rows mix.data --no-children --percent-limit 1
}

@test "live: report: percentages of call graphs are those of perf report" {
	percentages() {
		grep -o -- '--[0-9.]*%--' | sort
	}
	for order in "" -G "-g callee" "--no-children" "--no-children -G"; do
		perf report --stdio $order -i chain.data 2>/dev/null |
			percentages >perf.shares
		dwell report --stdio $order -i chain.data |
			percentages >dwell.shares
		[ -s perf.shares ]
		diff perf.shares dwell.shares
	done
}

@test "live: report: call graphs of each style, value and order are those of perf report" {
	local style order key turn=0
	for style in graph fractal,5 flat,1 folded caller,2 callee,2 \
		folded,0.5,period graph,count fractal,3,count,caller; do
		turn=$((turn + 1))
		for order in --children --no-children "--no-children -G"; do
			turn=$((turn + 1))
			for key in dso sym comm,dso,sym; do
				is_chosen 3 || continue
				echo "-g $style $order -s $key"
				perf report --stdio --max-stack 512 $order \
					-g "$style" -s $key -i chain.data \
					2>/dev/null | graph_lines >perf.graph
				dwell report $order -g "$style" -s $key \
					-i chain.data | graph_lines >dwell.graph
				same_own perf.graph dwell.graph
			done
		done
	done
}

@test "live: report: call graphs with a limit of entries are those of perf report" {
	local style
	# The two largest of each branch.
	for style in graph,0.5,2 folded,0,1; do
		perf report --stdio --max-stack 512 --no-children -g "$style" \
			-s sym -i chain.data 2>/dev/null | graph_lines |
			grep -o '^-*[0-9.]*%' >perf.graph
		dwell report --no-children -g "$style" -s sym -i chain.data |
			graph_lines | grep -o '^-*[0-9.]*%' >dwell.graph
		[ -s perf.graph ]
		diff perf.graph dwell.graph
	done
}

@test "live: report: call graphs by address are those of perf report" {
	dwell report --no-children -g folded,0,address -i chain.data >paths
	grep -q ';work chain.c:[0-9]*' paths
	# The sum over the addresses is the function's.
	grep '%.*;' paths | sed -E 's/ ([^ ;]+:|\+)[0-9]+(;|$)/\2/g' |
		awk '{ n[$2] += 1 } END { for (p in n) print p }' |
		sort >functions
	dwell report --no-children -g folded,0 -i chain.data |
		grep '%.*;' | awk '{ print $2 }' | sort -u | diff functions -
}

@test "live: script: each sample of a recording by perf is printed as by perf script" {
	for file in chain z two; do
		perf script --max-stack 512 -i $file.data 2>/dev/null |
			without_ways >perf.text
		dwell script -i $file.data | without_ways >dwell.text
		same_lines perf.text dwell.text
	done
}

@test "live: report: counts of records are those of perf report --stats" {
	for file in chain z two all; do
		perf report --stats -i $file.data 2>/dev/null >perf.stats
		dwell report --stats -i $file.data >dwell.stats
		diff perf.stats dwell.stats
	done
}

@test "live: report: rows of a stream from standard input are those of perf report" {
	perf_record -e cpu-clock -F 2000 -g -o - ./chain 1 50000 \
		2>/dev/null >pipe.data
	same_rows pipe.data --no-children
	dwell report --stdio -g none -i - <pipe.data >stdin.text
	dwell report --stdio -g none -i pipe.data >file.text
	diff stdin.text file.text
}
