#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Lines of source code and inlined functions beside perf 6.1, which asks
# addr2line (binutils 2.40). Both err, and then llvm-symbolizer is the judge, which
# reads debug information by itself. What they are known to get wrong:
# - addr2line names an inlined C++ function without a name for the linker (a static
#   one, a lambda) after the function that it is in;
# - where the symbol table has another name than debug information (an alias, or
#   f.constprop.0), perf takes the function itself for one that was inlined, and
#   calls it so;
# - of some units of DWARF 5 addr2line has another file's name;
# - perf asks for what segments of lld's are in the file, not for what they are
#   linked to be;
# - where callers are told by where they will return to (frame pointers), perf asks
#   for that, which may be the next line, or behind the end of a function.

load rows.bash

setup() {
	enter_test
	need_perf
	need c++
}

# judged NAME FILE: dwell's answers for each instruction of FILE, in
# NAME.dwell, are llvm-symbolizer's, which has the name of a file for what has no
# debug information; what differs is in NAME.diff.
judged() {
	objdump -d --no-show-raw-insn "$2" |
		sed -n 's/^ *\([0-9a-f]\{3,\}\):	.*/\1/p' >addresses
	[ "$(wc -l <addresses)" -gt 100 ]
	"$DWELL_BUILD/tests/peer/lines" "$2" <addresses >"$1.dwell"
	sed 's/^/0x/' addresses |
		llvm-symbolizer --obj="$2" --no-demangle |
		awk -v addresses=addresses 'function flush() {
				getline address <addresses
				text = ""
				for (i = 1; i <= n; i++)
					text = text (i > 1 ? ";" : "") \
						(i < n ? name[i] " " : "") at[i]
				print address " " text
				n = 0
			}
			/^$/ { flush(); next }
			{ name[++n] = $0; getline
				sub(/:[0-9]+$/, ""); at[n] = $0 }' |
		sed 's/ [^ ;/]*:0$/ ??:0/' >"$1.llvm"
	[ "$(wc -l <"$1.llvm")" -gt 100 ]
	diff "$1.llvm" "$1.dwell" >"$1.diff" || true
	echo "$1: $(wc -l <addresses) addresses," \
		"$(grep -c '^>' "$1.diff") otherwise than llvm-symbolizer"
}

# compile NAME COMPILER OPTION...: words.cpp as NAME, by a relative path, with a
# header of another folder.
compile() {
	local name=$1 compiler=$2
	shift 2
	command -v "$compiler" >/dev/null || return 1
	mkdir -p src inc
	cp "$DWELL_SOURCE/tests/peer/words.cpp" inc/words.h
	echo '#include "words.h"' >src/words.cpp
	"$compiler" -O2 -Iinc "$@" src/words.cpp -o "$name"
}

@test "every address of programs has llvm-symbolizer's frames and lines" {
	need llvm-symbolizer
	need objdump
	for compiler in c++ clang++; do
		for form in "-gdwarf-4" "-gdwarf-5" "-gdwarf-5 -gz" \
			"-gdwarf-4 -gsplit-dwarf" "-gdwarf-5 -gsplit-dwarf" \
			"-gdwarf-5 -ffunction-sections -Wl,--gc-sections"; do
			compile words "$compiler" $form || continue
			judged words words
			cp words.diff "$compiler$form.diff"
			[ ! -s words.diff ]
		done
	done
}

can_link() {
	command -v "$1" && command -v "ld.$2"
} >/dev/null

# Functions of which every second is called; the others are larger than what lies
# before all code.
parts() {
	awk 'BEGIN {
		print "static volatile unsigned sink;"
		print "static inline __attribute__((always_inline)) unsigned"
		print "mix(unsigned x)\n{\n\tx ^= x << 13;\n\treturn x * 5u;\n}"
		for (i = 0; i < 16; i++) {
			print "__attribute__((noinline)) unsigned"
			print "part" i "(unsigned x)\n{"
			for (j = 0; j < (i % 2 ? 900 : 60); j++)
				print j % 3 ? "\tx += sink ^ " j ";" \
					: "\tx = mix(x) + " j ";"
			print "\treturn x;\n}"
		}
		print "int main(void)\n{"
		for (i = 0; i < 16; i += 2)
			print "\tsink = part" i "(sink);"
		print "\treturn 0;\n}"
	}' >parts.c
}

