/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the processes with many samples in functions without names: in JIT code
 * that no perf map or jitdump names, and in interpreters. The inputs are the
 * counts of samples and the names of JIT code. The output is a sentence per
 * process, with the reason and a remedy.
 */
#ifndef DWELL_RECORD_SYMBOLS_UNNAMED_CODE_H
#define DWELL_RECORD_SYMBOLS_UNNAMED_CODE_H

#include "common/file/jit_section.h"
#include "common/maps/maps.h"
#include "common/util/array.h"
#include "record/symbols/code_samples.h"

/* A zero-initialized struct is empty. */
struct unnamed_code {
	/* Owned, and escaped for terminals. The first has the most samples. */
	ARRAY(char *) sentences;
};

/*
 * Adds a sentence to UNNAMED for each process of COUNTS of which more than 5 %
 * of the samples, and at least CODE_SAMPLES_LEAST, are in code without names.
 * Adds at most three sentences. JIT contains the names of the sampled JIT code.
 * READS_RUNTIMES: dwell reads the structures of runtimes (record/runtimes).
 */
void unnamed_code_find(struct unnamed_code *unnamed,
	const struct code_samples *counts, const struct maps *maps,
	const struct jit_section *jit, bool reads_runtimes);
void unnamed_code_deinit(struct unnamed_code *unnamed);

#endif
