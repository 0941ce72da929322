/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of several recordings a sample is of. */
#include "config.h"

#include "report/rows/field.h"

static uint64_t file_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken _unused_)
{
	return texts_number(names->texts,
		reader_path(names->inputs->at.at[context->input].reader));
}

static uint64_t host_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken _unused_)
{
	return texts_number(names->texts,
		input_host(&names->inputs->at.at[context->input]));
}

const struct field field_input[] = {
	{ "file", "File", .value = file_value, .text = field_text_text },
	{ "host", "Host", .value = host_value, .text = field_text_text },
	{ 0 },
};
