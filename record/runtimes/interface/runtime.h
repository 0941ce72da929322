/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of a language runtime. The functions of the interface find the data of
 * the runtime in a process, step out of a frame of its code, and name the functions of
 * the frame. Each runtime has a folder in record/runtimes and one row in the table of
 * runtimes.c. doc/how-to-add-a-runtime.md describes how to add a runtime.
 *
 * A runtime reads the memory of the process by struct process_memory, except the stack.
 * The memory is not trusted: the runtime checks each pointer, size and loop. If a value
 * is not plausible, the result is RUNTIME_REJECTED. The runtime never guesses a name.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_RUNTIME_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_RUNTIME_H

#include "common/elf/elf.h"
#include "common/maps/runtime_dso.h"
#include "common/unwind/runtime_frame.h"
#include "common/unwind/unwind.h"
#include "record/runtimes/interface/interpreter.h"
#include "record/runtimes/interface/process_memory.h"
#include "record/runtimes/interface/runtime_functions.h"

/* The mapped file of a runtime in a process. */
struct runtime_module {
	uint32_t pid;
	const char *path;      /* of the mapping */
	struct elf_file *file; /* borrowed for the call */
	uint64_t bias;	       /* address in the process - linked address */
};

enum runtime_state {
	RUNTIME_READY,
	RUNTIME_STARTING, /* its data are not initialized yet: probe again later */
	RUNTIME_ABSENT, /* not in this file: another one can be mapped later */
	/*
	 * Its data are unknown. They can be those of a runtime that is starting:
	 * probe_rule.h decides which refusal is final.
	 */
	RUNTIME_REFUSED,
};

struct module_symbols;
/* As runtime_ops.probe. SYMBOLS is borrowed for the call. */
typedef enum runtime_state (*module_symbols_probe_fn)(
	const struct runtime_module *module,
	const struct module_symbols *symbols, struct process_memory *memory,
	void **ret, const char **reason_ret);

struct runtime_ops {
	const char *name; /* for --lang and messages, such as "java" */
	/*
	 * Finds the data of the runtime in MODULE. If the result is RUNTIME_READY,
	 * *RET is the state of the runtime in the process. The function .destroy frees
	 * the state. If the result is RUNTIME_REFUSED, *REASON_RET is a constant text.
	 *
	 * A process that starts has data that are not mapped or not relocated yet. The
	 * probe does not need to recognize them: as long as its result is not final
	 * (probe_rule.h), the function is called again later, with the same MEMORY, also
	 * if the result was RUNTIME_READY and the runtime is an interpreter: its first
	 * description can be wrong. Other runtimes are ready only if the process sets
	 * one of the values that the probe reads after all others. A probe reads
	 * constants from the file, not from the process.
	 */
	enum runtime_state (*probe)(const struct runtime_module *module,
		struct process_memory *memory, void **ret,
		const char **reason_ret);
	/*
	 * Instead of .probe: probes with the symbols of MODULE that have names that
	 * begin with one of the .n_prefixes .prefixes (module_symbols_probe()).
	 */
	module_symbols_probe_fn probe_symbols;
	const char *const *prefixes;
	size_t n_prefixes;
	/*
	 * Interpreters have .interpreter, and neither .step nor .settle. The code of
	 * all other runtimes is compiled at run time.
	 */
	const struct interpreter_ops *interpreter;
	/*
	 * Steps out of FRAME to its caller. Adds the functions of the frame to
	 * FUNCTIONS and their addresses to RET.
	 */
	enum runtime_result (*step)(void *state, struct process_memory *memory,
		struct runtime_functions *functions,
		const struct runtime_frame *frame, struct runtime_step *ret);
	/*
	 * Marks all kept values as outdated: each is compared with the memory before
	 * its next use. Called between batches of samples, if .settle_ms have passed
	 * since the last call. Also called in a batch before .step is repeated, if the
	 * result was RUNTIME_REJECTED and kept values can be of an earlier batch.
	 */
	void (*settle)(void *state);
	unsigned settle_ms; /* milliseconds; 0: after each batch */
	void (*destroy)(void *state);
};

#endif
