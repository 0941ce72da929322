/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/code_bytes.h"

#include "report/symbols/dso_name.h"
#include "report/symbols/kernel_symbols.h"
#include "report/symbols/packed_code.h"

struct code_bytes {
	struct files *files;        /* borrowed */
	struct packed_dsos *packed; /* NULL: the recording has no code */
	ARRAY(struct code_source {
		bool is_known;
		const struct code_unit *unit; /* packed; NULL: there is none */
		/* Set when first needed. */
		bool is_open;
		struct elf_file *file; /* owned; NULL: there is none */
		uint64_t moved;        /* of vmlinux: address at run time minus
		                        * linked address */
		struct dump_code jit;
	})
	dsos; /* by DSO */
};

struct code_bytes *code_bytes_create(struct files *files)
{
	struct code_bytes *codes = xcalloc(1, sizeof(*codes));

	codes->files = files;
	codes->packed = packed_code_create(files_reader(files));
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

static void open_kernel_code(
	struct code_bytes *codes, struct code_source *code_source)
{
	const struct kernel_identity identity = kernel_symbols_identity(
		files_reader(codes->files), files_maps(codes->files));

	code_source->file = kernel_image_open(codes->files, &identity);
	if (!code_source->file ||
		kernel_image_distance(
			code_source->file, &identity, &code_source->moved))
		return;
	elf_file_close(code_source->file);
	code_source->file = NULL;
}

/* A file of another build has other code. */
static void open_code_file(struct code_bytes *codes,
	const struct code_query *query, struct code_source *code_source)
{
	enum file_trust trust;

	code_source->file =
		files_fetch(codes->files, query->dso, query->place, &trust);
	if (!code_source->file || trust == FILE_PROVEN)
		return;
	elf_file_close(code_source->file);
	code_source->file = NULL;
}

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
		if (dso_name_is_kernel(dso->path))
			open_kernel_code(codes, code_source);
	} else if (!code_source->jit.dump && !maps_is_anonymous(dso->path)) {
		open_code_file(codes, query, code_source);
	}
}

static size_t read_file_code(const struct code_source *code_source,
	bool is_kernel, const struct code_query *query, uint8_t *out,
	struct code_facts *ret)
{
	uint64_t linked = is_kernel
		? query->place - code_source->moved
		: elf_file_address(code_source->file, query->place);

	*ret = (struct code_facts){ elf_file_kind(code_source->file),
		linked + code_source->moved, false };
	return elf_file_read(code_source->file, linked, out, query->size);
}

static size_t read_jit_code(const struct code_source *code_source,
	const struct code_query *query, uint8_t *out, struct code_facts *ret)
{
	ret->kind.machine = (uint16_t)dump_machine(&code_source->jit);
	return dump_read(&code_source->jit, query->place, out, query->size,
		&ret->address);
}

/* --- code of any source ----------------------------------------------------
 */

/* Reads adjacent functions as one piece. */
static size_t read_packed_code(const struct code_unit *unit,
	const struct code_query *query, uint8_t *out, struct code_facts *ret)
{
	size_t done = 0;

	while (unit && done < query->size) {
		struct code_found found =
			code_unit_find(unit, query->place + done);

		if (!found.size)
			break;
		if (!done)
			*ret = (struct code_facts){ unit->kind, found.address,
				true };
		found.size = MIN(found.size, query->size - done);
		memcpy(out + done, found.bytes, found.size);
		done += found.size;
	}
	return done;
}

size_t code_bytes_read(struct code_bytes *codes, const struct code_query *query,
	uint8_t *out, struct code_facts *ret)
{
	struct code_source *code_source = find_code_source(codes, query->dso);
	const struct dso *dso;
	size_t n;

	*ret = (struct code_facts){ 0 };
	n = read_packed_code(code_source->unit, query, out, ret);
	if (n)
		return n;
	open_code_source(codes, query, code_source);
	if (code_source->jit.dump)
		return read_jit_code(code_source, query, out, ret);
	if (!code_source->file)
		return 0;
	dso = files_dso(codes->files, query->dso);
	return read_file_code(
		code_source, dso->pid == MAPS_KERNEL_PID, query, out, ret);
}
