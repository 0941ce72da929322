/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/dsos.h"

#include "common/util/alloc.h"
#include "report/lines/packed_lines.h"
#include "report/unwind/packed_rules.h"
#include "report/view/packages.h"

#define UNKNOWN_DSO UINT32_MAX

static struct dsos_row *find_row(
	struct dsos *dsos, const struct location *location)
{
	uint32_t number = location->dso ? location->number : UNKNOWN_DSO;
	uint32_t input = location->dso ? location->input : 0;
	uint64_t hash = hash_words(input, number);
	uint32_t i, probe = hash_start(hash);
	struct dsos_row *row;

	while ((i = hash_next(&dsos->by_dso, hash, &probe)) != HASH_NONE) {
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

/* SEEN, by row, has the last stack that it was in, + 1. */
struct seen {
	ARRAY(uint32_t) stacks;
};

static void add_caller(struct dsos *dsos, struct seen *seen,
	struct dsos_row *row, const struct stack *stack, uint32_t number)
{
	size_t i = (size_t)(row - dsos->rows.at);

	while (seen->stacks.n <= i)
		array_push(&seen->stacks);
	if (seen->stacks.at[i] == number + 1)
		return;
	seen->stacks.at[i] = number + 1;
	row->callers += stack->samples;
}

static void add_stack(struct result *result, struct dsos *dsos,
	struct seen *seen, uint32_t number)
{
	const struct stacks *stacks = &result->scan.stacks;
	const struct stack *stack = stacks_at(stacks, number);
	const struct context *context = &stacks->contexts.at[stack->context];
	struct chain chain = stacks_chain(stacks, number);
	const struct location *location;
	struct dsos_row *row;

	if (context->is_filtered || context->is_dropped || context->is_rest)
		return;
	location = resolver_location(result->resolver, chain_next(&chain));
	row = find_row(dsos, location);
	row->samples += stack->samples;
	dsos->samples += stack->samples;
	if (!location->symbol)
		row->unnamed += stack->samples;
	add_caller(dsos, seen, row, stack, number);
	while (!chain_is_empty(&chain)) {
		location = resolver_location(
			result->resolver, chain_next(&chain));
		row = find_row(dsos, location);
		add_caller(dsos, seen, row, stack, number);
	}
}

static int compare_rows(const void *a, const void *b)
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

static bool has(struct elf_file *file, struct elf_file *debug, const char *name)
{
	return (file && elf_file_has_section(file, name)) ||
		(debug && elf_file_has_section(debug, name));
}

static void look_into_file(struct result *result, struct dsos_row *row)
{
	struct files *files = result->inputs.at.at[row->input].files;
	enum store_trust trust;
	struct elf_file *file, *debug, *alt;

	file = files_open(files, row->number, row->end, &trust);
	debug = files_open_debug(files, row->number);
	alt = files_open_alt(files, row->number);
	row->has_cfi = has(file, debug, ".eh_frame") ||
		has(file, debug, ".debug_frame");
	row->has_dwarf = has(file, debug, ".debug_info");
	if (row->has_dwarf)
		debug_missing_find(file, debug, alt, &row->missing);
	elf_file_close(file);
	elf_file_close(debug);
	elf_file_close(alt);
	row->places = files_places(files, row->number);
}

/* The table of build IDs has no "_text" behind the kernel's name. */
static struct build_id find_build_id(
	const struct input *input, const struct dsos_row *row)
{
	struct build_id id = files_build_id(input->files, row->number);

	return id.size || !row->dso->is_kernel
		? id
		: files_listed_id(input->files, row->dso->path);
}

/* What a recording has of its DSOs; NULL: nothing. */
struct packed {
	struct packed_dsos *rules, *lines;
};

static void look_into(struct result *result, const struct packed *packed,
	struct dsos_row *row)
{
	const struct input *input = &result->inputs.at.at[row->input];
	const struct store *store = files_store(input->files);
	const struct dso *dso;

	if (!row->dso)
		return;
	dso = maps_dso(input->survey.maps, row->number);
	row->build_id = find_build_id(input, row);
	row->asks_servers = store && store_places(store)->asks_servers;
	row->is_file = !row->dso->is_kernel && !dso->is_data &&
		(dso->path[0] == '/' || maps_is_vdso(dso->path)) &&
		!maps_is_anonymous(dso->path);
	row->has_rules = packed->rules &&
		packed_dsos_find(packed->rules, dso, &row->build_id);
	row->has_lines = packed->lines &&
		packed_dsos_find(packed->lines, dso, &row->build_id);
	if (row->is_file)
		look_into_file(result, row);
}

static void look_into_all(struct result *result, struct dsos *dsos)
{
	const struct inputs *inputs = &result->inputs;
	ARRAY(struct packed) packed = { 0 };

	array_each(&inputs->at, input)
		*array_push(&packed) = (struct packed){
			packed_rules_create(input->reader),
			packed_lines_create(input->reader),
		};
	array_each(&dsos->rows, row)
		look_into(result, &packed.at[row->input], row);
	array_each(&packed, one) {
		packed_dsos_destroy(one->rules);
		packed_dsos_destroy(one->lines);
	}
	array_free(&packed);
}

/* The libraries' own have another name than all others. */
static char *debug_package(const char *package)
{
	return string_is(package, "libc6")
		? xstrdup("libc6-dbg")
		: xasprintf("%s-dbgsym", package);
}

static bool wants_package(const struct dsos_row *row)
{
	return row->is_file && !row->has_dwarf && !row->has_lines &&
		row->places.file;
}

static void find_packages(struct dsos *dsos)
{
	struct packages packages = { 0 };
	size_t i = 0;

	array_each(&dsos->rows, row)
		if (wants_package(row))
			array_push(&packages.wishes)->path = row->places.file;
	if (packages.wishes.n)
		packages_find(&packages, NULL);
	array_each(&dsos->rows, row) {
		if (!wants_package(row))
			continue;
		if (packages.wishes.at[i].package)
			row->package = debug_package(
				packages.wishes.at[i].package);
		i++;
	}
	packages_deinit(&packages);
}

void dsos_find(struct result *result, struct dsos *ret)
{
	uint32_t n = stacks_n(&result->scan.stacks), i;
	struct seen seen = { 0 };

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < n; i++)
		add_stack(result, ret, &seen, i);
	array_free(&seen.stacks);
	array_sort(&ret->rows, compare_rows);
	look_into_all(result, ret);
	find_packages(ret);
}

void dsos_deinit(struct dsos *dsos)
{
	array_each(&dsos->rows, row) {
		free(row->package);
		debug_missing_deinit(&row->missing);
	}
	array_free(&dsos->rows);
	hash_free(&dsos->by_dso);
}
