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
load judged.bash

setup() {
	enter_test
	need_perf
	need c++
}

@test "live: srcline has perf's rows" {
	for compiler in c++ clang++; do
		compile_words "$compiler" -g || continue
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
