#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Source lines and inlined functions compared with perf 6.1, which runs
# addr2line (binutils 2.40). If they differ, llvm-symbolizer, which has its own
# DWARF reader, decides. Known errors of perf and addr2line:
# - addr2line prints the name of the containing function for an inlined C++
#   function without a linkage name (a static one, a lambda);
# - if the symbol table and the debug information have different names (an
#   alias, or f.constprop.0), perf takes the function itself for an inlined one,
#   and prints that name;
# - for some units of DWARF 5, addr2line prints another file;
# - for segments of lld, perf looks up file offsets instead of link-time
#   addresses;
# - for callers known by their return address (frame pointers), perf looks up
#   the return address, which may be of the next line, or behind the end of a
#   function.

load rows.bash
load judged.bash

setup() {
	enter_test
	need perf
	need c++
	turn=0
}

# only_samples_of FILE: makes FILE.data, with the samples of all.data in FILE: perf starts
# addr2line also for the addresses in other files, whose rows are not compared.
only_samples_of() {
	dwell export -q --force --format perf-data -d "$1" -i all.data \
		-o "$1.data"
}

@test "live: report: rows by srcline are those of perf report" {
	for compiler in c++ clang++; do
		compile_words "$compiler" -g || continue
		perf_record -e cpu-clock:u -F 2000 -o all.data ./words 20 \
			>/dev/null
		only_samples_of words
		turn=$((turn + 1))
		for keys in srcline sym,srcline; do
			is_chosen || continue
			perf report --stdio -n -t'|' -i words.data -d words \
				-s $keys 2>/dev/null |
				only_of_words | sort >perf.rows
			dwell report --stdio -n -t'|' -i words.data -d words \
				-s $keys | only_of_words | sort >dwell.rows
			[ "$(wc -l <dwell.rows)" -gt 15 ]
			same_own perf.rows dwell.rows
		done
	done
}

# perf cuts names of PLT entries and resolves some as _init. Code without a
# symbol, beside code without lines, is printed by its address. perf names a file of
# the C library's start files, which have no lines.
only_of_words() {
	grep -v -e '^#' -e '@plt' -e '_init+' -e '??:0' -e 'crtstuff\.c:0' \
		-e '\[[0-9a-f]*\]$' | grep . |
		sed -e 's/^ *//' -e 's/ *| */|/g' -e 's/ *$//'
}

@test "live: report: --full-source-path prints the paths of perf report" {
	mkdir src
	cp "$DWELL_SOURCE/tests/peer/inlines.cpp" src
	for source in "$PWD/src/inlines.cpp" src/inlines.cpp; do
		c++ -O2 -g "$source" -o inlines
		perf_record -e cpu-clock:u -F 2000 -o all.data ./inlines 600
		only_samples_of inlines
		perf report --stdio -t'|' -i inlines.data -d inlines \
			-s srcline --full-source-path 2>/dev/null |
			only_of_words >perf.rows
		dwell report --stdio -t'|' -i inlines.data -d inlines \
			-s srcline --full-source-path | only_of_words >dwell.rows
		grep -q "$PWD/src/inlines.cpp:" dwell.rows
		diff <(sort perf.rows) <(sort dwell.rows)
	done
}

# record_stacks COMPILER: records with stack copies, for which perf resolves
# inlined functions.
record_stacks() {
	"$1" -O2 -g -fno-optimize-sibling-calls \
		"$DWELL_SOURCE/tests/peer/inlines.cpp" -o inlines
	perf_record -e cpu-clock:u -F 2000 --call-graph dwarf,4096 \
		-o inlines.data ./inlines 600
}

# Without main(), which calls atoi() and its PLT entry.
only_of_inlines() {
	grep -E '\|inlines\|inlines\|\[\.\] (Sum|mix|twice|work)'
}

