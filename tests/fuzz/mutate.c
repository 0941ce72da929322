/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/fuzz/mutate.h"

#include "tests/fuzz/mutate_records.h"
#include "tests/fuzz/parts.h"

#define CHANGES_MAX 4u
#define TRIES_MAX 8u
#define GROW_MAX 256u
#define ENTRY_SIZE 56u /* of the directory */

/* Returns one element of a non-empty array. */
#define pick_of(array, dice) (&(array)->at[dice_below(dice, (array)->n)])

/* --- one part: each returns false if there is none of its kind ----------- */

/* Sets the numbers and the kind in a block's description by its records. */
static void describe_block(struct part_data *part)
{
	struct bytes b = bytes_of(part->records.at, part->records.n, false);
	size_t span;

	part->info.records = part->info.samples = 0;
	for (; (span = parts_record_span(b.at, bytes_left(&b)));
		bytes_take(&b, span)) {
		struct record record;

		part->info.records++;
		if (record_at(b.at, span, false, &record))
			part->info.samples += record.type == RECORD_SAMPLE;
	}
	part->info.kind = BLOCK_MIXED;
	if (part->info.samples == 0)
		part->info.kind = BLOCK_SIDEBAND;
	else if (part->info.samples == part->info.records)
		part->info.kind = BLOCK_SAMPLES;
}

/* A description that need not be true. */
static void change_description(struct block_info *info, struct dice *dice)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	uint8_t described[BLOCK_INFO_SIZE];
	struct bytes b;
	struct block_info changed;

	block_info_write(info, described);
	strbuf_put(&bytes, described, sizeof(described));
	mutate_bytes(&bytes, 0, dice);
	b = bytes_of(bytes.at, bytes.n, false);
	if (block_info_read(&b, &changed))
		*info = changed;
}

static bool change_data(struct parts *parts, struct dice *dice)
{
	struct part_data *part;

	if (!parts->data.n)
		return false;
	part = pick_of(&parts->data, dice);
	mutate_records(&part->records, dice);
	if (part->is_block)
		describe_block(part);
	if (part->is_block && dice_below(dice, 16) == 0)
		change_description(&part->info, dice);
	return true;
}

/* Compresses plain records, or writes a block's records plain. */
static bool change_coding(struct parts *parts, struct dice *dice)
{
	struct part_data *part;

	if (!parts->data.n)
		return false;
	part = pick_of(&parts->data, dice);
	part->is_block = !part->is_block;
	part->info.first_time = 0;
	part->info.last_time = UINT64_MAX;
	describe_block(part);
	return true;
}

static bool change_section(struct parts *parts, struct dice *dice)
{
	static const char *const names[] = { SECTION_SYMBOLS, SECTION_PACKED,
		SECTION_PACKED_DATA, SECTION_LINES, SECTION_CODE, SECTION_RULES,
		SECTION_SOURCE, SECTION_JIT, SECTION_PACKED_JIT, SECTION_LOSSES,
		SECTION_META, SECTION_UNSAMPLED };
	const char *name = names[dice_below(dice, ARRAY_SIZE(names))];
	struct part_section *section;

	if (!parts->sections.n)
		return false;
	section = pick_of(&parts->sections, dice);
	switch (dice_below(dice, 16)) {
	case 0:
		memset(section->name, 0, sizeof(section->name));
		memcpy(section->name, name, strlen(name));
		break;
	case 1: section->version = (uint32_t)dice_below(dice, 4); break;
	case 2: section->raw.n = dice_below(dice, section->raw.n + 1); break;
	default: mutate_bytes(&section->raw, GROW_MAX, dice);
	}
	return true;
}

static bool change_feature(struct parts *parts, struct dice *dice)
{
	struct part_feature *feature;

	if (!parts->features.n)
		return false;
	feature = pick_of(&parts->features, dice);
	mutate_bytes(&feature->bytes, GROW_MAX, dice);
	return true;
}

static bool change_event(struct parts *parts, struct dice *dice)
{
	struct part_event *event;

	if (!parts->events.n)
		return false;
	event = pick_of(&parts->events, dice);
	if (dice_below(dice, 4))
		mutate_bytes(&event->attr, 0, dice);
	else
		mutate_bytes(&event->ids, 16, dice);
	/* All attributes have the size of the first one. */
	array_each(&parts->events, each) {
		each->attr.n = MIN(each->attr.n, parts->events.at[0].attr.n);
		strbuf_fill(&each->attr, 0,
			parts->events.at[0].attr.n - each->attr.n);
	}
	return true;
}

static bool change_head(struct parts *parts, struct dice *dice)
{
	mutate_records(&parts->head, dice);
	return parts->head.n > 0;
}

