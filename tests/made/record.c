/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statement "record": a record, from the names of its type and of its fields.
 */
#include "config.h"

#include "tests/made/made.h"

#define MISC_BUILD_ID 0x4000u
#define TYPE_SAMPLE 9u
#define TYPE_USER_FIRST 64u
#define MADE_RECORDS_MAX 1000000u

/*
 * Fields are NAME:HOW, where HOW is
 *
 *	1 2 4 8	an integer of that many bytes
 *	s	a text, padded with NULs to a multiple of 8
 *	S16	a text in 16 bytes
 *	b	bytes
 *	w	u64s
 *	l2	the number of entries (u64), then entries of 2 u64s
 *	m	build_id= of MMAP2, or else maj= min= ino= gen=
 *	x	bytes behind the record that its size does not include
 */
static const struct kind {
	const char *name;
	uint32_t type;
	const char *fields;
} kinds[] = {
	{ "MMAP", 1, "pid:4 tid:4 addr:8 len:8 pgoff:8 filename:s" },
	{ "LOST", 2, "lost_id:8 lost:8" },
	{ "COMM", 3, "pid:4 tid:4 comm:s" },
	{ "EXIT", 4, "pid:4 ppid:4 tid:4 ptid:4 time:8" },
	{ "THROTTLE", 5, "time:8 id:8 stream_id:8" },
	{ "UNTHROTTLE", 6, "time:8 id:8 stream_id:8" },
	{ "FORK", 7, "pid:4 ppid:4 tid:4 ptid:4 time:8" },
	{ "READ", 8, "pid:4 tid:4 read:w" },
	{ "SAMPLE", TYPE_SAMPLE, "" },
	{ "MMAP2", 10,
		"pid:4 tid:4 addr:8 len:8 pgoff:8 place:m prot:4 flags:4 "
		"filename:s" },
	{ "AUX", 11, "aux_offset:8 aux_size:8 flags:8" },
	{ "ITRACE_START", 12, "pid:4 tid:4" },
	{ "LOST_SAMPLES", 13, "lost:8" },
	{ "SWITCH", 14, "" },
	{ "SWITCH_CPU_WIDE", 15, "next_prev_pid:4 next_prev_tid:4" },
	{ "NAMESPACES", 16, "pid:4 tid:4 namespaces:l2" },
	{ "KSYMBOL", 17, "addr:8 len:4 ksym_type:2 flags:2 name:s" },
	{ "BPF_EVENT", 18, "bpf_type:2 flags:2 prog_id:4 tag:b" },
	{ "CGROUP", 19, "cgroup:8 path:s" },
	{ "TEXT_POKE", 20, "addr:8 old_len:2 new_len:2 code:b" },
	{ "AUX_OUTPUT_HW_ID", 21, "hw_id:8" },
	{ "CALLCHAIN_DEFERRED", 22, "cookie:8 chain:l1" },
	{ "EVENT_TYPE", 65, "event_id:8 name:S64" },
	{ "TRACING_DATA", 66, "payload_size:4 pad:4 payload:x" },
	{ "BUILD_ID", 67, "pid:4 build_id:b pad:4 filename:s" },
	{ "FINISHED_ROUND", 68, "" },
	{ "ID_INDEX", 69, "entries:l4 more:w" },
	{ "AUXTRACE_INFO", 70, "aux_type:4 pad:4 priv:w" },
	{ "AUXTRACE", 71,
		"payload_size:8 offset:8 reference:8 idx:4 tid:4 cpu:4 pad:4 "
		"payload:x" },
	{ "AUXTRACE_ERROR", 72,
		"aux_type:4 code:4 cpu:4 pid:4 tid:4 fmt:4 ip:8 time:8 "
		"msg:S64" },
	{ "THREAD_MAP", 73, "nr:8 entry_pid:8 comm:S16" },
	{ "CPU_MAP", 74, "cpu_map_type:2 cpus:b" },
	{ "STAT_CONFIG", 75, "entries:l2" },
	{ "STAT", 76, "id:8 cpu:4 thread:4 val:8 ena:8 run:8" },
	{ "STAT_ROUND", 77, "round_type:8 time:8" },
	{ "EVENT_UPDATE", 78, "kind:8 event_id:8 text:s" },
	{ "TIME_CONV", 79, "shift:8 mult:8 zero:8 more:w" },
	{ "FINISHED_INIT", 82, "" },
};

static const struct word_bit miscs[] = {
	{ "kernel", 1 },
	{ "user", 2 },
	{ "hypervisor", 3 },
	{ "guest_kernel", 4 },
	{ "guest_user", 5 },
	{ "mmap_data", 0x2000 },
	{ "exec", 0x2000 },
	{ "switch_out", 0x2000 },
	{ "exact_ip", 0x4000 },
	{ "preempt", 0x4000 },
	{ "build_id", 0x4000 },
	{ "build_id_size", 0x8000 },
	{ NULL },
};

static const struct word_bit chain_markers[] = {
	{ "kernel", (uint64_t)-128 },
	{ "user", (uint64_t)-512 },
	{ NULL },
};

static void put_text(struct strbuf *out, const char *text, size_t room)
{
	size_t length = strlen(text);

	if (!room)
		room = ALIGN_UP(length + 1, 8);
	length = MIN(length, room);
	strbuf_put(out, text, length);
	strbuf_fill(out, 0, room - length);
}

