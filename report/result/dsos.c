/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/dsos.h"

#include "common/elf/go_table.h"
#include "common/util/alloc.h"
#include "report/lines/packed_lines.h"
#include "report/unwind/dso_rules.h"
#include "report/util/packages.h"

#define UNKNOWN_DSO UINT32_MAX

static struct dsos_row *find_dso_row(
	struct dsos *dsos, const struct location *location)
{
	uint32_t number = location->dso ? location->number : UNKNOWN_DSO;
	uint32_t input = location->dso ? location->input : 0;
	uint64_t hash = hash_words(input, number);
	struct dsos_row *row;

	hash_each_match(&dsos->by_dso, hash, i) {
		row = &dsos->rows.at[i];
		if (row->number == number && row->input == input)
			return row;
	}
	hash_insert(&dsos->by_dso, hash, (uint32_t)dsos->rows.n);
	row = array_push(&dsos->rows);
	row->dso = location->dso;
	row->input = (uint16_t)input;
	row->number = number;
	row->end = location->start;
	return row;
}

/*
 * For each row number: number + 1 of the last stack that was counted for the
 * row.
 */
struct counted_stacks {
	ARRAY(uint32_t) last;
};

static void add_dso_stack(struct result *result, struct dsos *dsos,
	struct counted_stacks *counted, uint32_t number)
{
	const struct stacks *stacks = &result->scan.stacks;
	const struct stack *stack = stacks_at(stacks, number);
	const struct context *context = &stacks->contexts.at[stack->context];
	struct chain chain = stacks_chain(stacks, number);
	bool is_sampled = true;

	if (context->is_filtered || context->is_rest)
		return;
	while (is_sampled || !chain_is_empty(&chain)) {
		const struct location *location =
			resolver_location(result->resolver, chain_next(&chain));
		struct dsos_row *row = find_dso_row(dsos, location);
		size_t i = (size_t)(row - dsos->rows.at);

		if (is_sampled) {
			row->samples += stack->samples;
			dsos->samples += stack->samples;
			if (!location->symbol || location->is_guessed)
				row->unnamed += stack->samples;
		}
		is_sampled = false;
		while (counted->last.n <= i)
			array_push(&counted->last);
		if (counted->last.at[i] == number + 1)
			continue;
		counted->last.at[i] = number + 1;
		row->callers += stack->samples;
	}
}

static int compare_dso_rows(const void *a, const void *b)
{
	const struct dsos_row *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	if (left->callers != right->callers)
		return COMPARE(right->callers, left->callers);
	if (left->input != right->input)
		return COMPARE(left->input, right->input);
	return COMPARE(left->number, right->number);
}

static bool either_has_section(
	struct elf_file *file, struct elf_file *debug, const char *name)
{
	return (file && elf_file_has_section(file, name)) ||
		(debug && elf_file_has_section(debug, name));
}

/* Debug information in a recording; NULL: the recording has
 * none. */
struct packed_debug {
	struct packed_dsos *rules, *lines;
};

static void complete_dso_row(struct result *result,
	const struct packed_debug *packed, struct dsos_row *row)
{
	const struct input *input = &result->inputs.at.at[row->input];
	struct files *files = input->files;
	const struct buildid_cache *store = files_cache(files);
	const struct dso *dso;

	if (!row->dso)
		return;
	dso = maps_dso(input->survey.maps, row->number);
	row->build_id = files_build_id(files, row->number);
	/* The build-ID table of a recording lists the kernel without "_text". */
	if (!row->build_id.size && row->dso->is_kernel)
		row->build_id = files_listed_id(files, row->dso->path);
	row->uses_servers = store && buildid_cache_paths(store)->uses_servers;
	row->is_file = !row->dso->is_kernel && !dso->is_data &&
		(dso->path[0] == '/' || maps_is_vdso(dso->path)) &&
		!maps_is_anonymous(dso->path);
	row->has_rules = packed->rules &&
		packed_dsos_find(packed->rules, dso, &row->build_id);
	row->has_lines = packed->lines &&
		packed_dsos_find(packed->lines, dso, &row->build_id);
	if (!row->is_file)
		return;

	enum buildid_trust trust;
	struct elf_file *file =
		files_open(files, row->number, row->end, &trust);
	struct elf_file *debug = files_open_debug(files, row->number);
	struct elf_file *alt = files_open_alt(files, row->number);

	row->has_cfi = either_has_section(file, debug, ".eh_frame") ||
		either_has_section(file, debug, ".debug_frame");
	row->has_dwarf = either_has_section(file, debug, ".debug_info");
	if (row->has_dwarf) {
		missing_debug_files_find(file, debug, alt, &row->missing);
	} else {
		struct go_table *table = file ? go_table_open(file) : NULL;

		row->has_go_table = table;
		go_table_close(table);
	}
	elf_file_close(file);
	elf_file_close(debug);
	elf_file_close(alt);
	row->places = files_status(files, row->number);
}

static bool needs_debug_package(const struct dsos_row *row)
{
	return row->is_file && !row->has_dwarf && !row->has_go_table &&
		!row->has_lines && row->places.file;
}

static void find_debug_packages(struct dsos *dsos)
{
	struct packages packages = { 0 };
	size_t i = 0;

	array_each(&dsos->rows, row)
		if (needs_debug_package(row))
			array_push(&packages.files)->path = row->places.file;
	if (packages.files.n)
		packages_find(&packages, NULL);
	array_each(&dsos->rows, row) {
		if (!needs_debug_package(row))
			continue;
		if (packages.files.at[i].package)
			row->package =
				string_is(packages.files.at[i].package, "libc6")
				? xstrdup("libc6-dbg")
				: xasprintf("%s-dbgsym",
					  packages.files.at[i].package);
		i++;
	}
	packages_deinit(&packages);
}

void dsos_find(struct result *result, struct dsos *ret)
{
	uint32_t n = stacks_n(&result->scan.stacks), i;
	struct counted_stacks counted = { 0 };
	ARRAY(struct packed_debug) packed = { 0 };

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < n; i++)
		add_dso_stack(result, ret, &counted, i);
	array_free(&counted.last);
	array_sort(&ret->rows, compare_dso_rows);
	array_each(&result->inputs.at, input)
		*array_push(&packed) = (struct packed_debug){
			dso_rules_create_packed(input->reader),
			packed_lines_create(input->reader),
		};
	array_each(&ret->rows, row)
		complete_dso_row(result, &packed.at[row->input], row);
	array_each(&packed, one) {
		packed_dsos_destroy(one->rules);
		packed_dsos_destroy(one->lines);
	}
	array_free(&packed);
	find_debug_packages(ret);
}

void dsos_deinit(struct dsos *dsos)
{
	array_each(&dsos->rows, row) {
		free(row->package);
		missing_debug_files_deinit(&row->missing);
	}
	array_free(&dsos->rows);
	hash_free(&dsos->by_dso);
}
