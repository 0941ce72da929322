/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the samples of each process in JIT code and in interpreters. The input
 * is every sample. The outputs are a table of processes, and a table of the
 * sampled addresses in JIT code. Both tables have a maximum size.
 */
#ifndef DWELL_RECORD_SYMBOLS_CODE_SAMPLES_H
#define DWELL_RECORD_SYMBOLS_CODE_SAMPLES_H

#include "common/maps/maps.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/hash.h"

#define CODE_NO_DSO UINT32_MAX
/* Minimum number of samples in JIT code for .compiler and .replaced. */
#define CODE_SAMPLES_LEAST 20u

/* A process from its fork or exec to the next exec. */
struct code_samples_process {
	uint32_t pid, program; /* see maps_program() */
	uint32_t comm;	       /* name of the first thread; 0: unknown */
	bool has_chains;       /* a sample has a call chain */
	uint64_t samples;
	uint64_t jit; /* of .samples: in JIT code */
	/* of .samples: in an interpreter, without the names of its functions */
	uint64_t interpreted;
	uint64_t named; /* of .samples: with functions of a language runtime */
	uint32_t compiler; /* DSO of the runtime of .jit, or CODE_NO_DSO */
	/* DSO with code on both sides of .jit, or CODE_NO_DSO */
	uint32_t replaced;
	uint32_t interpreter; /* DSO of the last one of .interpreted */
	uint32_t jit_pid;     /* process whose JIT files name the JIT code */
};

struct code_samples_address {
	uint64_t address, samples;
	uint32_t program; /* counted_process.program */
	uint32_t pid;	  /* process whose JIT files name the code */
};

/* A zero-initialized struct is empty. */
struct code_samples {
	ARRAY(struct code_samples_process) processes;
	struct hash_index by_program;
	ARRAY(struct code_samples_address) addresses;
	struct hash_index by_address;
	ARRAY(uint8_t) dso_kinds; /* enum dso_kind, by DSO */
};

/*
 * Counts SAMPLE. DSO is that of the sampled address, or CODE_NO_DSO if nothing
 * is mapped there. USER is the space of the process in MAPS. If there are too
 * many processes, the half with the fewest samples is dropped. If there are too
 * many addresses, a new address is counted only in its process.
 */
void code_samples_add(struct code_samples *counts, const struct maps *maps,
	const struct sample *sample, uint32_t user, uint32_t dso);
/*
 * Returns the process with the number PROGRAM, borrowed until the next call of
 * code_samples_add(), or NULL.
 */
struct code_samples_process *code_samples_process(
	const struct code_samples *counts, uint32_t program);
void code_samples_deinit(struct code_samples *counts);

#endif
