/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files, and where they were mapped. */
#ifndef DWELL_COMMON_MAPS_MAPPING_H
#define DWELL_COMMON_MAPS_MAPPING_H

#include "common/perf/record.h"

/* A file (or what stands for one) that code was mapped from. */
struct dso {
	char *path; /* as recorded; owned */
	struct build_id build_id;
	uint32_t major, minor; /* 0, and below too, where build_id is known */
	uint64_t inode, generation;
	uint32_t pid;          /* of the first process that mapped it */
	bool is_data;          /* memory without a file, and not for code */
	uint64_t code_offset;  /* the lowest that was mapped as code */
};

struct mapping {
	uint64_t start, end; /* addresses, as mapped */
	uint64_t offset;     /* file offset of start */
	uint32_t dso;
	uint32_t is_data : 1; /* recorded so: no code, of whatever file */
	/* Of mmap(2), as MMAP2 has them; what is beyond is left out. */
	uint32_t prot : 4, flags : 27;
};

#endif
