/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long an instruction of x86 is that capstone doesn't know: of those with
 * vectors (AVX-512 and later) the encoding tells, whatever they do.
 */
#ifndef DWELL_REPORT_CODE_X86_SIZE_H
#define DWELL_REPORT_CODE_X86_SIZE_H

#include "common/util/base.h"

/* Of what begins at AT, of LEFT bytes; 0: it isn't such, or it isn't whole. */
size_t x86_size(const uint8_t *at, size_t left);

#endif
