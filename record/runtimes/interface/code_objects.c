/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/interface/code_objects.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"

/* Limits of the code objects of a process, and of all their line tables. */
#define OBJECTS_MAX 65536u
#define ALL_LINES_MAX MIB(8)
/* Places that are remembered: a power of two. */
#define PLACES 4096u
/* Functions of which copies are known: a power of two. */
#define COPIES 256u

/* The name of a function if its code object was freed before it was read. */
#define NAME_UNKNOWN "(unknown function)"

/* Pointers in the list can have tags in their lowest bits. */
#define WITHOUT_TAG(pointer) ((pointer) & ~UINT64_C(7))

#define COOKIE_BITS ((UINT64_C(1) << CHAIN_MARK_SHIFT) - 1)

struct known_object {
	struct code_object object;
	uint64_t cookie;
	bool is_valid;
	uint32_t function; /* number for runtime_function_address() */
};

/* A place in a code object, and the address that stands for it. */
struct known_place {
	uint64_t code, cookie, where;
	uint64_t address; /* 0: the entry is not used */
};

struct code_objects {
	struct code_language language;
	struct chain_runtime list;
	ARRAY(struct known_object) known;
	struct hash_index by_address;
	size_t n_lines; /* bytes of all line tables */
	struct known_place places[PLACES];
	/* Of language.has_copies, by the lowest bits of the cookie: the last object */
	struct known_copy {
		uint64_t cookie;
		uint32_t function, first_line;
	} copies[COPIES];
};

struct code_objects *code_objects_create(
	const struct code_language *language, const struct chain_runtime *list)
{
	struct code_objects *objects = xcalloc(1, sizeof(*objects));

	objects->language = *language;
	objects->list = *list;
	return objects;
}

static void forget_objects(struct code_objects *objects)
{
	array_each(&objects->known, known)
		free(known->object.lines);
	array_clear(&objects->known);
	hash_free(&objects->by_address);
	objects->n_lines = 0;
}

void code_objects_destroy(struct code_objects *objects)
{
	if (!objects)
		return;
	forget_objects(objects);
	array_free(&objects->known);
	free(objects);
}

/* Returns the cookie of the object at ADDRESS; that of 0 if it cannot be read. */
static uint64_t read_cookie(const struct chain_runtime *list,
	struct process_memory *memory, uint64_t address)
{
	unsigned long long words[4];

	if (!process_memory_read(memory, address + list->cookie, words,
		    2 * sizeof(*words)) ||
		!process_memory_read(memory, address + list->cookie_third,
			&words[2], sizeof(*words)) ||
		!process_memory_read(memory, address + list->cookie_fourth,
			&words[3], sizeof(*words)))
		memset(words, 0, sizeof(words));
	return chain_cookie(words);
}

static bool read_object(struct code_objects *objects,
	struct process_memory *memory, struct runtime_functions *functions,
	struct known_object *known)
{
	const struct code_language *language = &objects->language;
	_cleanup_strbuf_ struct strbuf name = { 0 }, file = { 0 };

	if (read_cookie(&objects->list, memory, known->object.address) !=
			known->cookie ||
		!language->read(
			language->data, memory, &known->object, &name, &file) ||
		!name.n)
		return false;
	strbuf_putc(&name, '\0');
	strbuf_putc(&file, '\0');
	known->function = runtime_functions_add(functions,
		&(struct runtime_function){
			.runtime = language->runtime,
			.name = name.at,
			.file = file.at,
			.first_line = known->object.first_line,
		});
	return true;
}

/*
 * Reads the object again after it was not plausible: kept pages can be older
 * than the sample.
 */
static bool read_object_or_refresh(struct code_objects *objects,
	struct process_memory *memory, struct runtime_functions *functions,
	struct known_object *known)
{
	const struct code_object object = { .address = known->object.address };

	if (read_object(objects, memory, functions, known))
		return true;
	free(known->object.lines);
	known->object = object;
	process_memory_forget(memory);
	if (read_object(objects, memory, functions, known))
		return true;
	free(known->object.lines);
	known->object = object;
	return false;
}

