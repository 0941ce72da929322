/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JIT code of one process, read from its jitdump: codes by address and
 * time, with names, lines and unwind rules. Call jitcodes_update() to read what
 * the runtime has appended. The caller finds the file and decides if it can be
 * trusted. Not thread-safe.
 */
#ifndef DWELL_COMMON_JIT_JITCODES_H
#define DWELL_COMMON_JIT_JITCODES_H

#include "common/jit/jitdump.h"
#include "common/unwind/cfi.h"
#include "common/util/array.h"

/* Further codes of a file are ignored. */
#define JITCODES_MAX 1000000u

struct jitcode {
	uint64_t start, end;
	uint64_t since; /* on the jitdump_clock; 0: always */
	size_t order; /* number in the file; later codes replace earlier ones */
	size_t load;    /* index of a struct jitcode_load */
	struct cfi *cfi;
	bool is_compiled; /* CFI is compiled, or NULL because there is none */
};

/* The part of a JIT_CODE_LOAD record that stays the same if the code moves. */
struct jitcode_load {
	uint64_t index;   /* code index; JIT_CODE_MOVE records refer to it */
	uint64_t start;   /* address at load */
	uint64_t name_at; /* file offset; 0: none */
	uint64_t code_at, size; /* of the code bytes; 0: none */
	struct jitdump_unwinding unwinding;
	struct jitdump_debug debug;
};

struct jitcodes;

/* Takes ownership of FD. Returns NULL if FD is not a jitdump. */
struct jitcodes *jitcodes_create(int fd);
void jitcodes_destroy(struct jitcodes *codes);

/* Returns true if the file's times can be converted to CLOCK. */
bool jitcodes_has_times(
	const struct jitcodes *codes, const struct jitdump_clock *clock);
/*
 * Reads records that were appended to the file; returns true if any code was.
 */
bool jitcodes_update(
	struct jitcodes *codes, const struct jitdump_clock *clock);
/* Returns true if the file ends inside a record. */
bool jitcodes_is_cut(const struct jitcodes *codes);
/*
 * Returns the number of codes at TIME. jitcodes_find() gives the same answers
 * at times with the same number.
 */
size_t jitcodes_count(const struct jitcodes *codes, uint64_t time);

/* The range around an address within which the answer is the same. */
struct jitcodes_part {
	uint64_t start, end;
	/* borrowed until the next jitcodes_update(); or NULL */
	struct jitcode *code;
};
struct jitcodes_part jitcodes_find(
	struct jitcodes *codes, uint64_t address, uint64_t time);
/* Returns the unwind rules of CODE, borrowed from CODES, or NULL. */
struct cfi *jitcodes_rules(struct jitcodes *codes, struct jitcode *code);

/*
 * Returns all codes by start address, then by order; borrowed until the next
 * jitcodes_update().
 */
struct jitcode *jitcodes_all(struct jitcodes *codes, size_t *n_ret);
/* Copies the name with which CODE was loaded, or "", to NAME. */
void jitcodes_name(const struct jitcodes *codes, const struct jitcode *code,
	char name[JITDUMP_NAME_MAX]);
/*
 * Finds the source line at OFFSET of CODE and appends its file name to FILE.
 * Returns false if there is no line information. A moved code has the lines of
 * its load.
 */
bool jitcodes_line(const struct jitcodes *codes, const struct jitcode *code,
	uint64_t offset, struct strbuf *file, uint32_t *line_ret);

/*
 * Copies up to SIZE bytes of CODE, from OFFSET on, as they were at load, to
 * OUT. Returns the number of bytes.
 */
size_t jitcodes_read(const struct jitcodes *codes, const struct jitcode *code,
	uint64_t offset, void *out, size_t size);
/* Returns the e_machine of all codes, or 0 if the file has none. */
unsigned jitcodes_machine(const struct jitcodes *codes);

#endif
