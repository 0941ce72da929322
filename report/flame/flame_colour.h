/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The colour class of each frame, the same in every page and picture, by module and by
 * DSO; and the colours of the classes. A module or library has the class that the hash
 * of its name selects. Libraries of the system have muted colours.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_COLOUR_H
#define DWELL_REPORT_FLAME_FLAME_COLOUR_H

#include "report/flame/flame.h"
#include "report/util/string_table.h"

#define FLAME_MODULE_COLOURS 10u
#define FLAME_SYSTEM_COLOURS 3u

/* The meaning of the colours of libraries of the system. */
#define FLAME_SYSTEM_NAME "system libraries"

enum flame_colour {
	FLAME_COLOUR_KERNEL,
	FLAME_COLOUR_PROGRAM, /* the recorded program's code without a module */
	FLAME_COLOUR_MODULE,  /* the first of FLAME_MODULE_COLOURS */
	/* The first of FLAME_SYSTEM_COLOURS: libraries of the system. */
	FLAME_COLOUR_SYSTEM = FLAME_COLOUR_MODULE + FLAME_MODULE_COLOURS,
	/* Other code that a runtime compiled or interprets: "[JIT] tid 7". */
	FLAME_COLOUR_JIT = FLAME_COLOUR_SYSTEM + FLAME_SYSTEM_COLOURS,
	/* Code without a DSO, and frames that are not code: commands and states. */
	FLAME_COLOUR_UNKNOWN,
	FLAME_COLOUR_COMMAND,
	FLAME_COLOURS
};

/* The colours of each class, "#rrggbb", on a light and on a dark background. */
struct flame_shade {
	const char *light, *dark;
};
extern const struct flame_shade flame_shades[FLAME_COLOURS];

struct flame_colouring {
	uint8_t *by_module, *by_dso; /* for each function: its colour class */
	/* For each function: what its colour by module means; a number in .names. */
	uint32_t *module;
	struct string_table
		names; /* "kernel", "system libraries", "sim", ... */
};

/* Fills RET for the functions of FLAME. */
void flame_colours(const struct flame *flame, struct flame_colouring *ret);
void flame_colouring_deinit(struct flame_colouring *colouring);

#endif
