#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive view of dwell diff: whole screens after some keys.

load common.bash
load terminal.bash

setup() {
	enter_test
	need tmux ncurses
	made old like=5000 grown=500 gone=100 rare=3
	made new like=5060 grown=700 fresh=100 rare=1
}

teardown() {
	ends
	leave_test
}

# made FILE LIBRARY=COUNT...: makes COUNT samples in each library, and the same
# number of another event in the first one.
made() {
	local file=$1 base=4096 at
	shift
	{
		echo file
		echo 'event name=cycles type=hardware ids=1 exclude_guest' \
			'sample_type=IDENTIFIER|IP|TID|TIME|PERIOD'
		echo 'event name=faults type=software config=2 ids=2 exclude_guest' \
			'sample_type=IDENTIFIER|IP|TID|TIME|PERIOD'
		echo 'record COMM pid=7 tid=7 comm=made'
		for at; do
			echo "record MMAP pid=7 tid=7 addr=$base len=4096" \
				"filename=/lib/${at%=*}"
			echo "record SAMPLE ip=$base pid=7 tid=7 time=1000000000" \
				"period=10 times=${at#*=}"
			base=$((base + 4096))
		done
		echo "record SAMPLE event=1 ip=4096 pid=7 tid=7 time=1000000000" \
			"period=1 times=${1#*=}"
	} | "$DWELL_BUILD/tests/made/make_data" - "$file"
}

# starts [-x COLUMNS] [-y LINES] [-l LOCALE] [-t TERM] OPTION...: starts dwell
# diff of both recordings on a terminal.
starts() {
	on_terminal "diff -c delta-abs old new" "$@"
}

# text OPTION...: prints the rows of the first event as text.
text() {
	dwell diff -c delta-abs -s dso "$@" old new |
		awk '/^# Event/ { n++ } n < 2 && !/^#/ && NF'
}

@test "tui: diff shows its rows on a terminal, and restores the terminal at the end" {
	starts -y 11 -s dso
	shows rows
	keys Tab
	shows rows-of-second-event
	keys BTab q
	shows <<-'END'
	before
	status 0
	END
}

# has_rows FILE: succeeds if lines 4 to 8 of the screen are those of FILE.
has_rows() {
	screen && sed -n '4,8s/ *$//p' screen | cmp -s - "$1"
}

@test "tui: diff: the key s changes the computation and the order" {
	starts -y 9 -s dso
	sees 1/5
	keys Down s
	shows diff-keys-change-computation
	keys Down Down Enter
	shows rows-by-ratio
	# The same as the text with this option.
	text -c ratio >text
	sed -n '4,8s/ *$//p' screen | diff - text
	keys s Down Enter
	sees "Delta    +/-"
	keys s End Enter
	sees "by baseline"
	keys s Enter
	sees "by delta-abs"
	text >text
	until_true has_rows text
}

@test "tui: diff: with -b, the same rows are hidden after the order changes" {
	made old like=500 grown=500
	made new like=4660 grown=5340 a=5 b=5 c=5 d=5
	starts -y 8 -s dso -b
	sees "+3.29%  3.25%  ~       grown"
	keys s Down Enter
	sees "Delta    +/-"
	sees "+3.29%  3.25%  ~       grown"
}

@test "tui: diff: filters are combined, and Backspace removes the last one" {
	starts -y 9 -s comm,dso
	sees 1/5
	keys c
	sees "old, new › comm made  "
	keys '\' R Enter
	sees "0/0"
	has "› comm made › name R"
	has "  no row matches the filters; Backspace removes the last filter"
	keys Enter d BSpace '\' r Enter
	sees "1/3"
	keys End
	sees rare
	keys d
	shows combined-filters
	keys BSpace
	sees "3/3"
	keys Escape BSpace BSpace
	sees "no filter to remove; press q to quit"
	# The cursor stays at its row.
	has 5/5
	ends
	starts -y 9 -s dso
	sees 1/5
	keys c
	sees "rows do not contain this key; use -s +comm"
}

@test "tui: diff: long file names do not hide the filters and the order" {
	local long=/a-folder-with-a-long-name/and-another-one/another
	mkdir -p ".$long/x" ".$long/y"
	mv old new ".$long/x"
	on_terminal "diff .$long/x/old .$long/x/new" -y 9 -s dso
	sees "1/5"
	has "old, new   "
	has "by delta-abs"
	ends
	mv ".$long/x/new" ".$long/y/old"
	on_terminal "diff .$long/x/old .$long/y/old" -y 9 -s dso
	sees "1/5"
	keys '\' r Enter d
	sees "1/1"
	sed -n 2p screen | grep -q '^….*/y/old › name r › DSO grown  by delta-abs$'
}

