/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JIT code of one process, read from its jitdump: the *codes* (JIT-compiled
 * functions) by address and time, with names, lines and unwind rules. Call
 * jitcodes_update() to read the records that the runtime has appended. The
 * caller finds the jitdump file and decides if it can be trusted. Not
 * thread-safe.
 */
#ifndef DWELL_COMMON_JIT_JITCODES_H
#define DWELL_COMMON_JIT_JITCODES_H

#include "common/jit/jitdump.h"
#include "common/unwind/cfi.h"
#include "common/util/array.h"

/* Limit of JIT codes; further codes of a jitdump are ignored. */
#define JITCODES_MAX 1000000u

struct jitcode {
	uint64_t start, end;
	uint64_t since; /* load time on the jitdump_clock; 0: always loaded */
	/* number in file order; later codes replace earlier codes */
	size_t order;
	size_t load; /* index of a struct jitcode_load */
	struct cfi *cfi;
	/* .cfi is compiled, or is NULL because the code has no rules */
	bool is_compiled;
};

/* The part of a JIT_CODE_LOAD record that stays the same if the code moves. */
struct jitcode_load {
	uint64_t index;	  /* code index; JIT_CODE_MOVE records refer to it */
	uint64_t start;	  /* address of the code at load */
	uint64_t name_at; /* file offset of the name; 0: none */
	uint64_t code_at, size; /* file range of the code bytes; 0: none */
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
 * Reads the records that were appended to the file since the last call. Returns
 * true if JIT code was among the records.
 */
bool jitcodes_update(struct jitcodes *codes, const struct jitdump_clock *clock);
/* Returns how the file ends. */
struct jitdump_end jitcodes_end(const struct jitcodes *codes);
/*
 * Returns the number of JIT codes that were loaded at TIME or earlier. If this
 * number is the same for two times, jitcodes_find() returns the same for both
 * times.
 */
size_t jitcodes_count(const struct jitcodes *codes, uint64_t time);

/*
 * The JIT code that jitcodes_find() returns for an address, and the range of
 * addresses around it for which the result is the same.
 */
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
 * Returns all JIT codes, sorted by .start and then by .order; borrowed until
 * the next jitcodes_update().
 */
struct jitcode *jitcodes_all(struct jitcodes *codes, size_t *n_ret);
/* Copies the name with which CODE was loaded, or "", to NAME. */
void jitcodes_name(const struct jitcodes *codes, const struct jitcode *code,
	char name[JITDUMP_NAME_MAX]);
/*
 * Sets *LINE_RET to the source line at OFFSET of CODE, and appends the name of
 * the source file to FILE. Returns false if CODE has no line information. Code
 * that was moved has the lines of its JIT_CODE_LOAD record.
 */
bool jitcodes_line(const struct jitcodes *codes, const struct jitcode *code,
	uint64_t offset, struct strbuf *file, uint32_t *line_ret);

/*
 * Copies up to SIZE bytes of CODE, from OFFSET on, to OUT, as the bytes were at
 * load. Returns the number of bytes copied.
 */
size_t jitcodes_read(const struct jitcodes *codes, const struct jitcode *code,
	uint64_t offset, void *out, size_t size);
/*
 * Returns the ELF e_machine of all JIT codes, or 0 if the jitdump contains
 * none.
 */
unsigned jitcodes_machine(const struct jitcodes *codes);

#endif
