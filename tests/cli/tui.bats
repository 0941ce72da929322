#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive view, as a user sees it: whole screens of a terminal that
# tmux keeps, after the keys that led there.

load named.bash

### Rows and branches ##########################################################

@test "rows on a terminal, and nothing left behind" {
	starts -y 12
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data                                                             by comm,dso,sym
	  Children      Self  Command  Shared Object  Symbol
	+   95.00%     0.00%  prog     prog           [.] main
	+   80.00%    30.00%  prog     prog           [.] work
	+   50.00%    50.00%  prog     prog           [.] leaf
	+   15.00%    15.00%  prog     libsome.so     [.] some_function
	+    4.00%     0.00%  helper   libsome.so     [.] some_function
	+    4.00%     4.00%  helper   libsome.so     [.] bad\x1b[31m\xe2\x80\xae<b>
	+    1.00%     1.00%  helper   [unknown]      [.] 0x0000000000600000

	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave        1/7
	END
	keys q
	shows <<-'END'
	before
	status 0
	END
}

@test "Enter unfolds a row and its branches, and folds them" {
	starts -y 14
	sees 0x0000000000600000
	keys Enter
	sees "- 95.00% main"
	keys Down Down Enter
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data                                                             by comm,dso,sym
	  Children      Self  Command  Shared Object  Symbol
	-   95.00%     0.00%  prog     prog           [.] main
	    - 95.00% main
	      - 80.00% work
	          50.00% leaf
	        15.00% some_function
	+   80.00%    30.00%  prog     prog           [.] work
	+   50.00%    50.00%  prog     prog           [.] leaf
	+   15.00%    15.00%  prog     libsome.so     [.] some_function
	+    4.00%     0.00%  helper   libsome.so     [.] some_function
	+    4.00%     4.00%  helper   libsome.so     [.] bad\x1b[31m\xe2\x80\xae<b>
	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave       3/11
	END
	keys + Up Up Enter
	sees "1/7"
	keys Enter
	sees "+ 80.00% work"
}

@test "all branches of a row, and of all rows" {
	starts -y 20
	sees 0x0000000000600000
	keys e
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data                                                             by comm,dso,sym
	  Children      Self  Command  Shared Object  Symbol
	-   95.00%     0.00%  prog     prog           [.] main
	    - 95.00% main
	      - 80.00% work
	          50.00% leaf
	        15.00% some_function
	+   80.00%    30.00%  prog     prog           [.] work
	+   50.00%    50.00%  prog     prog           [.] leaf
	+   15.00%    15.00%  prog     libsome.so     [.] some_function
	+    4.00%     0.00%  helper   libsome.so     [.] some_function
	+    4.00%     4.00%  helper   libsome.so     [.] bad\x1b[31m\xe2\x80\xae<b>
	+    1.00%     1.00%  helper   [unknown]      [.] 0x0000000000600000





	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave       1/11
	END
	keys E
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data                                                             by comm,dso,sym
	  Children      Self  Command  Shared Object  Symbol
	-   95.00%     0.00%  prog     prog           [.] main
	    - 95.00% main
	      - 80.00% work
	          50.00% leaf
	        15.00% some_function
	-   80.00%    30.00%  prog     prog           [.] work
	    - 50.00% work
	      leaf
	    - 30.00% main
	      work
	-   50.00%    50.00%  prog     prog           [.] leaf
	    - 50.00% main
	      work
	      leaf
	-   15.00%    15.00%  prog     libsome.so     [.] some_function
	    - 15.00% main
	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave       1/25
	END
	keys Down Down C
	sees 1/7
}

@test "rows without callers, whose code is what Enter opens" {
	starts -y 10 --no-children -s sym -g none
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data                                                                      by sym
	  Overhead  Symbol
	    50.00%  [.] leaf
	    30.00%  [.] work
	    15.00%  [.] some_function
	     4.00%  [.] bad\x1b[31m\xe2\x80\xae<b>
	     1.00%  [.] 0x0000000000600000

	/: search  a: code  d: DSO  s: sort  h: help  q: leave                       1/5
	END
	keys e
	sees "no such key"
	keys Enter
	sees "H: hottest"
}

### Moving #####################################################################

@test "the cursor moves by lines, screens and to the ends" {
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

@test "long names move to the left, numbers stay" {
	starts -x 50 -y 12
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.
	data                               by comm,dso,sym
	  Children      Self  Shared Obj  Symbol
	+   95.00%     0.00%  prog        [.] main
	+   80.00%    30.00%  prog        [.] work
	+   50.00%    50.00%  prog        [.] leaf
	+   15.00%    15.00%  libsome.so  [.] some_functi…
	+    4.00%     0.00%  libsome.so  [.] some_functi…
	+    4.00%     4.00%  libsome.so  [.] bad\x1b[31m…
	+    1.00%     1.00%  [unknown]   [.] 0x000000000…

	Enter: unfold  /: search  a: code  d: DSO  s:  1/7
	END
	keys Right Right
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.
	data                               by comm,dso,sym
	  Children      Self  ct  Symbol
	+   95.00%     0.00%      [.] main
	+   80.00%    30.00%      [.] work
	+   50.00%    50.00%      [.] leaf
	+   15.00%    15.00%      [.] some_function
	+    4.00%     0.00%      [.] some_function
	+    4.00%     4.00%      [.] bad\x1b[31m\xe2\x80…
	+    1.00%     1.00%      [.] 0x0000000000600000

	Enter: unfold  /: search  a: code  d: DSO  s:  1/7
	END
	keys Left
	sees "Self  hared Object  Symbol"
	keys Left
	sees "Self  Shared Obj  Symbol"
}

@test "the heads of columns give way to a row" {
	starts -y 8
	sees Command
	keys H
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data                                                             by comm,dso,sym
	+   95.00%     0.00%  prog     prog           [.] main
	+   80.00%    30.00%  prog     prog           [.] work
	+   50.00%    50.00%  prog     prog           [.] leaf
	+   15.00%    15.00%  prog     libsome.so     [.] some_function
	+    4.00%     0.00%  helper   libsome.so     [.] some_function
	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave        1/7
	END
	keys H
	sees Command
}

@test "other events are a key away" {
	starts -y 9
	sees "event 1 of 2"
	keys Tab
	shows <<-'END'
	Samples: 1 of event 'page-faults', Event count (approx.): 9         event 2 of 2
	data                                                             by comm,dso,sym
	  Children      Self  Command  Shared Object  Symbol
	+  100.00%   100.00%  prog     prog           [.] main




	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave        1/1
	END
	keys BTab
	sees "event 1 of 2"
	keys BTab
	sees "event 2 of 2"
}

@test "a search finds lines, around the end, and tells if there are none" {
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
	sees "'HELPER' is nowhere"
	keys / helper Enter
	sees 6/7
	keys / abc Escape n
	sees 7/7
}

@test "help has every key, and facts are a key away" {
	starts
	sees 1/7
	keys h
	sees "q: back"
	has "  Enter, +       unfold what the cursor is on, or fold it"
	keys q i
	sees "hostname : made"
	keys Escape
	sees 1/7
	keys x
	sees "no such key; h shows all of them"
}

### Filters and keys ###########################################################

@test "filters of what the cursor is on stack up, and are taken back" {
	starts -y 10
	sees "1/7"
	keys c
	sees "data › comm prog  "
	keys End d
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data › comm prog › DSO libsome.so                                by comm,dso,sym
	  Children      Self  Command  Shared Object  Symbol
	+   15.00%     0.00%  prog     prog           [.] main
	+   15.00%    15.00%  prog     libsome.so     [.] some_function




	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave        2/2
	END
	keys BSpace
	sees "data › comm prog  "
	keys Escape
	sees "data    "
	sees 4/7
	has main
	keys BSpace
	sees "there is no filter to take back; q leaves"
	# A branch is of its own file.
	keys Home e
	sees 1/11
	keys Down Down Down Down d
	sees "data › DSO libsome.so"
}

@test "what rows don't tell is chosen from a list" {
	starts -y 10
	sees "1/7"
	keys t
	shows <<-'END'
	Which thread?
	   95.00%        7  prog
	    5.00%        8  helper






	Enter: take it  q: back to the rows
	END
	keys Down Enter
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data › thread 8                                                  by comm,dso,sym
	  Children      Self  Command  Shared Object  Symbol
	+    4.00%     0.00%  helper   libsome.so     [.] some_function
	+    4.00%     4.00%  helper   libsome.so     [.] bad\x1b[31m\xe2\x80\xae<b>
	+    1.00%     1.00%  helper   [unknown]      [.] 0x0000000000600000



	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave        1/3
	END
	keys s
	sees "Rows by"
	keys Down Enter
	sees "by sym"
	keys c
	sees "Which command?"
	keys Escape T
	shows <<-'END'
	Which part of the time?
	  1.900000000,1.999999999    4.00%  ##############################
	  2.000000000,2.099999999    1.00%  #######






	Enter: take it  q: back to the rows
	END
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

@test "rows by a part of their name, and above a limit" {
	starts -y 10
	sees "1/7"
	keys '\' some_ Enter
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data › name some_                                                by comm,dso,sym
	  Children      Self  Command  Shared Object  Symbol
	+   15.00%    15.00%  prog     libsome.so     [.] some_function
	+    4.00%     0.00%  helper   libsome.so     [.] some_function




	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave        1/2
	END
	keys Escape
	sees "1/7"
	keys L 10 Enter
	sees "1/4"
	keys L 200 Enter
	sees "limit: '200' is not a percentage"
	keys k
	sees "no sample is in the kernel"
}

@test "shares of all, or of what passes the filters" {
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

@test "rows by other keys, without callers, graphs from callees" {
	starts -y 10
	sees "1/7"
	keys S dso Enter
	sees "by dso"
	keys S nonsense Enter
	sees "no field 'nonsense'"
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
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data                                                       by sym, callees first
	  Children      Self  Symbol
	+   95.00%     0.00%  [.] main
	+   80.00%    30.00%  [.] work
	-   50.00%    50.00%  [.] leaf
	    - 50.00% leaf
	      work
	      main
	Enter: unfold  /: search  a: code  d: DSO  s: sort  h: help  q: leave        3/9
	END
}

@test "what there is to say of a recording is said at once, and afterwards" {
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

# A server that takes what it is asked, and says nothing: its address in $url.
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

# A server that has nothing, and doesn't say so while there is a file "wait", or
# until who asked has left: its address in $url; how often it was asked is in
# "asked".
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

need_servers() {
	need python3
	grep -q '^DEBUGINFOD_LIBS = .*debuginfod' "$DWELL_BUILD/Makefile" ||
		skip "built without libdebuginfod"
}

# shuts_gate: what is asked for now is on its way.
shuts_gate() {
	touch wait
	# Nor is it kept in mind that there was nothing.
	rm -rf debuginfod
}

far="record MMAP2 pid=7 tid=7 addr=0x600000 len=0x1000
  filename=/lib/libfar.so build_id=0102030405060708090a time=2"

@test "a function's code is asked for while other rows are on their way" {
	need_servers
	make_named "$far"$'\n'"record SAMPLE ip=0x600010 pid=7 tid=8 time=1900000001
	  period=1 chain=user,0x600010"
	start_server_at_a_gate
	starts -y 12 "--debuginfod=$url"
	sees "by comm,dso,sym"
	keys / bad Enter T
	sees "Which part of the time?"
	keys End Up
	shuts_gate
	keys Enter
	until_true test -e asked
	keys a
	rm wait
	# Of fewer functions, that have other places in what is shown then.
	sees "q: back"
	has 'bad\x1b[31m\xe2\x80\xae<b> in libsome.so'
}

@test "notes are told although other rows are on their way" {
	need_servers
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

@test "what is on its way is given up for something else, or for nothing" {
	need_servers
	make_named "$far"
	start_server_at_a_gate
	starts -y 12 "--debuginfod=$url"
	sees "by comm,dso,sym"
	shuts_gate
	keys c
	until_true test -e asked
	sees "Esc: give it up"
	# A new wish takes its place; the gate is still shut.
	keys S comm Enter
	until_true asked_times 2
	keys Escape
	sees "given up"
	sees "data    "
	has "by comm,dso,sym"
	# A list that is waited for is given up, too, which is said once more.
	keys Down
	sees "q: leave"
	keys T
	until_true asked_times 3
	keys Escape
	sees "given up"
	rm wait
	keys c
	sees "data › comm prog"
	keys q
	sees "status 0"
	! has "can't be asked"
}

@test "keys that come before there are rows wait for them" {
	need_servers
	make_named "$far"
	start_server_at_a_gate
	shuts_gate
	# Without names nothing can be said of these: no rows come first.
	starts -y 12 "--debuginfod=$url" -S leaf,work
	until_true test -e asked
	keys / work Enter c
	rm wait
	sees "data › symbol leaf,work › comm prog"
	sees "2/"
}

@test "what can't be fulfilled before names are there is given up" {
	need_servers
	make_named "$far"
	start_server_at_a_gate
	shuts_gate
	starts -y 12 "--debuginfod=$url"
	sees "names are on their way"
	until_true test -e asked
	keys S nonsense Enter
	rm wait
	sees "no field 'nonsense'"
	sees "by comm,dso,sym"
	keys q
	sees "status 0"
}

@test "until names and callers are there, rows are by command and file" {
	need_servers
	make_named "record MMAP2 pid=7 tid=7 addr=0x600000 len=0x1000
	  filename=/lib/libfar.so build_id=0102030405060708090a time=2"
	start_silent_server
	export DEBUGINFOD_CACHE_PATH=$PWD/debuginfod DEBUGINFOD_TIMEOUT=300
	starts -y 10 "--debuginfod=$url"
	sees "names are on their way"
	keys Down Enter
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100            event 1 of 2
	data                                                                 by comm,dso
	  Overhead  Command  Shared Object
	    80.00%  prog     prog
	    15.00%  prog     libsome.so
	     4.00%  helper   libsome.so
	     1.00%  helper   libfar.so


	call chains are on their way                                                 2/4
	END
	keys q
	sees "status 0"
}

@test "what is shown is written as the text that --stdio prints" {
	starts -y 10
	sees 1/7
	keys c
	sees "comm prog"
	keys P Enter
	sees "dwell.report.txt is written"
	dwell report --stdio -i data -c prog >text
	cmp text dwell.report.txt
	keys P Enter
	sees "dwell.report.txt: File exists"
	keys P C-u /dev/full/x Enter
	sees "/dev/full/x: Not a directory"
}

@test "the name of a file is suggested, and edited or typed anew" {
	starts -y 10
	sees 1/7
	keys P
	sees "write the text to: dwell.report.txt_"
	keys o
	sees "write the text to: o_"
	keys ther Enter
	sees "other is written"
	[ -s other ]
	[ ! -e dwell.report.txt ]
	# The size of the terminal is no answer.
	keys P
	sees "write the text to: dwell.report.txt_"
	resize -y 12
	sees "write the text to: dwell.report.txt_"
	keys BSpace
	sees "write the text to: dwell.report.tx_"
	keys BSpace BSpace old Enter
	sees "dwell.report.old is written"
	cmp other dwell.report.old
}

@test "a function's code is a key away, where it is known" {
	starts -y 12
	sees 1/7
	keys a
	sees "no sample was taken in it itself"
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

@test "time off the CPU is shown by state, and filtered" {
	made_text offcpu
	starts -y 10 --off-cpu -g none --no-children
	shows <<-'END'
	Samples: 4 of event 'off-CPU time (ns)', Event count (approx.): 2000
	data                                                       by state,comm,dso,sym
	  Overhead        Period  State      Command  Shared Obj  Symbol
	    65.00%          1300  blocked    made     [unknown]   [.] 0x0000000000003000
	    20.00%           400  runnable   made     [unknown]   [.] 0x0000000000003000
	    15.00%           300  preempted  made     [unknown]   [.] 0x0000000000004000



	/: search  a: code  d: DSO  s: sort  h: help  q: leave                       1/3
	END
	keys t
	shows <<-'END'
	Which thread?
	  100.00%        7  made







	Enter: take it  q: back to the rows
	END
	keys Enter
	sees "data › thread 7"
	keys s Down Enter
	sees " by comm,dso,sym"
	keys s Enter
	sees "by state,comm,dso,sym"
	ends
	starts -y 10 --wall -g none --no-children -s state -n
	shows <<-'END'
	Samples: 5 of event 'wall time (ns)', Event count (approx.): 2250
	data                                                                    by state
	  Overhead       Samples        Period  State
	    57.78%             2          1300  blocked
	    17.78%             1           400  runnable
	    13.33%             1           300  preempted
	    11.11%             1           250  on


	/: search  a: code  d: DSO  s: sort  h: help  q: leave                       1/4
	END
	keys T Enter
	sees "› time "
	has 57.78%
}

@test "branches are shown by where they go, and filtered" {
	made_text branches
	starts -y 10 -s symbol_from,symbol_to
	keys x
	shows <<-'END'
	Samples: 8 of event 'branch-misses:HG', Event count (approx.): 8
	data                                                    by symbol_from,symbol_to
	  Overhead  Source Symbol           Target Symbol
	    25.00%  [.] 0x0000000000000100  [.] 0x0000000000000140
	    12.50%  [.] 0x0000000000000010  [.] 0x0000000000000120
	    12.50%  [.] 0x0000000000000120  [.] 0x0000000000000100
	    12.50%  [.] 0x0000000000000180  [.] 0x0000000000000000
	    12.50%  [.] 0x0000000000000180  [k] 0xffffffff80000100
	    12.50%  [H] 0x0000000000500000  [.] 0x0000000000000100
	no such key; h shows all of them                                             1/7
	END
	keys Enter
	sees "there are no call chains to unfold"
	keys d
	sees "Which program or library?"
	keys / q t Enter
	sees "data › thread 7"
	keys End a
	sees "this is no function"
}

@test "rows of several recordings, and of one among them" {
	made_text plain other
	starts -y 10 other -s file,comm -g none --no-children
	sees "by file,comm"
	keys x
	shows <<-'END'
	Samples: 8 of event 'cycles', Event count (approx.): 123, lost: 3 (23.08 %)
	data, other                                                         by file,comm
	  Overhead  File   Command
	    77.24%  data   prog
	     9.76%  other  made
	     8.94%  other  :9
	     4.07%  data   helper


	no such key; h shows all of them                                             1/4
	END
	keys Down c
	sees "data, other › comm made"
	keys BSpace t
	shows <<-'END'
	Which thread?
	   77.24%        7  prog
	    8.94%        9  :9
	    5.69%        8  made
	    4.07%        7  made
	    4.07%        8  helper



	Enter: take it  q: back to the rows
	END
	keys Down Enter
	sees "data, other › thread 9"
	keys i
	sees "# file : data"
}

### Terminals ##################################################################

@test "a terminal may change its size" {
	starts -y 12
	sees 1/7
	resize -x 60 -y 9
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100
	data                                         by comm,dso,sym
	  Children      Self  Command  Shared O  Symbol
	+   95.00%     0.00%  prog     prog      [.] main
	+   80.00%    30.00%  prog     prog      [.] work
	+   50.00%    50.00%  prog     prog      [.] leaf
	+   15.00%    15.00%  prog     libsome…  [.] some_function
	+    4.00%     0.00%  helper   libsome…  [.] some_function
	Enter: unfold  /: search  a: code  d: DSO  s: sort  h:   1/7
	END
	keys End
	resize -x 30 -y 6
	sees "too small; q leaves"
	resize -x 80 -y 24
	sees 7/7
}

@test "a terminal that becomes too small for a list or a text waits" {
	starts -y 12
	sees 1/7
	keys t
	sees "Which thread?"
	resize -x 30 -y 1
	sees "too small; q leaves"
	resize -x 80 -y 12
	sees "Which thread?"
	keys q i
	sees "hostname : made"
	resize -x 30 -y 1
	sees "too small; q leaves"
	resize -x 80 -y 12
	sees "hostname : made"
	keys q q
	sees "status 0"
}

# leaf_looks LOOK [-t TERM]: as a row with a large share does.
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

@test "colour tells heat, and without colours bold does" {
	leaf_looks '^[31m  50.00%^[39m'
	[[ $(looks "600000") == *'^[7m'* ]]
	ends
	no_color=NO_COLOR=1 leaf_looks '^[1m  50.00%^[0m'
	ends
	leaf_looks '^[1m  50.00%^[0m' -t vt100
}

@test "without UTF-8 all is ASCII" {
	starts -l C --no-children -s sym
	sees 1/5
	LC_ALL=C grep -q '[^ -~]' screen && return 1
	grep -F 'bad\x1b[31m\xe2\x80\xae<b>' screen
}

@test "text where a terminal can't show it, with a line that says why" {
	starts -y 60 -t dumb -s sym -g none --no-children
	sees "status 0"
	has "TERM=dumb can't move its cursor: this is the report as text"
	has "    50.00%  [.] leaf"
	ends
	starts -y 60 -t nonesuch -s sym
	sees "status 0"
	has "nothing is known of terminals with TERM=nonesuch: this is the report"
	ends
	starts -y 60 -x 39 -s sym -g none
	sees "status 0"
	has "the terminal has 39x60 characters"
}

@test "--stdio is text on a terminal, and so is what only text shows" {
	for option in --stdio --header "-t,"  "-g flat" "-g folded" --no-tui \
		--json --csv --stats --tasks --header-only --dsos; do
		starts "$option"
		sees "status 0"
		! has unfold
		ends
	done
}

@test "--tui in vain is an error in one line" {
	refuses 2 dwell report --tui -i data
	[[ $line == *"--tui: standard input and output must be a terminal"* ]]
	for option in --stats --tasks --mmaps --dsos --header-only -t,; do
		refuses 2 dwell report --tui $option -i data
		[[ $line == *"--tui: "*" is text; leave one of them out" ]]
	done
	refuses 2 dwell report --tui -i -
	[[ $line == *"can't be read again"* ]]
	starts -t dumb --tui
	sees "status 1"
	has "--tui: TERM=dumb can't move its cursor"
	ends
	starts -y 7 --tui
	sees "status 1"
	has "--tui: the terminal has 80x7 characters, and 40x8 are needed"
}

@test "a recording without samples has nothing to show" {
	printf 'file\nevent ids=1\n' | "$DWELL_BUILD/tests/made/make_data" - data
	starts
	sees "status 0"
	has "data has no samples"
}
