/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/signal_frames.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

/* struct ucontext of linux, asm-generic and x86: uc_sigmask, from sp on. */
#ifdef __aarch64__
#define MASK_FROM_SP (-392)
#else
#define MASK_FROM_SP 136
#endif
/* sp, and pc behind it. */
#define END_FROM_SP 16u

bool handlers_read(const uint8_t *bytes, size_t size, uint64_t start,
	uint64_t at, struct handled *ret)
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

bool handlers_run(pid_t pid, pid_t tid, uint64_t mask)
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
