# SPDX-License-Identifier: GPL-2.0-or-later
# blocked.py: a thread sleeps again and again in a stack with recursion, a generator, a method, a lambda
# and a function that sorted() calls. Prints the stack of the thread as faulthandler(3)
# finds it, innermost first.
import faulthandler
import sys
import threading
import time


class Sleeper:
    def sleep(self, item):
        for _ in range(6000): time.sleep(0.1)
        return item


def items():
    yield sorted([1, 2], key=Sleeper().sleep)


def down(n):
    if n:
        return down(n - 1)
    return [item for item in items()]


def run():
    (lambda: down(3))()


thread = threading.Thread(target=run)
thread.start()
time.sleep(1)
faulthandler.dump_traceback(sys.stdout, all_threads=True)
sys.stdout.flush()
thread.join()
