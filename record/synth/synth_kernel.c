/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/synth_kernel.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "common/elf/btf.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "record/sys/sysfile.h"

#define MODULES "/proc/modules"
#define KERNEL_PATH "[kernel.kallsyms]_text"
#define KERNEL_PID UINT32_MAX

/* Appends a MMAP record, not MMAP2: kernel mappings have no inode. */
static void add_kernel_map(struct synth_procs *procs, uint64_t start,
	uint64_t size, uint64_t offset, const char *name, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = synth_procs_trailer(procs, -1, 0, trailer);

	strbuf_put_u32(&payload, KERNEL_PID);
	strbuf_put_u32(&payload, 0);
	strbuf_put_u64(&payload, start);
	strbuf_put_u64(&payload, size);
	strbuf_put_u64(&payload, offset);
	strbuf_put(&payload, name, strlen(name) + 1);
	strbuf_align(&payload, 8);
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_MMAP, MISC_KERNEL, payload.at, payload.n);
}

void synth_modules_add(struct synth_procs *procs,
	const struct kallsyms *kallsyms, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint64_t start = kallsyms->text_start, end = kallsyms->text_end;
	char *rest, *line;

	if (!start || end <= start)
		return;
	add_kernel_map(procs, start, ALIGN_UP(end, 4096) - start, start,
		KERNEL_PATH, out);
	if (!sysfile_slurp(AT_FDCWD, MODULES, &text) || !text.n)
		return;
	rest = text.at;
	while ((line = strsep(&rest, "\n"))) {
		/* A line such as "ext4 1048576 2 - Live 0xffffffffc0000000". */
		char name[128], shown[130];
		uint64_t size;

		if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name,
			    &size, &start) < 3 ||
			!start)
			continue;
		snprintf(shown, sizeof(shown), "[%s]", name);
		add_kernel_map(procs, start, size, 0, shown, out);
	}
}

/*
 * Limit of the functions of a BPF program that are read. The kernel allows 256
 * functions (linux/bpf_verifier.h).
 */
#define FUNCTIONS_MAX 1024u
#define PROGRAMS_MAX 65536u
/* Size of the name of a kernel symbol (KSYM_NAME_LEN in linux/kallsyms.h). */
#define NAME_SIZE 512u
/* Limit of the type information of a program (BTF_MAX_SIZE in linux/btf.h). */
#define BTF_SIZE_MAX MIB(16)

struct synth_program {
	struct bpf_prog_info info;
	uint64_t starts[FUNCTIONS_MAX];
	uint32_t sizes[FUNCTIONS_MAX];
	uint8_t tags[FUNCTIONS_MAX][BPF_TAG_SIZE];
	struct bpf_func_info functions[FUNCTIONS_MAX];
};

static int call_bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static bool get_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr = { 0 };

	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = size;
	attr.info.info = (uintptr_t)info;
	return call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
}

static bool read_bpf_program(int fd, struct synth_program *program)
{
	struct bpf_prog_info *info = &program->info;

	*info = (struct bpf_prog_info){
		.jited_ksyms = (uintptr_t)program->starts,
		.nr_jited_ksyms = FUNCTIONS_MAX,
		.jited_func_lens = (uintptr_t)program->sizes,
		.nr_jited_func_lens = FUNCTIONS_MAX,
		.prog_tags = (uintptr_t)program->tags,
		.nr_prog_tags = FUNCTIONS_MAX,
		.func_info = (uintptr_t)program->functions,
		.nr_func_info = FUNCTIONS_MAX,
		.func_info_rec_size = sizeof(program->functions[0]),
	};
	return get_info(fd, info, sizeof(*info));
}

/* Reads the type information with the number ID to DATA. */
static bool read_bpf_types(uint32_t id, struct strbuf *data)
{
	union bpf_attr attr = { .btf_id = id };
	struct bpf_btf_info info = { 0 };
	_cleanup_close_ int fd =
		id ? call_bpf(BPF_BTF_GET_FD_BY_ID, &attr) : -1;

	if (fd < 0 || !get_info(fd, &info, sizeof(info)) || !info.btf_size ||
		info.btf_size > BTF_SIZE_MAX)
		return false;
	strbuf_grow(data, info.btf_size);
	info = (struct bpf_btf_info){ .btf = (uintptr_t)data->at,
		.btf_size = info.btf_size };
	if (!get_info(fd, &info, sizeof(info)))
		return false;
	data->n = info.btf_size;
	return true;
}

