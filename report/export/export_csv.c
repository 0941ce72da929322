/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counted stacks as comma-separated values, one line per stack. */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/export/counted_stacks.h"
#include "report/export/export.h"
#include "report/export/folded.h"

struct csv {
	struct counted counted;
	struct outflow out;
	struct folded folded;
};

static void put_csv_stack(void *data, const struct counted_stack *stack)
{
	struct csv *to = data;
	const struct result *result = &to->counted.result;
	struct strbuf *text = &to->out.text;
	_cleanup_strbuf_ struct strbuf comm = { 0 };
	_cleanup_strbuf_ struct strbuf frames = { 0 };

	counted_put_comm(&to->counted, stack, &comm);
	folded_put_stack(&to->folded, stack->chain, &frames);
	folded_put_state(counted_state(&to->counted, stack), &frames);
	escape_csv(text, result->inputs.events.at[stack->context->event].name);
	strbuf_putc(text, ',');
	escape_csv(text, comm.at);
	strbuf_printf(text, ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",",
		stack->context->pid, stack->context->tid, stack->samples,
		stack->period);
	escape_csv(text, frames.at);
	strbuf_putc(text, '\n');
}

static struct error *run_csv_export(const struct options *options, int fd)
{
	struct csv to = { .out = outflow_begin(options->output, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_config){
			.keys = "comm,pid,tid", .has_order = true },
		&to.counted);

	if (!err) {
		to.folded.resolver = to.counted.result.resolver;
		strbuf_puts(&to.out.text,
			"event,comm,pid,tid,samples,period,stack\n");
		counted_each(&to.counted, &to.out, put_csv_stack, &to);
	}
	err = outflow_end(&to.out, err);
	folded_deinit(&to.folded);
	counted_deinit(&to.counted);
	return err;
}

const struct export export_csv = { "csv", false, run_csv_export };
