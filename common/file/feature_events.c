/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feature sections about events: attributes and names, PMUs, groups, tracepoint
 * formats.
 */
#include "config.h"

#include "common/file/feature.h"
#include "common/file/feature_private.h"

bool feature_read_event_desc(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b), attr_size = bytes_u32(b), i;

	if (n > ATTR_EVENTS_MAX || f->events.n)
		return false;
	for (i = 0; i < n; i++) {
		struct event *event = array_push(&f->events);
		uint32_t n_ids;

		if (!attr_read(b, attr_size, &event->attr))
			return false;
		n_ids = bytes_u32(b);
		event->name = feature_take_text(b);
		if (n_ids > bytes_left(b) / 8)
			return false;
		for (; n_ids; n_ids--)
			*array_push(&event->ids) = bytes_u64(b);
		if (!b->ok)
			return false;
	}
	return b->ok;
}

void feature_write_event_desc(const struct features *f, struct strbuf *out)
{
	size_t size = 0, before;

	array_each(&f->events, event)
		size = MAX(size, attr_stored_size(&event->attr));
	strbuf_put_u32(out, (uint32_t)f->events.n);
	strbuf_put_u32(out, (uint32_t)size);
	array_each(&f->events, event) {
		before = out->n;
		attr_write(&event->attr, out);
		strbuf_fill(out, 0, before + size - out->n);
		strbuf_put_u32(out, (uint32_t)event->ids.n);
		feature_put_text(out, event->name);
		array_each(&event->ids, id)
			strbuf_put_u64(out, *id);
	}
}

void feature_print_event_desc(const struct features *f, struct strbuf *out)
{
	array_each(&f->events, event) {
		strbuf_printf(out, "# event : name = %s, ", event->name);
		attr_print(&event->attr, out);
		strbuf_putc(out, '\n');
	}
}

bool feature_read_pmu_mappings(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	for (i = 0; i < n && b->ok; i++) {
		uint32_t type = bytes_u32(b);
		char *name = feature_take_text(b);

		if (name)
			*array_push(&f->pmus) =
				(struct feature_pmu){ type, name };
	}
	return b->ok;
}

void feature_write_pmu_mappings(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)f->pmus.n);
	array_each(&f->pmus, pmu) {
		strbuf_put_u32(out, pmu->type);
		feature_put_text(out, pmu->name);
	}
}

void feature_print_pmu_mappings(const struct features *f, struct strbuf *out)
{
	const char *separator = "";

	strbuf_puts(out, "# pmu mappings: ");
	array_each(&f->pmus, pmu) {
		strbuf_printf(
			out, "%s%s = %u", separator, pmu->name, pmu->type);
		separator = ", ";
	}
	strbuf_putc(out, '\n');
}

bool feature_read_group_desc(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	for (i = 0; i < n && b->ok; i++) {
		struct feature_group group = { .name = feature_take_text(b) };

		group.leader = bytes_u32(b);
		group.n = bytes_u32(b);
		if (b->ok)
			*array_push(&f->groups) = group;
		else
			free(group.name);
	}
	return b->ok;
}

void feature_write_group_desc(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)f->groups.n);
	array_each(&f->groups, group) {
		feature_put_text(out, group->name);
		strbuf_put_u32(out, group->leader);
		strbuf_put_u32(out, group->n);
	}
}

void feature_print_group_desc(const struct features *f, struct strbuf *out)
{
	array_each(&f->groups, group) {
		const char *separator = "";
		size_t i, end = (size_t)group->leader + group->n;

		/* perf writes this name for groups without a name. */
		bool is_named = !string_is(group->name, "{anon_group}");

		strbuf_printf(out, "# group: %s{", is_named ? group->name : "");
		for (i = group->leader; i < MIN(end, f->events.n); i++) {
			strbuf_printf(
				out, "%s%s", separator, f->events.at[i].name);
			separator = ",";
		}
		strbuf_puts(out, "}\n");
	}
}

bool feature_read_tracing_data(struct features *f, struct bytes *b)
{
	size_t size = bytes_left(b);

	free(f->tracing_data);
	f->tracing_data = xmemdup(bytes_take(b, size), size);
	f->tracing_data_size = size;
	return true;
}

void feature_write_tracing_data(const struct features *f, struct strbuf *out)
{
	strbuf_put(out, f->tracing_data, f->tracing_data_size);
}
