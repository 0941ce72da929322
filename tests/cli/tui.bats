#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive view of a report: whole screens after some keys, on a terminal
# that tmux provides.

load named.bash

### Rows and branches ##########################################################

@test "tui: the rows of a report are shown, and the terminal is restored at the end" {
	starts -y 12
	shows rows-shown-terminal-restored
	keys q
	shows <<-'END'
	before
	status 0
	END
}

@test "tui: the ratio ipc of a group of events is a column" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/group.txt" group.data
	on_terminal "report -i group.data -F overhead,ipc,dso" -y 8
	sees "37.50%  38.10%  78.57%      1.90  libmade.so"
	grep -q "^ *Overhead       IPC  Shared Object" screen
	keys q
}

@test "tui: Enter expands a row and its branches, and collapses them" {
	starts -y 14
	sees 0x0000000000600000
	keys Enter
	sees "- 95.00% main"
	keys Down Down Enter
	shows enter-unfolds-row-branches
	keys + Up Up Enter
	sees "1/7"
	keys Enter
	sees "+ 80.00% work"
}

@test "tui: the key e expands all branches of a row, E those of all rows, and C collapses them" {
	starts -y 20
	sees 0x0000000000600000
	keys e
	shows keys-unfold-all-branches
	keys E
	shows keys-unfold-all-branches-2
	keys Down Down C
	sees 1/7
}

@test "tui: Enter opens the code of a function if the rows have no callers to expand" {
	starts -y 10 --no-children -s sym -g none
	shows enter-opens-code-rows
	keys e
	sees "unknown key"
	keys Enter
	sees "H: hottest"
}

### Moving #####################################################################

@test "tui: arrow, page, Home and End keys move the cursor" {
	starts -y 8
	sees 1/7
	keys Down
	sees 2/7
	keys Up Up
	sees 1/7
	keys NPage
	sees 5/7
	keys Space
	sees 7/7
	keys PPage
	sees 3/7
	keys Home
	sees 1/7
	keys End
	sees 7/7
	keys g
	sees 1/7
	keys G
	sees 7/7
	has 0x0000000000600000
}

@test "tui: the right arrow key scrolls to the ends of long names, and columns of numbers stay" {
	starts -x 50 -y 12
	shows long-names-scroll-left
	keys Right Right
	shows long-names-scroll-left-2
	keys Left
	sees "Self  hared Object  Symbol"
	keys Left
	sees "Self  Shared Obj  Symbol"
}

@test "tui: long library names are shortened for function names, and the kernel has a short name" {
	make_named "record MMAP misc=kernel pid=0xffffffff addr=0xffffffff81000000
  len=0x1000000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text
record MMAP2 pid=7 tid=7 addr=0x600000 len=0x10000 prot=5 maj=8 ino=11
  filename=/lib/libwith_a_long_name.so.6.0.30 time=2
record SAMPLE misc=kernel ip=0xffffffff81000100 pid=7 tid=7 time=1900000001
  period=40 chain=kernel,0xffffffff81000100
record SAMPLE ip=0x600010 pid=7 tid=7 time=1900000002
  period=30 chain=user,0x600010"
	starts -x 66 -y 12 -g none --no-children -s dso,comm,sym
	sees "Symbol"
	sees '[kernel]       prog'
	sees 'libwith_a_lo…  prog'
	sees '[k] 0xffffffff81000100'
	ends
	# A name has its whole length where there is room.
	starts -x 100 -y 12 -g none --no-children -s dso,comm,sym
	sees "Symbol"
	sees '[kernel.kallsyms]  '
	sees 'libwith_a_long_name.so.6.0.30'
}

@test "tui: the key H hides the column headings, and one more row is visible" {
	starts -y 8
	sees Command
	keys H
	shows column-headings-make-room
	keys H
	sees Command
}

@test "tui: Tab and Shift+Tab show the next and previous event" {
	starts -y 9
	sees "event 1 of 2"
	keys Tab
	shows keys-show-other-events
	keys BTab
	sees "event 1 of 2"
	keys BTab
	sees "event 2 of 2"
}

