/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/bpf.h"

#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "common/util/array.h"
#include "record/sys/sysfile.h"

#define KALLSYMS "/proc/kallsyms"
/* More functions than any program has (linux/bpf_verifier.h: 256). */
#define FUNCTIONS_MAX 1024u
#define PROGRAMS_MAX 65536u

/* A symbol of the kernel's that is a BPF program's. */
struct named {
	uint64_t start;
	char *name;
};

struct names {
	ARRAY(struct named) list;
};

struct program {
	struct bpf_prog_info info;
	uint64_t starts[FUNCTIONS_MAX];
	uint32_t sizes[FUNCTIONS_MAX];
};

static int call(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* "ffffffffc0201234 t bpf_prog_6deef7357e7b4530_name	[bpf]" */
static void add_name(const char *line, struct names *names)
{
	struct named *named;
	char name[256];
	uint64_t start;

	if (!strstr(line, "[bpf]") ||
		sscanf(line, "%" SCNx64 " %*c %255s", &start, name) != 2 ||
		!start)
		return;
	named = array_push(&names->list);
	*named = (struct named){ start, xstrdup(name) };
}

static void read_names(struct names *names)
{
	FILE *file = fopen(KALLSYMS, "re");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0)
		add_name(line, names);
	free(line);
	if (file)
		fclose(file);
}

static const char *find_name(const struct names *names, uint64_t start)
{
	array_each (&names->list, named)
		if (named->start == start)
			return named->name;
	return NULL;
}

static void add_ksymbol(struct procs *procs, uint64_t start, uint32_t size,
	const char *name, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = procs_trailer(procs, 0, 0, trailer);

	strbuf_put_u64(&payload, start);
	strbuf_put_u32(&payload, size);
	strbuf_put_u16(&payload, PERF_RECORD_KSYMBOL_TYPE_BPF);
	strbuf_put_u16(&payload, 0);
	strbuf_put(&payload, name, strlen(name) + 1);
	strbuf_align(&payload, 8);
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_KSYMBOL, MISC_KERNEL, payload.at, payload.n);
}

static void add_load(struct procs *procs, const struct bpf_prog_info *info,
	struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = procs_trailer(procs, 0, 0, trailer);

	strbuf_put_u16(&payload, PERF_BPF_EVENT_PROG_LOAD);
	strbuf_put_u16(&payload, 0);
	strbuf_put_u32(&payload, info->id);
	strbuf_put(&payload, info->tag, sizeof(info->tag));
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_BPF_EVENT, MISC_KERNEL, payload.at, payload.n);
}

/* The kernel calls the first function so, and others where it tells none. */
static void make_name(
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

static bool read_program(int fd, struct program *program)
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
	return call(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
}

static void add_program(struct procs *procs, struct program *program,
	const struct names *names, struct strbuf *out)
{
	const struct bpf_prog_info *info = &program->info;
	uint32_t i, n = MIN(info->nr_jited_ksyms, info->nr_jited_func_lens);

	n = MIN(n, FUNCTIONS_MAX);
	for (i = 0; i < n; i++) {
		uint64_t start = program->starts[i];
		const char *known = find_name(names, start);
		char name[64];

		/* 0: addresses are hidden from this user. */
		if (!start)
			return;
		make_name(info, i, name);
		add_ksymbol(procs, start, program->sizes[i],
			known ? known : name, out);
	}
	if (n)
		add_load(procs, info, out);
}

void bpf_add_programs(struct procs *procs, struct strbuf *out)
{
	struct program *program = xcalloc(1, sizeof(*program));
	struct names names = { 0 };
	union bpf_attr attr = { 0 };
	unsigned n;

	for (n = 0; n < PROGRAMS_MAX; n++) {
		uint32_t id;
		int fd;

		if (call(BPF_PROG_GET_NEXT_ID, &attr) < 0)
			break;
		if (!n)
			read_names(&names);
		id = attr.next_id;
		attr = (union bpf_attr){ .prog_id = id };
		fd = call(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd >= 0 && read_program(fd, program))
			add_program(procs, program, &names, out);
		if (fd >= 0)
			close(fd);
		attr = (union bpf_attr){ .start_id = id };
	}
	array_each (&names.list, named)
		free(named->name);
	array_free(&names.list);
	free(program);
}
