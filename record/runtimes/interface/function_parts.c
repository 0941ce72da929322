/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/interface/function_parts.h"

#include <elf.h>
#include <stdlib.h>

#include "common/unwind/cfi_source.h"
#include "common/util/alloc.h"
#include "common/util/array.h"

/* Limit of a part in bytes: the interpreters of Python have up to 0.1 MiB. */
#define PART_MAX MIB(1)
/* Limit of the bytes that one call reads: the library of Ruby has 3 MiB of code. */
#define ALL_PARTS_MAX MIB(16)

/* Minimum size of an interpreter in bytes, and its minimum number of indirect jumps. */
#define DISPATCHER_BYTES_MIN KIB(8)
#define DISPATCHES_MIN 8u

/* Machine code at a linked address. */
struct function_part {
	uint8_t *bytes;
	size_t n;
	uint64_t address;
};

/* Reads no code if it is larger than PART_MAX or *LEFT, which is reduced by its size. */
static struct function_part read_part(
	struct elf_file *file, uint64_t start, uint64_t end, size_t *left)
{
	struct function_part code = { .address = start };

	if (end <= start || end - start > MIN(*left, (size_t)PART_MAX))
		return code;
	*left -= end - start;
	code.bytes = xmalloc(end - start);
	code.n = elf_file_read(file, start, code.bytes, end - start);
	return code;
}

/*
 * Returns the size of a near jump with 32 bits at the offset AT of CODE, and
 * sets *RET to its target; 0: there is none. Intel's manual: JMP rel32 is e9,
 * Jcc rel32 is 0f 80 to 0f 8f.
 */
static size_t read_jump(
	const struct function_part *code, size_t at, uint64_t *ret)
{
	const uint8_t *bytes = code->bytes + at;
	size_t left = code->n - at, size = 0;
	int32_t distance;

	if (left >= 5 && bytes[0] == 0xe9)
		size = 5;
	else if (left >= 6 && bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80)
		size = 6;
	if (!size)
		return 0;
	memcpy(&distance, bytes + size - 4, sizeof(distance));
	*ret = code->address + at + size + (uint64_t)(int64_t)distance;
	return size;
}

/* Returns whether CODE has a jump to an address between START and END, exclusive. */
static bool jumps_into(
	const struct function_part *code, uint64_t start, uint64_t end)
{
	uint64_t target;
	size_t at;

	for (at = 0; at < code->n; at++)
		if (read_jump(code, at, &target) && target > start &&
			target < end)
			return true;
	return false;
}

static bool parts_contain(const struct function_parts *parts, uint64_t address)
{
	size_t i;

	for (i = 0; i < parts->n; i++)
		if (address >= parts->ranges[i].start &&
			address < parts->ranges[i].end)
			return true;
	return false;
}

/*
 * Returns whether FDE is a part of the function with the part FIRST, which seems to jump
 * into FDE. Other bytes can look like a jump, so FDE must also have a jump back.
 */
static bool is_moved_part(struct elf_file *file, const struct cfi_fde *fde,
	const struct function_part *first, size_t *left)
{
	struct function_part code = read_part(file, fde->start, fde->end, left);
	bool is_part =
		jumps_into(&code, first->address, first->address + first->n);

	free(code.bytes);
	return is_part;
}

/* Adds the other parts to RET, which has the first one. */
static void add_moved_parts(struct elf_file *file,
	const struct cfi_source *source, struct function_parts *ret)
{
	_cleanup_free_ bool *is_examined =
		xcalloc(source->n_fdes + 1, sizeof(*is_examined));
	size_t left = ALL_PARTS_MAX, at, i;
	struct function_part first = read_part(
		file, ret->ranges[0].start, ret->ranges[0].end, &left);
	uint64_t target;

	for (at = 0; at < first.n && ret->n < INTERPRETER_RANGES_MAX; at++) {
		if (!read_jump(&first, at, &target) ||
			parts_contain(ret, target))
			continue;
		size_t n = sorted_count_before(source->fdes, source->n_fdes,
			fde, fde->start <= target);
		i = n && target < source->fdes[n - 1].end ? n - 1
							  : source->n_fdes;
		if (is_examined[i])
			continue;
		is_examined[i] = true;
		if (i < source->n_fdes &&
			!parts_contain(ret, source->fdes[i].start) &&
			is_moved_part(file, &source->fdes[i], &first, &left))
			ret->ranges[ret->n++] = (struct address_range){
				.start = source->fdes[i].start,
				.end = source->fdes[i].end,
			};
	}
	free(first.bytes);
}

void function_parts_find(struct elf_file *file,
	const struct module_symbol *function, struct function_parts *ret)
{
	struct cfi_source source = { 0 };

	ret->n = function->size > 0;
	ret->ranges[0] = (struct address_range){
		.start = function->address,
		.end = function->address + function->size,
	};
	if (!ret->n || elf_file_machine(file) != EM_X86_64)
		return;
	cfi_source_load(file, NULL, &source);
	cfi_source_sort(&source);
	add_moved_parts(file, &source, ret);
	cfi_source_deinit(&source);
}

/* Returns whether FDE has at least DISPATCHES_MIN indirect jumps: ff /4 (JMP r/m64). */
static bool is_dispatcher(
	struct elf_file *file, const struct cfi_fde *fde, size_t *left)
{
	struct function_part code = read_part(file, fde->start, fde->end, left);
	unsigned n = 0;
	size_t i;

	for (i = 0; i + 1 < code.n && n < DISPATCHES_MIN; i++)
		n += code.bytes[i] == 0xff &&
			(code.bytes[i + 1] & 0x38) == 0x20;
	free(code.bytes);
	return n == DISPATCHES_MIN;
}

size_t function_parts_dispatchers(struct elf_file *file, uint64_t bias,
	struct address_range *ret, size_t room)
{
	struct cfi_source source = { 0 };
	size_t left = ALL_PARTS_MAX, n = 0, i;

	if (elf_file_machine(file) != EM_X86_64)
		return 0;
	cfi_source_load(file, NULL, &source);
	cfi_source_sort(&source);
	for (i = 0; i < source.n_fdes && n < room; i++)
		if (source.fdes[i].end - source.fdes[i].start >=
				DISPATCHER_BYTES_MIN &&
			is_dispatcher(file, &source.fdes[i], &left))
			ret[n++] = (struct address_range){
				.start = source.fdes[i].start + bias,
				.end = source.fdes[i].end + bias,
			};
	cfi_source_deinit(&source);
	return n;
}

void function_parts_put(const struct function_parts *parts, uint64_t bias,
	struct interpreter *ret)
{
	size_t i;

	ret->n_ranges = parts->n;
	for (i = 0; i < parts->n; i++)
		ret->ranges[i] = (struct address_range){
			.start = parts->ranges[i].start + bias,
			.end = parts->ranges[i].end + bias,
		};
}
