/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code objects of an interpreter in a process, and the functions for which
 * they stand. A code object is read once: the cookie of a frame
 * (chain_cookie()) is of the object at the time of the sample, so that another
 * object at the same address is not taken for it.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_CODE_OBJECTS_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_CODE_OBJECTS_H

#include "common/maps/runtime_dso.h"
#include "common/util/strbuf.h"
#include "record/runtimes/interface/interpreter.h"

struct code_object {
	uint64_t address;
	uint32_t first_line, last_line; /* 0: unknown */
	uint8_t *lines;	  /* owned; .n_lines bytes: the line table; or NULL */
	uint32_t n_lines; /* at most CODE_LINES_MAX */
};
/* Limit of a line table in bytes. */
#define CODE_LINES_MAX KIB(64)

/* Limit of a name or path in characters. */
#define CODE_TEXT_MAX 1024u

struct code_language {
	enum runtime_number runtime;
	/*
	 * Reads the object at RET->address: sets the other members of RET, and
	 * appends the name of the function and the path of its file, without
	 * NUL. The path is empty if it is unknown. Returns false if the object
	 * is not plausible.
	 */
	bool (*read)(void *data, struct process_memory *memory,
		struct code_object *ret, struct strbuf *name,
		struct strbuf *file);
	/* Returns the line of chain_linked.where, or 0. */
	uint32_t (*line)(void *data, struct process_memory *memory,
		const struct code_object *object, uint64_t where);
	void *data; /* for both functions */
	/*
	 * Objects with the same cookie are copies of one function, such as closures. An
	 * object that was freed before it was read has the name of another copy.
	 */
	bool has_copies;
};

struct code_objects;

/* LIST contains the offsets of the words of the cookie. */
struct code_objects *code_objects_create(
	const struct code_language *language, const struct chain_runtime *list);
void code_objects_destroy(struct code_objects *objects);

/*
 * Sets *RET to the address that stands for the function and the line of FRAME.
 * Adds the function to FUNCTIONS. If the object is not plausible or has
 * changed, returns false, and the function is "(unknown function)".
 */
bool code_objects_name(struct code_objects *objects,
	struct process_memory *memory, struct runtime_functions *functions,
	const struct chain_linked *frame, uint64_t *ret);

/*
 * Appends the N bytes at ADDRESS, a name or path. Returns false if they cannot be read, or
 * N is 0 or above CODE_TEXT_MAX.
 */
bool code_objects_read_text(struct process_memory *memory, uint64_t address,
	uint64_t n, struct strbuf *out);

/*
 * Appends " (FILE:LINE)" to NAME, which many functions have, with the last part of the path
 * FILE. LINE 0: " (FILE)". Appends nothing if FILE is empty.
 */
void code_objects_add_place(
	struct strbuf *name, const struct strbuf *file, uint32_t line);

/*
 * Reads the list of frames that LIST describes, as the BPF program does, from
 * the running process. FIRST is the address of the pointer to the first frame.
 * Returns the number of frames in RET, at most ROOM.
 */
size_t code_objects_read_list(const struct chain_runtime *list,
	struct process_memory *memory, uint64_t first, struct chain_linked *ret,
	size_t room);

#endif
