/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feature sections about BPF programs: BPF_PROG_INFO, and BPF_BTF with the
 * names of the programs' functions (linux,
 * tools/perf/Documentation/perf.data-file-format.txt and
 * tools/perf/util/bpf-utils.h).
 */
#include "config.h"

#include <inttypes.h>
#include <linux/bpf.h>

#include "common/elf/btf.h"
#include "common/file/feature_private.h"

/* The symbol of a BPF function is named "bpf_prog_" plus a tag of 8 bytes. */
#define TAG_SIZE 8u
/* Limit of functions per BPF program: the kernel's BPF_MAX_SUBPROGS. */
#define FUNCTIONS_MAX 256u

/*
 * Reads the next BTF of the section BPF_BTF from B: u32 id, u32 size, SIZE
 * bytes. Returns false if the section is damaged.
 */
static bool next_btf(struct bytes *b, uint32_t *id_ret, struct bytes *ret)
{
	uint32_t size;
	const void *at;

	*id_ret = bytes_u32(b);
	size = bytes_u32(b);
	at = bytes_take(b, size);
	if (!at)
		return false;
	*ret = bytes_of(at, size, b->swap);
	return true;
}

void feature_print_bpf_types(const struct features *f, struct strbuf *out)
{
	struct bytes b = feature_kept(&f->bpf_types), types;
	uint32_t n = bytes_u32(&b), id;

	while (n-- && next_btf(&b, &id, &types))
		strbuf_printf(out, "# btf info of id %u\n", id);
}

/*
 * .info is a struct bpf_prog_info of linux/bpf.h; its pointers are offsets in
 * .data.
 */
struct feature_program {
	struct bytes info, data;
	struct btf types;
};

static uint64_t bpf_info_at(
	const struct feature_program *program, size_t at, size_t size)
{
	struct bytes b = program->info;

	bytes_take(&b, at);
	return size == 8 ? bytes_u64(&b) : bytes_u32(&b);
}

#define INFO(program, field)                                        \
	bpf_info_at(program, offsetof(struct bpf_prog_info, field), \
		sizeof(((struct bpf_prog_info *)NULL)->field))

/*
 * Returns the bytes of program->data from entry I on of the array that begins
 * at offset AT and has entries of SIZE bytes. The result is empty if entry I is
 * outside of program->data.
 */
static struct bytes bpf_array_entry(const struct feature_program *program,
	uint64_t at, uint64_t i, size_t size)
{
	struct bytes b = program->data;

	if (at > bytes_left(&b) || i > bytes_left(&b) / size)
		return bytes_of("", 0, b.swap);
	bytes_take(&b, at + i * size);
	return b;
}

/*
 * Reads the BTF with the ID in PROGRAM's .btf_id into program->types, owned by
 * the caller.
 */
static void read_program_btf(
	const struct features *f, struct feature_program *program)
{
	struct bytes b = feature_kept(&f->bpf_types), types;
	uint32_t n = bytes_u32(&b), wanted = (uint32_t)INFO(program, btf_id),
		 id;

	btf_read(bytes_of("", 0, false), &program->types);
	while (wanted && n-- && next_btf(&b, &id, &types))
		if (id == wanted) {
			btf_read(types, &program->types);
			return;
		}
}

static const char *bpf_function_name(
	const struct feature_program *program, uint32_t i)
{
	uint64_t size = INFO(program, func_info_rec_size);
	struct bytes b = program->info;
	const char *name;

	if (program->types.names.n && size) {
		/* struct bpf_func_info: u32 insn_off, u32 type_id. */
		b = bpf_array_entry(program, INFO(program, func_info), i, size);
		bytes_u32(&b);
		return btf_name(&program->types, bytes_u32(&b)) ?: "";
	}
	if (INFO(program, nr_jited_ksyms) != 1)
		return "F";
	bytes_take(&b, offsetof(struct bpf_prog_info, name));
	name = bytes_take(&b, BPF_OBJ_NAME_LEN);
	return name && memchr(name, '\0', BPF_OBJ_NAME_LEN) ? name : "";
}

static void put_bpf_program(
	const struct feature_program *program, struct strbuf *out)
{
	uint32_t id = (uint32_t)INFO(program, id), i;
	uint64_t n = INFO(program, nr_jited_ksyms);

	if (!n || n > FUNCTIONS_MAX || n != INFO(program, nr_prog_tags) ||
		n != INFO(program, nr_jited_func_lens))
		return;
	strbuf_printf(out, "# bpf_prog_info %u:%s", id, n == 1 ? " " : "\n");
	for (i = 0; i < n; i++) {
		if (n > 1)
			strbuf_printf(out, "# \tsub_prog %u: ", i);
		struct bytes tags = bpf_array_entry(
			program, INFO(program, prog_tags), i, TAG_SIZE);
		struct bytes addresses = bpf_array_entry(
			program, INFO(program, jited_ksyms), i, 8);
		struct bytes sizes = bpf_array_entry(
			program, INFO(program, jited_func_lens), i, 4);
		const char *name = bpf_function_name(program, i);
		size_t j;

		/* As in "bpf_prog_0123456789abcdef_name addr 0x... size 12". */
		strbuf_puts(out, "bpf_prog_");
		for (j = 0; j < TAG_SIZE; j++)
			strbuf_printf(out, "%02x", bytes_u8(&tags));
		if (*name)
			strbuf_printf(out, "_%s", name);
		strbuf_printf(out, " addr 0x%" PRIx64 " size %u\n",
			bytes_u64(&addresses), bytes_u32(&sizes));
	}
}

void feature_print_bpf_programs(const struct features *f, struct strbuf *out)
{
	struct bytes b = feature_kept(&f->bpf_programs);
	uint32_t n = bytes_u32(&b);

	while (n-- && b.ok) {
		uint32_t info_size = bytes_u32(&b), data_size = bytes_u32(&b);
		struct feature_program program;
		const void *info, *data;

		bytes_u64(&b); /* bitmap of the arrays in the data */
		info = bytes_take(&b, info_size);
		data = bytes_take(&b, data_size);
		if (!info || !data)
			return;
		program.info = bytes_of(info, info_size, b.swap);
		program.data = bytes_of(data, data_size, b.swap);
		read_program_btf(f, &program);
		put_bpf_program(&program, out);
		btf_deinit(&program.types);
	}
}
