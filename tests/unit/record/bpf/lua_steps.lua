-- SPDX-License-Identifier: GPL-2.0-or-later
-- lua_steps.lua: calls functions in many ways between two signals SIGUSR1.
local ffi = require("ffi")
ffi.cdef("int kill(int, int); int getpid(void);")

local function never() return 1 end
local function two(a) return a, a + 1 end
local function functions(a) return never, never, a end
local function builtins(a) return next, a, nil end
local function tail(n)
	if n == 0 then return 5 end
	return tail(n - 1)
end
local function variable(...) return ... end
local function variable_tail(...) return two(...) end
local function throw() error("x") end
local function fib(n)
	if n < 2 then return n end
	return fib(n - 1) + fib(n - 2)
end
-- An inner call that made a table is still in the stack of an outer one.
local function deep(n)
	if n > 0 then
		local a, b, c, d, e, f, g, h, i, j, k, l = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
		deep(n - 1)
	else
		local t = {}
	end
	local x, y
	for i = 1, 3 do x, y = two(n) end
end

local meta = {}
function meta.__index(_, key) return key end
function meta.__newindex(t, _, value) rawset(t, 1, value) end
function meta.__add() return 1 end
function meta.__eq() return true end
function meta.__lt() return true end
function meta.__le() return true end
function meta.__concat() return "x" end
function meta.__call(_, a) return a, a end
function meta.__unm() return 3 end
local one, other = setmetatable({}, meta), setmetatable({}, meta)
local function operate()
	local a = one.x
	one.y = 1
	rawset(one, 1, nil)
	local b, c, d = one + other, one == other, one < other
	local e, f = one <= other, one .. other
	local g, h = one(3)
	local i = -one
	if one < other then a = 1 end
	return a, b, c, d, e, f, g, h, i
end

local function produce(n) for i = 1, n do coroutine.yield(i) end end
local function less(a, b) return a < b end
local function same(text) return text end
local function library()
	local list, text = { 3, 1, 2 }
	pcall(two, 1)
	pcall(throw)
	xpcall(throw, function(e) return e end)
	for _ in coroutine.wrap(produce), 3 do end
	local co = coroutine.create(produce)
	coroutine.resume(co, 2)
	coroutine.resume(co)
	coroutine.resume(co)
	table.sort(list, less)
	string.gsub("ab", ".", same)
	for _, v in ipairs(list) do two(v) end
	for _, v in pairs(list) do two(v) end
	text = "10" + 1
	text = text .. 5 .. "x"
	text = tostring(one) and select("#", 1, 2)
	text = math.floor(1.5) + math.sin(2) + math.max(1, 2)
	text = ("x"):rep(3):upper()
	list = { variable(1, 2, 3) }
	text = string.byte("abc", 1, 3)
	text = assert(variable(1, 2))
	return text, unpack({ 1, 2 })
end

local function run()
	local a, b, c = functions(1)
	a, b = two(2)
	for _ in builtins({ 1 }) do end
	tail(3)
	variable(1, 2, 3)
	variable()
	variable_tail(1, 2, 3)
	fib(6)
	deep(7)
	operate()
	library()
	return variable(two(1))
end
run()
ffi.C.kill(ffi.C.getpid(), 10)
run()
ffi.C.kill(ffi.C.getpid(), 10)
os.exit(0)
