/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_scripts.h"

/* Limits of the kept scripts of a process. */
#define SCRIPTS_MAX 64u
#define NEWLINES_MAX (MIB(16) / sizeof(uint32_t))
/* Limit of the characters of a source. The lines of a larger source are unknown. */
#define SOURCE_MAX MIB(32)
/* Limit of attempts to read a source. */
#define FAILURES_MAX 8u
/* Number of bytes of a source that one read reads. */
#define SOURCE_PART KIB(256)

/* The words of a Script that identify it. */
struct script_words {
	uint64_t map, source, name;
};

struct v8_script {
	uint64_t address; /* 0: the element is empty */
	struct script_words words;
	bool is_checked; /* .words was compared with the heap since the last settle */
	uint64_t used; /* scripts->clock at the last use */
	struct strbuf name;
	bool has_lines;		  /* an attempt to read .newlines was made */
	unsigned n_failures;	  /* number of failed reads of .newlines */
	ARRAY(uint32_t) newlines; /* offsets of newlines, ascending */
};

struct v8_scripts {
	struct v8_script list[SCRIPTS_MAX];
	size_t n_newlines; /* of all scripts */
	uint64_t clock;	   /* number of uses */
};

struct v8_scripts *v8_scripts_create(void)
{
	return xcalloc(1, sizeof(struct v8_scripts));
}

static void forget_script(struct v8_scripts *scripts, struct v8_script *script)
{
	scripts->n_newlines -= script->newlines.n;
	strbuf_free(&script->name);
	array_free(&script->newlines);
	memset(script, 0, sizeof(*script));
}

void v8_scripts_destroy(struct v8_scripts *scripts)
{
	size_t i;

	if (!scripts)
		return;
	for (i = 0; i < SCRIPTS_MAX; i++)
		forget_script(scripts, &scripts->list[i]);
	free(scripts);
}

void v8_scripts_settle(struct v8_scripts *scripts)
{
	size_t i;

	for (i = 0; i < SCRIPTS_MAX; i++) {
		scripts->list[i].is_checked = false;
		/* Read a source again if the last read failed. */
		if (scripts->list[i].n_failures < FAILURES_MAX &&
			!scripts->list[i].newlines.n)
			scripts->list[i].has_lines = false;
	}
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void v8_put_script_name(struct strbuf *out, const char *name)
{
	if (!string_starts(name, "file:///")) {
		strbuf_puts(out, name);
		return;
	}
	for (name += strlen("file://"); *name; name++) {
		int high = name[0] == '%' ? hex_value(name[1]) : -1;
		int low = high >= 0 ? hex_value(name[2]) : -1;

		if (low >= 0 && high * 16 + low) {
			strbuf_putc(out, (char)(high * 16 + low));
			name += 2;
		} else {
			strbuf_putc(out, *name);
		}
	}
}

static bool read_script_words(
	struct v8_heap *heap, uint64_t address, struct script_words *ret)
{
	const struct v8_layout *layout = heap->layout;

	return address &&
		process_memory_u64(heap->memory, address, &ret->map) &&
		process_memory_u64(heap->memory,
			address + (uint64_t)layout->script_source,
			&ret->source) &&
		process_memory_u64(heap->memory,
			address + (uint64_t)layout->script_name, &ret->name) &&
		v8_heap_map_type(heap, ret->map) == layout->type_script;
}

/*
 * Reads the script at ADDRESS with WORDS into SCRIPT; if SCRIPT is NULL, into the
 * element that was not used for the longest time. Returns the element.
 */
static struct v8_script *read_script(struct v8_scripts *scripts,
	struct v8_heap *heap, struct v8_script *script, uint64_t address,
	const struct script_words *words)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	uint64_t name_at = v8_object(words->name);
	size_t least = 0, i;

	for (i = 1; i < SCRIPTS_MAX; i++)
		if (scripts->list[i].used < scripts->list[least].used)
			least = i;
	if (!script)
		script = &scripts->list[least];
	forget_script(scripts, script);
	script->address = address;
	script->words = *words;
	/* The name can also be undefined or another value. */
	if (v8_is_string(v8_heap_type(heap, name_at)) &&
		v8_heap_string(heap, name_at, &name))
		v8_put_script_name(&script->name, name.at);
	else
		strbuf_puts(&script->name, "");
	return script;
}