# of_parts FILE: "part0+4 1007" for each instruction of the program's own functions.
of_parts() {
	objdump -d --no-show-raw-insn "$1" | awk '
		/^[0-9a-f]+ <.*>:$/ { gsub(/[<>:]/, "", $2); name = $2; n = 0 }
		/^ *[0-9a-f]+:\t/ && name ~ /^(part[0-9]+|main)$/ {
			sub(/:/, "", $1)
			print name "+" n++, $1
		}'
}

# Both judges take what was left out for what is there: so the judge is
# llvm-symbolizer's answer where all is there.
@test "what the linker left out has no address" {
	local linked n=0

	need llvm-symbolizer
	need objdump
	parts
	for compiler in gcc clang; do
		for form in "-gdwarf-4" "-gdwarf-5" "-gdwarf-5 -gsplit-dwarf"; do
			for linker in bfd gold lld; do
				linked="$compiler -pie -fuse-ld=$linker"
				can_link "$compiler" $linker || continue
				$compiler -O1 $form -fPIE -ffunction-sections \
					-c parts.c -o parts.o
				$linked parts.o -o whole
				$linked -Wl,--gc-sections parts.o -o left
				judged whole whole
				[ ! -s whole.diff ]
				of_parts whole | sort -k2,2 >whole.places
				sort -k1,1 whole.dwell | join -1 2 whole.places - |
					cut -d' ' -f2- | sort >whole.lines
				of_parts left >left.places
				cut -d' ' -f2 left.places |
					"$DWELL_BUILD/tests/peer/lines" left |
					cut -d' ' -f2- |
					paste -d' ' left.places - |
					cut -d' ' -f1,3- | sort >left.lines
				[ "$(wc -l <left.lines)" -gt 1000 ]
				run ! grep -c '^part1+' left.lines
				join left.lines whole.lines -o 0 |
					cmp - <(cut -d' ' -f1 left.lines)
				[ -z "$(comm -23 left.lines whole.lines)" ]
				n=$((n + 1))
			done
		done
	done
	[ $n -gt 0 ]
}

@test "functions that were folded into one have the lines of the first" {
	local n=0

	need llvm-symbolizer
	need objdump
	awk 'BEGIN {
		print "static volatile unsigned sink;"
		for (i = 0; i < 8; i++) {
			print "__attribute__((noinline)) unsigned"
			print "part" i "(unsigned x)\n{"
			for (j = 0; j < 40; j++)
				print (i % 2 && j % 5 == 0 ? "\n" : "") \
					"\tx += sink ^ " j ";"
			print "\treturn x;\n}"
		}
		print "int main(void)\n{"
		for (i = 0; i < 8; i++)
			print "\tsink = part" i "(sink);"
		print "\treturn 0;\n}"
	}' >folded.c
	for compiler in gcc clang; do
		for linker in gold lld; do
			can_link "$compiler" $linker || continue
			$compiler -O1 -g -fPIE -pie -ffunction-sections \
				-fuse-ld=$linker -Wl,--icf=all folded.c \
				-o folded
			[ "$(nm folded | grep ' part[0-9]$' |
				cut -d' ' -f1 | sort -u | wc -l)" = 1 ]
			judged folded folded
			[ ! -s folded.diff ]
			n=$((n + 1))
		done
	done
	[ $n -gt 0 ]
}

# units COMPILER OPTION...: words.cpp and inlines.cpp as "words".
units() {
	local compiler=$1 unit
	shift
	for unit in words inlines; do
		"$compiler" -O2 "$@" -c -o $unit.o \
			$([ $unit = words ] || echo -Dmain=other_main) \
			"$DWELL_SOURCE/tests/peer/$unit.cpp"
	done
	"$compiler" words.o inlines.o -o words
}

