#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of functions, threads and libraries on the command line: names with
# commas, parts of names, and names that no sample has.

load named.bash

# Functions of two classes, a template with a comma, and operators.
setup() {
	enter_test
	"$DWELL_BUILD/tests/made/make_data" - data <<-END
	file
	event name=cycles type=hardware ids=1 sample_id_all
	  sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD
	feature HOSTNAME str=made
	feature OSRELEASE str=1.2.3-made
	feature ARCH str=x86_64
	feature 132 bytes=$(names /bin/prog 256 sim::Drag::at sim::Lift::at \
		'std::call<void (int), char>::go' 'sim::operator<' \
		'run<int (*)(long) -> char, 3>' __memcmp_evex_movbe)
	record COMM pid=7 tid=7 comm=prog misc=exec time=1
	record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 prot=5 maj=8 ino=9
	  filename=/bin/prog time=2
	record COMM pid=7 tid=8 comm=worker-1 time=3
	record SAMPLE ip=0x400110 pid=7 tid=7 time=10 period=50
	record SAMPLE ip=0x400210 pid=7 tid=7 time=20 period=30
	record SAMPLE ip=0x400310 pid=7 tid=8 time=30 period=15
	record SAMPLE ip=0x400410 pid=7 tid=8 time=40 period=4
	record SAMPLE ip=0x400510 pid=7 tid=8 time=50 period=1
	record SAMPLE ip=0x400610 pid=7 tid=8 time=60 period=2
	END
}

teardown() {
	leave_test
}

# counts PERIODS OPTION...: checks that a report counts samples of these
# periods.
counts() {
	local wanted=$1 rows

	shift
	rows=$(dwell report --csv -i data -s sym -F period "$@" | sed 1d |
		cut -d, -f6 | sort -rn | tr '\n' ' ')
	echo "$*: $rows"
	[ "$rows" = "$wanted " ]
}

@test "report: -S: a comma inside brackets belongs to the name of the function" {
	counts 15 -S 'std::call<void (int), char>::go'
	counts "15 4" -S 'std::call<void (int), char>::go,sim::operator<'
	counts "4 1" -S 'sim::operator<,run<int (*)(long) -> char, 3>'
	counts "50 30" -S 'sim::Drag::at,sim::Lift::at'
	# A bracket that is not closed.
	counts 50 -S 'none<,sim::Drag::at'
	dwell script -i data -S 'std::call<void (int), char>::go' | wc -l |
		grep -x 1
}

# notes TEXT OPTION...: checks that a report without rows ends with this note.
notes() {
	local wanted=$1

	shift
	run -0 --separate-stderr dwell report --csv -i data "$@"
	echo "$stderr"
	[ "${stderr_lines[0]}" = "dwell report: no sample passes the filters and limits" ]
	[ "${stderr_lines[1]}" = "dwell report: $wanted" ]
	[ "${#stderr_lines[@]}" = 2 ]
}

@test "report: if no sample passes --comms, --dsos or -S, a message suggests a similar name" {
	notes "no thread is named 'wrker-1'; did you mean 'worker-1'?" \
		--comms wrker-1
	notes "no thread is named 'rog-'" --comms rog-
	notes "no sampled program or library is named 'rog'; did you mean 'prog'?" \
		--dsos rog
	notes "no sampled function is named 'Drag'; did you mean 'sim::Drag::at'?" \
		-S Drag
	notes "no sampled function is named 'sim::Drg'; did you mean 'sim::Drag::at'?" \
		-S sim::Drg
	notes "no sampled function is named 'memcmp_evx'; did you mean '__memcmp_evex_movbe'?" \
		-S memcmp_evx
	notes "no sampled function is named 'nosuchsym'" -S nosuchsym
	# Filters without names have the same status.
	for filter in "--tid 9" "--time 1,2"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr dwell report --csv -i data $filter
		[ "$stderr" = "dwell report: no sample passes the filters and limits" ]
	done
}

@test "annotate: the last parts of a qualified C++ name select the function, unless two functions match" {
	run dwell annotate -i data Drag::at
	[[ $output == *"# sim::Drag::at in prog"* ]]
	[[ $output != *Lift* ]]
	run dwell annotate -i data go
	[[ $output == *"# std::call<void (int), char>::go in prog"* ]]
	# Two functions have this name, so it is refused.
	refuses 1 dwell annotate -i data ::at
	refuses 1 dwell annotate -i data at
	[[ $line == *"no sample is in a function 'at'"* ]]
	refuses 1 dwell annotate -i data g::at
	[[ $line == *"did you mean 'sim::Drag::at'?" ]]
}
