#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests names of functions of Ruby, which need BPF.

load common.bash
load languages/shares.bash

setup() {
	enter_test
	unset DWELL_NO_BPF
	need x86_64
	need ruby
	ruby=$(command -v ruby3.1 || command -v ruby3.3)
	need bpf
	source=$DWELL_SOURCE/tests/cli/languages
}

@test "live: ruby: functions have the shares that the program measured" {
	dwell record -q -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
		"$ruby" "$source/shares.rb" 30 >times 2>log
	# shellcheck disable=SC2046
	same_shares a.data '' $(cat times)
	# The loop of hot() is in lines 8 to 10.
	dwell report --csv --no-children -s sym,srcline -i a.data |
		grep -E ' hot,shares.rb:[0-9]+$' | sort -t, -k4,4nr | head -n 3 |
		grep -o 'rb:[0-9]*' | cut -d: -f2 | sort -n | paste -sd' ' | grep -x '8 9 10'
}

@test "live: ruby: stacks are complete with recursion, blocks, exceptions, fibers and eval()" {
	dwell record -v -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		"$ruby" "$source/mixed.rb" 0.5 2>log
	cat log >&2
	dwell export --format folded -i a.data -o stacks
	start=';block (2 levels) in <main>;serve;'
	has_callers "$start" 'by_block;block in by_block' 'sorted;block in sorted' \
		'failing;rescue in failing' 'method_missing;area' made
	# The handler in failing() is a function of its own.
	[ "$(samples_of "${start}failing;work")" -ge 5 ]
	# A fiber has a stack of its own.
	grep -F ';block in by_fiber;block (2 levels) in by_fiber;work' stacks
	all_calls
	absent grep -E ';serve;.*\(unknown function\)' stacks
}

@test "live: ruby: lines are those that Ruby's caller() returns" {
	cat >lines.rb <<-'END'
		def spin(n)
		  i = 0
		  i += 1 while i < n
		end

		def first
		  spin(3_000_000)
		end

		def second(n)
		  return first if n == 0

		  [1].each do
		    second(n - 1)
		  end
		end

		def show
		  puts caller.map { |line| line[/:(\d+):in/, 1] }.join(" ")
		end

		alias first_spin first
		second(3)
		def first
		  show
		end
		second(3)
		sleep 0.5
	END
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		"$ruby" lines.rb >lines
	dwell script -F ip,sym,srcline -i a.data |
		awk 'NF == 0 { if (text ~ /spin/) last = text; text = ""; next }
			/lines.rb:/ { sub(/^.*lines.rb:/, ""); text = text " " $1; next }
			/ spin$/ { text = text "spin" }
			END { print last }' | sed 's/^spin [0-9]* //' >got
	# caller has the line of each frame of C, too, which is that of its caller.
	tr ' ' '\n' <lines | sed 1d | uniq | sed '$d' >expected
	tr ' ' '\n' <got | sed 1d | uniq | sed '$d' | diff expected -
}

@test "live: ruby: functions have names after a start that takes long" {
	need gcc
	named_after_slow_start libruby ';hot' "$ruby" "$source/shares.rb" 70
}

@test "live: ruby: forged structures cost the recorder little time, and their names are escaped" {
	need gcc
	gcc -O1 -fPIC -shared -DFORGED_RUBY -o libruby-3.1.so.3.1 \
		"$source/forged_interpreter.c"
	echo 'int run(int, char **); int main(int n, char **v) { return run(n, v); }' >main.c
	gcc -o forged main.c libruby-3.1.so.3.1 -Wl,-rpath,"$PWD"
	records_forged ruby ./forged
}
