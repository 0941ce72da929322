/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/output_file.h"

struct error *part_begin(struct part *part, const char *path,
	const struct features *head)
{
	struct error *err;

	*part = (struct part){ .output.fd = -1 };
	err = output_create(path, &part->output);
	if (err)
		return err;
	part->sink = output_sink(&part->output);
	err = writer_create(&part->sink, head, &part->writer);
	return error_wrap(err, "%s", output_name(&part->output));
}

void part_count(struct part *part, const struct block_info *info)
{
	part->raw_bytes += info->raw_size;
	if (info->kind != BLOCK_SAMPLES)
		return;
	if (!part->first_time || info->first_time < part->first_time)
		part->first_time = info->first_time;
	part->last_time = MAX(part->last_time, info->last_time);
}

struct error *part_end(struct part *part)
{
	writer_destroy(part->writer);
	part->writer = NULL;
	return output_close(&part->output);
}

void part_deinit(struct part *part)
{
	writer_destroy(part->writer);
	part->writer = NULL;
	output_deinit(&part->output);
}
