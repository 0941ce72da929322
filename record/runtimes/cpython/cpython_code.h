/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the code objects of CPython: name, file, and the line table. */
#ifndef DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_CODE_H
#define DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_CODE_H

#include "record/runtimes/cpython/cpython_layout.h"
#include "record/runtimes/interface/code_objects.h"

struct cpython_code_reader {
	const struct cpython_layout *layout;
	uint64_t type; /* address of PyCode_Type */
};

/* Returns the language. Its .data is READER, borrowed. */
struct code_language cpython_code_language(struct cpython_code_reader *reader);

#endif
