#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Annotated functions compared with perf annotate, and instructions compared
# with objdump's.
# Differences of capstone 4 from binutils 2.40:
# - AT&T: a suffix has the size of operands (addl for add); default values are
#   written (the 1 of "shl", %st, %es: of string instructions), except a scale
#   of 1; small numbers are decimal; negative numbers have the width of the
#   operand (-1 for 0xffffffff);
# - nop and xchg %ax,%ax, and prefixes of padding, are one instruction;
# - movd between %rax and %xmm0 is movq in binutils, and similar names;
# - aarch64: some aliases are used (movz for mov, hs for cs), and the pages of
#   adrp have a #.
# Unknown instructions are bytes: vectors with masks (AVX-512), SVE, the atomics
# of ARMv8.1, memory tags. The next instruction begins at the same address.

load rows.bash

setup() {
	enter_test
	need python3
	need objdump
}

# The PLT and .init are not compared: perf has no name for some of their code.
# perf_shares FILE TYPE: prints "EVENT|FILE|ADDRESS|PERCENT" of all sampled
# instructions.
perf_shares() {
	perf annotate --stdio --no-source --percent-type "$2" -i "$1" \
		2>/dev/null | python3 -c '
import re, sys
event = file = section = None
for line in sys.stdin:
    part = re.search(r"Disassembly of section (\S+):", line)
    if part:
        section = part[1]
    head = re.search(r"Disassembly of (\S+) for (\S+) \(", line)
    if head:
        file, event, section = head[1], head[2], ""
    row = re.match(r" +([0-9.]+) : +([0-9a-f]+):", line)
    if row and float(row[1]) and not re.match(r"\.plt|\.init$", section):
        print(event, re.sub("^perf-vdso.*", "[vdso]", file), row[2],
            row[1], sep="|")' | sort
}

dwell_shares() {
	dwell annotate --stdio --limit 0 --no-source --percent-type "$2" \
		-i "$1" |
		awk -F "'" '/^# [0-9]+ samples of event/ { event = $2 }
			/^# .* in .*, 0x/ {
				skip = $0 ~ /^# ([^ ]*@plt|_init) /
				file = $0
				sub(/, 0x.*/, "", file)
				sub(/.* /, "", file)
			}
			/^ +[0-9.]+ [|]/ && !skip {
				split($0, part, " ")
				if (part[1] > 0)
					print event "|" file "|" part[3] "|" part[1]
			}' | sort
}

# same_shares FILE N: compares the shares of all percent types, with at least N
# instructions. perf 6.1 shows only 0 for global-hits.
same_shares() {
	local type

	for type in local-period local-hits global-period; do
		perf_shares "$1" $type >perf.rows
		dwell_shares "$1" $type >dwell.rows
		[ "$(wc -l <perf.rows)" -ge "$2" ]
		same_own perf.rows dwell.rows
	done
}

@test "live: annotate: shares of instructions are those of perf annotate" {
	need perf
	need gcc
	gcc -O2 -g -DSECONDS=1/3 "$DWELL_SOURCE/tests/cli/spin.c" -o spin
	perf_record -e cpu-clock:u -F 5000 -o p.data -- \
		sh -c './spin; seq 200000 | sort -n | md5sum' >/dev/null
	same_shares p.data 20
}

@test "live: annotate: shares of a dwell recording of two events are those of perf annotate" {
	need perf
	need gcc
	# With -O1 two instructions of the loop have nearly all samples.
	gcc -O0 -g -DSECONDS=1/3 "$DWELL_SOURCE/tests/cli/spin.c" -o spin
	dwell record -q -e cpu-clock:u -e task-clock:u -F 3000 -o d.data -- \
		./spin
	same_shares d.data 6
}

