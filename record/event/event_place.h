/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up addresses in an ELF file that are written as SYMBOL, SYMBOL+OFFSET
 * or 0xNUMBER.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_PLACE_H
#define DWELL_RECORD_EVENT_EVENT_PLACE_H

#include "common/elf/elf.h"

struct event_place {
	uint64_t address; /* linked address, or the number itself */
	uint64_t offset;  /* offset in the file, or the number itself */
	uint64_t size;	  /* of the symbol; 0: unknown */
	bool is_number;
	bool is_relocated; /* position-independent: ADDRESS is valid if */
	uint64_t entry;	   /* the entry point is loaded at this address */
};

/* Looks up TEXT, a symbol or a number, in the file PATH (NULL: no file). */
struct error *event_place_find(const char *path, const char *text,
	struct event_place *ret) _must_check_;

#endif