# Of the same code, its debug information in one piece: where it is split and there are
# several units, llvm-symbolizer leaves out most of what is inlined in the last.
@test "a .dwp file has the frames and lines of all its .dwo files" {
	need llvm-symbolizer
	need objdump
	local n=0
	for compiler in c++ clang++; do
		for form in 4 5; do
			command -v "$compiler" >/dev/null || continue
			units "$compiler" -gdwarf-$form
			judged words words
			[ ! -s words.diff ]
			units "$compiler" -gdwarf-$form -gsplit-dwarf
			rm -f words.dwp
			"$DWELL_BUILD/tests/peer/lines" words <addresses >dwo
			cmp words.dwell dwo
			for packer in dwp llvm-dwp; do
				# dwp of binutils 2.40 knows DWARF 4 alone.
				"$packer" -e words -o words.dwp 2>said || continue
				mkdir away
				mv ./*.dwo away
				"$DWELL_BUILD/tests/peer/lines" words \
					<addresses >dwp
				cmp words.dwell dwp
				mv away/* .
				rmdir away
				n=$((n + 1))
			done
		done
	done
	[ $n -ge 4 ]
}

@test "a damaged .dwp file does no harm" {
	need llvm-dwp
	units c++ -gdwarf-5 -gsplit-dwarf
	llvm-dwp -e words -o whole.dwp
	rm ./*.dwo
	objdump -d --no-show-raw-insn words |
		sed -n 's/^ *\([0-9a-f]\{3,\}\):	.*/\1/p' | head -n 400 >addresses
	python3 - whole.dwp "$DWELL_BUILD/tests/peer/lines" <<'END'
import random, subprocess, sys
whole = open(sys.argv[1], "rb").read()
random.seed(1)
for i in range(150):
    bad = bytearray(whole)
    if i < 50:
        del bad[random.randrange(len(bad)):]
    else:
        # Behind the strings there are the index and the headers.
        for _ in range(8):
            at = random.randrange(64, len(bad)) if i % 2 else \
                len(bad) - 1 - random.randrange(min(len(bad), 2000))
            bad[at] = random.choice([0, 0xff, 0x80, random.randrange(256)])
    open("words.dwp", "wb").write(bad)
    subprocess.run(["timeout", "20", sys.argv[2], "words"],
        stdin=open("addresses"), stdout=subprocess.DEVNULL, check=True)
END
}

@test "live: srcline has perf's rows" {
	for compiler in c++ clang++; do
		compile words "$compiler" -g || continue
		perf_record -e cpu-clock:u -F 2000 -o words.data ./words 20 \
			>/dev/null
		for keys in srcline sym,srcline; do
			perf report --stdio -n -t'|' -i words.data -d words \
				-s $keys 2>/dev/null |
				only_of_words | sort >perf.rows
			dwell report --stdio -n -t'|' -i words.data -d words \
				-s $keys | only_of_words | sort >dwell.rows
			[ "$(wc -l <dwell.rows)" -gt 15 ]
			diff perf.rows dwell.rows
		done
	done
}

# perf cuts names of ways to other libraries, and takes some for _init; and code
# without any symbol, beside others without lines, is told by its address there.
only_of_words() {
	grep -v -e '^#' -e '@plt' -e '_init+' -e '??:0' -e '\[[0-9a-f]*\]$' | grep . |
		sed -e 's/^ *//' -e 's/ *| */|/g' -e 's/ *$//'
}

@test "live: full paths are perf's" {
	mkdir src
	cp "$DWELL_SOURCE/tests/peer/inlines.cpp" src
	for source in "$PWD/src/inlines.cpp" src/inlines.cpp; do
		c++ -O2 -g "$source" -o inlines
		perf_record -e cpu-clock:u -F 2000 -o inlines.data ./inlines 300
		perf report --stdio -t'|' -i inlines.data -d inlines \
			-s srcline --full-source-path 2>/dev/null |
			only_of_words >perf.rows
		dwell report --stdio -t'|' -i inlines.data -d inlines \
			-s srcline --full-source-path | only_of_words >dwell.rows
		grep -q "$PWD/src/inlines.cpp:" dwell.rows
		diff <(sort perf.rows) <(sort dwell.rows)
	done
}

# record_stacks COMPILER: with copies of stacks, for which perf has inlined functions.
record_stacks() {
	"$1" -O2 -g -fno-optimize-sibling-calls \
		"$DWELL_SOURCE/tests/peer/inlines.cpp" -o inlines
	perf_record -e cpu-clock:u -F 2000 --call-graph dwarf,4096 \
		-o inlines.data ./inlines 300
}

@test "live: inlined functions have perf's rows" {
	for compiler in c++ clang++; do
		command -v $compiler >/dev/null || continue
		record_stacks $compiler
		perf_rows -i inlines.data --children --inline |
			grep '|inlines|inlines|' >perf.rows
		dwell_rows -i inlines.data --children --inline |
			grep '|inlines|inlines|' >dwell.rows
		grep -q 'mix<.*> (inlined)$' dwell.rows
		diff perf.rows dwell.rows
		for order in caller callee; do
			perf report --stdio -i inlines.data --inline \
				-d inlines --no-children -g $order 2>/dev/null |
				tree_lines >perf.tree
			dwell report --stdio -i inlines.data --inline \
				-d inlines --no-children -g $order |
				tree_lines >dwell.tree
			grep -q 'twice (inlined)$' dwell.tree
			diff perf.tree dwell.tree
		done
	done
}

