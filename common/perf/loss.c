/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/loss.h"

#include <inttypes.h>

void loss_write(const struct loss *loss, struct strbuf *out)
{
	strbuf_put_u64(out, loss->id);
	strbuf_put_u32(out, loss->cpu);
	strbuf_put_u32(out, 0);
	strbuf_put_u64(out, loss->samples);
	strbuf_put_u64(out, loss->kernel);
	strbuf_put_u64(out, loss->dropped);
	strbuf_put_u64(out, loss->throttled);
}

bool loss_read(struct bytes *b, struct loss *ret)
{
	ret->id = bytes_u64(b);
	ret->cpu = bytes_u32(b);
	bytes_u32(b);
	ret->samples = bytes_u64(b);
	ret->kernel = bytes_u64(b);
	ret->dropped = bytes_u64(b);
	ret->throttled = bytes_u64(b);
	return b->ok;
}

bool loss_is_any(const struct loss *loss)
{
	return loss->kernel | loss->dropped | loss->throttled;
}

void loss_print(const struct loss *loss, const char *name, struct strbuf *out)
{
	strbuf_printf(out, "%s ", name);
	if (loss->cpu != LOSS_ANY_CPU)
		strbuf_printf(out, "on CPU %" PRIu32 ": ", loss->cpu);
	strbuf_printf(out,
		"%" PRIu64 " samples, %" PRIu64 " lost in the kernel, %" PRIu64
		" dropped, throttled %" PRIu64 " times",
		loss->samples, loss->kernel, loss->dropped, loss->throttled);
}

void loss_add(struct loss *sum, const struct loss *loss)
{
	sum->samples += loss->samples;
	sum->kernel += loss->kernel;
	sum->dropped += loss->dropped;
	sum->throttled += loss->throttled;
}

void loss_subtract(struct loss *rest, const struct loss *loss)
{
	rest->samples -= loss->samples;
	rest->kernel -= loss->kernel;
	rest->dropped -= loss->dropped;
	rest->throttled -= loss->throttled;
}
