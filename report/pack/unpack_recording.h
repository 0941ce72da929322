/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks the symbols in a recording into a folder: a small ELF file for each
 * program or library with a build ID, and kallsyms for the kernel and its
 * modules.
 */
#ifndef DWELL_REPORT_PACK_UNPACK_RECORDING_H
#define DWELL_REPORT_PACK_UNPACK_RECORDING_H

#include "common/file/reader.h"
#include "report/survey/survey.h"
#include "report/pack/unpacked.h"

/*
 * Unpacks the symbols in READER's recording into the folder UNPACKED. Symbols
 * of files without a build ID are left out, which is reported.
 */
struct error *unpack_recording(struct reader *reader,
	const struct survey *survey, struct unpacked *unpacked) _must_check_;

#endif
