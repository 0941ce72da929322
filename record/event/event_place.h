/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in code and data that users write as SYMBOL, SYMBOL+OFFSET or
 * 0xNUMBER, looked up in one ELF file.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_PLACE_H
#define DWELL_RECORD_EVENT_EVENT_PLACE_H

#include "common/elf/elf.h"

struct event_place {
	uint64_t address; /* as linked, or the number itself */
	uint64_t offset;  /* in the file, or the number itself */
	uint64_t size;    /* of the symbol; 0: not known */
	bool is_number;
	bool is_relocated; /* ADDRESS holds if the file is loaded so that */
	uint64_t entry;    /* its entry point is here */
};

/*
 * TEXT is a symbol or a number; PATH is the file that symbols are looked up
 * in, NULL: there is none.
 */
struct error *event_place_find(const char *path, const char *text,
	struct event_place *ret) _must_check_;

#endif
