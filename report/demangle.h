/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of C++ and Rust functions as their authors wrote them. */
#ifndef DWELL_DEMANGLE_H
#define DWELL_DEMANGLE_H

#include "common/base.h"

/* Owned by the caller; NULL when NAME is not mangled. */
char *demangle(const char *name);

#endif
