#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Inlined functions that have the same name in debug information: lambdas,
# overloaded functions, functions in scopes. The lines of declarations are
# compared with those that readelf prints.

load common.bash

setup_file() {
	cat >"$BATS_FILE_TMPDIR/lambdas.cpp" <<-'EOF'
		#define INLINED __attribute__((always_inline))
		static volatile double sink;

		static inline INLINED double step(double x, double by)
		{
			for (int i = 0; i < 40; i++)
				x = x * 1.0000001 + by / (x + 2);
			return x;
		}

		static inline INLINED double twice(double x)
		{
			return step(step(x, 1), 2);
		}

		namespace sim {
		static inline INLINED double load(int x) { return step(x, 3); }
		static inline INLINED double load(double x)
		{
			return step(x, 4);
		}
		}

		__attribute__((noinline)) double work(double x)
		{
			return twice(x);
		}

		int main(int argc, char **)
		{
			auto first = [](double x) INLINED { return step(x, 5); };
			auto second = [argc](double x) INLINED {
				return step(x, argc);
			};
			auto outer = [](double x) INLINED {
				auto inner = [](double y) INLINED {
					return step(y, 6);
				};
				return inner(x);
			};

			for (int i = 0; i < 40000; i++) {
				sink = first(i);
				sink = second(i);
				sink = outer(i);
				sink = twice(i);
				sink = work(i);
				sink = sim::load(i);
				sink = sim::load(0.5 * i);
			}
			return 0;
		}
	EOF
}

# record_lambdas COMPILER OPTION...: compiles with these options, and records.
record_lambdas() {
	need "$1"
	cp "$BATS_FILE_TMPDIR/lambdas.cpp" .
	"$1" -O2 -g -fno-optimize-sibling-calls "${@:2}" lambdas.cpp -o lambdas
	dwell record -q -e cpu-clock:u -F 4000 --call-graph dwarf \
		-o lambdas.data -- ./lambdas
}

# Prints the names of rows of the program's inlined functions.
inlined_rows() {
	dwell report --stdio -g none -s sym -d lambdas -i lambdas.data |
		sed -n 's/^.*\[\.\] \(.*\) (inlined)$/\1/p' | sort
}

line_of() {
	grep -nF -- "$1" lambdas.cpp | head -1 | cut -d: -f1
}

# Prints the lines at which readelf says that classes without a name are
# declared.
declared_lambdas() {
	readelf --debug-dump=info lambdas 2>/dev/null | awk '
		function end() {
			if (is_class && !has_name)
				print line
			is_class = has_name = 0
		}
		/: Abbrev Number: / {
			end()
			is_class = /DW_TAG_(class|structure)_type/
		}
		/DW_AT_name/ { has_name = 1 }
		/DW_AT_decl_line/ { line = $NF }
		END { end() }' | sort -nu
}

# Writes the expected rows of both compilers to "expected".
expect_rows() {
	cat >expected <<-EOF
		main::{lambda}::operator() lambdas.cpp:$(line_of first)
		main::{lambda}::operator() lambdas.cpp:$(line_of second)
		main::{lambda}::operator() lambdas.cpp:$(line_of outer)
		main::{lambda}::operator()::{lambda}::operator() lambdas.cpp:$(line_of inner)
		sim::load lambdas.cpp:$(line_of 'load(int')
		sim::load lambdas.cpp:$(line_of 'load(double')
		step
		twice
	EOF
	sort -o expected expected
}

# has_four_lambdas COMPILER OPTION...
has_four_lambdas() {
	record_lambdas "$@"
	expect_rows
	inlined_rows >rows
	diff expected rows
}

@test "live: report: each lambda of g++ is a row with its scope and line" {
	has_four_lambdas g++
	sed -n 's/.*operator() lambdas.cpp://p' rows | sort -n >lines
	declared_lambdas | diff lines -
}

