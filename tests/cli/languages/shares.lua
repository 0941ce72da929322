-- SPDX-License-Identifier: GPL-2.0-or-later
-- shares.lua CALLS: calls middle() CALLS times, and prints the CPU times of hot(), warm() and
-- cool() in us.
local function spin(n)
	local value = 1
	for i = 1, n do
		value = (value * 8191 + i) % 65536
	end
	return value
end

local function hot(n) return spin(n * 7) + 1 end
local function warm(n) return spin(n * 2) + 1 end
local function cool(n) return spin(n) + 1 end

local times = { 0, 0, 0 }

local function middle(n)
	local start = os.clock()
	local value = hot(n)
	local after_hot = os.clock()
	value = value + warm(n)
	local after_warm = os.clock()
	value = value + cool(n)
	times[1] = times[1] + after_hot - start
	times[2] = times[2] + after_warm - after_hot
	times[3] = times[3] + os.clock() - after_warm
	return value
end

local value = 0
for _ = 1, tonumber(arg[1]) do
	value = value + middle(300000)
end
print(string.format("%d %d %d", times[1] * 1e6, times[2] * 1e6, times[3] * 1e6))
io.stderr:write(value, "\n")
