#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive views on a large terminal, 200x50: whole screens.

load walk.bash
load named.bash

@test "tui: 200x50: rows, all their branches, and the help fit on the screen" {
	starts -x 200 -y 50
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100                                                                                                                                    event 1 of 2
	data                                                                                                                                                                                     by comm,dso,sym
	  Children      Self  Command  Shared Object  Symbol
	+   95.00%     0.00%  prog     prog           [.] main
	+   80.00%    30.00%  prog     prog           [.] work
	+   50.00%    50.00%  prog     prog           [.] leaf
	+   15.00%    15.00%  prog     libsome.so     [.] some_function
	+    4.00%     0.00%  helper   libsome.so     [.] some_function
	+    4.00%     4.00%  helper   libsome.so     [.] bad\x1b[31m\xe2\x80\xae<b>
	+    1.00%     1.00%  helper   [unknown]      [.] 0x0000000000600000







































	Enter: expand  /: search  a: code  s: sort  o: callers  h: help  q: quit                                                                                                                             1/7
	END
	keys E
	shows <<-'END'
	Samples: 5 of event 'cycles', Event count (approx.): 100                                                                                                                                    event 1 of 2
	data                                                                                                                                                                                     by comm,dso,sym
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
	      some_function
	-    4.00%     0.00%  helper   libsome.so     [.] some_function
	    - 4.00% some_function
	      bad\x1b[31m\xe2\x80\xae<b>
	-    4.00%     4.00%  helper   libsome.so     [.] bad\x1b[31m\xe2\x80\xae<b>
	    - 4.00% some_function
	      bad\x1b[31m\xe2\x80\xae<b>
	-    1.00%     1.00%  helper   [unknown]      [.] 0x0000000000600000
	      1.00% 0x600000





















	Enter: expand  /: search  a: code  s: sort  o: callers  h: help  q: quit                                                                                                                            1/25
	END
	keys h
	shows <<-'END'
	Keys
	  Enter, +       expand or collapse the selected row or branch
	  e              expand or collapse all branches of the row
	  E              expand all branches of all rows
	  C              collapse all rows
	  r              start call graphs at callers, or at callees
	  Up             move to the previous line
	  Down           move to the next line
	  PgUp           scroll up by one screen
	  PgDn, Space    scroll down by one screen
	  Home, g        move to the first line
	  End, G         move to the last line
	  Left           scroll long names to their beginning
	  Right          scroll long names to their end
	  /              search in the displayed lines
	  n              move to the next match
	  N              move to the previous match
	  a              show the code of the function
	  c              show only samples of this command
	  d              show only samples of this program or library
	  t              show only samples of this thread
	  k              show only samples of the kernel
	  T              show only a time range
	  Backslash      show only rows of functions that contain a text
	  Backspace      remove the last filter
	  Esc            cancel a computation, or remove the last filter
	  F              percentages of all samples, or of the filtered ones
	  L              hide rows below a percentage
	  s              choose other sort keys, from a list
	  S              choose other sort keys, typed as for -s
	  o              switch rows of callers on or off
	  w              show waits (of record --off-cpu), or CPU samples
	  Tab            show the next event
	  Shift-Tab      show the previous event
	  H              hide or show the headings of the columns
	  i              show the header of the recording
	  P              write the rows as text to a file
	  h, ?, F1       show this help
	  q              quit










	/: search  h: help  q: back                                                                                                                                                                        38/38
	END
}

@test "tui: 200x50: time off the CPU is shown with the rows of a small terminal" {
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" data
	starts -x 200 -y 50 --off-cpu
	sees 1/5
	keys Enter
	shows <<-'END'
	Samples: 4 of event 'off-CPU time', Thread time: 2.00 us (1 thread, 2.24 us)
	data                                                                                                                                                         CPU samples: press w  by state,comm,dso,sym
	0.000001 s blocked, 0.000000 s runnable, 0.000000 s preempted; 3 switches; 1 of them lasted until the recording ended
	  Children      Self        Period  State      Command  Shared Object  Symbol
	-   65.00%     0.00%          0 ns  blocked    made     [unknown]      [.] 0x0000000000002000
	    - 65.00% 0x2000
	      0x3000
	+   65.00%    65.00%       1.30 us  blocked    made     [unknown]      [.] 0x0000000000003000
	+   20.00%     0.00%          0 ns  runnable   made     [unknown]      [.] 0x0000000000002000
	+   20.00%    20.00%        400 ns  runnable   made     [unknown]      [.] 0x0000000000003000
	+   15.00%    15.00%        300 ns  preempted  made     [unknown]      [.] 0x0000000000004000






































	Enter: expand  /: search  a: code  s: sort  o: callers  h: help  q: quit                                                                                                                             1/7
	END
}

@test "tui: 200x50: the code of a function fits, with its whole instructions" {
	opens_code -x 200 -y 50
	dwell annotate --stdio -i w.data walk |
		grep -E '^ +[0-9.]* \| ' | sed 's/^ *//; s/ *$//' >listing
	grep -F xorl listing
	screen
	while read -r line; do
		grep -F -- "$line" screen
	done <listing
	# The line of the keys has the number of the last line, and of all lines.
	tail -1 screen | grep -E ' ([0-9]+)/\1 *$'
}

@test "tui: 200x50: a diff shows all columns" {
	cp data old
	cp data new
	on_terminal "diff old new" -x 200 -y 50
	shows <<-'END'
	cycles per second +0.0 % (100.000/s -> 100.000/s), within sampling noise (124.0 %)                                                                                                             event 1/2
	old, new                                                                                                                                                                                    by delta-abs
	  Baseline  Delta Abs        +/-  Change  Shared Object  Symbol
	  50.000/s   +0.000/s  138.590/s  ~       prog           [.] leaf
	  30.000/s   +0.000/s   83.154/s  ~       prog           [.] work
	  15.000/s   +0.000/s   41.577/s  ~       libsome.so     [.] some_function
	   4.000/s   +0.000/s   11.087/s  ~       libsome.so     [.] bad\x1b[31m\xe2\x80\xae<b>
	   1.000/s   +0.000/s    2.772/s  ~       [unknown]      [.] [unknown]









































	Enter: details  /: search  d: DSO  s: sort  h: help  q: quit                                                                                                                                         1/5
	END
}
