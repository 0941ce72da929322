/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/code_bytes.h"

#include "report/symbols/dso_name.h"
#include "report/symbols/kernel_symbols.h"

/* --- the section "code" ------------------------------------------------ */

_Static_assert(sizeof(struct code_range) == 24, "written to the file as it is");
_Static_assert(sizeof(struct code_unit) == 8, "written to the file as it is");

static const struct code_range *unit_code_ranges(const struct code_unit *unit)
{
	return (const struct code_range *)(unit + 1);
}

bool code_unit_is_valid(const struct code_unit *unit, size_t size)
{
	const struct code_range *range;
	uint64_t before = 0, n_bytes, end;

	if (size < sizeof(*unit) ||
		unit->n > (size - sizeof(*unit)) / sizeof(*range))
		return false;
	n_bytes = size - sizeof(*unit) - unit->n * sizeof(*range);
	for (range = unit_code_ranges(unit);
		range < unit_code_ranges(unit) + unit->n; range++) {
		if (range->start < before || !range->size ||
			range->at > n_bytes ||
			range->size > n_bytes - range->at ||
			__builtin_add_overflow(
				range->start, (uint64_t)range->size, &end))
			return false;
		before = end;
	}
	return true;
}

struct code_found code_unit_find(const struct code_unit *unit, uint64_t place)
{
	const struct {
		const struct code_range *at;
		size_t n;
	} ranges = { unit_code_ranges(unit), unit->n };
	const struct code_range *range;
	size_t i = array_count_before(&ranges, x, x->start <= place);
	uint64_t offset;

	if (!i)
		return (struct code_found){ 0 };
	range = &ranges.at[i - 1];
	offset = place - range->start;
	if (offset >= range->size)
		return (struct code_found){ 0 };
	return (struct code_found){ (const uint8_t *)(unit_code_ranges(unit) +
					    unit->n) +
			range->at + offset,
		range->size - offset, range->address + offset };
}

static bool is_code_unit(const void *piece, size_t size)
{
	return code_unit_is_valid(piece, size);
}

struct packed_dsos *code_packed_read(struct strbuf *section)
{
	return packed_dsos_read(section, is_code_unit);
}

struct packed_dsos *code_packed_create(struct reader *reader)
{
	return packed_dsos_create(
		reader, SECTION_CODE, PACKED_CODE_VERSION, is_code_unit);
}

void code_builder_add(struct code_builder *builder, uint64_t place,
	uint64_t address, const void *bytes, size_t size)
{
	struct code_range *last = builder->ranges.n
		? &builder->ranges.at[builder->ranges.n - 1]
		: NULL;

	if (last && place == last->start + last->size &&
		address == last->address + last->size)
		last->size += (uint32_t)size;
	else
		*array_push(&builder->ranges) = (struct code_range){ place,
			address, (uint32_t)size, (uint32_t)builder->bytes.n };
	strbuf_put(&builder->bytes, bytes, size);
}

void code_builder_finish(struct code_builder *builder, struct strbuf *out)
{
	const struct code_unit unit = { builder->kind,
		(uint32_t)builder->ranges.n };

	strbuf_put(out, &unit, sizeof(unit));
	strbuf_put(out, builder->ranges.at,
		builder->ranges.n * sizeof(*builder->ranges.at));
	strbuf_put(out, builder->bytes.at, builder->bytes.n);
	array_free(&builder->ranges);
	strbuf_free(&builder->bytes);
}

struct code_bytes {
	struct files *files;	    /* borrowed */
	struct packed_dsos *packed; /* NULL: the recording has no code */
	ARRAY(struct code_source {
		bool is_known;
		const struct code_unit *unit; /* code in the recording; NULL:
		                               * none */
		/*
		 * The following members are set when the file of the DSO is
		 * first needed.
		 */
		bool is_open;
		struct elf_file *file; /* file with the code; owned; NULL:
		                        * none */
		uint64_t moved;	       /* if .file is vmlinux: run-time address
		                        * minus linked address; else 0 */
		struct jitdumps_code jit;
	})
	dsos; /* sources of code, by DSO number */
};

