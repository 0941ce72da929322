/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/signal_frames.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

/*
 * Offset of uc_sigmask from the stack pointer in struct ucontext of Linux
 * (asm-generic and x86).
 */
#ifdef __aarch64__
#define MASK_FROM_SP (-392)
#else
#define MASK_FROM_SP 136
#endif
/* The saved stack pointer and the PC after it. */
#define END_FROM_SP 16u

bool signal_frames_read(const uint8_t *bytes, size_t size, uint64_t start,
	uint64_t at, struct signal_frame *ret)
{
	uint64_t sp = at - start, mask = sp + (uint64_t)MASK_FROM_SP;

	if (size < END_FROM_SP || sp > size - END_FROM_SP ||
		mask > size - sizeof(ret->mask))
		return false;
	memcpy(&ret->from, bytes + sp, sizeof(ret->from));
	memcpy(&ret->mask, bytes + mask, sizeof(ret->mask));
	ret->end = (size_t)sp + END_FROM_SP;
	return ret->from - start > size;
}

bool signal_frames_handler_runs(pid_t pid, pid_t tid, uint64_t mask)
{
	_cleanup_free_ char *path =
		xasprintf("/proc/%d/task/%d/status", (int)pid, (int)tid);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *blocked;

	if (!sysfile_slurp(AT_FDCWD, path, &text) || !text.n)
		return false;
	blocked = strstr(text.at, "\nSigBlk:");
	return blocked &&
		strtoull(blocked + strlen("\nSigBlk:"), NULL, 16) != mask;
}
