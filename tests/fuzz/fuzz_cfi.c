/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of unwind rules. The first byte selects the processor and
 * section; the rest is an .eh_frame or .debug_frame. Its rules are compiled,
 * looked up, interpreted, and compared.
 */
#include "config.h"

#include "common/unwind/cfi.h"
#include "common/unwind/cfi_private.h"
#include "common/util/alloc.h"

#define INPUT_MAX KIB(64)
#define ADDRESS UINT64_C(0x10000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct cfi_table *table,
	const struct cfi_source *source, uint64_t address)
{
	struct cfi_row row;
	bool is_debug;

	/* An address with a rule must have a row; damaged rows have no rule. */
	if (cfi_table_rule(table, address) == CFI_COMPLEX &&
		!cfi_source_row(source, address, &row, &is_debug))
		abort();
}

static void check(const struct cfi_source *source)
{
	struct cfi_table *table = cfi_compile(source);
	size_t i;

	if (!cfi_table_is_sound(table, cfi_table_size(table)))
		abort();
	for (i = 0; i < source->n_fdes && i < 100; i++) {
		look_up(table, source, source->fdes[i].start);
		look_up(table, source, source->fdes[i].end - 1);
		look_up(table, source, source->fdes[i].end);
	}
	look_up(table, source, 0);
	look_up(table, source, UINT64_MAX);
	free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum unwind_arch arches[] = { UNWIND_X86_64,
		UNWIND_AARCH64, UNWIND_I386, UNWIND_X86_64 };
	struct cfi_source source = { .end = UINT64_MAX };
	struct cfi_section section = {
		.address = ADDRESS, .text = ADDRESS, .data = ADDRESS
	};
	uint8_t how;

	if (!size || size > INPUT_MAX)
		return 0;
	how = *data;
	source.arch = arches[how & 3];
	section.at = data + 1;
	section.size = size - 1;
	section.is_debug = how & 4;
	source.entry = how & 8 ? ADDRESS : 0;
	source.debug_frame.is_debug = true;
	if (section.is_debug || how & 16) {
		source.debug_frame = section;
		source.debug_frame.is_debug = true;
	}
	if (!section.is_debug)
		source.eh_frame = section;
	cfi_source_sort(&source);
	check(&source);
	cfi_source_deinit(&source);
	return 0;
}
