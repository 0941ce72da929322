# SPDX-License-Identifier: GPL-2.0-or-later
# mixed.py SECONDS: two threads use this CPU time each for deep recursion, generators,
# exceptions, methods that builtins call, code of exec(), comprehensions, coroutines
# and garbage.
import asyncio
import functools
import json
import resource
import sys
import threading


def work(n):
    value = 1
    for i in range(n):
        value = (value * 8191 + i) & 0xFFFF
    return value


def key(item):
    return work(200) + item


def by_builtin(n):
    return sorted(range(n), key=key)


def recurse(n):
    return work(30000) if n == 0 else recurse(n - 1)


def generate(n):
    for _ in range(n):
        yield work(300)


def consume(n):
    return sum(generate(n))


class Shape:
    def __len__(self):
        return work(6000) & 7

    def method(self):
        return len(self)


def fail(n):
    try:
        if work(3000):
            raise ValueError(n)
    except ValueError:
        return work(3000)


made = {"work": work}
exec(compile("def made(n):\n    return work(n)\n", "<made>", "exec"), made)


async def task(n):
    await asyncio.sleep(0)
    return work(n)


async def serve(n):
    for _ in range(n):
        await task(2000)


def loop(seconds):
    shape = Shape()
    while resource.getrusage(resource.RUSAGE_THREAD).ru_utime < seconds:
        by_builtin(50)
        recurse(900)
        consume(50)
        shape.method()
        fail(1)
        made["made"](5000)
        json.dumps({"a": list(range(1000))})
        functools.reduce(lambda a, b: a + b, range(500))
        asyncio.new_event_loop().run_until_complete(serve(5))


sys.setrecursionlimit(5000)
threads = [threading.Thread(target=loop, args=(float(sys.argv[1]),)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
