/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is looked at before libdw is given a file, which may be anybody's: its
 * sections are in the file, of sizes that fit this machine, also when they are
 * unpacked; its units lie one behind the other, of versions that there are; the
 * other files that it names, and that libdw would open, are nothing to wait for.
 */
#ifndef DWELL_DEBUG_CHECK_H
#define DWELL_DEBUG_CHECK_H

#include <elfutils/libdw.h>

#include "common/bytes.h"
#include "common/elf.h"

/* Uncompressed, all in all. */
#define DEBUG_SIZE_MAX GIB(8)

/* That section of FILE, uncompressed; borrowed; none if there is none. */
struct bytes debug_check_section(struct elf_file *file, const char *name);
/* FILE's sections; it unpacks them. False also where there is no DWARF. */
bool debug_check_file(struct elf_file *file);
/* The .dwp beside one of them, which may be NULL; the caller's; NULL: none. */
char *debug_check_package(struct elf_file *file, struct elf_file *debug);
/*
 * The .dwo or .dwp file at PATH. True if there is none, or none that can be
 * opened.
 */
bool debug_check_split_at(const char *path);
/* All .dwo files that SKELETON, a unit of FILE's, may mean. */
bool debug_check_split(struct elf_file *file, Dwarf_Die *skeleton);

#endif