/*
 * Sets NAME to the name of the kernel symbol of function INDEX, as
 * bpf_get_prog_name() in the kernel's kernel/bpf/core.c. TYPES may be empty.
 */
static void make_bpf_name(const struct synth_program *program, uint32_t index,
	const struct btf *types, char name[NAME_SIZE])
{
	const struct bpf_prog_info *info = &program->info;
	/* The kernel names function 0 by the tag of the whole program. */
	bool has_own_tag = index && index < info->nr_prog_tags;
	const uint8_t *tag = has_own_tag ? program->tags[index] : info->tag;
	const char *function = index < info->nr_func_info
		? btf_name(types, program->functions[index].type_id)
		: NULL;
	size_t at = (size_t)snprintf(name, NAME_SIZE, "bpf_prog_"), i;

	for (i = 0; i < BPF_TAG_SIZE; i++)
		at += (size_t)snprintf(
			name + at, NAME_SIZE - at, "%02x", tag[i]);
	if (function)
		snprintf(name + at, NAME_SIZE - at, "_%s", function);
	else if (index)
		snprintf(name + at, NAME_SIZE - at, "_F%" PRIu32, index);
	else if (info->name[0])
		snprintf(name + at, NAME_SIZE - at, "_%.*s",
			(int)sizeof(info->name), info->name);
}

static void add_bpf_program(struct synth_procs *procs,
	struct synth_program *program, const struct btf *types,
	struct strbuf *out)
{
	const struct bpf_prog_info *info = &program->info;
	uint32_t i, n = MIN(info->nr_jited_ksyms, info->nr_jited_func_lens);
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = synth_procs_trailer(procs, 0, 0, trailer);

	n = MIN(n, FUNCTIONS_MAX);
	for (i = 0; i < n; i++) {
		uint64_t start = program->starts[i];
		char name[NAME_SIZE];

		/* 0: the kernel hides addresses from this user. */
		if (!start)
			return;
		make_bpf_name(program, i, types, name);
		strbuf_clear(&payload);
		strbuf_put_u64(&payload, start);
		strbuf_put_u32(&payload, program->sizes[i]);
		strbuf_put_u16(&payload, PERF_RECORD_KSYMBOL_TYPE_BPF);
		strbuf_put_u16(&payload, 0);
		strbuf_put(&payload, name, strlen(name) + 1);
		strbuf_align(&payload, 8);
		strbuf_put(&payload, trailer, trailer_size);
		record_write(out, RECORD_KSYMBOL, MISC_KERNEL, payload.at,
			payload.n);
	}
	if (n) {
		strbuf_clear(&payload);
		strbuf_put_u16(&payload, PERF_BPF_EVENT_PROG_LOAD);
		strbuf_put_u16(&payload, 0);
		strbuf_put_u32(&payload, info->id);
		strbuf_put(&payload, info->tag, sizeof(info->tag));
		strbuf_put(&payload, trailer, trailer_size);
		record_write(out, RECORD_BPF_EVENT, MISC_KERNEL, payload.at,
			payload.n);
	}
}

void synth_bpf_add(struct synth_procs *procs, struct strbuf *out)
{
	struct synth_program *program = xcalloc(1, sizeof(*program));
	union bpf_attr attr = { 0 };
	unsigned n;

	for (n = 0; n < PROGRAMS_MAX; n++) {
		uint32_t id;
		int fd;

		if (call_bpf(BPF_PROG_GET_NEXT_ID, &attr) < 0)
			break;
		id = attr.next_id;
		attr = (union bpf_attr){ .prog_id = id };
		fd = call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd >= 0 && read_bpf_program(fd, program)) {
			_cleanup_strbuf_ struct strbuf data = { 0 };
			struct btf types = { 0 };

			if (read_bpf_types(program->info.btf_id, &data))
				btf_read(bytes_of(data.at, data.n, false),
					&types);
			add_bpf_program(procs, program, &types, out);
			btf_deinit(&types);
		}
		if (fd >= 0)
			close(fd);
		attr = (union bpf_attr){ .start_id = id };
	}
	free(program);
}