/* Changes a part of a kind that the recording has. */
static void change_one(struct parts *parts, struct dice *dice)
{
	static bool (*const changes[])(struct parts *, struct dice *) = {
		change_data,
		change_data,
		change_data,
		change_data,
		change_section,
		change_section,
		change_section,
		change_section,
		change_feature,
		change_feature,
		change_event,
		change_head,
		change_coding,
	};
	unsigned tries;

	for (tries = 0; tries < TRIES_MAX; tries++)
		if (changes[dice_below(dice, ARRAY_SIZE(changes))](parts, dice))
			return;
}

/* --- the tables that point to the parts ----------------------------------- */

/*
 * Changes an entry of the directory of a closed file of ours, or its trailer.
 */
static void change_tables(struct strbuf *file, struct dice *dice)
{
	size_t trailer_at = file->n - TRAILER_SIZE, size = ENTRY_SIZE, at, n;
	_cleanup_strbuf_ struct strbuf bytes = { 0 }, sealed = { 0 };
	struct section_trailer trailer;

	if (file->n < TRAILER_SIZE ||
		!section_trailer_read(
			bytes_of(file->at + trailer_at, TRAILER_SIZE, false),
			&trailer) ||
		trailer.directory_offset > file->n ||
		trailer.directory_size > file->n - trailer.directory_offset)
		return;
	n = trailer.directory_size / ENTRY_SIZE;
	if (dice_below(dice, 4) && n) {
		at = trailer.directory_offset + dice_below(dice, n) * size;
		strbuf_put(&bytes, file->at + at, size);
		mutate_bytes(&bytes, 0, dice);
		memcpy(file->at + at, bytes.at, MIN(bytes.n, size));
		return;
	}
	strbuf_put(&bytes, &trailer, sizeof(trailer));
	mutate_bytes(&bytes, 0, dice);
	memcpy(&trailer, bytes.at, MIN(bytes.n, sizeof(trailer)));
	section_trailer_write(&trailer, &sealed);
	memcpy(file->at + trailer_at, sealed.at, TRAILER_SIZE);
}

/* --- whole recordings ----------------------------------------------------- */

size_t mutate_recording(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct dice dice = dice_of(seed);
	_cleanup_strbuf_ struct strbuf file = { 0 };
	struct parts parts;
	bool is_whole = parts_take(data, size, &parts);
	size_t n = 1 + dice_below(&dice, CHANGES_MAX);

	if (is_whole && dice_below(&dice, 8)) {
		while (n--)
			change_one(&parts, &dice);
		parts_put(&parts, &file);
		if (dice_below(&dice, 16) == 0)
			change_tables(&file, &dice);
	}
	parts_deinit(&parts);
	if (!file.n || file.n > max)
		return LLVMFuzzerMutate(data, size, max);
	memcpy(data, file.at, file.n);
	return file.n;
}

static void copy_section(
	struct parts *to, const struct parts *from, struct dice *dice)
{
	const struct part_section *section;
	struct part_section *copy = NULL;

	if (!from->sections.n || to->sections.n >= SECTIONS_MAX)
		return;
	section = pick_of(&from->sections, dice);
	array_each(&to->sections, each)
		if (string_is(each->name, section->name))
			copy = each;
	if (!copy)
		copy = array_push(&to->sections);
	memcpy(copy->name, section->name, sizeof(copy->name));
	copy->version = section->version;
	strbuf_clear(&copy->raw);
	strbuf_put(&copy->raw, section->raw.at, section->raw.n);
	to->has_trailer = true;
}

static void copy_data(
	struct parts *to, const struct parts *from, struct dice *dice)
{
	const struct part_data *part;
	struct part_data *copy;

	if (!from->data.n)
		return;
	part = pick_of(&from->data, dice);
	copy = array_push(&to->data);
	copy->is_block = part->is_block;
	copy->info = part->info;
	strbuf_put(&copy->records, part->records.at, part->records.n);
}

static void copy_feature(
	struct parts *to, const struct parts *from, struct dice *dice)
{
	const struct part_feature *feature;

	if (!from->features.n)
		return;
	feature = pick_of(&from->features, dice);
	array_each(&to->features, each) {
		if (each->bit != feature->bit)
			continue;
		strbuf_clear(&each->bytes);
		strbuf_put(&each->bytes, feature->bytes.at, feature->bytes.n);
	}
}

size_t mutate_cross(const uint8_t *data1, size_t size1, const uint8_t *data2,
	size_t size2, uint8_t *out, size_t max, unsigned seed)
{
	static void (*const copies[])(struct parts *, const struct parts *,
		struct dice *) = { copy_section, copy_data, copy_feature };
	struct dice dice = dice_of(seed);
	_cleanup_strbuf_ struct strbuf file = { 0 };
	struct parts to, from;
	bool are_whole = parts_take(data1, size1, &to);

	are_whole &= parts_take(data2, size2, &from);
	if (are_whole) {
		copies[dice_below(&dice, ARRAY_SIZE(copies))](
			&to, &from, &dice);
		parts_put(&to, &file);
	}
	parts_deinit(&to);
	parts_deinit(&from);
	if (file.n > max)
		return 0;
	if (file.n)
		memcpy(out, file.at, file.n);
	return file.n;
}
