#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests names of functions of LuaJIT, which need BPF. Functions of Lua have no names: dwell
# names them by their place.

load common.bash
load languages/shares.bash

setup() {
	enter_test
	unset DWELL_NO_BPF
	need x86_64
	need luajit
	need bpf
	source=$DWELL_SOURCE/tests/cli/languages
}

# name_places FILE: replaces the places of functions of FILE in the standard input by
# their names in the source.
name_places() {
	awk -v file="${1##*/}" '
		match($0, /function [a-z_.]+\(/) {
			name = substr($0, RSTART + 9, RLENGTH - 10)
			print "s/function <" file ":" FNR ">/" name "/g"
		}' "$1" >places.sed
	sed -f places.sed
}

# named_since FILE SOURCE: prints the time of the first sample of FILE in a function of SOURCE.
# A late recorder sends the description of the process late to the BPF program.
named_since() {
	dwell script -F time,ip,sym -i "$1" | awk -v RS= -v name="<$2" '
		index($0, name) { sub(/:$/, "", $1); print $1; exit }'
}

# record_program SOURCE RATE OPTION...: records the program SOURCE, and writes its stacks from the
# first named sample on, with the names in the source, to "stacks".
record_program() {
	local source=$1 rate=$2

	shift 2
	dwell record -v -e cpu-clock:u -F "$rate" --call-graph dwarf -o a.data -- \
		luajit "$@" "$source" 2>log
	cat log >&2
	dwell export --force --format folded --time "$(named_since a.data "$source")," \
		-i a.data -o - | name_places "$PWD/$source" >stacks
}

@test "live: luajit: interpreted and compiled functions have the shares that the program measured" {
	local jit line

	for jit in on off; do
		dwell record -q -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
			luajit -j$jit "$source/shares.lua" 30 >times 2>log
		dwell export --force --format folded -i a.data -o - |
			name_places "$source/shares.lua" >stacks
		# shellcheck disable=SC2046
		same_lua_shares $(cat times)
	done
	# The statement of the loop of spin() is in line 7.
	dwell report --csv --no-children -s sym,srcline -i a.data |
		grep -E ' function <shares.lua:4>,shares.lua:[0-9]+$' | sort -t, -k4,4nr |
		head -n 1 | grep 'shares.lua:7$'
}

# same_lua_shares HOT WARM COOL: compares the shares of the functions that middle() calls,
# in "stacks", with these times.
same_lua_shares() {
	local all name part total=$(($1 + $2 + $3))

	all=$(($(samples_of ';hot;') + $(samples_of ';warm;') + $(samples_of ';cool;')))
	for name in hot warm cool; do
		part=$(samples_of ";main chunk <shares.lua>;middle;$name;spin")
		echo "$name: $part of $all; $1 of $total" >&2
		awk -v part="$part" -v all="$all" -v time="$1" -v total="$total" 'BEGIN {
			share = time / total
			error = 4.5 * sqrt(share * (1 - share) / all) + 0.01
			difference = part / all - share
			exit !(all > 100 && difference < error && -difference < error)
		}'
		shift
	done
}

@test "live: luajit: stacks are complete with recursion, coroutines, metamethods, errors and callbacks from C" {
	local jit since whole all shifted

	for jit in on off; do
		dwell record -v -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
			luajit -j$jit "$source/mixed.lua" 1.5 2>log
		cat log >&2
		dwell export --force --format folded -i a.data -o - |
			name_places "$source/mixed.lua" |
			sed 's/function <mixed.lua:76>/callback/g
				s/function <made.lua:1>/made/g' >stacks
		has_callers ';main chunk <mixed.lua>;loop;' 'sorted;compare' 'failing;throw' \
			variable 'consume;produce' 'operate;meta.__add' \
			'operate;meta.__index' 'operate;meta.__lt' 'replace;callback' made
		# 501 calls of recurse()
		awk '/;recurse;work / { all += $NF
			if (gsub(/;recurse/, "") == 501) good += $NF }
			END { print good, all; exit !(good > 5 && good >= all * 0.96 - 3) }' stacks
		# qsort(3) is between a function of Lua and its callback.
		awk '/;order;work / { all += $NF
			if (/;loop;sort_numbers;[^;]+;(.*;)?order;work /) good += $NF }
			END { print good, all; exit !(good > 5 && good >= all * 0.96 - 3) }' stacks
		# Functions of C stand under the function of Lua that called them.
		[ "$(samples_of ";main chunk <mixed.lua>;loop;format")" -ge 3 ]
		since=$(named_since a.data mixed.lua)
		dwell export --force --format folded --time "$since," -i a.data -o stacks
		whole=$(samples_of ';__libc_start_call_main;')
		all=$(samples_of '')
		echo "$whole of $all stacks are complete" >&2
		[ "$whole" -ge $((all * 98 / 100)) ]
		# Each call of the interpreter has its frames, also if they are of C only.
		shifted=$(sed -nE 's/^dwell record: ([0-9]+) stacks? (have|has) one call of an interpreter more or less.*/\1/p' log)
		[ "${shifted:-0}" -le $((all / 20)) ]
	done
}