# What isn't libc's, whose functions perf calls by other names.
tree_lines() {
	grep -v '^#' | grep -v -e libc -e ' _start' | grep . |
		sed -e 's/^[ |]*//' -e 's/ *$//' -e 's/^-*[0-9.]*%--//' \
			-e 's/^-*//' | grep -E '^(Sum|mix|twice|work|main)' |
		sort
}

@test "live: call chains of script have perf's inlined functions and lines" {
	for compiler in c++ clang++; do
		command -v $compiler >/dev/null || continue
		record_stacks $compiler
		for fields in ip,sym,symoff,dso ip,sym,dso,srcline; do
			perf script --inline -i inlines.data -F $fields \
				2>/dev/null | frames_of_inlines >perf.text
			dwell script --inline -i inlines.data -F $fields |
				frames_of_inlines >dwell.text
			[ "$(wc -l <dwell.text)" -gt 100 ]
			grep -q '(inlined)$' dwell.text
			diff perf.text dwell.text
		done
	done
}

# Without libc's frames, some of which perf calls otherwise.
frames_of_inlines() {
	awk 'BEGIN { RS = ""; FS = "\n" } /\/inlines\)/ {
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^\t/)
				skip = $i ~ /libc| _start| __GI_/
			if (!skip)
				print $i
		}
	}'
}

@test "live: lines in call graphs are perf's" {
	record_stacks c++
	perf report --stdio -i inlines.data --inline -S work --no-children \
		-g caller,address,0 2>/dev/null | tree_lines >perf.tree
	dwell report --stdio -i inlines.data --inline -S work --no-children \
		-g caller,address,0 | tree_lines >dwell.tree
	grep -q 'twice inlines.cpp:[0-9]* (inlined)$' dwell.tree
	diff perf.tree dwell.tree
}

# One function that is called from two, by one that is inlined into both of them
# and by themselves. perf leaves out the symbol of the row where trees have one.
@test "live: branches of call graphs are perf's, by each key" {
	cat >keys.c <<'END'
static volatile unsigned sink;
__attribute__((noinline)) unsigned mix(unsigned x)
{
	int i;
	for (i = 0; i < 20; i++)
		x = x * 1103515245u + 12345u ^ x >> 3;
	return x;
}
static inline __attribute__((always_inline)) unsigned
twice(unsigned x)
{
	return mix(x) +
		mix(x + 1);
}
__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned sum = 0;
	while (n--)
		sum += twice(n);
	return sum;
}
__attribute__((noinline)) unsigned more_work(unsigned n)
{
	unsigned sum = 0;
	while (n--)
		sum += twice(n) + mix(n);
	return sum;
}
int main(void)
{
	int i;
	for (i = 0; i < 200; i++)
		sink += work(10000 + i) + more_work(5000 + i);
	return 0;
}
END
	gcc -O2 -g -fno-optimize-sibling-calls keys.c -o keys
	perf_record -e cpu-clock:u -F 2000 --call-graph dwarf,4096 \
		-o keys.data ./keys
	for graph in callee,function callee,address callee,srcline \
		caller,function caller,address caller,srcline; do
		for keys in sym srcline; do
			branches perf $graph $keys >perf.tree
			branches dwell $graph $keys >dwell.tree
			grep -q 'twice .*(inlined)$' dwell.tree
			diff perf.tree dwell.tree
		done
	done
	[ "$(branches dwell callee,function sym | grep -c '%--twice')" = 0 ]
	[ "$(branches dwell callee,address sym | grep -c '%--twice')" -ge 4 ]
}

# Equal branches may stand in another order.
branches() {
	"$1" report --stdio -i keys.data --inline -S mix -d keys \
		--no-children -g "$2,0" -s "$3" 2>/dev/null |
		grep -E '(work|main|twice|mix)( keys.c:[0-9]+)?( .inlined.)?$' |
		grep -v -e '^#' -e '^ *[0-9.]*%  ' |
		sed 's/^[ |]*//; s/^---*\([a-z]\)/\1/' |
		sort
}

# perf looks into the file where lld's segments begin.
@test "live: lines of what lld has linked" {
	need clang++
	need ld.lld
	need llvm-symbolizer
	clang++ -O2 -g -fuse-ld=lld "$DWELL_SOURCE/tests/peer/inlines.cpp" \
		-o inlines
	judged inlines inlines
	[ ! -s inlines.diff ]
	perf_record -e cpu-clock:u -F 2000 -o inlines.data ./inlines 50
	dwell report --stdio -i inlines.data -s srcline -t'|' -d inlines \
		>text
	grep -q 'inlines.cpp:1[0-9]' text
}
