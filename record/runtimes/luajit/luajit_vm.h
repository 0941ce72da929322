/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the interpreter of LuaJIT, and an offset of struct global_State, in its machine code. */
#ifndef DWELL_RECORD_RUNTIMES_LUAJIT_LUAJIT_VM_H
#define DWELL_RECORD_RUNTIMES_LUAJIT_LUAJIT_VM_H

#include "common/elf/elf.h"
#include "common/util/address_ranges.h"

struct luajit_vm {
	struct address_range code; /* linked addresses */
	uint16_t current;	   /* offset of cur_L in struct global_State */
};

/*
 * Finds the interpreter in FILE, which needs no symbols. Returns false if there is none of
 * LuaJIT 2.1 with GC64 on x86-64.
 */
bool luajit_vm_find(struct elf_file *file, struct luajit_vm *ret);

#endif