struct code_bytes *code_bytes_create(struct files *files)
{
	struct code_bytes *codes = xcalloc(1, sizeof(*codes));

	codes->files = files;
	codes->packed = code_packed_create(files_reader(files));
	return codes;
}

void code_bytes_destroy(struct code_bytes *codes)
{
	if (!codes)
		return;
	array_each(&codes->dsos, code_source)
		elf_file_close(code_source->file);
	array_free(&codes->dsos);
	packed_dsos_destroy(codes->packed);
	free(codes);
}

static struct code_source *find_code_source(
	struct code_bytes *codes, uint32_t number)
{
	struct code_source *code_source;
	struct build_id id;

	while (codes->dsos.n <= number)
		array_push(&codes->dsos);
	code_source = &codes->dsos.at[number];
	if (code_source->is_known)
		return code_source;
	code_source->is_known = true;
	if (!codes->packed)
		return code_source;
	id = files_build_id(codes->files, number);
	code_source->unit = packed_dsos_find(
		codes->packed, files_dso(codes->files, number), &id);
	return code_source;
}

/* --- code outside the recording ------------------------------------------- */

static void open_code_source(struct code_bytes *codes,
	const struct code_query *query, struct code_source *code_source)
{
	const struct dso *dso = files_dso(codes->files, query->dso);

	if (code_source->is_open)
		return;
	code_source->is_open = true;
	if (dso->is_data)
		return;
	code_source->jit = files_dump(codes->files, query->dso);
	if (dso->pid == MAPS_KERNEL_PID) {
		if (dso_name_is_kernel(dso->path)) {
			const struct kernel_identity identity =
				kernel_symbols_identity(
					files_reader(codes->files),
					files_maps(codes->files));

			code_source->file =
				kernel_image_open(codes->files, &identity);
			if (code_source->file &&
				!kernel_image_distance(code_source->file,
					&identity, &code_source->moved)) {
				elf_file_close(code_source->file);
				code_source->file = NULL;
			}
		}
	} else if (!code_source->jit.dump && !maps_is_anonymous(dso->path)) {
		/*
		 * Open the file of QUERY's DSO, unless it may be of another
		 * build, which has other code.
		 */
		enum buildid_trust trust;

		code_source->file = files_fetch(
			codes->files, query->dso, query->place, &trust);
		if (code_source->file && trust != BUILDID_PROVEN) {
			elf_file_close(code_source->file);
			code_source->file = NULL;
		}
	}
}

/* --- code of any source ----------------------------------------------------
 */

size_t code_bytes_read(struct code_bytes *codes, const struct code_query *query,
	uint8_t *out, struct code_facts *ret)
{
	struct code_source *code_source = find_code_source(codes, query->dso);
	const struct dso *dso;

	*ret = (struct code_facts){ 0 };
	/*
	 * Read the code of QUERY in the packed unit. If both the places and the
	 * addresses of two ranges are adjacent, they are read as one block.
	 */
	size_t done = 0;

	while (code_source->unit && done < query->size) {
		struct code_found found =
			code_unit_find(code_source->unit, query->place + done);

		if (!found.size ||
			(done && found.address != ret->address + done))
			break;
		if (!done)
			*ret = (struct code_facts){ code_source->unit->kind,
				found.address, true };
		found.size = MIN(found.size, query->size - done);
		memcpy(out + done, found.bytes, found.size);
		done += found.size;
	}
	if (done)
		return done;
	open_code_source(codes, query, code_source);
	if (code_source->jit.dump) {
		ret->kind.machine =
			(uint16_t)jitdumps_code_machine(&code_source->jit);
		return jitdumps_code_read(&code_source->jit, query->place, out,
			query->size, &ret->address);
	}
	if (!code_source->file)
		return 0;
	dso = files_dso(codes->files, query->dso);
	uint64_t linked = dso->pid == MAPS_KERNEL_PID
		? query->place - code_source->moved
		: elf_file_address(code_source->file, query->place);

	*ret = (struct code_facts){ elf_file_kind(code_source->file),
		linked + code_source->moved, false };
	return elf_file_read(code_source->file, linked, out, query->size);
}