@test "tui: a search finds lines, continues at the other end, and prints if there are none" {
	starts -y 12
	sees 0x0000000000600000
	keys /
	sees "/_"
	keys some_x BSpace
	sees "/some__"
	keys Enter
	sees 4/7
	keys n
	sees 5/7
	keys n
	sees 4/7
	keys N
	sees 5/7
	keys / HELPER Enter
	sees "'HELPER' not found"
	keys / helper Enter
	sees 6/7
	keys / abc Escape n
	sees 7/7
}

@test "tui: the key h lists all keys, and i shows facts about the recording" {
	starts
	sees 1/7
	keys h
	sees "q: back"
	has "  Enter, +       expand or collapse the selected row or branch"
	keys q i
	sees "hostname : made"
	keys Escape
	sees 1/7
	keys x
	sees "unknown key; press h for help"
}

### Filters and keys ###########################################################

@test "tui: filters by the selected row are combined, and Backspace removes the last one" {
	starts -y 10
	sees "1/7"
	keys c
	sees "data › comm prog  "
	keys End d
	shows filters-selected-row-combined
	keys BSpace
	sees "data › comm prog  "
	keys Escape
	sees "data    "
	sees 4/7
	has main
	keys BSpace
	sees "no filter to remove; press q to quit"
	# The DSO of a branch is its own.
	keys Home e
	sees 1/11
	keys Down Down Down Down d
	sees "data › DSO libsome.so"
}

@test "tui: filters by thread, time and other values without a column are selected from a list" {
	starts -y 10
	sees "1/7"
	keys t
	shows list-of-threads
	keys Down Enter
	shows filters-that-not-column
	keys s
	sees "Group rows by"
	keys Down Enter
	sees "by sym"
	keys c
	sees "Which command?"
	keys Escape T
	shows list-of-time-ranges
	keys Enter
	sees "› time 1.900000000,1.999999999"
	has "Event count (approx.): 4"
	keys BSpace BSpace S comm Enter
	sees "by comm"
	keys d
	sees "Which program or library?"
	keys q
	sees "by comm"
}

@test "tui: the backslash key and L filter rows by a part of their name, and by a minimum percentage" {
	starts -y 10
	sees "1/7"
	keys '\' some_ Enter
	shows rows-filtered-by-part
	keys Escape
	sees "1/7"
	keys L 10 Enter
	sees "1/4"
	keys L 200 Enter
	sees "limit: '200' is not a percentage"
	keys k
	sees "no samples in the kernel"
}

@test "tui: the key F selects whether percentages are of all samples or of the filtered ones" {
	starts -y 10 --no-children
	sees "1/5"
	keys G c
	sees "data › comm helper"
	sees " 4.00%"
	keys F
	sees " 80.00%"
	keys F
	sees " 4.00%"
}

@test "tui: keys change the sort keys, turn off callers, and invert call graphs" {
	starts -y 10
	sees "1/7"
	keys S dso Enter
	sees "by dso"
	keys S nonsense Enter
	sees "unknown field 'nonsense'"
	has "by dso"
	keys S sym Enter
	sees "by sym"
	keys o
	sees Overhead
	keys o
	sees Children
	keys / leaf Enter r
	sees "by sym, callees first"
	keys e
	shows keys-select-other-sort
}

@test "tui: messages about a recording are visible from the start, and printed at the end" {
	make_named "record SAMPLE record_size=8"
	starts -y 9
	sees "data: there is no record at byte"
	keys i
	sees "hostname : made"
	keys End
	sees "# notes:"
	keys q q
	sees "status 3"
	has "dwell report: data: there is no record at byte"
}

# start_silent_server: starts a server that accepts connections and never
# answers. Sets $url.
start_silent_server() {
	cat >server.py <<-'END'
	import socket, time
	s = socket.socket()
	s.bind(("127.0.0.1", 0))
	s.listen()
	print(s.getsockname()[1], flush=True)
	time.sleep(600)
	END
	background python3 server.py >port
	until_true test -s port
	url=http://127.0.0.1:$(cat port)
}

