# SPDX-License-Identifier: GPL-2.0-or-later
# Prints a row for each code object of some modules of the standard library: version,
# first line, line table in hexadecimal, and the line of each instruction as Python
# finds it, 0 for none. For Python 2.7 and later.
from __future__ import print_function
import binascii
import dis
import sys
import argparse
import difflib
import inspect
import tarfile


def lines_of(code):
    n = len(code.co_code)
    lines = [0] * n
    if hasattr(code, "co_lines"):
        for start, end, line in code.co_lines():
            for i in range(start, end):
                lines[i] = line or 0
    else:
        starts = list(dis.findlinestarts(code))
        for (start, line), (end, _) in zip(starts, starts[1:] + [(n, 0)]):
            for i in range(start, end):
                lines[i] = line
        for i in range(starts[0][0] if starts else n):
            lines[i] = code.co_firstlineno
    return lines


def show(code):
    table = getattr(code, "co_linetable", None)
    if table is None:
        table = code.co_lnotab
    print(sys.version_info[0], sys.version_info[1], code.co_firstlineno,
          binascii.hexlify(table).decode() or "-", *lines_of(code)[::2])
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            show(constant)


for module in argparse, difflib, inspect, tarfile:
    path = module.__file__
    path = path[:-1] if path.endswith("c") else path
    with open(path, "rb") as source:
        show(compile(source.read(), path, "exec", 0, True))
