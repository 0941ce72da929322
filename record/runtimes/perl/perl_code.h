/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of Perl, and the statements of the main program. */
#ifndef DWELL_RECORD_RUNTIMES_PERL_PERL_CODE_H
#define DWELL_RECORD_RUNTIMES_PERL_PERL_CODE_H

#include "record/runtimes/interface/code_objects.h"

/*
 * Offsets in XPVCV, the body of a function (cv.h), that never change: two
 * pointers, and two others. They are also in COP, a statement (cop.h).
 */
#define PERL_BODY_STASH 32u
#define PERL_BODY_ROOT 48u
#define PERL_BODY_FILE 64u

struct perl_code_reader {
	unsigned next_state; /* OP_NEXTSTATE: the type of COPs (opnames.h) */
};

/*
 * The code object is an XPVCV. The instruction is a COP. READER must stay valid
 * as long as the result is used.
 */
struct code_language perl_functions(struct perl_code_reader *reader);
/* The code object is the instruction of the main program. */
struct code_language perl_main(void);

#endif