static void put_list(struct made *made, struct words *words, const char *text,
	size_t each, struct strbuf *out)
{
	struct word_numbers numbers = { 0 };

	words_numbers(words, text, chain_markers, &numbers);
	if (each)
		made_put(made, out, 8,
			words_number(words, "nr", numbers.list.n / each));
	array_each(&numbers.list, value)
		made_put(made, out, 8, *value);
	array_free(&numbers.list);
}

static void put_place(
	struct made *made, struct words *words, struct strbuf *out)
{
	const char *build_id = words_text(words, "build_id");
	_cleanup_strbuf_ struct strbuf bytes = { 0 };

	if (!build_id) {
		made_put(made, out, 4, words_number(words, "maj", 0));
		made_put(made, out, 4, words_number(words, "min", 0));
		made_put(made, out, 8, words_number(words, "ino", 0));
		made_put(made, out, 8, words_number(words, "gen", 0));
		return;
	}
	words_bytes(words, build_id, &bytes);
	strbuf_put_u8(out, (uint8_t)bytes.n);
	strbuf_fill(out, 0, 3);
	strbuf_fill(&bytes, 0, 20 - MIN(bytes.n, (size_t)20));
	strbuf_put(out, bytes.at, 20);
}

/* A record's bytes that its size includes, and the bytes behind them. */
struct bodies {
	struct strbuf body, behind;
};

static void put_field(struct made *made, struct words *words, const char *name,
	const char *how, struct bodies *to)
{
	const char *text = words_text(words, name);
	const char *given = text ? text : "";
	size_t number = strtoul(how[1] ? how + 1 : how, NULL, 10);

	switch (*how) {
	case 's': put_text(&to->body, given, 0); break;
	case 'S': put_text(&to->body, given, number); break;
	case 'b': words_bytes(words, given, &to->body); break;
	case 'w': put_list(made, words, given, 0, &to->body); break;
	case 'l': put_list(made, words, given, number, &to->body); break;
	case 'm': put_place(made, words, &to->body); break;
	case 'x': words_bytes(words, given, &to->behind); break;
	default:
		made_put(made, &to->body, number, words_number(words, name, 0));
	}
}

static void put_fields(struct made *made, struct words *words,
	const char *fields, struct bodies *to)
{
	while (*fields) {
		size_t length = strcspn(fields, " ");
		_cleanup_free_ char *field = xstrndup(fields, length);
		char *colon = strchr(field, ':');

		*colon = '\0';
		put_field(made, words, field, colon + 1, to);
		fields += length + (fields[length] == ' ');
	}
}

static const struct kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (string_is(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static const struct made_event *event_of(struct made *made, struct words *words)
{
	static const struct made_event none;
	uint64_t i = words_number(words, "event", 0);

	if (i < made->events.n)
		return &made->events.at[i];
	if (i)
		words_fail(words, "there is no such event");
	return &none;
}

void made_put_record(struct made *made, struct strbuf *out, uint32_t type,
	uint16_t misc, const struct strbuf *body)
{
	made_put(made, out, 4, type);
	made_put(made, out, 2, misc);
	made_put(made, out, 2, body->n + 8);
	strbuf_put(out, body->at, body->n);
}

/* Appends words= and bytes=, which any record may have. */
static void put_unnamed(
	struct made *made, struct words *words, struct bodies *to)
{
	put_fields(made, words, "words:w bytes:b", to);
}

static void put_record(struct made *made, struct words *words, uint32_t type,
	const char *fields)
{
	const struct made_event *event = event_of(made, words);
	uint16_t misc = (uint16_t)words_bits(words, "misc", miscs, 2);
	struct bodies to = { 0 };
	size_t at;

	if (type == TYPE_SAMPLE)
		made_sample(made, event, words, &to.body);
	else
		put_fields(made, words, fields, &to);
	put_unnamed(made, words, &to);
	if (type != TYPE_SAMPLE && type < TYPE_USER_FIRST)
		made_trailer(made, event, words, &to.body);
	if (type == 10 && words_has(words, "build_id"))
		misc |= MISC_BUILD_ID;
	at = made_data(made)->n;
	made_put_record(made, made_data(made), type, misc, &to.body);
	if (words_has(words, "record_size")) {
		struct strbuf size = { 0 };

		made_put(made, &size, 2, words_number(words, "record_size", 0));
		memcpy(made_data(made)->at + at + 6, size.at, 2);
		strbuf_free(&size);
	}
	strbuf_put(made_data(made), to.behind.at, to.behind.n);
	strbuf_free(&to.body);
	strbuf_free(&to.behind);
}

void made_record(struct made *made, struct words *words)
{
	const char *name =
		words->list.n > 1 ? words->list.at[1].name : "nothing";
	const struct kind *kind = find_kind(name);
	uint64_t times = words_number(words, "times", 1);
	uint32_t type;

	if (words->list.n > 1)
		words->list.at[1].is_used = true;
	type = kind ? kind->type : (uint32_t)words_constant(words, name, NULL);
	for (times = MIN(times, (uint64_t)MADE_RECORDS_MAX); times; times--)
		put_record(made, words, type, kind ? kind->fields : "");
}
