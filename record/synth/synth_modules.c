/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/synth_modules.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "record/sys/sysfile.h"

#define MODULES "/proc/modules"
#define KERNEL_PATH "[kernel.kallsyms]_text"
#define KERNEL_PID UINT32_MAX

/* Appends a MMAP record, not MMAP2: kernel mappings have no inode. */
static void add_kernel_map(struct synth_procs *procs, uint64_t start,
	uint64_t size, uint64_t offset, const char *name, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = synth_procs_trailer(procs, -1, 0, trailer);

	strbuf_put_u32(&payload, KERNEL_PID);
	strbuf_put_u32(&payload, 0);
	strbuf_put_u64(&payload, start);
	strbuf_put_u64(&payload, size);
	strbuf_put_u64(&payload, offset);
	strbuf_put(&payload, name, strlen(name) + 1);
	strbuf_align(&payload, 8);
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_MMAP, MISC_KERNEL, payload.at, payload.n);
}

/* Parses a line such as "ext4 1048576 2 - Live 0xffffffffc0000000". */
static void add_module(
	struct synth_procs *procs, const char *line, struct strbuf *out)
{
	char name[128], shown[130];
	uint64_t size, start;

	if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size,
		    &start) < 3 ||
		!start)
		return;
	snprintf(shown, sizeof(shown), "[%s]", name);
	add_kernel_map(procs, start, size, 0, shown, out);
}

void synth_modules_add(struct synth_procs *procs,
	const struct kallsyms *kallsyms, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint64_t start = kallsyms->text_start, end = kallsyms->text_end;
	char *rest, *line;

	if (!start || end <= start)
		return;
	add_kernel_map(procs, start, ALIGN_UP(end, 4096) - start, start,
		KERNEL_PATH, out);
	if (!sysfile_slurp(AT_FDCWD, MODULES, &text) || !text.n)
		return;
	rest = text.at;
	while ((line = strsep(&rest, "\n")))
		add_module(procs, line, out);
}
