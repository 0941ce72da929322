/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads Java methods: their names, source files and lines. */
#include "config.h"

#include <stdlib.h>

#include "common/util/alloc.h"
#include "record/runtimes/hotspot/hotspot_private.h"

/* Limit of kept methods. When it is reached, all methods are forgotten. */
#define METHODS_MAX 65536u
/* Limit of compressed line numbers that are read, in bytes. */
#define LINES_SIZE_MAX 4096u
/* HotSpot permits 65,535 bytes. Real names are far shorter. */
#define SYMBOL_SIZE_MAX 1024u
/* Limit of methods of a class (JVM specification, 4.11). */
#define CLASS_METHODS_MAX 65535u

/* --- numbers and lines ------------------------------------------------------- */

/* At most 4 bytes follow a byte of at least this value (unsigned5.hpp). */
#define UNSIGNED5_HIGH 192u
#define UNSIGNED5_BITS 6u

bool hotspot_unsigned5(const uint8_t *bytes, size_t size, bool excludes_zero,
	size_t *at, uint32_t *ret)
{
	unsigned i;

	*ret = 0;
	for (i = 0; i < 5; i++) {
		uint32_t byte;

		if (*at >= size)
			return false;
		byte = bytes[(*at)++];
		if (excludes_zero && !byte)
			return false;
		*ret += (byte - excludes_zero) << (i * UNSIGNED5_BITS);
		if (byte < UNSIGNED5_HIGH)
			return true;
	}
	return true;
}

/*
 * Reads the next pair of differences at *AT, and adds it to *BCI and *LINE. A pair is
 * one byte (5 bits of the bytecode index, 3 bits of the line), or 255 and two signed
 * numbers. Returns false at the end of the list, which is a byte 0
 * (compressedStream.hpp).
 */
static bool next_line_pair(const uint8_t *bytes, size_t size,
	bool excludes_zero, size_t *at, uint32_t *bci, uint32_t *line)
{
	uint32_t values[2];

	if (*at >= size || !bytes[*at])
		return false;
	if (bytes[*at] != 255) {
		*bci += bytes[*at] >> 3;
		*line += bytes[(*at)++] & 7;
		return true;
	}
	++*at;
	if (!hotspot_unsigned5(bytes, size, excludes_zero, at, &values[0]) ||
		!hotspot_unsigned5(bytes, size, excludes_zero, at, &values[1]))
		return false;
	/* Differences can be negative. The unsigned sums wrap around. */
	*bci += values[0] >> 1 ^ -(values[0] & 1);
	*line += values[1] >> 1 ^ -(values[1] & 1);
	return true;
}

uint32_t hotspot_line(const struct hotspot_method *method, uint32_t bci)
{
	uint32_t at_bci = 0, line = 0, found = 0;
	size_t at = 0;

	while (next_line_pair(method->lines, method->lines_size,
		method->excludes_zero, &at, &at_bci, &line)) {
		if (at_bci > bci)
			break;
		found = line;
	}
	return found <= INT32_MAX ? found : 0;
}

/* Returns the lowest line of METHOD, or 0 if its lines are unknown. */
static uint32_t first_line_of(const struct hotspot_method *method)
{
	uint32_t bci = 0, line = 0, first = INT32_MAX;
	size_t at = 0;

	while (next_line_pair(method->lines, method->lines_size,
		method->excludes_zero, &at, &bci, &line))
		if (line)
			first = MIN(first, line);
	return first == INT32_MAX ? 0 : first;
}

/* --- names -------------------------------------------------------------------- */

/* Reads the text, in modified UTF-8, of the Symbol at ADDRESS. */
static bool read_java_symbol(const struct hotspot_view *view, uint64_t address,
	char text[SYMBOL_SIZE_MAX])
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	uint16_t size;

	if (!address ||
		!process_memory_u16(
			view->memory, address + layout->symbol_length, &size) ||
		!size || size >= SYMBOL_SIZE_MAX ||
		!process_memory_read(view->memory,
			address + layout->symbol_body, text, size))
		return false;
	text[size] = '\0';
	return strlen(text) == size;
}

/* Reads the text of the Symbol at INDEX of the constant pool POOL. */
static bool read_pool_symbol(const struct hotspot_view *view, uint64_t pool,
	uint32_t index, char text[SYMBOL_SIZE_MAX])
{
	uint64_t address;

	return process_memory_u64(view->memory,
		       pool + view->hotspot->layout.size_constant_pool +
			       8 * (uint64_t)index,
		       &address) &&
		read_java_symbol(view, address, text);
}

