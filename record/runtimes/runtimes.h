/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The language runtimes that dwell can read (runtime.h), and their state in each
 * process. A process can have a runtime if it maps the file of the runtime. For such a
 * process, the recorder writes a record of a mapping of the reserved addresses
 * (runtime_functions.h). The path of the mapping is that of the DSO of the runtime,
 * such as "[java]".
 *
 * Thread-safe, with exceptions: during runtimes_settle(), runtimes_restart(),
 * runtimes_report() and runtimes_destroy(), no other thread may use the struct
 * runtimes.
 */
#ifndef DWELL_RECORD_RUNTIMES_RUNTIMES_H
#define DWELL_RECORD_RUNTIMES_RUNTIMES_H

#include "common/perf/record.h"
#include "common/util/completion.h"
#include "common/util/strbuf.h"
#include "record/runtimes/interface/runtime.h"

struct runtimes;

/* Bits of all runtimes, by enum runtime_number. */
#define RUNTIMES_ALL ((1u << RUNTIMES) - 1)
/* Functions of the runtimes with the bits ENABLED are named. */
struct runtimes *runtimes_create(unsigned enabled);
void runtimes_destroy(struct runtimes *runtimes);

/*
 * Converts NAMES to bits for runtimes_create(). NAMES is "auto", "none" or a list of
 * names of runtimes, separated by commas. Returns false if a name is unknown.
 */
bool runtimes_parse(const char *names, unsigned *ret);
/* Appends the names of all runtimes, separated by ", ". */
void runtimes_list(struct strbuf *out);
COMPLETER(runtimes_complete);

struct runtime_traits {
	bool compiles; /* the runtime compiles code */
	/* the line of each instruction is read from the process, not only of functions */
	bool reads_lines;
};
/*
 * Sets *RET to the reserved mapping of the runtime that the file of MAP can contain,
 * in the process of MAP, and *TRAITS_RET to traits of the runtime. Returns false if the file cannot contain an enabled runtime.
 */
bool runtimes_reserved_mapping(const struct runtimes *runtimes,
	const struct record_mmap *map, struct record_mmap *ret,
	struct runtime_traits *traits_ret);
/* A process. The number .program changes with an exec (maps_program()). */
struct runtime_task {
	uint32_t pid, program;
};
/*
 * Steps out of FRAME of the process TASK by the runtime NUMBER. Returns RUNTIME_FOREIGN
 * if the runtime is not found in the process.
 */
enum runtime_result runtimes_step(struct runtimes *runtimes, unsigned number,
	const struct runtime_task *task, const struct runtime_frame *frame,
	struct runtime_step *ret);
/* Returns the name of the runtime NUMBER, as in runtimes_parse(). */
const char *runtimes_name_of(unsigned number);
/* The frames of an interpreter in a sample, innermost first. */
struct runtimes_list {
	const uint8_t *frames; /* struct chain_linked, unaligned */
	size_t n;
	uint64_t time; /* of the sample */
	/* BPF sends the frames once it knows the description of the process */
	bool is_sent;
	/*
	 * If not 0: frames that BPF does not send are read from the running process,
	 * those of this thread.
	 */
	uint32_t tid;
};
/* The interpreter of a process, and the named frames. */
struct runtimes_interpreter {
	struct interpreter description;
	bool is_new;  /* the description must be sent to BPF */
	bool is_live; /* the frames were read from the running process */
	size_t n;     /* number of frames */
};
/*
 * Names the frames of LIST in the process TASK by the interpreter NUMBER: RET has room
 * for CHAIN_LINKED_MAX frames. Sets *INTERPRETER_RET. Returns false if the interpreter is
 * not found in the process.
 */
bool runtimes_name(struct runtimes *runtimes, unsigned number,
	const struct runtime_task *task, const struct runtimes_list *list,
	struct interpreter_frame *ret,
	struct runtimes_interpreter *interpreter_ret);
/*
 * Returns clock_now_ns() of the last runtimes_name() that read the memory of a process;
 * 0: none. It reads nothing if it knows all functions of a list that BPF has sent.
 */
uint64_t runtimes_interpreters_read_at(const struct runtimes *runtimes);
/*
 * Returns how often the state of a process was freed before the process ended: its names are
 * then read again.
 */
uint64_t runtimes_restarts(const struct runtimes *runtimes);
/*
 * Call after each batch of samples: the values that were read from a process are
 * compared with its memory before they are used again.
 */
void runtimes_settle(struct runtimes *runtimes);
/*
 * Frees the state of all processes. Call before each output file, because the numbers
 * runtime_task.program start again.
 */
void runtimes_restart(struct runtimes *runtimes);

/* Returns the functions of all runtimes, borrowed until runtimes_destroy(). */
struct runtime_functions *runtimes_functions(const struct runtimes *runtimes);

/* Frames of a runtime since runtimes_create(). */
struct runtimes_counts {
	uint64_t read, rejected; /* rejected: their data were not plausible */
};
/* Returns the counts of the runtime NUMBER, enum runtime_number. Any thread may call it. */
struct runtimes_counts runtimes_counts(
	const struct runtimes *runtimes, unsigned number);

/*
 * Prints the processes whose runtime cannot be read, with the reason. With -v, also
 * prints the counts of frames.
 */
void runtimes_report(const struct runtimes *runtimes);

#endif