@test "live: report: rows of inlined functions are those of perf report" {
	for compiler in c++ clang++; do
		command -v $compiler >/dev/null || continue
		record_stacks $compiler
		perf_rows -i inlines.data --children --inline |
			only_of_inlines >perf.rows
		dwell_rows -i inlines.data --children --inline |
			only_of_inlines >dwell.rows
		grep -q 'mix<.*> (inlined)$' dwell.rows
		diff perf.rows dwell.rows
		turn=$((turn + 1))
		for order in caller callee; do
			is_chosen || continue
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

# Without libc, for whose functions perf prints other names.
tree_lines() {
	grep -v '^#' | grep -v -e libc -e ' _start' | grep . |
		sed -e 's/^[ |]*//' -e 's/ *$//' -e 's/^-*[0-9.]*%--//' \
			-e 's/^-*//' | grep -E '^(Sum|mix|twice|work)' |
		sort
}

@test "live: script: call chains have the inlined functions and lines of perf script" {
	for compiler in c++ clang++; do
		command -v $compiler >/dev/null || continue
		record_stacks $compiler
		turn=$((turn + 1))
		for fields in ip,sym,symoff,dso ip,sym,dso,srcline; do
			is_chosen || continue
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

# Frames of stacks with work() from the sampled one to work(), without frames of libc, for
# some of which perf prints other names. Inlined functions of main() itself, which calls
# atoi(), and start code are not compared.
frames_of_inlines() {
	awk 'BEGIN { RS = ""; FS = "\n" } / work[+( ].*\/inlines\)/ {
		at_main = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ /^\t *[0-9a-f]+ main[+( ]/)
				at_main = address($i)
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^\t/) {
				if (address($i) == at_main)
					break
				skip = $i ~ /libc| _start| __GI_/
			}
			if (!skip)
				print $i
		}
	}
	function address(line) {
		sub(/^\t */, "", line)
		sub(/ .*/, "", line)
		return line
	}'
}

@test "live: report: source lines in call graphs are those of perf report" {
	record_stacks c++
	perf report --stdio -i inlines.data --inline -S work --no-children \
		-g caller,address,0 2>/dev/null | tree_lines >perf.tree
	dwell report --stdio -i inlines.data --inline -S work --no-children \
		-g caller,address,0 | tree_lines >dwell.tree
	grep -q 'twice inlines.cpp:[0-9]* (inlined)$' dwell.tree
	diff perf.tree dwell.tree
}

# A function with two callers, called by a function that is inlined in both of
# them, and by themselves. perf omits the symbol of the row where trees have
# one.
@test "live: report: branches of call graphs by each key are those of perf report" {
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
		turn=$((turn + 1))
		for keys in sym srcline; do
			is_chosen || continue
			branches perf $graph $keys >perf.tree
			branches dwell $graph $keys >dwell.tree
			grep -q 'twice .*(inlined)$' dwell.tree
			diff perf.tree dwell.tree
		done
	done
	[ "$(branches dwell callee,function sym | grep -c '%--twice')" = 0 ]
	[ "$(branches dwell callee,address sym | grep -c '%--twice')" -ge 4 ]
}

# Branches of equal size may be in another order.
branches() {
	"$1" report --stdio -i keys.data --inline -S mix -d keys \
		--no-children -g "$2,0" -s "$3" 2>/dev/null |
		grep -E '(work|main|twice|mix)( keys.c:[0-9]+)?( .inlined.)?$' |
		grep -v -e '^#' -e '^ *[0-9.]*%  ' |
		sed 's/^[ |]*//; s/^---*\([a-z]\)/\1/' |
		sort
}

# perf looks up the file offsets at which lld's segments begin.
@test "live: report: lines of programs linked by lld are those of perf report" {
	need clang++
	need ld.lld
	need llvm-symbolizer
	clang++ -O2 -g -fuse-ld=lld "$DWELL_SOURCE/tests/peer/inlines.cpp" \
		-o inlines
	judged inlines inlines
	[ ! -s inlines.diff ]
	perf_record -e cpu-clock:u -F 2000 -o inlines.data ./inlines 600
	dwell report --stdio -i inlines.data -s srcline -t'|' -d inlines \
		>text
	grep -q 'inlines.cpp:1[0-9]' text
}
