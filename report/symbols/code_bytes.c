/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/code_bytes.h"

#include "report/symbols/dso_name.h"
#include "report/symbols/kernel_symbols.h"
#include "report/symbols/packed_code.h"

struct code_bytes {
	struct files *files;        /* borrowed */
	struct packed_dsos *packed; /* NULL: the recording has none */
	ARRAY(struct known {
		bool is_known;
		const struct code_unit *unit; /* packed; NULL: there is none */
		/* If there is need of it. */
		bool is_open;
		struct elf_file *file; /* owned; NULL: there is none */
		uint64_t moved;        /* of vmlinux: what ran is so far off */
		struct dump_code made;
	}) dsos; /* by DSO */
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
	array_each(&codes->dsos, known)
		elf_file_close(known->file);
	array_free(&codes->dsos);
	packed_dsos_destroy(codes->packed);
	free(codes);
}

static struct known *know(struct code_bytes *codes, uint32_t number)
{
	struct known *known;
	struct build_id id;

	while (codes->dsos.n <= number)
		array_push(&codes->dsos);
	known = &codes->dsos.at[number];
	if (known->is_known)
		return known;
	known->is_known = true;
	if (!codes->packed)
		return known;
	id = files_build_id(codes->files, number);
	known->unit = packed_dsos_find(
		codes->packed, files_dso(codes->files, number), &id);
	return known;
}

/* --- where the recording has none ------------------------------------------ */

static void open_kernel(struct code_bytes *codes, struct known *known)
{
	const struct kernel_wish wish = kernel_symbols_wish(
		files_reader(codes->files), files_maps(codes->files));

	known->file = kernel_image_open(codes->files, &wish);
	if (!known->file ||
		kernel_image_moved(known->file, &wish, &known->moved))
		return;
	elf_file_close(known->file);
	known->file = NULL;
}

/* Bytes of another build would be another program's. */
static void open_file(struct code_bytes *codes, const struct code_wish *wish,
	struct known *known)
{
	enum store_trust trust;

	known->file = files_fetch(
		codes->files, wish->dso, wish->place, &trust);
	if (!known->file || trust == STORE_SAME)
		return;
	elf_file_close(known->file);
	known->file = NULL;
}

static void open_known(struct code_bytes *codes, const struct code_wish *wish,
	struct known *known)
{
	const struct dso *dso = files_dso(codes->files, wish->dso);

	if (known->is_open)
		return;
	known->is_open = true;
	if (dso->is_data)
		return;
	known->made = files_dump(codes->files, wish->dso);
	if (dso->pid == MAPS_KERNEL_PID) {
		if (dso_name_is_kernel(dso->path))
			open_kernel(codes, known);
	} else if (!known->made.dump && !maps_is_anonymous(dso->path)) {
		open_file(codes, wish, known);
	}
}

static size_t read_file(const struct known *known, bool is_kernel,
	const struct code_wish *wish, uint8_t *out, struct code_facts *ret)
{
	uint64_t linked = is_kernel
		? wish->place - known->moved
		: elf_file_address(known->file, wish->place);

	*ret = (struct code_facts){ elf_file_kind(known->file),
		linked + known->moved, false };
	return elf_file_read(known->file, linked, out, wish->size);
}

static size_t read_made(const struct known *known,
	const struct code_wish *wish, uint8_t *out, struct code_facts *ret)
{
	ret->kind.machine = (uint16_t)dump_machine(&known->made);
	return dump_read(
		&known->made, wish->place, out, wish->size, &ret->address);
}

/* --- both ------------------------------------------------------------------ */

/* Functions that adjoin are one piece. */
static size_t read_packed(const struct code_unit *unit,
	const struct code_wish *wish, uint8_t *out, struct code_facts *ret)
{
	size_t done = 0;

	while (unit && done < wish->size) {
		struct code_found found =
			code_unit_find(unit, wish->place + done);

		if (!found.size)
			break;
		if (!done)
			*ret = (struct code_facts){ unit->kind, found.address,
				true };
		found.size = MIN(found.size, wish->size - done);
		memcpy(out + done, found.bytes, found.size);
		done += found.size;
	}
	return done;
}

size_t code_bytes_read(struct code_bytes *codes, const struct code_wish *wish,
	uint8_t *out, struct code_facts *ret)
{
	struct known *known = know(codes, wish->dso);
	const struct dso *dso;
	size_t n;

	*ret = (struct code_facts){ 0 };
	n = read_packed(known->unit, wish, out, ret);
	if (n)
		return n;
	open_known(codes, wish, known);
	if (known->made.dump)
		return read_made(known, wish, out, ret);
	if (!known->file)
		return 0;
	dso = files_dso(codes->files, wish->dso);
	return read_file(
		known, dso->pid == MAPS_KERNEL_PID, wish, out, ret);
}