@test "live: report: each lambda of clang++ is a row with its scope and line" {
	has_four_lambdas clang++
	sed -n 's/.*operator() lambdas.cpp://p' rows | sort -n >lines
	declared_lambdas | diff lines -
}

@test "live: report: lambdas have the same names with each kind of debug information" {
	local compiler

	for compiler in g++ clang++; do
		has_four_lambdas $compiler -gdwarf-4
		has_four_lambdas $compiler -gdwarf-5 -gsplit-dwarf
		has_four_lambdas $compiler -fdebug-types-section
	done
}

@test "live: report: lambdas have the same names in a file that dwz compressed" {
	need dwz
	record_lambdas g++
	cp lambdas first
	cp lambdas second
	dwz -m common.dwz first second
	readelf -S first | grep -q gnu_debugaltlink
	mv first lambdas
	dwell record -q -e cpu-clock:u -F 4000 --call-graph dwarf \
		-o lambdas.data -- ./lambdas
	expect_rows
	inlined_rows | diff expected -
}

@test "live: report: a function that is inlined into two functions is one row, and a frame in each of them" {
	record_lambdas g++
	[ "$(inlined_rows | grep -cx twice)" = 1 ]
	dwell export --format folded -i lambdas.data >folded
	grep ';main;twice (inlined)' folded
	grep ';main;work;twice (inlined)' folded
}

@test "live: report: two lambdas in one line are distinguished by their columns" {
	need g++
	sed '/auto second/,/};/d; s/auto first.*/& auto second = [=](double x) INLINED { return step(x, argc); };/' \
		"$BATS_FILE_TMPDIR/lambdas.cpp" >lambdas.cpp
	g++ -O2 -g lambdas.cpp -o lambdas
	dwell record -q -e cpu-clock:u -F 4000 --call-graph dwarf \
		-o lambdas.data -- ./lambdas
	inlined_rows >rows
	line=$(line_of 'auto second')
	[ "$(grep -cE "^main::.lambda.::operator\(\) lambdas.cpp:$line:[0-9]+$" rows)" = 2 ]
}

@test "live: report and each export format have the same names of lambdas" {
	local name format

	record_lambdas g++
	name="main::{lambda}::operator() lambdas.cpp:$(line_of second)"
	dwell report --json -i lambdas.data | grep -F "$name (inlined)"
	dwell report --csv -s sym -i lambdas.data | grep -F "$name (inlined)"
	dwell export --format folded -i lambdas.data | grep -F ";$name (inlined)"
	for format in svg html callgrind speedscope; do
		dwell export --format $format -o out.$format -i lambdas.data
	done
	grep -qF "$name" out.svg
	grep -qF "$name" out.callgrind
	grep -qF "$name" out.speedscope
}

# names_of PROGRAM: prints the names of inlined functions in call chains that
# contain a word of the source. Other names are those of the dynamic linker.
names_of() {
	"$1" script --inline -F ip,sym -i perf.data 2>/dev/null |
		sed -n 's/^.*[0-9a-f] \(.*\) (inlined)$/\1/p' |
		grep -v '^_' | grep -E "operator|$(tr -cs 'a-zA-Z_' '\n' <lambdas.cpp |
			awk 'length > 3' | sort -u | paste -sd '|')" | sort -u
}

@test "live: script: the names of inlined functions are those of perf script" {
	local compiler

	need perf
	for compiler in g++ clang++; do
		record_lambdas $compiler
		perf_record -e cpu-clock:u -F 2000 --call-graph dwarf,4096 \
			-o perf.data ./lambdas
		names_of dwell >dwell.names
		grep -q 'operator()$' dwell.names
		names_of perf | diff - dwell.names
	done
}

@test "live: pack: lambdas in a packed recording have their names without the program" {
	record_lambdas g++
	inlined_rows >before
	grep -q '{lambda}' before
	dwell pack -q lambdas.data
	mv lambdas elsewhere
	export XDG_CACHE_HOME=$PWD/empty
	inlined_rows | diff before -
}
