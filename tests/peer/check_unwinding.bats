#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell report --check-unwinding: stack copies unwound by dwell, libunwind and libdw.

load rows.bash

# number KEY: prints a number of the JSON text in the file "json".
number() {
	node -e 'console.log(JSON.parse(require("fs").readFileSync("json"))[
		process.argv[1]])' "$1"
}

# adds_up LIBRARY FILE: succeeds if the counts of all libraries and files add up to
# the stacks, and at least 99 % of the chains have no different frame.
adds_up() {
	dwell report --check-unwinding="$1" --max-differ 1 --json -i "$2" >json
	node -e 'const at = JSON.parse(require("fs").readFileSync("json"));
		const sum = (key) => at.dsos.reduce((n, dso) => n + dso[key], 0);
		const { same, dwell_ends, other_ends, different, stacks } = at;
		console.log(at);
		if (same + dwell_ends + other_ends + different !== stacks ||
			sum("dwell_ends") > dwell_ends ||
			sum("different") > different ||
			at.examples.reduce((n, one) => n + one.stacks, 0) !==
				sum("different"))
			process.exit(1);'
}

@test "live: --check-unwinding: stacks of a compiler are those of libunwind and libdw" {
	need g++
	dwell record -q -F 997 --call-graph dwarf --keep-stacks -o kept.data -- \
		g++ -O2 -c "$DWELL_SOURCE/tests/peer/words.cpp" -o words.o
	for library in libdw libunwind; do
		[ $library = libdw ] || need libunwind
		adds_up $library kept.data
		[ "$(number library)" = $library ]
		[ "$(number stacks)" -gt 100 ]
		# More than 95 % are equal; libdw ends earlier in some frames.
		[ "$(number same)" -gt $(($(number stacks) * 95 / 100)) ]
	done
	# The text has the same numbers.
	dwell report --check-unwinding=libdw --json -i kept.data >json
	dwell report --check-unwinding=libdw -i kept.data >text
	cat text
	grep -E "^ +$(number stacks)  stacks, unwound by dwell and by libdw:" text
	grep -E "^ +$(number same) .* % +same frames" text
	# A filter selects the stacks.
	dwell report --check-unwinding=libdw --json -i kept.data \
		--comms nothing >json || true
	run ! grep '"stacks": [1-9]' json
	# CSV has a row per file.
	dwell report --check-unwinding=libdw --csv -i kept.data >csv
	head -1 csv | grep -x 'dso,same_callers,dwell_ends,other_ends,different'
	grep -E '/libc[^,]*,[0-9]+,' csv
}

@test "live: --check-unwinding reads stack copies of perf" {
	need perf
	need g++
	g++ -O2 "$DWELL_SOURCE/tests/peer/frames.cpp" -o frames
	perf_record -e cpu-clock:u -F 2000 --call-graph dwarf,32768 -m 4M \
		-o copies.data -- sh -c 'for i in $(seq 400); do ./frames; done'
	adds_up libdw copies.data
	[ "$(number stacks)" -gt 100 ]
}

# assemble OFFSET: makes the program "wrong" whose function leaf says that its CFA is
# OFFSET bytes above sp; 16 is true. On the stack of leaf is a return address of
# "other", and above it that of main.
assemble() {
	cat >wrong.s <<-END
		.text
		.globl main
		.type other,@function
	other:	.cfi_startproc
		subq \$8,%rsp
		.cfi_def_cfa_offset 16
		call leaf
	back:	addq \$8,%rsp
		.cfi_def_cfa_offset 8
		ret
		.cfi_endproc
		.size other,.-other
		.type leaf,@function
	leaf:	.cfi_startproc
		leaq back(%rip),%rax
		pushq %rax
		.cfi_def_cfa_offset $1
		movl \$1500000000,%ecx
	1:	decl %ecx
		jnz 1b
		addq \$8,%rsp
		.cfi_def_cfa_offset 8
		ret
		.cfi_endproc
		.size leaf,.-leaf
		.type main,@function
	main:	.cfi_startproc
		subq \$8,%rsp
		.cfi_def_cfa_offset 16
		call leaf
		xorl %eax,%eax
		addq \$8,%rsp
		.cfi_def_cfa_offset 8
		ret
		.cfi_endproc
		.size main,.-main
		.section .note.GNU-stack,"",@progbits
	END
	gcc -Wl,--build-id=0x12345678 wrong.s -o wrong
}

@test "live: --check-unwinding reports different frames, and --max-differ limits their number" {
	need gcc
	need x86_64
	assemble 16
	dwell record -q -F 997 --call-graph dwarf --keep-stacks -o kept.data -- \
		./wrong
	dwell pack -q -o packed.data kept.data
	# Samples of the loader can have frames that libdw does not find.
	dwell report --check-unwinding=libdw --max-differ 1 -i packed.data
	# The recording has the true rules, and the file has false ones now.
	assemble 8
	for library in libdw libunwind; do
		[ $library = libdw ] || need libunwind
		dwell report --check-unwinding=$library --json -i packed.data >json
		[ "$(number different)" -gt $(($(number stacks) * 9 / 10)) ]
		run --separate-stderr dwell report --check-unwinding=$library \
			--max-differ 5.5 -i packed.data
		echo "$output"
		echo "$stderr"
		[ "$status" = 1 ]
		grep -E "stacks \([0-9.]+ %\) have different frames than $library, more than --max-differ allows \(5.5 %\)" <<<"$stderr"
		grep -E '/wrong\+0x[0-9a-f]+$' <<<"$output"
		back=$(readelf -sW wrong | awk '$8 == "back" { print $2 }')
		grep -E "^ +$library +.*/wrong\+0x0*$(sed 's/^0*//' <<<"$back")\$" <<<"$output"
	done
}

@test "live: --check-unwinding refuses recordings without stack copies, and unknown judges" {
	dwell record -q --call-graph fp -o chains.data -- true
	refuses 1 dwell report --check-unwinding -i chains.data
	grep -F 'has no stack copies; record them with' <<<"$line"
	refuses 2 dwell report --check-unwinding=gdb -i chains.data
	grep -F "unknown judge 'gdb'; use libunwind, libdw or kernel" <<<"$line"
	refuses 2 dwell report --max-differ 1 -i chains.data
	grep -F -- '--max-differ needs --check-unwinding' <<<"$line"
}
