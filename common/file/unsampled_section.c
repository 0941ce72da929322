/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/unsampled_section.h"

void unsampled_write(const struct unsampled *unsampled, struct strbuf *out)
{
	strbuf_put_u64(out, unsampled->id);
	strbuf_put_u64(out, unsampled->cpu_ns);
	strbuf_put_u64(out, unsampled->unsampled_ns);
}

bool unsampled_read(struct bytes *b, struct unsampled *ret)
{
	ret->id = bytes_u64(b);
	ret->cpu_ns = bytes_u64(b);
	ret->unsampled_ns = bytes_u64(b);
	return b->ok && ret->cpu_ns && ret->unsampled_ns <= ret->cpu_ns;
}

void unsampled_print(
	const struct unsampled *unsampled, const char *name, struct strbuf *out)
{
	double cpu = (double)unsampled->cpu_ns;
	double part = (double)unsampled->unsampled_ns;

	strbuf_printf(out,
		"%s: %.1f %% of the CPU time (%.3f of %.3f s) has no sample",
		name, 100 * part / cpu, part / NSEC_PER_SEC,
		cpu / NSEC_PER_SEC);
}
