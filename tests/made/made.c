/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/made/made.h"

#define HEADER_SIZE 104u
#define PIPE_HEADER_SIZE 16u
#define BITS 256u
#define PIECE 65519u

void made_put(const struct made *made, struct strbuf *out, size_t width,
	uint64_t value)
{
	size_t i;

	for (i = 0; i < width; i++) {
		size_t place = made->is_big ? width - 1 - i : i;

		strbuf_put_u8(out, (uint8_t)(value >> 8 * place));
	}
}

struct strbuf *made_data(struct made *made)
{
	return made->compressed ? &made->raw : &made->data;
}

/* --- compressed records --------------------------------------------------- */

static void put_piece(
	struct made *made, const char *data, size_t size, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf body = { 0 };

	if (made->compressed == 83)
		made_put(made, &body, 8, size);
	strbuf_put(&body, data, size);
	if (made->compressed == 83)
		strbuf_align(&body, 8);
	made_put_record(made, out, made->compressed, 0, &body);
}

/* Compresses made->raw into the zstd stream that all records continue. */
static void flush(struct made *made)
{
	size_t room = ZSTD_compressBound(made->raw.n) + 64, at, size;
	_cleanup_free_ char *bytes = xmalloc(room);
	ZSTD_inBuffer input = { made->raw.at, made->raw.n, 0 };
	ZSTD_outBuffer output = { bytes, room, 0 };

	if (!made->compressed)
		return;
	if (!made->zstd) {
		made->zstd = ZSTD_createCStream();
		ZSTD_initCStream(made->zstd, 1);
		ZSTD_CCtx_setParameter(
			made->zstd, ZSTD_c_windowLog, made->window_log);
	}
	while (input.pos < input.size)
		ZSTD_compressStream(made->zstd, &output, &input);
	ZSTD_flushStream(made->zstd, &output);
	for (at = 0; at < output.pos; at += size) {
		size = MIN((size_t)made->piece, output.pos - at);
		put_piece(made, bytes + at, size, &made->data);
	}
	strbuf_clear(&made->raw);
}

/*
 * Statement "compressed TYPE [piece=BYTES] [window_log=BITS]": compresses the
 * records from here on.
 */
static void compress(struct made *made, struct words *words)
{
	const char *type = words->list.n > 1 ? words->list.at[1].name : "81";

	flush(made);
	if (words->list.n > 1)
		words->list.at[1].is_used = true;
	made->compressed = (uint32_t)words_constant(words, type, NULL);
	made->piece = words_number(words, "piece", PIECE);
	made->window_log = (int)words_number(words, "window_log", 0);
	if (!made->piece)
		words_fail(words, "piece= must not be 0");
}

static void end_compression(struct made *made, struct words *words _unused_)
{
	flush(made);
	made->compressed = 0;
}

/* --- statements ----------------------------------------------------------- */

static void begin_file(struct made *made, struct words *words)
{
	const char *magic = words_text(words, "magic");
	static const char *const lies[] = { "header_size", "attr_size",
		"attrs_offset", "attrs_size", "data_offset", "data_size",
		"types_offset", "types_size", "ids_offset", "ids_size" };
	size_t i;

	made->is_big |= words_has(words, "big");
	made->is_pipe = words_has(words, "pipe");
	made->cut = words_number(words, "cut", 0);
	free(made->magic);
	made->magic = xstrdup(magic ? magic : "PERFILE2");
	for (i = 0; i < ARRAY_SIZE(lies); i++)
		if (words_has(words, lies[i]))
			*array_push(&made->lies) =
				(struct made_lie){ xstrdup(lies[i]),
					words_number(words, lies[i], 0) };
}

static void put_bytes(struct made *made, struct words *words)
{
	size_t i;

	for (i = 1; i < words->list.n; i++) {
		words->list.at[i].is_used = true;
		words_bytes(words, words->list.at[i].name, made_data(made));
	}
}

static void end_part(struct made *made)
{
	flush(made);
	made->compressed = 0;
	ZSTD_freeCStream(made->zstd);
	made->zstd = NULL;
	if (made->is_in_part)
		*array_push(&made->parts) = made->data;
	else
		made->main_data = made->data;
	made->data = (struct strbuf){ 0 };
}

/*
 * Statement "part": writes the next records to the next of data.0, data.1, ...
 */
static void begin_part(struct made *made, struct words *words _unused_)
{
	end_part(made);
	made->is_in_part = true;
}

static const struct statement {
	const char *verb;
	void (*run)(struct made *, struct words *);
} statements[] = {
	{ "file", begin_file },
	{ "event", made_event },
	{ "feature", made_feature },
	{ "record", made_record },
	{ "bytes", put_bytes },
	{ "compressed", compress },
	{ "plain", end_compression },
	{ "part", begin_part },
};

static void run(struct made *made, struct words *words)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(statements); i++) {
		if (!string_is(statements[i].verb, words_verb(words)))
			continue;
		statements[i].run(made, words);
		return;
	}
	words_fail(words, "there is no such statement");
}

