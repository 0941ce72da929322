/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/wait_sample.h"

#define FLAG_SUM 1u
#define FLAG_OPEN 2u

void wait_sample_put(const struct wait_sample *wait, struct strbuf *out)
{
	strbuf_put_u32(out, WAIT_SAMPLE_VERSION);
	strbuf_put_u32(out,
		(wait->is_sum ? FLAG_SUM : 0) |
			(wait->is_open ? FLAG_OPEN : 0));
	strbuf_put_u64(out, wait->n);
	strbuf_put_u64(out, wait->blocked);
	strbuf_put_u64(out, wait->runnable);
	strbuf_put_u64(out, wait->preempted);
	strbuf_put_u64(out, wait->longest);
	strbuf_put_u32(out, 0);
}

bool wait_sample_read(
	const struct sample *sample, bool swap, struct wait_sample *ret)
{
	struct bytes b = bytes_of(sample->raw, sample->raw_size, swap);
	uint32_t version, flags;

	version = bytes_u32(&b);
	flags = bytes_u32(&b);
	*ret = (struct wait_sample){
		.is_sum = flags & FLAG_SUM,
		.is_open = flags & FLAG_OPEN,
	};
	ret->n = bytes_u64(&b);
	ret->blocked = bytes_u64(&b);
	ret->runnable = bytes_u64(&b);
	ret->preempted = bytes_u64(&b);
	ret->longest = bytes_u64(&b);
	return b.ok && version == WAIT_SAMPLE_VERSION;
}
