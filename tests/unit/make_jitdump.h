/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A jitdump as a runtime writes it, record by record, into memory. */
#ifndef DWELL_MAKE_JITDUMP_H
#define DWELL_MAKE_JITDUMP_H

#include "common/util/strbuf.h"

/* FLAGS: 1 for times of the processor's own. */
void make_jitdump_head(struct strbuf *out, uint64_t flags);

struct made_code {
	uint64_t time, start, size, index;
	const char *name;
};
/* Each of its bytes is 0x90 + the index. */
void make_jitdump_load(struct strbuf *out, const struct made_code *code);
/* To START; its name is not written. */
void make_jitdump_move(struct strbuf *out, const struct made_code *code);
/* For the next code, of SIZE bytes: all of it has a CFA of sp + WORDS * 8. */
void make_jitdump_rules(struct strbuf *out, uint64_t size, uint8_t words);
/* N lines of the next code; FILE may be "\xff": the one before. */
struct made_line {
	uint64_t address;
	uint32_t line;
	const char *file;
};
void make_jitdump_lines(
	struct strbuf *out, const struct made_line *lines, size_t n);

/* A descriptor of a file with what is in TEXT. */
int make_jitdump_file(const struct strbuf *text);

#endif