struct error *made_read(const char *text, bool is_big, struct made *ret)
{
	struct error *err = NULL;
	struct words words;
	size_t line = 0;

	*ret = (struct made){ .is_big = is_big, .magic = xstrdup("PERFILE2") };
	while (!err && words_read(&text, &line, &words)) {
		run(ret, &words);
		err = words_check(&words);
		words_deinit(&words);
	}
	end_part(ret);
	return err;
}

void made_deinit(struct made *made)
{
	array_each(&made->events, event)
		made_event_deinit(event);
	array_free(&made->events);
	array_each(&made->features, feature)
		strbuf_free(&feature->body);
	array_free(&made->features);
	array_each(&made->lies, lie)
		free(lie->name);
	array_free(&made->lies);
	array_each(&made->parts, part)
		strbuf_free(part);
	array_free(&made->parts);
	strbuf_free(&made->data);
	strbuf_free(&made->main_data);
	strbuf_free(&made->raw);
	ZSTD_freeCStream(made->zstd);
	free(made->magic);
}

/* --- file ----------------------------------------------------------------- */

/* Appends a number of the header: the value in the text, or else TRUTH. */
static void put_fact(
	struct made *made, struct strbuf *out, const char *name, uint64_t truth)
{
	array_each(&made->lies, lie)
		if (string_is(lie->name, name))
			truth = lie->value;
	made_put(made, out, 8, truth);
}

static uint64_t ids_size(const struct made *made)
{
	uint64_t size = 0;

	array_each(&made->events, event)
		size += 8 * event->ids.list.n;
	return size;
}

static void put_header(struct made *made, struct strbuf *out)
{
	size_t entry = made->events.n ? made->events.at[0].attr_size + 16 : 80;
	uint64_t attrs = HEADER_SIZE + ids_size(made);
	uint64_t data = attrs + entry * made->events.n;
	uint64_t bits[BITS / 64] = { 0 };
	size_t i;

	array_each(&made->features, feature)
		bits[feature->bit / 64] |= UINT64_C(1) << feature->bit % 64;
	put_fact(made, out, "header_size", HEADER_SIZE);
	put_fact(made, out, "attr_size", entry);
	put_fact(made, out, "attrs_offset", attrs);
	put_fact(made, out, "attrs_size", entry * made->events.n);
	put_fact(made, out, "data_offset", data);
	put_fact(made, out, "data_size", made->main_data.n);
	put_fact(made, out, "types_offset", 0);
	put_fact(made, out, "types_size", 0);
	for (i = 0; i < ARRAY_SIZE(bits); i++)
		made_put(made, out, 8, bits[i]);
}

static void put_events(struct made *made, struct strbuf *out)
{
	uint64_t ids = HEADER_SIZE;

	array_each(&made->events, event)
		array_each(&event->ids.list, id)
			made_put(made, out, 8, *id);
	array_each(&made->events, event) {
		strbuf_put(out, event->attr, event->attr_size);
		put_fact(made, out, "ids_offset", ids);
		put_fact(made, out, "ids_size", 8 * event->ids.list.n);
		ids += 8 * event->ids.list.n;
	}
}

static int compare_features(const void *a, const void *b)
{
	const struct made_feature *left = a, *right = b;

	return COMPARE(left->bit, right->bit);
}

static void put_features(struct made *made, struct strbuf *out)
{
	uint64_t at = out->n + 16 * made->features.n;

	array_sort(&made->features, compare_features);
	array_each(&made->features, feature) {
		made_put(made, out, 8,
			feature->is_misplaced ? feature->offset : at);
		made_put(made, out, 8,
			feature->is_misplaced ? feature->size
					      : feature->body.n);
		at += feature->body.n;
	}
	array_each(&made->features, feature)
		strbuf_put(out, feature->body.at, feature->body.n);
}

/*
 * The magic is a number in the byte order; in the first version it is a text.
 */
static void put_magic(struct made *made, struct strbuf *out)
{
	bool is_reversed = made->is_big && !string_is(made->magic, "PERFFILE");
	size_t i, n = strlen(made->magic);

	for (i = 0; i < n; i++)
		strbuf_putc(out, made->magic[is_reversed ? n - 1 - i : i]);
}

void made_write(struct made *made, struct strbuf *out)
{
	const struct strbuf *data = &made->main_data;

	put_magic(made, out);
	if (made->is_pipe) {
		put_fact(made, out, "header_size", PIPE_HEADER_SIZE);
		strbuf_put(out, data->at, data->n);
	} else {
		put_header(made, out);
		put_events(made, out);
		strbuf_put(out, data->at, data->n);
		put_features(made, out);
	}
	out->n -= MIN(out->n, (size_t)made->cut);
}

struct error *made_file(const char *text, bool is_big, struct strbuf *out)
{
	struct made made;
	struct error *err = made_read(text, is_big, &made);

	if (!err)
		made_write(&made, out);
	made_deinit(&made);
	return err;
}
