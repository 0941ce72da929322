#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# same_own of common.bash, with which tests compare two texts of a live recording.

load common.bash

setup() {
	enter_test
	# Nothing is recorded, but compared as if it were.
	BATS_TEST_DESCRIPTION="live: $BATS_TEST_DESCRIPTION"
}

# samples N: prints N samples with a caller, between start code and the kernel.
samples() {
	local i

	for ((i = 0; i < $1; i++)); do
		printf '%s\n' "made  7 $i: cpu-clock:" \
			$'\tffffffff81000000 tick ([kernel.kallsyms])' \
			$'\t          401000 leaf (/tmp/made)' \
			$'\t          401100 work (/tmp/made)' \
			$'\t          401200 _start (/tmp/made)' ''
	done
}

# changed SCRIPT: succeeds if same_own accepts the text with this change by sed.
changed() {
	sed "$1" wanted >got
	absent cmp -s wanted got
	same_own wanted got "${@:2}"
}

@test "same_own accepts two texts if up to 1 % of the samples differ outside of the program's own functions" {
	samples 250 >wanted
	same_own wanted wanted
	changed '2s/tick/tock/; 5d'
	changed '2d; 8d'
	run -1 changed '2d; 8d; 14d'
	run -1 changed '0~6d'
	[[ $output == *" 250 of them in own functions"* || $output == *"1 got"* ]]
	# One sample may differ if there are few.
	samples 4 >wanted
	changed 2d
	run -1 changed '2d; 8d'
}

@test "same_own accepts only equal texts in a test that does not record" {
	BATS_TEST_DESCRIPTION=${BATS_TEST_DESCRIPTION#live: }
	samples 250 >wanted
	same_own wanted wanted
	run -1 changed '2s/tick/tock/'
}

@test "same_own rejects samples with another own function, caller or header" {
	samples 250 >wanted
	run -1 changed 's/leaf/leave/'
	run -1 changed '3s/leaf/leave/'
	run -1 changed 4d
	run -1 changed '3{h; d}; 4G'
	run -1 changed '1s/made/other/'
	run -1 changed '1,6d'
	# The own functions can be named.
	changed '4d' ' leaf '
	run -1 changed '3d' ' leaf '
	: >empty
	run -1 same_own empty empty
}

@test "same_own accepts rows that differ outside of the program's own functions by up to 1 % of the samples" {
	printf '%s\n' '50.00|1000|made|made|[.] leaf' '30.00|600|made|made|[.] work' \
		'15.00|300|made|libc.so.6|[.] qsort' \
		'5.00|100|made|[kernel.kallsyms]|[k] tick' >wanted
	tac wanted >got
	same_own wanted got
	changed '3s/15.00|300/14.50|290/; 4s/5.00|100/5.50|110/'
	run -1 changed '3s/15.00|300/13.00|260/; 4s/5.00|100/7.00|140/'
	run -1 changed 4d
	run -1 changed '1s/50.00/49.99/'
	run -1 changed 2d
	run -1 changed '2s/work/woke/'
	# With the share of callers.
	printf '%s\n' '100.00|0.00|0|made|made|[.] _start' \
		'100.00|50.00|1000|made|made|[.] leaf' \
		'50.00|50.00|1000|made|[kernel.kallsyms]|[k] tick' >wanted
	changed '1s/100/99.5/'
	run -1 changed '1s/100/98.5/'
	run -1 changed '2s/100/99.5/'
	# Lines without a share count as one each.
	{ yes 'made work' | head -n 150; yes 'libc.so.6 qsort' | head -n 50; } >wanted
	changed '200s/qsort/msort/; 199s/qsort/msort/'
	run -1 changed '198,200s/qsort/msort/'
	run -1 changed '1s/work/woke/'
}
