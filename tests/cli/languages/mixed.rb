# SPDX-License-Identifier: GPL-2.0-or-later
# mixed.rb SECONDS: two threads use this CPU time each for deep recursion, blocks that C
# functions call, exceptions, fibers, eval() and garbage.

def work(n)
  value = 1
  i = 0
  while i < n
    value = (value * 8191 + i) & 0xffff
    i += 1
  end
  value
end

def by_block(n)
  (1..n).map { |item| work(300) + item }
end

def sorted(n)
  (1..n).to_a.sort_by { |item| work(300) * 0 - item }
end

def recurse(n)
  n == 0 ? work(50_000) : recurse(n - 1)
end

def failing(n)
  raise ArgumentError, "n#{n}" if work(5000) > -1
rescue ArgumentError
  work(5000)
end

class Shape
  def area
    work(10_000)
  end

  def method_missing(name, *)
    name == :measured ? area : super
  end

  def respond_to_missing?(*)
    true
  end
end

def by_fiber(n)
  fiber = Fiber.new do
    n.times { Fiber.yield work(1000) }
    nil
  end
  nil while fiber.resume
end

eval("def made(n)\n  work(n)\nend\n", binding, "made.rb", 1)

def serve(seconds)
  shape = Shape.new
  while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < seconds
    by_block(30)
    sorted(30)
    recurse(900)
    failing(1)
    shape.measured
    by_fiber(10)
    # The length of a turn is random, so that the samples are not in step with the turns.
    made(rand(20_000))
  end
end

Array.new(2) { Thread.new { serve(ARGV[0].to_f) } }.each(&:join)
