# SPDX-License-Identifier: GPL-2.0-or-later
# shares.rb CALLS: calls middle() CALLS times, and prints the CPU times of hot(), warm() and
# cool() in us.

def hot(n)
  value = 1
  i = 0
  while i < n * 7
    value = (value * 8191 + i) & 0xffff
    i += 1
  end
  value
end

def warm(n)
  value = 1
  i = 0
  while i < n * 2
    value = (value * 8191 + i) & 0xffff
    i += 1
  end
  value
end

def cool(n)
  value = 1
  i = 0
  while i < n
    value = (value * 8191 + i) & 0xffff
    i += 1
  end
  value
end

def now
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :microsecond)
end

$times = [0, 0, 0]

def middle(n)
  start = now
  value = hot(n)
  after_hot = now
  value += warm(n)
  after_warm = now
  value += cool(n)
  $times[0] += after_hot - start
  $times[1] += after_warm - after_hot
  $times[2] += now - after_warm
  value
end

def main
  value = 0
  i = 0
  while i < ARGV[0].to_i
    value += middle(50_000)
    i += 1
  end
  puts $times.join(" ")
  warn value
end

main
