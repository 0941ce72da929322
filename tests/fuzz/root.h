/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made root folder with programs, debug files, and a kernel, for --symfs: a
 * recording under test finds files there, and never those of this machine.
 * tests/made/files.txt is a recording of these files.
 */
#ifndef DWELL_FUZZ_ROOT_H
#define DWELL_FUZZ_ROOT_H

#include "common/util/base.h"

/*
 * Returns NAME below the root folder, "" for the folder itself; valid until the
 * next call. The folder is made at the first call and removed at exit.
 */
const char *root_path(const char *name);

#define ROOT_KALLSYMS "kallsyms"
#define ROOT_VMLINUX "boot/vmlinux"

#endif