# compared OBJDUMP FILE: compares the instructions of FILE's .text. Those that
# differ in an unknown way go to "others", counts to "counts".
compared() {
	need capstone
	"$DWELL_BUILD/tests/peer/disassembled" "$2" >dwell.text
	"$1" -d --no-show-raw-insn -j .text "$2" >objdump.text
	python3 - <<-'END'
		import re
		def read(path, pattern):
		    found = {}
		    for line in open(path, errors="replace"):
		        row = re.match(pattern, line)
		        if row:
		            found[row[1]] = row[2].strip()
		    return found
		def number(text):
		    digits = text[0].lstrip("-")
		    return str(int(digits, 16 if digits[:2] == "0x" else 10) *
		        (-1 if text[0][0] == "-" else 1) & 0xffffffff)
		def plain(text):
		    text = re.sub(r"\s*(//|#[ \t]|<).*", "", text)
		    text = re.sub(r"^((cs|ds|es|data16|notrack|bnd|lock|rep|repz|repnz|repne) +)+",
		        "", text)
		    word, _, rest = text.partition(" ")
		    word, _, more = word.partition("\t")
		    rest = re.sub(r"[\s#]", "", more + rest)
		    if re.match("(nop|xchg%ax,%ax)", word + rest):
		        return "nop", ""
		    word = re.sub("^movz$", "mov", word)
		    word = re.sub("hs$", "cs", re.sub("lo$", "cc", word))
		    rest = re.sub(",hs$", ",cs", re.sub(",lo$", ",cc", rest))
		    rest = re.sub(r"%[cdefgs]s:(?=\()|,?%st(\(\d\))?|xzr,|wzr,", "",
		        rest)
		    if re.match("j|call|b$|b[.l]|[ct]bn?z|adrp?$", word):
		        rest = re.sub("0x", "", rest)
		    else:
		        rest = re.sub(r"(?<![\w%])-?(0x[0-9a-f]+|\d+)\b", number,
		            rest)
		        rest = re.sub(r"(\(|,)(%\w+),1\)", r"\1\2)", rest)
		        rest = re.sub(r"^\$1,(?=[^,]*$)|(?<![\w$])0(?=\()", "",
		            rest)
		    if rest.startswith("*"):
		        rest = rest.replace("0x", "")
		    return word, rest
		ours = read("dwell.text", "([0-9a-f]+) (.*)")
		theirs = read("objdump.text", r" *([0-9a-f]+):\t(.*)")
		both = [at for at in theirs if at in ours]
		unknown = others = 0
		with open("others", "w") as out:
		    for at in both:
		        if ours[at].startswith("(not decoded)"):
		            unknown += 1
		            continue
		        (a, x), (b, y) = plain(ours[at]), plain(theirs[at])
		        if a in ("movn", "orr", "ins") and b == "mov":
		            continue
		        if x == y and (a == b or a[:-1] == b or
		            {a, b} in ({"movd", "movq"}, {"fwait", "wait"})):
		            continue
		        others += 1
		        print(at, ours[at], "|", theirs[at], file=out)
		with open("counts", "w") as out:
		    print(len(theirs), len(both), unknown, others, file=out)
	END
	read -r all both unknown others <counts
	echo "$2: $all instructions, $both where objdump has them," \
		"$unknown unknown, $others otherwise"
	head -n 20 others
	[ "$all" -gt 1000 ]
}

@test "annotate: instructions of x86 are those of objdump" {
	compared objdump /bin/bash
	[ "$both" = "$all" ]
	[ "$unknown" = 0 ]
	[ "$((others * 1000))" -lt "$all" ]
	compared objdump "$(ldd /bin/bash | awk '/libc\.so/ { print $3 }')"
	[ "$((all - both))" -lt 10 ]
	[ "$((unknown * 100))" -lt "$all" ]
	[ "$((others * 1000))" -lt "$all" ]
}

@test "annotate: instructions of aarch64 are those of objdump" {
	local libc=/usr/aarch64-linux-gnu/lib/libc.so.6

	need aarch64-linux-gnu-objdump aarch64-libc
	compared aarch64-linux-gnu-objdump $libc
	[ "$both" = "$all" ]
	[ "$((unknown * 100))" -lt "$all" ]
	[ "$((others * 100))" -lt "$all" ]
}
