# SPDX-License-Identifier: GPL-2.0-or-later
# The common part of tests of the interactive view of a report: a recording with
# function names, and its view.

load common.bash
load terminal.bash

setup() {
	enter_test
	need tmux ncurses
	make_named
}

teardown() {
	ends
	leave_test
}

# starts [-x COLUMNS] [-y LINES] [-l LOCALE] [-t TERM] OPTION...: starts dwell
# report of "data" on a terminal, with rows of callers.
starts() {
	on_terminal "report -i data --children" "$@"
}

# hex TEXT, number FIELD N, text FIELD HEX: print parts of simpleperf's
# messages.
hex() {
	printf %s "$1" | od -An -v -tx1 | tr -d ' \n'
}
varint() {
	local n=$1

	while ((n > 127)); do
		printf %02x $((n & 127 | 128))
		((n >>= 7))
	done
	printf %02x "$n"
}
number() {
	printf %s%s "$(varint $(($1 << 3)))" "$(varint "$2")"
}
text() {
	printf %s%s%s "$(varint $(($1 << 3 | 2)))" \
		"$(varint $((${#2} / 2)))" "$2"
}

# names PATH START NAME...: prints a file's symbols, each 0x100 bytes, from
# START on.
names() {
	local message start=$2 size

	message=$(text 1 "$(hex "$1")")$(number 2 2)$(number 3 0)
	shift 2
	for name; do
		message+=$(text 4 "$(number 1 "$start")$(number 2 256)$(
			text 3 "$(hex "$name")")")
		((start += 256))
	done
	size=$(printf %08x $((${#message} / 2)))
	printf %s%s%s%s%s "${size:6:2}" "${size:4:2}" "${size:2:2}" \
		"${size:0:2}" "$message"
}

# named_symbols: prints the symbols of both files of the recording. They are computed
# once per file of tests, because that takes longer than a test's other commands.
named_symbols() {
	local kept=$BATS_FILE_TMPDIR/named_symbols

	[ -s "$kept" ] || printf %s%s \
		"$(names /bin/prog 256 main work leaf)" \
		"$(names /lib/libsome.so 256 some_function "$odd")" >"$kept"
	cat "$kept"
}

# make_named [LINE]: makes the recording "data" with a program and a library,
# two threads and two events.
make_named() {
	"$DWELL_BUILD/tests/made/make_data" - data <<-END
	file
	event name=cycles type=hardware ids=1 exclude_guest sample_id_all
	  sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN
	event name=faults type=software config=2 ids=2 exclude_guest sample_id_all
	  sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN
	feature HOSTNAME str=made
	feature OSRELEASE str=1.2.3-made
	feature ARCH str=x86_64
	feature 132 bytes=$(named_symbols)
	record COMM pid=7 tid=7 comm=prog misc=exec time=1
	record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 prot=5 maj=8 ino=9
	  filename=/bin/prog time=2
	record MMAP2 pid=7 tid=7 addr=0x500000 len=0x10000 prot=5 maj=8 ino=8
	  filename=/lib/libsome.so time=2
	record COMM pid=7 tid=8 comm=helper time=3
	record SAMPLE ip=0x400310 pid=7 tid=7 time=1000000000 period=50
	  chain=user,0x400310,0x400210,0x400110
	record SAMPLE ip=0x400220 pid=7 tid=7 time=1100000000 period=30
	  chain=user,0x400220,0x400110
	record SAMPLE ip=0x500110 pid=7 tid=7 time=1200000000 period=15
	  chain=user,0x500110,0x400110
	record SAMPLE ip=0x500210 pid=7 tid=8 time=1900000000 period=4
	  chain=user,0x500210,0x500110
	record SAMPLE ip=0x600000 pid=7 tid=8 time=2000000000 period=1
	  chain=user,0x600000
	record SAMPLE event=1 ip=0x400110 pid=7 tid=7 time=1500000000 period=9
	  chain=user,0x400110
	${1:-}
	END
}
# A name with control characters that a terminal must not interpret.
odd=$'bad\e[31m\xe2\x80\xae<b>'

# hot_walk [SED]: makes the recording w.data with samples in walk, two thirds of
# them at one address, and a few in stroll. SED edits the source of walk.
# For tests that load walk.bash, too.
hot_walk() {
	sed "${1:-}" "$BATS_FILE_TMPDIR/walk.c" >walk.c
	build
	with_chains=1 recording w.data "ip=$walk period=100 chain=user,$walk" \
		"ip=$((walk + 16)) period=200 chain=user,$((walk + 16))" \
		"ip=$stroll period=30 chain=user,$stroll"
	need capstone
}

# opens_code OPTION...: shows the code of walk on a terminal (on_terminal).
opens_code() {
	hot_walk
	on_terminal "report -i w.data --no-branch-stack --no-cut-stacks" "$@"
	sees walk
	keys a
	sees "H: hottest"
}
