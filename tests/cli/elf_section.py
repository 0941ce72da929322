# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds a section of a 64-bit little-endian ELF file, for tests that move it."""
import struct


def find_section(file, name):
    """Returns the offset of the section header, and sh_offset and sh_size.

    FILE contains the bytes of the ELF file; NAME is bytes, too.
    """
    headers, = struct.unpack_from("<Q", file, 0x28)
    number, names = struct.unpack_from("<HH", file, 0x3c)
    names, = struct.unpack_from("<Q", file, headers + names * 64 + 24)
    for at in range(headers, headers + number * 64, 64):
        start = names + struct.unpack_from("<I", file, at)[0]
        if file[start:file.index(0, start)] == name:
            return at, *struct.unpack_from("<QQ", file, at + 24)
    raise KeyError(name)