/*
 * Replaces '/' in NAME, the internal form of a class name (JVM specification, 4.2.1),
 * by '.'. The name of a hidden class ends with an address, which differs between runs:
 * "A$$Lambda$14+0x0000000800c03000" or "A$$Lambda$14/0x0000000800c03000". The function
 * removes the address.
 */
static void make_class_name(char *name)
{
	char *address = strstr(name, "0x");

	if (address && address > name &&
		(address[-1] == '+' || address[-1] == '/'))
		address[-1] = '\0';
	for (; *name; name++)
		if (*name == '/')
			*name = '.';
}

static bool name_java_method(
	const struct hotspot_view *view, struct hotspot_method *method)
{
	_cleanup_strbuf_ struct strbuf path = { 0 }, name = { 0 };
	char class_name[SYMBOL_SIZE_MAX], text[SYMBOL_SIZE_MAX];
	uint16_t file;

	if (!read_java_symbol(view, method->klass_name, class_name))
		return false;
	const struct hotspot_layout *layout = &view->hotspot->layout;
	file = 0;
	/*
	 * The index of the source file is in the class in JDK 8 and 11, and in
	 * the constant pool since JDK 17 (vmStructs.cpp).
	 */
	if (hotspot_has_field(layout->pool_source_file))
		process_memory_u16(view->memory,
			method->constants + layout->pool_source_file, &file);
	else if (hotspot_has_field(layout->klass_source_file))
		process_memory_u16(view->memory,
			method->klass + layout->klass_source_file, &file);
	if (file && read_pool_symbol(view, method->constants, file, text)) {
		/* The package is the folder of the source file. */
		const char *end = strrchr(class_name, '/');
		if (end)
			strbuf_put(&path, class_name,
				(size_t)(end - class_name) + 1);
		strbuf_puts(&path, text);
	}
	if (!read_pool_symbol(
		    view, method->constants, method->name_index, text))
		return false;
	make_class_name(class_name);
	strbuf_printf(&name, "%s.%s", class_name, text);
	method->function = runtime_functions_add(view->functions,
		&(struct runtime_function){ RUNTIME_JAVA, name.at,
			path.n ? path.at : "", first_line_of(method) });
	return true;
}

/* --- methods ------------------------------------------------------------------ */

/*
 * Sets *RET to true if METHOD is in the list of methods of its class. Returns false if
 * the list cannot be read. The method is usually at method->index, which is read first.
 */
static bool find_in_class(const struct hotspot_view *view,
	const struct hotspot_method *method, bool *ret)
{
	uint64_t array, at;
	uint32_t n, i;

	*ret = false;
	if (!process_memory_u64(view->memory,
		    method->klass + view->hotspot->layout.klass_methods,
		    &array) ||
		!process_memory_u32(view->memory, array, &n))
		return false;
	if (n > CLASS_METHODS_MAX)
		return true;
	/* Array<Method*>: int _length, then the pointers at offset 8 (array.hpp). */
	array += 8;
	if (method->index < n &&
		process_memory_u64(
			view->memory, array + 8u * method->index, &at) &&
		at == method->address)
		*ret = true;
	for (i = 0; i < n && !*ret; i++)
		if (!process_memory_u64(
			    view->memory, array + 8 * (uint64_t)i, &at))
			return false;
		else if (at == method->address)
			*ret = true;
	return true;
}

/*
 * Reads the fields that identify the method at ADDRESS. Returns false if they cannot be
 * those of a method.
 */
static bool read_method_identity(const struct hotspot_view *view,
	uint64_t address, struct hotspot_method *ret)
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	struct process_memory *memory = view->memory;
	uint16_t code_size, name, index;
	uint64_t klass;

	if (!address || address & 7 ||
		!process_memory_u64(memory, address + layout->method_const,
			&ret->const_method) ||
		!ret->const_method || ret->const_method & 7 ||
		!process_memory_u64(memory,
			ret->const_method + layout->const_constants,
			&ret->constants) ||
		!process_memory_u16(memory,
			ret->const_method + layout->const_code_size,
			&code_size) ||
		!process_memory_u16(memory,
			ret->const_method + layout->const_name, &name) ||
		!process_memory_u16(memory,
			ret->const_method + layout->const_idnum, &index) ||
		!process_memory_u64(
			memory, ret->constants + layout->pool_holder, &klass) ||
		!process_memory_u64(
			memory, klass + layout->klass_name, &ret->klass_name))
		return false;
	ret->address = address;
	ret->code_size = code_size;
	ret->name_index = name;
	ret->klass = klass;
	ret->index = index;
	return true;
}

