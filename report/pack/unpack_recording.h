/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks the symbols in a recording into a folder: of each file with a build
 * ID as a small ELF file, of the kernel and its modules as kallsyms.
 */
#ifndef DWELL_REPORT_PACK_UNPACK_RECORDING_H
#define DWELL_REPORT_PACK_UNPACK_RECORDING_H

#include "common/file/reader.h"
#include "report/survey/survey.h"
#include "report/symbols/unpacked.h"

/* Files without a build ID are not unpacked, which is reported. */
struct error *unpack_recording(struct reader *reader,
	const struct survey *survey, struct unpacked *unpacked) _must_check_;

#endif
