/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The colour class of each frame, the same in every page and picture: one class
 * for the kernel, one for the recorded program, and for a library the class
 * that the hash of its name selects; and the colours of the classes.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_COLOUR_H
#define DWELL_REPORT_FLAME_FLAME_COLOUR_H

#include "report/flame/flame.h"

enum flame_colour {
	FLAME_COLOUR_KERNEL,
	FLAME_COLOUR_PROGRAM,
	FLAME_COLOUR_LIBRARY, /* the first of FLAME_LIBRARY_COLOURS */
};
#define FLAME_LIBRARY_COLOURS 16u
/* Code that a runtime compiled or interprets: "[JIT] tid 7", "[java]". */
#define FLAME_COLOUR_JIT (FLAME_COLOUR_LIBRARY + FLAME_LIBRARY_COLOURS)
/* Code without a DSO, and frames that are not code: commands and states. */
#define FLAME_COLOUR_UNKNOWN (FLAME_COLOUR_JIT + 1)
#define FLAME_COLOUR_COMMAND (FLAME_COLOUR_UNKNOWN + 1)
#define FLAME_COLOURS (FLAME_COLOUR_COMMAND + 1u)

/* The colours of each class, "#rrggbb", on a light and on a dark background. */
struct flame_shade {
	const char *light, *dark;
};
extern const struct flame_shade flame_shades[FLAME_COLOURS];

/* Sets RET[i] to the colour class of function i of FLAME. */
void flame_colours(const struct flame *flame, uint8_t *ret);

#endif
