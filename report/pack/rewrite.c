/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/rewrite.h"

/* Features that the writer writes when the file is closed. */
static const unsigned late_feature_bits[] = {
	FEATURE_BUILD_ID,
	FEATURE_BRANCH_STACK,
	FEATURE_SAMPLE_TIME,
};

static void clear_feature_bit(struct features *features, unsigned bit)
{
	features->present[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

struct features rewrite_head(struct reader *reader)
{
	struct features head = *reader_features(reader);
	size_t i;

	memset(&head.events, 0, sizeof(head.events));
	for (i = 0; i < reader_n_events(reader); i++)
		*array_push(&head.events) = *reader_event(reader, i);
	if (!head.hostname)
		head.hostname = (char *)"";
	features_mark(&head, FEATURE_HOSTNAME);
	clear_feature_bit(&head, FEATURE_COMPRESSED);
	return head;
}

void rewrite_deinit(struct features *head)
{
	array_free(&head->events);
}

void rewrite_stream_build_ids(struct features *head, struct strbuf *records)
{
	const uint32_t type = RECORD_HEADER_BUILD_ID;
	size_t at = records->n;
	uint16_t size;

	if (!feature_is_present(head, FEATURE_BUILD_ID))
		return;
	feature_write(head, FEATURE_BUILD_ID, records);
	clear_feature_bit(head, FEATURE_BUILD_ID);
	for (; at < records->n; at += size) {
		memcpy(records->at + at, &type, sizeof(type));
		memcpy(&size, records->at + at + 6, sizeof(size));
	}
}

struct features rewrite_closing(struct features *head, bool is_once)
{
	struct features closing = *head;
	size_t i;

	memset(closing.present, 0, sizeof(closing.present));
	features_mark(&closing, FEATURE_EVENT_DESC);
	features_mark(&closing, FEATURE_HOSTNAME);
	for (i = 0; i < ARRAY_SIZE(late_feature_bits); i++) {
		if (feature_is_present(head, late_feature_bits[i]))
			features_mark(&closing, late_feature_bits[i]);
		if (is_once)
			clear_feature_bit(head, late_feature_bits[i]);
	}
	return closing;
}

static bool is_name_in_list(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (string_is(name, *list))
			return true;
	return false;
}

/*
 * Sections that are not copied: the writer and rewrite_add_damage() create them
 * again.
 */
static const char *const rebuilt_sections[] = { SECTION_INDEX,
	SECTION_CHECKSUMS, SECTION_DAMAGE, NULL };

const char *rewrite_add_sections(struct reader *reader,
	const char *const *without, struct rewrite_sections *ret)
{
	const char *unread = NULL;
	size_t i;

	for (i = 0; i < reader_n_sections(reader); i++) {
		const struct section *from = reader_section_at(reader, i);
		struct writer_section section = { from->name, from->version,
			{ 0 } };

		if (is_name_in_list(from->name, rebuilt_sections) ||
			is_name_in_list(from->name, without))
			continue;
		if (reader_section(
			    reader, from->name, from->version, &section.raw))
			*array_push(&ret->at) = section;
		else
			strbuf_free(&section.raw);
		if (!section.raw.at && !unread)
			unread = from->name;
	}
	return unread;
}

void rewrite_add_damage(
	const struct reader *reader, struct rewrite_sections *ret)
{
	struct writer_section section = { SECTION_DAMAGE, 1, { 0 } };
	struct damages *damages = reader_damages(reader);
	struct damages_sums sums = damages_sums(damages);

	if (!sums.places)
		return;
	strbuf_put_u64(&section.raw, sums.samples);
	strbuf_put_u64(&section.raw, sums.first_time);
	strbuf_put_u64(&section.raw, sums.last_time);
	*array_push(&ret->at) = section;
}

void rewrite_sections_deinit(struct rewrite_sections *sections)
{
	array_each(&sections->at, section)
		strbuf_free(&section->raw);
	array_free(&sections->at);
}

bool rewrite_keeps(const struct record *record)
{
	return record->type != RECORD_HEADER_ATTR &&
		record->type != RECORD_HEADER_FEATURE &&
		record->type != RECORD_HEADER_EVENT_TYPE &&
		record->type != RECORD_HEADER_TRACING_DATA &&
		record->type != RECORD_EVENT_UPDATE &&
		record->type != RECORD_ID_INDEX &&
		record->type != RECORD_AUXTRACE;
}
