/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a jitdump in memory, record by record, as a language runtime does. */
#ifndef DWELL_MAKE_JITDUMP_H
#define DWELL_MAKE_JITDUMP_H

#include "common/util/strbuf.h"

/* Bit 0 of FLAGS: times are from the processor's clock (TSC). */
void make_jitdump_head(struct strbuf *out, uint64_t flags);

struct made_code {
	uint64_t time, start, size, index;
	const char *name;
};
/* Appends a load record. Each byte of the code is 0x90 + the code's index. */
void make_jitdump_load(struct strbuf *out, const struct made_code *code);
/* Appends a move record of CODE to its start. CODE's name is not written. */
void make_jitdump_move(struct strbuf *out, const struct made_code *code);
/*
 * Appends unwind rules for the next code, of SIZE bytes: CFA = sp + WORDS * 8.
 */
void make_jitdump_rules(struct strbuf *out, uint64_t size, uint8_t words);
/*
 * Appends N lines of the next code. The file "\xff" stands for the file of the
 * line before.
 */
struct made_line {
	uint64_t address;
	uint32_t line;
	const char *file;
};
void make_jitdump_lines(
	struct strbuf *out, const struct made_line *lines, size_t n);

/* Returns a file descriptor of a file in memory with the content TEXT. */
int make_jitdump_file(const struct strbuf *text);

#endif