@test "live: luajit: functions and lines are those that debug.getinfo() returns" {
	cat >lines.lua <<-'END'
		local inner
		local function spin()
			local i = 0
			while i < 60000000 do
				i = i + 1
			end
			return i
		end
		local function show()
			local level = 1
			while true do
				local info = debug.getinfo(level, "Sl")
				if not info then break end
				if info.what ~= "C" then
					print(info.what == "main" and "main" or info.linedefined,
						info.currentline)
				end
				level = level + 1
			end
			return 0
		end
		local function first(...)
			local value =
				inner(...) + 1
			return value
		end
		local object = setmetatable({}, {
			__index = function(_, key)

				return first(key) + 1
			end,
		})
		local function second(n)
			if n == 2 then
				local _, value = pcall(second, n - 1)
				return value
			elseif n == 1 then
				local co = coroutine.wrap(function()
					return object.field + 1
				end)
				return co() + 1
			end

			return second(n - 1) + 1
		end
		inner = show
		second(3)
		-- A recorder that is late at the start does not miss the run.
		os.execute("sleep 0.7")
		inner = spin
		second(3)
		-- Names are read after the samples.
		os.execute("sleep 0.5")
	END
	# debug.getinfo() sees one coroutine only. Lines of compiled code are not known.
	luajit -joff lines.lua | sed '1d' >inside
	sed -i 's/coroutine.wrap(\(function()\)/(function(f) return f end)(\1/' lines.lua
	luajit -joff lines.lua | sed '1d' >lines
	[ "$(wc -l <lines)" -gt "$(wc -l <inside)" ]
	sed -i 's/(function(f) return f end)(function/coroutine.wrap(function/' lines.lua
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		luajit -joff lines.lua >log
	dwell script -F ip,sym,srcline -i a.data | awk 'NF == 0 {
			if (n && name[0] == 2) {
				last = ""
				for (i = 1; i < n; i++)
					last = last name[i] "\t" line[i] "\n"
			}
			n = 0
			next
		}
		/lines.lua:[0-9]+$/ && !/</ { sub(/^.*lines.lua:/, ""); line[n - 1] = $1; next }
		/function <lines.lua:/ { sub(/^.*<lines.lua:/, ""); name[n++] = $1 + 0 }
		/main chunk <lines.lua>/ { name[n++] = "main" }
		END { printf "%s", last }' >got
	sed "s/^main\t47$/main\t51/" lines | diff - got
}

@test "live: luajit: loaded code, bytecode and builtin functions have names" {
	local name
	cat >loaded.lua <<-'END'
		local text = [[
			local function work(n)
				local value = 1
				for i = 1, n do value = (value * 8191 + i) % 65536 end
				return value
			end
			local function run(n) return work(n) + 1 end
			return run
		]]
		local function again() return loadstring(text, "@again.lua")()(20000) end
		local from_text = loadstring(text .. ("-- a long text\n"):rep(200))()
		local stripped = string.dump(loadstring(text, "@bytecode.lua"), true)
		local bytecode = loadstring(stripped, "@stripped.lua")()
		local function each(list)
			table.foreach(list, function(n) return from_text(20000) == 0 and n or nil end)
			return 1
		end
		while os.clock() < 1.2 do
			again()
			from_text(20000)
			bytecode(20000)
			each({ 1 })
		end
	END
	record_program loaded.lua 1999 -joff
	# Loaded code is freed before it is read, but its copies are not.
	for name in '<again.lua:6>;function <again.lua:1>' \
		'<(string):6>;function <(string):1>' \
		'<stripped.lua>;function <stripped.lua>' \
		'builtin:foreach;function <loaded.lua:15>'; do
		echo "$name: $(samples_of "$name")"
		[ "$(samples_of "$name")" -ge $(($(samples_of '') / 8)) ]
	done
	[ "$(samples_of 'unknown function')" -le $(($(samples_of '') / 50)) ]
}