/*
 * Returns the script at ADDRESS, or NULL. The script was compared with the heap, or the
 * process has ended.
 */
static struct v8_script *get_script(
	struct v8_scripts *scripts, struct v8_heap *heap, uint64_t address)
{
	struct v8_script *script = NULL;
	struct script_words words;
	size_t i;

	for (i = 0; address && !script && i < SCRIPTS_MAX; i++)
		if (scripts->list[i].address == address)
			script = &scripts->list[i];
	if (!script || !script->is_checked) {
		if (!read_script_words(heap, address, &words))
			return process_memory_is_gone(heap->memory) ? script
								    : NULL;
		if (!script ||
			memcmp(&words, &script->words, sizeof(words)) != 0)
			script = read_script(
				scripts, heap, script, address, &words);
		script->is_checked = true;
	}
	script->used = ++scripts->clock;
	return script;
}

const char *v8_scripts_name(
	struct v8_scripts *scripts, struct v8_heap *heap, uint64_t address)
{
	const struct v8_script *script = get_script(scripts, heap, address);

	return script && script->name.at ? script->name.at : "";
}

/* --- lines ------------------------------------------------------------------ */

static void add_newline(
	struct v8_scripts *scripts, struct v8_script *script, uint32_t at)
{
	*array_push(&script->newlines) = at;
	scripts->n_newlines++;
}

/* Adds the newlines of the N characters of TEXT, whose offset in the source is AT. */
static void find_newlines(struct v8_scripts *scripts, struct v8_script *script,
	const uint8_t *text, uint32_t n, bool is_two_byte, uint32_t at)
{
	const uint8_t *found = text;
	uint32_t i;

	if (!is_two_byte) {
		while ((found = memchr(
				found, '\n', (size_t)(text + n - found)))) {
			add_newline(
				scripts, script, at + (uint32_t)(found - text));
			found++;
		}
		return;
	}
	for (i = 0; i < n; i++)
		if (text[2 * i] == '\n' && !text[2 * i + 1])
			add_newline(scripts, script, at + i);
}

static bool read_newlines(struct v8_scripts *scripts, struct v8_heap *heap,
	struct v8_script *script)
{
	_cleanup_free_ uint8_t *text = xmalloc(SOURCE_PART);
	struct v8_flat_string source;
	uint32_t at = 0, n, width;

	if (!v8_heap_flat_string(
		    heap, v8_object(script->words.source), &source) ||
		source.n > SOURCE_MAX)
		return false;
	width = source.is_two_byte ? 2 : 1;
	for (; at < source.n; at += n) {
		n = MIN(source.n - at, (uint32_t)SOURCE_PART / width);
		if (!process_memory_read(heap->memory,
			    source.start + (uint64_t)at * width, text,
			    (size_t)n * width))
			return false;
		/* Forget other scripts if there are too many newlines. */
		size_t i;
		for (i = 0;
			i < SCRIPTS_MAX && scripts->n_newlines >= NEWLINES_MAX;
			i++)
			if (&scripts->list[i] != script)
				forget_script(scripts, &scripts->list[i]);
		if (scripts->n_newlines >= NEWLINES_MAX)
			return false;
		find_newlines(scripts, script, text, n, source.is_two_byte, at);
	}
	return true;
}

uint32_t v8_scripts_line(struct v8_scripts *scripts, struct v8_heap *heap,
	uint64_t address, uint32_t offset)
{
	struct v8_script *script = get_script(scripts, heap, address);

	if (!script)
		return 0;
	if (!script->has_lines) {
		if (!read_newlines(scripts, heap, script)) {
			scripts->n_newlines -= script->newlines.n;
			array_free(&script->newlines);
			script->n_failures++;
		} else {
			/* Add the end of the source, so that .newlines is not empty. */
			add_newline(scripts, script, UINT32_MAX);
		}
		script->has_lines = true;
	}
	if (!script->newlines.n)
		return 0;
	return 1 +
		(uint32_t)array_count_before(
			&script->newlines, newline, *newline < offset);
}
