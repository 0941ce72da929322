/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/meta_section.h"

struct bytes meta_section_read(struct reader *reader, struct strbuf *raw)
{
	bool is_read = reader_section(reader, SECTION_META, META_VERSION, raw);

	return bytes_of(raw->at, is_read ? raw->n : 0, false);
}

bool meta_section_next(struct bytes *meta, const char **key, const char **value)
{
	*key = bytes_string(meta);
	*value = bytes_string(meta);
	return meta->ok;
}