/* Reads METHOD at ADDRESS again. If that fails, only .address is set. */
static void update_method(const struct hotspot_view *view, uint64_t address,
	struct hotspot_method *method)
{
	struct hotspot_method new = { 0 };

	free(method->lines);
	if (read_method_identity(view, address, &new)) {
		/*
		 * In memory, the bytecodes follow the ConstMethod, and the line
		 * numbers follow the bytecodes.
		 */
		const struct hotspot_layout *layout = &view->hotspot->layout;
		uint64_t at = new.const_method + layout->size_const_method +
			new.code_size;
		uint8_t lines[LINES_SIZE_MAX];
		size_t size = sizeof(lines), n = 0;
		uint32_t flags = 0, unused = 0;
		new.excludes_zero = layout->excludes_zero;
		if (hotspot_has_field(layout->const_flags) &&
			process_memory_u32(view->memory,
				new.const_method + layout->const_flags,
				&flags) &&
			(flags & layout->flag_has_lines)) {
			/* The memory after a short list may not be mapped. */
			while (size >= 64 &&
				!process_memory_read(
					view->memory, at, lines, size))
				size /= 2;
			if (size >= 64) {
				while (next_line_pair(lines, size,
					new.excludes_zero, &n, &unused,
					&unused))
					;
				new.lines = xmalloc(n + 1);
				memcpy(new.lines, lines, n);
				new.lines_size = n;
			}
		}
	}
	if (new.const_method && !name_java_method(view, &new)) {
		free(new.lines);
		new = (struct hotspot_method){ 0 };
	}
	*method = new;
	method->address = address;
}

/* The same as is_blob_unchanged(), for METHOD. */
static bool is_method_unchanged(
	const struct hotspot_view *view, const struct hotspot_method *method)
{
	struct hotspot_method now = { 0 };

	if (!read_method_identity(view, method->address, &now))
		return method->const_method &&
			process_memory_is_gone(view->memory);
	return now.const_method == method->const_method &&
		now.constants == method->constants &&
		now.klass_name == method->klass_name &&
		now.code_size == method->code_size &&
		now.name_index == method->name_index;
}

void hotspot_free_methods(struct hotspot *hotspot)
{
	array_each(&hotspot->methods, method) {
		free((*method)->lines);
		free(*method);
	}
	array_free(&hotspot->methods);
	hash_free(&hotspot->methods_by_address);
}

static struct hotspot_method *find_known_method(
	struct hotspot *hotspot, uint64_t address)
{
	hash_each_match(&hotspot->methods_by_address, hash_words(address, 0), i)
		if (hotspot->methods.at[i]->address == address)
			return hotspot->methods.at[i];
	return NULL;
}

static struct hotspot_method *find_any_method(
	const struct hotspot_view *view, uint64_t address)
{
	struct hotspot *hotspot = view->hotspot;
	struct hotspot_method *method = find_known_method(hotspot, address);

	if (!method) {
		if (hotspot->methods.n >= METHODS_MAX)
			hotspot_free_methods(hotspot);
		method = xcalloc(1, sizeof(*method));
		hash_insert(&hotspot->methods_by_address,
			hash_words(address, 0), (uint32_t)hotspot->methods.n);
		*array_push(&hotspot->methods) = method;
		update_method(view, address, method);
	} else if (method->checked != hotspot->batch &&
		!is_method_unchanged(view, method)) {
		update_method(view, address, method);
	}
	method->checked = hotspot->batch;
	return method->const_method ? method : NULL;
}

const struct hotspot_method *hotspot_find_method(
	const struct hotspot_view *view, uint64_t address)
{
	return find_any_method(view, address);
}

const struct hotspot_method *hotspot_find_listed_method(
	const struct hotspot_view *view, uint64_t address)
{
	struct hotspot_method *method = find_any_method(view, address);
	bool is_listed;

	if (!method)
		return NULL;
	/* If the process has ended, the result of the last comparison is valid. */
	if (method->listed_checked != view->hotspot->batch &&
		(find_in_class(view, method, &is_listed) ||
			!process_memory_is_gone(view->memory)))
		method->is_listed = is_listed;
	method->listed_checked = view->hotspot->batch;
	return method->is_listed ? method : NULL;
}
