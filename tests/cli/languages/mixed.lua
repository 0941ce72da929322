-- SPDX-License-Identifier: GPL-2.0-or-later
-- mixed.lua SECONDS: uses this CPU time for deep recursion, coroutines, functions that C code
-- calls, metamethods, errors, variable arguments, functions of C, and their callbacks.
local function work(n)
	local value = 1
	for i = 1, n do
		value = (value * 8191 + i) % 65536
	end
	return value
end

local function recurse(n)
	if n > 0 then
		return recurse(n - 1) + 1
	end
	return work(50000) + 1
end

local function compare(a, b)
	return work(1000) * 0 + a < b
end

local function sorted()
	local list = {}
	for i = 1, 30 do
		list[i] = 30 - i
	end
	table.sort(list, compare)
	return list
end

local function throw(n)
	error({ n = work(n) + 1 })
end

local function failing()
	local _, result = pcall(throw, 30000)
	return result.n
end

local function variable(...)
	local n = select("#", ...)
	return work(10000 * n) + 1
end

local function produce(n)
	for _ = 1, 2 do
		coroutine.yield(work(n) + 1)
	end
end

local function consume()
	local co = coroutine.create(produce)
	local sum = 0
	for _ = 1, 2 do
		local _, value = coroutine.resume(co, 20000)
		sum = sum + value
	end
	return sum
end

local meta = {}
function meta.__add() return work(30000) + 1 end
function meta.__index() return work(30000) + 1 end
function meta.__lt() return work(30000) > 0 end
local shape, other = setmetatable({}, meta), setmetatable({}, meta)

local function operate()
	local sum = shape + other
	local field = shape.unknown
	local less = shape < other
	return sum + field + (less and 1 or 0)
end

local function replace()
	local text = string.gsub("aaaa", "a", function() return work(8000) > 0 and "b" end)
	return text
end

local function format()
	local text
	for _ = 1, 3 do
		text = string.rep("some text ", 30000)
	end
	return text
end

local made = assert(loadstring("local work = ...; return function(n) return work(n) + 1 end",
	"@made.lua"))(work)

-- A function of C calls a function of Lua.
local ffi = require("ffi")
ffi.cdef("void qsort(void *at, size_t n, size_t size, int (*order)(const int *, const int *));")
local numbers = ffi.new("int[30]")
local function order(a, b) return work(1000) * 0 + a[0] - b[0] end
local callback = ffi.cast("int (*)(const int *, const int *)", order)
local function sort_numbers()
	for i = 0, 29 do
		numbers[i] = i * 7 % 30
	end
	ffi.C.qsort(numbers, 30, 4, callback)
	return numbers[0]
end
-- Compiled code may not call callbacks.
jit.off(sort_numbers)

local function loop(seconds)
	while os.clock() < seconds do
		recurse(500)
		sorted()
		sort_numbers()
		failing()
		variable(1, 2, 3)
		consume()
		operate()
		replace()
		format()
		-- The length of a turn is random, so that the samples are not in step with the turns.
		made(math.random(0, 60000))
	end
end

loop(tonumber(arg[1]))
