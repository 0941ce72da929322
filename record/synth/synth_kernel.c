/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/synth_kernel.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/syscall.h>

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

/* Parses a line such as "ext4 1048576 2 - Live 0xffffffffc0000000". */
static void add_module(
	struct synth_procs *procs, const char *line, struct strbuf *out)
{
	char name[128], shown[130];
	uint64_t size, start;

	if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size,
		    &start) < 3 ||
		!start)
		return;
	snprintf(shown, sizeof(shown), "[%s]", name);
	add_kernel_map(procs, start, size, 0, shown, out);
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
	while ((line = strsep(&rest, "\n")))
		add_module(procs, line, out);
}

#define KALLSYMS "/proc/kallsyms"
/*
 * Limit of the functions of a BPF program that are read. The kernel allows 256
 * functions (linux/bpf_verifier.h).
 */
#define FUNCTIONS_MAX 1024u
#define PROGRAMS_MAX 65536u

/* The kernel symbol of a BPF program. */
struct bpf_symbol {
	uint64_t start;
	char *name;
};

struct bpf_symbols {
	ARRAY(struct bpf_symbol) list;
};

struct program {
	struct bpf_prog_info info;
	uint64_t starts[FUNCTIONS_MAX];
	uint32_t sizes[FUNCTIONS_MAX];
};

static int call_bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/*
 * Adds the symbol of a line such as "ffffffffc0201234 t
 * bpf_prog_6deef7357e7b4530_name    [bpf]".
 */
static void add_bpf_symbol(const char *line, struct bpf_symbols *symbols)
{
	struct bpf_symbol *symbol;
	char name[256];
	uint64_t start;

	if (!strstr(line, "[bpf]") ||
		sscanf(line, "%" SCNx64 " %*c %255s", &start, name) != 2 ||
		!start)
		return;
	symbol = array_push(&symbols->list);
	*symbol = (struct bpf_symbol){ start, xstrdup(name) };
}

static void read_bpf_symbols(struct bpf_symbols *symbols)
{
	FILE *file = fopen(KALLSYMS, "re");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0)
		add_bpf_symbol(line, symbols);
	free(line);
	if (file)
		fclose(file);
}

static const char *find_bpf_symbol(
	const struct bpf_symbols *symbols, uint64_t start)
{
	array_each(&symbols->list, symbol)
		if (symbol->start == start)
			return symbol->name;
	return NULL;
}

static void add_ksymbol_record(struct synth_procs *procs, uint64_t start,
	uint32_t size, const char *name, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = synth_procs_trailer(procs, 0, 0, trailer);

	strbuf_put_u64(&payload, start);
	strbuf_put_u32(&payload, size);
	strbuf_put_u16(&payload, PERF_RECORD_KSYMBOL_TYPE_BPF);
	strbuf_put_u16(&payload, 0);
	strbuf_put(&payload, name, strlen(name) + 1);
	strbuf_align(&payload, 8);
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_KSYMBOL, MISC_KERNEL, payload.at, payload.n);
}

static void add_load_record(struct synth_procs *procs,
	const struct bpf_prog_info *info, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = synth_procs_trailer(procs, 0, 0, trailer);

	strbuf_put_u16(&payload, PERF_BPF_EVENT_PROG_LOAD);
	strbuf_put_u16(&payload, 0);
	strbuf_put_u32(&payload, info->id);
	strbuf_put(&payload, info->tag, sizeof(info->tag));
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_BPF_EVENT, MISC_KERNEL, payload.at, payload.n);
}

/*
 * Sets NAME to the name of function INDEX of a BPF program, for functions
 * without a kernel symbol. Function 0 gets the name that the kernel uses.
 */
static void make_bpf_name(
	const struct bpf_prog_info *info, uint32_t index, char name[64])
{
	char tag[2 * sizeof(info->tag) + 1];
	size_t i;

	for (i = 0; i < sizeof(info->tag); i++)
		snprintf(tag + 2 * i, 3, "%02x", info->tag[i]);
	if (index)
		snprintf(name, 64, "bpf_prog_%s_F%" PRIu32, tag, index);
	else
		snprintf(name, 64, "bpf_prog_%s%s%.*s", tag,
			info->name[0] ? "_" : "", (int)sizeof(info->name),
			info->name);
}

static bool read_bpf_program(int fd, struct program *program)
{
	struct bpf_prog_info *info = &program->info;
	union bpf_attr attr = { 0 };

	*info = (struct bpf_prog_info){
		.jited_ksyms = (uintptr_t)program->starts,
		.nr_jited_ksyms = FUNCTIONS_MAX,
		.jited_func_lens = (uintptr_t)program->sizes,
		.nr_jited_func_lens = FUNCTIONS_MAX,
	};
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (uintptr_t)info;
	return call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
}

static void add_bpf_program(struct synth_procs *procs, struct program *program,
	const struct bpf_symbols *symbols, struct strbuf *out)
{
	const struct bpf_prog_info *info = &program->info;
	uint32_t i, n = MIN(info->nr_jited_ksyms, info->nr_jited_func_lens);

	n = MIN(n, FUNCTIONS_MAX);
	for (i = 0; i < n; i++) {
		uint64_t start = program->starts[i];
		const char *known = find_bpf_symbol(symbols, start);
		char name[64];

		/* 0: the kernel hides addresses from this user. */
		if (!start)
			return;
		make_bpf_name(info, i, name);
		add_ksymbol_record(procs, start, program->sizes[i],
			known ? known : name, out);
	}
	if (n)
		add_load_record(procs, info, out);
}

void bpf_add_programs(struct synth_procs *procs, struct strbuf *out)
{
	struct program *program = xcalloc(1, sizeof(*program));
	struct bpf_symbols symbols = { 0 };
	union bpf_attr attr = { 0 };
	unsigned n;

	for (n = 0; n < PROGRAMS_MAX; n++) {
		uint32_t id;
		int fd;

		if (call_bpf(BPF_PROG_GET_NEXT_ID, &attr) < 0)
			break;
		if (!n)
			read_bpf_symbols(&symbols);
		id = attr.next_id;
		attr = (union bpf_attr){ .prog_id = id };
		fd = call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd >= 0 && read_bpf_program(fd, program))
			add_bpf_program(procs, program, &symbols, out);
		if (fd >= 0)
			close(fd);
		attr = (union bpf_attr){ .start_id = id };
	}
	array_each(&symbols.list, symbol)
		free(symbol->name);
	array_free(&symbols.list);
	free(program);
}