static const struct known_object *find_object(struct code_objects *objects,
	struct process_memory *memory, struct runtime_functions *functions,
	const struct chain_linked *frame)
{
	struct known_object new = {
		.object.address = frame->code,
		.cookie = frame->cookie & COOKIE_BITS,
	};
	uint64_t hash = hash_words(frame->code, new.cookie);

	hash_each_match(&objects->by_address, hash, i) {
		struct known_object *known = &objects->known.at[i];

		if (known->object.address == frame->code &&
			known->cookie == new.cookie)
			return known;
	}
	if (objects->known.n == OBJECTS_MAX || objects->n_lines > ALL_LINES_MAX)
		forget_objects(objects);
	new.is_valid = frame->code && !(frame->code & 7) &&
		read_object_or_refresh(objects, memory, functions, &new);
	if (objects->language.has_copies) {
		/*
		 * If the object could not be read, names it by another copy of
		 * the function; else, stores it for other copies.
		 */
		struct known_copy *copy = &objects->copies[new.cookie % COPIES];
		if (new.is_valid) {
			*copy = (struct known_copy){ new.cookie, new.function,
				new.object.first_line };
		} else if (copy->cookie == new.cookie && copy->cookie) {
			new.is_valid = true;
			new.function = copy->function;
			new.object.first_line = copy->first_line;
		}
	}
	objects->n_lines += new.object.n_lines;
	hash_insert(&objects->by_address, hash, (uint32_t)objects->known.n);
	return memcpy(array_push(&objects->known), &new, sizeof(new));
}

bool code_objects_name(struct code_objects *objects,
	struct process_memory *memory, struct runtime_functions *functions,
	const struct chain_linked *frame, uint64_t *ret)
{
	const struct code_language *language = &objects->language;
	uint64_t cookie = frame->cookie & COOKIE_BITS;
	struct known_place *place =
		&objects->places[hash_words(
					 frame->code, frame->where ^ cookie) %
			PLACES];
	const struct known_object *known;
	uint32_t line;

	if (place->address && place->code == frame->code &&
		place->cookie == cookie && place->where == frame->where) {
		*ret = place->address;
		return true;
	}
	known = find_object(objects, memory, functions, frame);
	if (!known->is_valid) {
		const struct runtime_function unknown = {
			.runtime = language->runtime,
			.name = NAME_UNKNOWN,
			.file = "",
		};
		*ret = runtime_function_address(functions, language->runtime,
			runtime_functions_add(functions, &unknown), 0);
		return false;
	}
	line = language->line(
		language->data, memory, &known->object, frame->where);
	*ret = runtime_function_address(
		functions, language->runtime, known->function, line);
	if (line)
		*place = (struct known_place){ frame->code, cookie,
			frame->where, *ret };
	return true;
}

bool code_objects_read_text(struct process_memory *memory, uint64_t address,
	uint64_t n, struct strbuf *out)
{
	char bytes[CODE_TEXT_MAX];
	size_t i;

	if (!n || n > sizeof(bytes) ||
		!process_memory_read(memory, address, bytes, n))
		return false;
	/* A NUL would end the text. */
	for (i = 0; i < n; i++)
		strbuf_putc(out, bytes[i] ? bytes[i] : '?');
	return true;
}

void code_objects_add_place(
	struct strbuf *name, const struct strbuf *file, uint32_t line)
{
	const char *base = file->at, *end = file->at + file->n, *at;

	if (!file->n)
		return;
	for (at = file->at; at < end; at++)
		if (*at == '/' && at + 1 < end)
			base = at + 1;
	strbuf_printf(name, " (%.*s", (int)(end - base), base);
	if (line)
		strbuf_printf(name, ":%" PRIu32, line);
	strbuf_putc(name, ')');
}

size_t code_objects_read_list(const struct chain_runtime *list,
	struct process_memory *memory, uint64_t first, struct chain_linked *ret,
	size_t room)
{
	uint64_t frame, next, code;
	size_t n;
	uint8_t mark;

	if (!process_memory_u64(memory, first, &frame))
		return 0;
	for (n = 0; WITHOUT_TAG(frame) && n < room; n++, frame = next) {
		frame = WITHOUT_TAG(frame);
		ret[n] = (struct chain_linked){ 0 };
		if (!process_memory_u64(memory, frame + list->link, &next) ||
			!process_memory_u64(
				memory, frame + list->code, &code) ||
			!process_memory_read(memory, frame + list->where,
				&ret[n].where, list->where_size) ||
			!process_memory_u8(memory, frame + list->mark, &mark))
			break;
		ret[n].code = WITHOUT_TAG(code);
		ret[n].cookie = read_cookie(list, memory, ret[n].code) |
			(uint64_t)mark << CHAIN_MARK_SHIFT;
	}
	return n;
}