# start_server_at_a_gate: starts a server that has no files. While the file
# "wait" exists, it answers only after the client has disconnected. Sets $url;
# the file "asked" has a line per request.
start_server_at_a_gate() {
	cat >server.py <<-'END'
	import os, select, socket, time
	s = socket.socket()
	s.bind(("127.0.0.1", 0))
	s.listen()
	print(s.getsockname()[1], flush=True)
	while True:
	    asked = s.accept()[0]
	    asked.recv(65536)
	    if os.path.exists("wait"):
	        print(file=open("asked", "a"))
	    while os.path.exists("wait") and not select.select([asked], [], [], 0.02)[0]:
	        pass
	    try:
	        asked.send(b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")
	    except OSError:
	        pass
	    asked.close()
	END
	background python3 server.py >port
	until_true test -s port
	url=http://127.0.0.1:$(cat port)
	export DEBUGINFOD_CACHE_PATH=$PWD/debuginfod DEBUGINFOD_TIMEOUT=300
}

# shuts_gate: makes the server wait with its next answers.
shuts_gate() {
	touch wait
	# The client's cache must not contain the earlier answers.
	rm -rf debuginfod
}

far="record MMAP2 pid=7 tid=7 addr=0x600000 len=0x1000
  filename=/lib/libfar.so build_id=0102030405060708090a time=2"

@test "tui: the code of a function can be opened while new rows are computed" {
	need python3 libdebuginfod
	make_named "$far"$'\n'"record SAMPLE ip=0x600010 pid=7 tid=8 time=1900000001
	  period=1 chain=user,0x600010"
	start_server_at_a_gate
	starts -y 12 "--debuginfod=$url"
	sees "by comm,dso,sym"
	keys / bad Enter T
	sees "Which time range?"
	keys End Up
	shuts_gate
	keys Enter
	until_true test -e asked
	keys a
	rm wait
	# There are fewer functions then, at other places in the list.
	sees "q: back"
	has 'bad\x1b[31m\xe2\x80\xae<b> in libsome.so'
}

@test "tui: notes can be read while new rows are computed" {
	need python3 libdebuginfod
	make_named "$far"$'\n'"record SAMPLE record_size=8"
	start_server_at_a_gate
	starts -y 12 "--debuginfod=$url"
	sees "by comm,dso,sym"
	shuts_gate
	keys c
	until_true test -e asked
	keys q
	sees "status 3"
	has "dwell report: data: there is no record at byte"
}

asked_times() {
	[ "$(wc -l <asked)" = "$1" ]
}

@test "tui: Esc or another key cancels the computation of rows" {
	need python3 libdebuginfod
	make_named "$far"
	start_server_at_a_gate
	starts -y 12 "--debuginfod=$url"
	sees "by comm,dso,sym"
	shuts_gate
	keys c
	until_true test -e asked
	sees "Esc: cancel"
	# The new command replaces the old one; the server still waits.
	keys S comm Enter
	until_true asked_times 2
	keys Escape
	sees "cancelled"
	sees "data    "
	has "by comm,dso,sym"
	# A list that is being computed is cancelled, too, with the same
	# message.
	keys Down
	sees "q: quit"
	keys T
	until_true asked_times 3
	keys Escape
	sees "cancelled"
	rm wait
	keys c
	sees "data › comm prog"
	keys q
	sees "status 0"
	absent has "cannot request"
}

@test "tui: keys that are typed before the first rows appear are not lost" {
	need python3 libdebuginfod
	make_named "$far"
	start_server_at_a_gate
	shuts_gate
	# Without symbols the filter cannot be applied: no rows are shown yet.
	starts -y 12 "--debuginfod=$url" -S leaf,work
	until_true test -e asked
	keys / work Enter c
	rm wait
	sees "data › symbol leaf,work › comm prog"
	sees "2/"
}

@test "tui: an invalid sort key that was typed while symbols are loaded is reported" {
	need python3 libdebuginfod
	make_named "$far"
	start_server_at_a_gate
	shuts_gate
	starts -y 12 "--debuginfod=$url"
	sees "loading symbols"
	until_true test -e asked
	keys S nonsense Enter
	rm wait
	sees "unknown field 'nonsense'"
	sees "by comm,dso,sym"
	keys q
	sees "status 0"
}

@test "tui: while symbols are loaded, rows are by command and file" {
	need python3 libdebuginfod
	make_named "record MMAP2 pid=7 tid=7 addr=0x600000 len=0x1000
	  filename=/lib/libfar.so build_id=0102030405060708090a time=2"
	start_silent_server
	export DEBUGINFOD_CACHE_PATH=$PWD/debuginfod DEBUGINFOD_TIMEOUT=300
	starts -y 10 "--debuginfod=$url"
	sees "loading symbols"
	keys Down Enter
	shows until-names-callers-loaded
	keys q
	sees "status 0"
}

@test "tui: the key P writes the rows to a file, as the text of --stdio" {
	starts -y 10
	sees 1/7
	keys c
	sees "comm prog"
	keys P Enter
	sees "wrote dwell.report.txt"
	dwell report --stdio -i data -c prog >text
	cmp text dwell.report.txt
	keys P Enter
	sees "dwell.report.txt: File exists"
	keys P C-u /dev/full/x Enter
	sees "/dev/full/x: Not a directory"
}

@test "tui: the key P suggests a file name, which can be edited" {
	starts -y 10
	sees 1/7
	keys P
	sees "write text to file: dwell.report.txt_"
	keys o
	sees "write text to file: o_"
	keys ther Enter
	sees "wrote other"
	[ -s other ]
	[ ! -e dwell.report.txt ]
	# A resize of the terminal does not answer the question.
	keys P
	sees "write text to file: dwell.report.txt_"
	resize -y 12
	sees "write text to file: dwell.report.txt_"
	keys BSpace
	sees "write text to file: dwell.report.tx_"
	keys BSpace BSpace old Enter
	sees "wrote dwell.report.old"
	cmp other dwell.report.old
}

@test "tui: the key a opens the code of a function" {
	starts -y 12
	sees 1/7
	# A function that only calls has its numbers, too.
	keys a
	sees "samples with its callees, 95.00% of all"
	keys q
	sees 1/7
	keys G a
	sees "this code has no symbol"
	keys / leaf Enter a
	sees "q: back"
	has "leaf in prog"
	keys q
	sees 3/7
}

### Other recordings ###########################################################

made_text() {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/$1.txt" "${2:-data}"
}

@test "tui: --off-cpu shows time off the CPU by state, and filters apply to it" {
	made_text offcpu
	starts -y 10 --off-cpu -g none --no-children -s state,comm,dso,sym
	shows time-off-cpu-shown
	keys t
	shows list-of-off-cpu-threads
	keys Enter
	sees "data › thread 7"
	keys s Down Down Down Enter
	sees " by comm,dso,sym"
	keys s Enter
	sees "by state,comm,dso,sym"
	ends
	starts -y 10 --wall -g none --no-children -s state -n
	shows time-off-cpu-shown-2
	keys T Enter
	sees "› time "
	has 57.78%
}

@test "tui: rows of branches show source and target, and filters apply to them" {
	made_text branches
	starts -y 10 -s symbol_from,symbol_to
	keys x
	shows branches-shown-by-their
	keys Enter
	sees "the recording has no call chains to expand"
	keys d
	sees "Which program or library?"
	keys / q t Enter
	sees "data › thread 7"
	keys End a
	sees "this line is not a function"
}

@test "tui: the rows of several recordings are shown together, and those of one by a filter" {
	made_text plain other
	starts -y 10 other -s file,comm -g none --no-children
	sees "by file,comm"
	keys x
	shows rows-several-recordings-one
	keys Down c
	sees "data, other › comm made"
	keys BSpace t
	shows rows-several-recordings-one-2
	keys Down Enter
	sees "data, other › thread 9"
	keys i
	sees "# file : data"
}

### Terminals ##################################################################

@test "tui: the view follows changes of the terminal's size" {
	starts -y 12
	sees 1/7
	resize -x 60 -y 9
	shows size-terminal-can-change
	keys End
	resize -x 30 -y 6
	sees "terminal too small; q: quit"
	resize -x 80 -y 24
	sees 7/7
}

# Each write takes 10 ms, so that the resize comes before the screen is drawn.
@test "tui: a change of the terminal's size during drawing is followed, too" {
	need strace
	cat >slow <<-END
		#!/bin/sh
		ASAN_OPTIONS=detect_leaks=0 exec strace -qq -o /dev/null \
			-e inject=write:delay_enter=10000 "$report" "\$@"
	END
	chmod +x slow
	report=$PWD/slow
	starts -y 12
	sees 1/7
	keys e
	sleep 0.04
	resize -x 60 -y 9
	sees "data                                         by comm,dso,sym"
}

@test "tui: on a terminal that is too small, a message is shown until it is larger" {
	starts -y 12
	sees 1/7
	keys t
	sees "Which thread?"
	resize -x 30 -y 1
	sees "terminal too small; q: quit"
	resize -x 80 -y 12
	sees "Which thread?"
	keys q i
	sees "hostname : made"
	resize -x 30 -y 1
	sees "terminal too small; q: quit"
	resize -x 80 -y 12
	sees "hostname : made"
	keys q q
	sees "status 0"
}

# leaf_looks LOOK [-t TERM]: checks the attributes of a row with a large share.
leaf_looks() {
	local look=$1
	shift
	starts "$@" --no-children -s sym
	sees leaf
	keys G
	sees 5/5
	looks leaf
	[[ $(looks leaf) == *"$look"* ]]
}

@test "tui: large percentages are red, or bold without colours" {
	leaf_looks '^[31m  50.00%^[39m'
	[[ $(looks "600000") == *'^[7m'* ]]
	ends
	no_color=NO_COLOR=1 leaf_looks '^[1m  50.00%^[0m'
	ends
	leaf_looks '^[1m  50.00%^[0m' -t vt100
}

@test "tui: without UTF-8 all characters are ASCII" {
	starts -l C --no-children -s sym
	sees 1/5
	LC_ALL=C grep -q '[^ -~]' screen && return 1
	grep -F 'bad\x1b[31m\xe2\x80\xae<b>' screen
}

@test "tui: a terminal that cannot move the cursor gets text, and a line states why" {
	starts -y 60 -t dumb -s sym -g none --no-children
	sees "status 0"
	has "terminal type TERM=dumb cannot move the cursor; printing the report as text"
	has "    50.00%  [.] leaf"
	ends
	starts -y 60 -t nonesuch -s sym
	sees "status 0"
	has "unknown terminal type TERM=nonesuch; printing the report"
	ends
	starts -y 60 -x 39 -s sym -g none
	sees "status 0"
	has "the terminal has 39x60 characters"
}

@test "tui: --stdio, and options for tables without a view, print text on a terminal" {
	for option in --stdio --header "-t,"  "-g flat" "-g folded" --no-tui \
		--json --csv --stats --tasks --header-only --dsos; do
		starts "$option"
		sees "status 0"
		absent has expand
		ends
	done
}

@test "tui: --tui is refused in one line if the terminal or the table is unsuitable" {
	refuses 2 dwell report --tui -i data
	[[ $line == *"--tui: standard input and output are not a terminal"* ]]
	for option in --stats --tasks --mmaps --dsos --header-only "-t,"; do
		refuses 2 dwell report --tui $option -i data
		[[ $line == *"--tui: "*" prints text; use one of them" ]]
	done
	refuses 2 dwell report --tui -i -
	[[ $line == *"cannot be read again"* ]]
	starts -t dumb --tui
	sees "status 1"
	has "--tui: terminal type TERM=dumb cannot move the cursor"
	ends
	starts -y 7 --tui
	sees "status 1"
	has "--tui: the terminal has 80x7 characters; 40x8 are required"
}

@test "tui: for a recording without samples, a message is printed" {
	printf 'file\nevent ids=1\n' | "$DWELL_BUILD/tests/made/make_data" - data
	starts
	sees "status 0"
	has "data has no samples"
}