@test "tui: diff: a search finds rows, continues at the other end, and prints if there are none" {
	starts -y 9 -s dso
	sees 1/5
	keys / re
	sees "/re_"
	keys Enter
	sees 4/5
	keys n
	sees 5/5
	keys n
	sees 4/5
	keys N
	sees 5/5
	keys / RARE Enter
	sees "'RARE' not found"
	keys h
	sees "Up             move to the previous row"
	keys q x
	sees "unknown key; press h for help"
}

@test "tui: diff: Enter shows the values of a row in both recordings" {
	starts -y 18 -x 100 -s dso
	sees 1/5
	keys Enter
	shows diff-details-row-have
	keys q End Enter
	sees "p = 0.364: noise"
	grep -q ': noise$' screen
	ends
	made old like=5000 grown=100 a=100 b=100 c=100 d=100
	made new like=5000 grown=134 a=100 b=100 c=100 d=100
	starts -x 100 -s dso
	sees 1/6
	keys / g r o w Enter Enter
	sees ": noise, given the number of rows"
	has "p = 0.02"
}

@test "tui: diff: the details of a row have the same numbers as the row, in each order" {
	starts -x 100 -s dso
	sees 1/5
	keys s Down Down Enter
	sees "8.92%  1.400000  0.160669  more    grown"
	keys Enter
	sees "delta    +3.02% +/- 1.12% = (7000 * 100 / 58610)"
	sees "ratio    1.400000 +/- 0.160669 = 7000 / 5000"
	ends
	starts -x 100 -s dso --normalize total -c ratio
	sees "8.92%  1.338372  0.145567  more    grown"
	keys Enter
	sees "ratio    1.338372 +/- 0.145567 = (7000 * 100 / 58610)"
}

@test "tui: diff: with three recordings, the key s selects which one determines the order" {
	made newer like=5000 grown=500 gone=100 rare=300
	starts -y 22 -x 120 newer -s dso
	sees "by delta-abs/1"
	keys s
	sees "/2         change of newer"
	keys End Enter
	sees "by delta-abs/2"
	keys Home Enter
	sees "[2] newer"
	sees "period   3000"
}

@test "tui: diff: on a narrow screen, columns of numbers are hidden before names" {
	made newer like=5000 lib-that-has-a-long-name-of-its-own=500
	starts -y 9 newer -s dso,sym
	shows narrow-screen
	keys End
	sees "       +9.09%  lib-that-has-a-long-name…  [.] [unknown]"
	resize -x 60 -y 9
	sees "  Baseline/0  Delta Abs/1  Shared Object       Symbol"
	keys Right
	sees "  as-a-long-name-of-its-own  [.] […"
	resize -x 40 -y 8
	keys Left Home
	sees "  Baseline/0  Delta Abs/1  Symbol"
	sees "       8.92%       +3.02%  [.] [unknown]"
	keys End
	resize -x 150 -y 9
	sees "+/-/1  Change/1  Delta Abs/2  +/-/2  Change/2  Shared Object"
	sees "new       lib-that-has-a-long-name-of-its-own  [.] [unknown]"
}

@test "tui: diff: control characters are escaped, signs have colours, and without UTF-8 all is ASCII" {
	made old $'bad\e[31m\xe2\x80\xae<b>=50' like=500
	starts -y 9 -l C -s dso
	sees 'bad\x1b[31m\xe2\x80\xae<b>'
	LC_ALL=C grep -q '[^ -~]' screen && return 1
	keys d
	sees "old, new > DSO "
	ends
	starts -y 9 -s dso
	sees 1/
	keys End
	until_true has 5/5
	looks grown
	[[ $(looks grown) == *'^[31m'* ]]
	[[ $(looks like) == *'^[32m'* ]]
	ends
	no_color=NO_COLOR=1 starts -y 9 -s dso
	sees 1/
	keys End
	until_true has 5/5
	looks grown
	[[ $(looks grown) == *'^[1m'*new* ]]
}

@test "tui: diff: --stdio and unsuitable terminals print text" {
	starts -y 60 --stdio -s dso
	sees "status 0"
	has "# Event 'cycles'"
	ends
	starts -y 60 -t dumb -s dso
	sees "status 0"
	has "terminal type TERM=dumb cannot move the cursor; printing the report as text"
	has "# Event 'cycles'"
	refuses 2 dwell diff --tui old new
	[[ $line == *"--tui: standard input and output are not a terminal"* ]]
	ends
	on_terminal "diff old gone" -y 12
	sees "status 1"
	has "gone: cannot open the file: No such file"
}

@test "tui: diff: the view follows changes of the terminal's size" {
	starts -y 12 -s dso
	sees 1/5
	resize -x 30 -y 1
	sees "terminal too small; q: quit"
	resize -x 60 -y 8
	sees 1/5
	keys End
	sees 5/5
	has rare
}
