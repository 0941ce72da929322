#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive view on small terminals and with few rows, and with options of
# the command line.

load walk.bash
load named.bash

@test "tui: the list of threads can be opened with any columns" {
	local option

	for option in -n --show-total-period "-n --no-children" \
		"-F overhead,sym -s sym" "-F sym,sample"; do
		starts -y 10 "$option"
		sees "Symbol"
		keys S sym Enter
		sees "by sym"
		keys t
		shows list-of-threads
		keys Enter
		sees "data › thread 7"
		ends
	done
}

@test "tui: filters of the command line are shown, and Backspace removes them" {
	starts -x 120 -y 9 -c prog,other --tid 7 -S leaf,some_function,work,main \
		--time 0.5, -C 0-9
	sees "data › CPU 0,1,2 and 7 more › time 0.5, › thread 7 › comm prog,other › symbol leaf,some_function,work and 1 more"
	ends
	starts -y 9 -c prog --time 1.0, --symbol-filter some
	sees "data › time 1.0, › comm prog › name some"
	keys BSpace
	sees "data › time 1.0, › comm prog   "
	keys BSpace
	sees "data › time 1.0,   "
	sees "helper"
	keys BSpace
	sees "data   "
	sees 1/7
	keys BSpace
	sees "no filter to remove"
	# BackSpace removes the filter that was set last.
	ends
	starts -y 9 -c prog
	sees "data › comm prog  "
	keys S dso Enter
	sees "by dso"
	keys c
	sees "Which command?"
	keys Enter
	sees "data › comm prog  "
	keys BSpace BSpace
	sees "data   "
}

@test "tui: a table without rows shows which filter excludes them" {
	starts -y 9 -c nosuch
	shows table-without-rows-shows
	keys BSpace
	sees 1/7
	keys '\' nosuch Enter
	sees "no row matches the function text (\\) or the minimum percentage (L)"
}

@test "tui: the beginning of a long list of filters is cut off, and relative percentages are noted" {
	starts -x 44 -y 9
	sees 1/7
	keys F
	sees "data (relative shares)"
	keys G c
	sees "data › comm helper (relative shares)"
	keys '\' bad Enter
	shows long-filters-lose-their
	keys F BSpace
	sees "data › comm helper  "
}

@test "tui: a long name of a program is shortened to show the function" {
	"$DWELL_BUILD/tests/made/make_data" - data <<-END
	file
	event name=cycles type=hardware ids=1 sample_id_all
	  sample_type=IDENTIFIER|IP|TID|TIME|PERIOD
	feature 132 bytes=$(names /lib/_json.cpython-311-x86_64-linux-gnu.so 256 scanner_call)
	record COMM pid=7 tid=7 comm=python3 misc=exec time=1
	record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 prot=5 maj=8 ino=9
	  filename=/lib/_json.cpython-311-x86_64-linux-gnu.so time=2
	record SAMPLE ip=0x400110 pid=7 tid=7 time=1000000000 period=50
	END
	starts -y 8 -x 60
	shows long-names-programs-make
	keys Right
	sees "json.cpython-311-x86_64-linux-gnu.so  [.]"
	keys Left
	sees "scanner_call"
	ends
	starts -y 8 -x 60 -l C
	sees "python3  _json.cpython-311-..."
	sees scanner_call
}

@test "tui: function names are visible on the smallest screen, with any columns" {
	starts -x 40 -y 8
	shows functions-visible-on-smallest
	# A key scrolls to the rest.
	keys Right
	sees "Self  hared Object  Symb"
	keys Left End
	sees "[.] 0x00000000006…"
	ends
	starts -x 40 -y 8 --no-children
	sees "Overhead  Shared Obj  Symbol"
	sees "  libsome.so  [.] some_functi…"
	ends
	starts -x 40 -y 8 -n --show-total-period
	sees "  Children      Self  Symbol"
	ends
	starts -x 40 -y 8 --no-children -g none -s sym,comm,dso
	sees "Overhead  Symbol         Shared Object"
}

@test "tui: with --off-cpu on a narrow screen, function names are visible" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" data
	starts -x 60 -y 8 --off-cpu -g none --children
	sees "Self  State"
	sees "[.] 0x00"
	keys q
	ends
	starts -x 60 -y 8 --off-cpu -g none --children --show-total-period
	sees Period
}

@test "tui: a message longer than a line is shown in several lines" {
	starts -y 10
	sees 1/7
	keys S nonsense Enter
	shows long-message-takes-more
}

### After a stop ###############################################################

@test "tui: after Ctrl-Z and fg, the first key has its effect" {
	printf '%s\n' 'set -g status off' >tmux.conf
	: $((n_terminals++))
	env LC_ALL=C.UTF-8 tmux -S "socket$n_terminals" -f tmux.conf \
		-u new-session -d -x 80 -y 10 "env PS1='shell> ' bash --norc -i" 3>&- 8>&-
	until_true has 'shell>'
	keys "$report report -i data --children" Enter
	sees 1/7
	keys C-z
	sees Stopped
	keys fg Enter
	sees 1/7
	keys Down
	sees 2/7
	keys Up
	sees 1/7
}

