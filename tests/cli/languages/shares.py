# SPDX-License-Identifier: GPL-2.0-or-later
# shares.py CALLS: calls middle() CALLS times, and prints the CPU times of hot(), warm() and
# cool() in us. For Python 2.7 and later.
import resource
import sys


def hot(n):
    value = 1
    for i in range(n * 7):
        value = (value * 8191 + i) & 0xFFFF
    return value


def warm(n):
    value = 1
    for i in range(n * 2):
        value = (value * 8191 + i) & 0xFFFF
    return value


def cool(n):
    value = 1
    for i in range(n):
        value = (value * 8191 + i) & 0xFFFF
    return value


def now():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


times = [0, 0, 0]


def middle(n):
    start = now()
    value = hot(n)
    after_hot = now()
    value += warm(n)
    after_warm = now()
    value += cool(n)
    times[0] += after_hot - start
    times[1] += after_warm - after_hot
    times[2] += now() - after_warm
    return value


def main():
    value = 0
    for _ in range(int(sys.argv[1])):
        value += middle(20000)
    print(" ".join(str(int(time * 1e6)) for time in times))
    sys.stderr.write("%d\n" % value)


main()
