/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a recording to a folder: the names that are embedded in it, of each file
 * with a build ID as a small ELF file (symbol_file.h), of the kernel and its
 * modules as kallsyms.
 */
#ifndef DWELL_REPORT_PACK_UNPACK_RECORDING_H
#define DWELL_REPORT_PACK_UNPACK_RECORDING_H

#include "common/file/reader.h"
#include "report/survey/survey.h"
#include "report/symbols/unpacked.h"

/* What has no build ID isn't unpacked, which is told. */
struct error *unpack_recording(struct reader *reader,
	const struct survey *survey, struct unpacked *unpacked) _must_check_;

#endif