### Code ######################################################################

# chosen TEXT: succeeds if the highlighted line contains TEXT.
chosen() {
	looks "$1" | grep -q '\^\[[0-9;]*7m'
}

@test "tui: the code of a function opens at the instruction with the most samples" {
	opens_code -x 100 -y 8
	has "66.67"
	# The view does not start at the function's start. The headings stay.
	absent has "# walk in"
	sed -n 2p screen | grep -E '^ +(Total +Self|Percent) \| *$'
	until_true chosen 66.67
	keys Tab
	until_true chosen 33.33
	keys Tab
	until_true chosen 66.67
	keys BTab
	until_true chosen 33.33
	keys g
	sees "# walk in"
	keys H
	sees 66.67
	keys / ret Enter
	until_true chosen ret
	keys / nowhere Enter
	sees "'nowhere' not found"
	keys h
	sees "move to the next hottest instruction"
	keys q
	sees "H: hottest"
	keys q
	sees "by comm,dso,sym"
}

@test "tui: if a function has source lines only, Tab goes to the lines with the most samples" {
	hot_walk
	# The code is of another machine.
	printf '\x05\x01' | dd of=walk bs=1 seek=18 conv=notrunc status=none
	on_terminal annotate -x 100 -y 14 -i w.data walk
	until_true chosen 66.67
	has "Source line"
	keys Tab
	until_true chosen 33.33
	keys H
	until_true chosen 66.67
	ends
}

@test "tui: annotate FUNCTION opens the code of the function" {
	hot_walk
	on_terminal annotate -x 100 -y 8 -i w.data walk
	until_true chosen 66.67
	sees "q: back"
	keys Tab
	until_true chosen 33.33
	keys g
	sees "# walk in"
	keys q
	sees "status 0"
	ends
	on_terminal annotate -i w.data walk stroll
	sees "walk, stroll"
	sees "# stroll in"
	keys g
	sees "# walk in"
	keys / stroll Enter
	sees "# stroll in"
	keys q
	sees "status 0"
	ends
	# As text with --stdio, or without a terminal.
	on_terminal annotate -y 60 -i w.data --stdio walk
	sees "status 0"
	has "# walk in"
	ends
	dwell annotate -i w.data walk | grep "# walk in"
	run -2 dwell annotate -i w.data --tui walk
	[[ $output == *"--tui: "* ]]
	on_terminal annotate -i w.data wolk
	sees "'walk'"
	sees "status 1"
}

@test "tui: the key s shows the whole source file; the last column marks lines with samples" {
	hot_walk
	on_terminal annotate -x 100 -y 12 -i w.data walk
	until_true chosen 66.67
	has "▐"
	keys s
	# All lines of the file, from code of other functions, too.
	keys g
	sees "# $PWD/walk.c"
	sees "1  volatile unsigned sink;"
	keys G
	sees "return (int)stroll(3) == 1;"
	keys s
	sees "s: source"
	keys g
	sees "# walk in"
	keys q
	sees "status 0"
	ends
	rm walk.c
	on_terminal annotate -x 100 -y 12 -i w.data walk
	until_true chosen 66.67
	keys s
	sees "no source file has text"
	keys q
	sees "status 0"
}

@test "tui: annotate lists all functions, and Enter opens their code" {
	hot_walk
	on_terminal annotate -i w.data
	sees "by dso,sym"
	sees 1/2
	has "walk"
	keys Enter
	until_true chosen 66.67
	keys q
	sees 1/2
	keys Down a
	sees "# stroll in"
	keys q h
	sees "show the code of the function"
	absent has expand
	keys q e
	sees "unknown key; press h for help"
	keys '\' stroll Enter
	sees 1/1
	keys q
	sees "status 0"
	ends
	on_terminal annotate -i w.data --no-source -M intel
	sees 1/2
	keys Enter
	until_true chosen 66.67
	absent has "%r"
	absent has "walk.c"
}

@test "tui: report and annotate show the code of a function with more than 4,000 lines" {
	local lines verb
	hot_walk 's/unsigned sum = 0;/& asm volatile(".rept 4000; nop; .endr");/'
	lines=$(dwell annotate -i w.data walk | wc -l)
	[ "$lines" -gt 4000 ]
	[ "$(dwell annotate -i w.data walk | wc -c)" -gt 100000 ]
	for verb in "report --no-branch-stack" annotate; do
		on_terminal "$verb" -x 100 -y 10 -i w.data
		sees " 1/2"
		keys a
		until_true chosen 66.67
		keys g
		sees "# walk in"
		keys G
		sees "$lines/$lines"
		keys q
		sees "stroll"
		absent has nop
		keys q
		sees "status 0"
		absent has nop
		ends
	done
}

@test "tui: in a recording without call chains, Enter prints that there are none" {
	cp "$BATS_FILE_TMPDIR/walk.c" .
	build
	recording w.data "ip=$walk period=100"
	on_terminal report -i w.data --no-branch-stack
	sees 1/1
	keys Enter
	sees "the recording has no call chains to expand"
}