@test "live: luajit: samples between two functions have the callers that were active" {
	local all named
	cat >between.lua <<-'END'
		local function never() return 1 end
		local function give() return never end
		local function fib(n)
			if n < 2 then return n end
			return fib(n - 1) + fib(n - 2)
		end
		local function sum(n)
			local function never_either() end
			local text, last = "10", 0
			for i = 1, n do last = text + i end
			return never_either, last
		end
		local function two(n) return n, 1 end
		-- An inner call that made a table is still in the stack of an outer one.
		local function deep(n)
			if n > 0 then
				local a, b, c, d, e, f, g = 1, 2, 3, 4, 5, 6, 7
				deep(n - 1)
			else
				local t = {}
			end
			local x, y
			for i = 1, 20 do x, y = two(n) end
		end
		local object = setmetatable({}, {
			__call = function(self, n) return n, n end,
			__index = function(self, key) return key end,
		})
		local function less(a, b) return a < b end
		local function same(text) return text end
		local function call_all(n)
			local list = { 3, 1, 2 }
			for i = 1, n do
				local a, b = object(i)
				local c = object.field
				for _, v in ipairs(list) do a = two(v) end
				for _, v in pairs(list) do a = two(v) end
				table.sort(list, less)
				string.gsub("ab", ".", same)
				pcall(two, 1)
			end
		end
		local function run()
			for i = 1, 30000 do give() end
			for i = 1, 300 do deep(7) end
			call_all(1000)
			return fib(20) + select(2, sum(10000))
		end
		while os.clock() < 1 do run() end
	END
	record_program between.lua 1999 -joff
	all=$(samples_of '')
	named=$(samples_of ';main chunk <between.lua>;run')
	echo "$named of $all" >&2
	[ "$named" -gt 500 ]
	[ "$named" -ge $((all * 99 / 100)) ]
	[ "$(samples_of never)" = 0 ]
	# fib(20) calls itself 19 times.
	grep -E '(;fib){5}' stacks
	absent grep -E '(;fib){21}' stacks
	grep -E '(;deep){5}' stacks
	absent grep -E '(;deep){9}' stacks
}

# The unwind rules of LuaJIT are wrong while compiled code goes back to the interpreter.
@test "live: luajit: stacks of compiled code that often returns to the interpreter are complete" {
	cat >exits.lua <<-'END'
		local function work(n)
			local value, found = 1, 0
			for i = 1, n do
				value = (value * 8191 + i) % 65536
				if value % 7 == 3 then
					found = found + 1
				end
			end
			return value + found
		end
		local function run(n) return work(n) + 1 end
		while os.clock() < 0.7 do run(10000) end
	END
	record_program exits.lua 1999 -Ohotexit=60000
	all=$(samples_of '')
	good=$(samples_of ';__libc_start_call_main;main chunk <exits.lua>;run;work')
	echo "$good of $all" >&2
	[ "$good" -gt 200 ]
	[ "$good" -ge $((all * 90 / 100)) ]
}

# make_states: compiles the program lua_states.
make_states() {
	need gcc
	need libluajit
	gcc -O1 -o states "$source/lua_states.c" -pthread -l:libluajit-5.1.so.2
}

@test "live: luajit: each thread has the frames of its Lua state" {
	make_states
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		./states threads 1
	dwell export --format folded --group-by thread -i a.data -o all
	sed -i 's/function <(string):\([0-9]*\)>/\1/g; s/main chunk <(string)>/main/g' all
	cat all >&2
	# The function run() is in line 6 of the first thread, and in line 8 of the second.
	for name in first:6:8 second:8:6; do
		IFS=: read -r thread own other <<<"$name"
		grep "^[^;]*$thread" all >stacks
		[ "$(samples_of ";main;$own;1 ")" -ge 100 ]
		[ "$(samples_of ";main;$other;")" = 0 ]
	done
}

@test "live: luajit: functions have names after a start that takes long" {
	need gcc
	named_after_slow_start luajit 'function <shares.lua:4>' luajit "$source/shares.lua" 70
}

@test "live: luajit: forged structures cost the recorder little time, and their names are escaped" {
	make_states
	records_forged luajit ./states
}
