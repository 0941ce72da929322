/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/bpf/bpf_unwind.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/unwind/cfi_table.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "record/bpf/bpf_unwind_private.h"
#include "record/bpf/unwind_object.h"

static int print_libbpf(
	enum libbpf_print_level level, const char *format, va_list values)
{
	(void)level;
	(void)format;
	(void)values;
	return 0;
}

bool bpf_unwind_attach(const struct bpf_unwind *bpf, int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf->program) == 0;
}

static int open_with_program(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	const struct bpf_unwind *bpf = opener->data;
	struct perf_event_attr changed =
		chain_kernel_attr(attr, bpf->keeps_copies);
	struct opener plain = opener_kernel;
	int fd, errnum;

	plain.leader = opener->leader;
	plain.cgroup = opener->cgroup;
	if (!chain_is_joined(attr))
		return plain.open(&plain, attr, pid, cpu);
	fd = plain.open(&plain, &changed, pid, cpu);
	if (fd < 0 || bpf_unwind_attach(bpf, fd))
		return fd;
	errnum = errno;
	close(fd);
	errno = errnum;
	return -1;
}

int bpf_unwind_map(const struct bpf_unwind *bpf, const char *name)
{
	return bpf_object__find_map_fd_by_name(bpf->object, name);
}

static void set_entries(
	const struct bpf_unwind *bpf, const char *name, uint32_t n)
{
	bpf_map__set_max_entries(
		bpf_object__find_map_by_name(bpf->object, name), n);
}

/* The inode of the first PID namespace (PROC_PID_INIT_INO of Linux). */
#define FIRST_PID_NAMESPACE 0xeffffffcu

static struct error *load_program(struct bpf_unwind *bpf, bool has_waits)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "dwell");
	int n_cpus = libbpf_num_possible_cpus();
	struct bpf_program *program;
	struct stat space;

	libbpf_set_print(print_libbpf);
	bpf->object = bpf_object__open_mem(
		unwind_object, sizeof(unwind_object), &options);
	if (!bpf->object || n_cpus < 0)
		return error_errno(errno, "cannot read the BPF program");
	set_entries(bpf, "copies", (uint32_t)n_cpus * (has_waits ? 2 : 1));
	set_entries(bpf, "output", (uint32_t)n_cpus);
	if (!has_waits) {
		/* Their programs are not loaded, and their maps have one entry. */
		struct bpf_map *map;

		bpf_object__for_each_program(program, bpf->object)
		{
			if (string_starts(bpf_program__name(program), "wait_"))
				bpf_program__set_autoload(program, false);
		}
		bpf_object__for_each_map(map, bpf->object)
		{
			if (string_starts(bpf_map__name(map), "wait_"))
				bpf_map__set_max_entries(map, 1);
		}
	}
	bpf->settings.n_cpus = (uint32_t)n_cpus;
	bpf->settings.page_shift =
		(uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	if (stat("/proc/self/ns/pid", &space) >= 0 &&
		space.st_ino != FIRST_PID_NAMESPACE) {
		bpf->settings.pid_device = space.st_dev;
		bpf->settings.pid_inode = space.st_ino;
	}
	if (bpf_object__load(bpf->object) < 0)
		return error_errno(errno,
			"the kernel refused the BPF program, which needs "
			"Linux 6.1 and BTF (/sys/kernel/btf/vmlinux)");
	program =
		bpf_object__find_program_by_name(bpf->object, "unwind_sample");
	bpf->program = bpf_program__fd(program);
	bpf->tables = bpf_unwind_map(bpf, "tables");
	bpf->slabs = bpf_unwind_map(bpf, "slabs");
	bpf->output = bpf_unwind_map(bpf, "output");
	bpf->counts = bpf_unwind_map(bpf, "counts");
	bpf->records = bpf_unwind_map(bpf, "records");
	bpf->runtimes = bpf_unwind_map(bpf, "runtimes");
	bpf->variables = bpf_unwind_map(bpf, ".bss");
	bpf_unwind_set(bpf);
	return NULL;
}

struct error *bpf_unwind_create(bool has_waits, struct bpf_unwind **ret)
{
	struct bpf_unwind *bpf = xcalloc(1, sizeof(*bpf));
	struct error *err;

	bpf->used = CHAIN_SLAB_WORDS;
	bpf->opener = (struct opener){ .open = open_with_program, .data = bpf };
	pthread_mutex_init(&bpf->lock, NULL);
	err = load_program(bpf, has_waits);
	if (err)
		bpf_unwind_destroy(bpf);
	else
		*ret = bpf;
	return err;
}

void bpf_unwind_destroy(struct bpf_unwind *bpf)
{
	if (!bpf)
		return;
	array_each(&bpf->outputs, output)
		close(output->fd);
	array_free(&bpf->outputs);
	array_each(&bpf->links, link)
		bpf_link__destroy(*link);
	array_free(&bpf->links);
	hash_free(&bpf->by_id);
	array_free(&bpf->files);
	if (bpf->slab)
		munmap(bpf->slab, CHAIN_SLAB_WORDS * sizeof(uint32_t));
	bpf_object__close(bpf->object);
	pthread_mutex_destroy(&bpf->lock);
	free(bpf);
}

const struct opener *bpf_unwind_opener(
	struct bpf_unwind *bpf, bool keeps_copies)
{
	bpf->keeps_copies = keeps_copies;
	return &bpf->opener;
}

int bpf_unwind_open_output(struct bpf_unwind *bpf, uint32_t cpu, int ring,
	const struct perf_event_attr *like)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
			PERF_SAMPLE_RAW,
		.sample_period = 1,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.use_clockid = like->use_clockid,
		.clockid = like->clockid,
	};
	int fd = opener_kernel.open(&opener_kernel, &attr, -1, (int)cpu);
	struct bpf_output *output;

	if (fd < 0)
		return errno;
	output = array_push(&bpf->outputs);
	*output = (struct bpf_output){ .fd = fd };
	if (ioctl(fd, PERF_EVENT_IOC_ID, &output->id) < 0 ||
		ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring) < 0 ||
		bpf_map_update_elem(bpf->output, &cpu, &fd, 0) < 0)
		return errno;
	hash_insert(&bpf->by_id, hash_words(output->id, 0),
		(uint32_t)bpf->outputs.n - 1);
	return 0;
}

bool bpf_unwind_is_output(const struct bpf_unwind *bpf, uint64_t id)
{
	hash_each_match(&bpf->by_id, hash_words(id, 0), i)
		if (bpf->outputs.at[i].id == id)
			return true;
	return false;
}

/* --- rules --- */

/* Makes room for WORDS words in the last slab, or in a new one. */
static bool reserve_words(struct bpf_unwind *bpf, uint32_t words)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	size_t size = CHAIN_SLAB_WORDS * sizeof(uint32_t);
	void *memory;
	int fd;

	if (CHAIN_SLAB_WORDS - bpf->used >= words)
		return true;
	if (words > CHAIN_SLAB_WORDS || bpf->n_slabs == CHAIN_SLABS_MAX)
		return false;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dwell_rules", 4,
		(uint32_t)size, 1, &options);
	if (fd < 0)
		return false;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED ||
		bpf_map_update_elem(bpf->slabs, &bpf->n_slabs, &fd, 0) < 0) {
		if (memory != MAP_FAILED)
			munmap(memory, size);
		close(fd);
		return false;
	}
	close(fd);
	if (bpf->slab)
		munmap(bpf->slab, size);
	bpf->slab = memory;
	bpf->n_slabs++;
	bpf->used = 0;
	return true;
}

static void add_file_without_rules(
	struct bpf_unwind *bpf, const struct chain_file *file)
{
	static const struct chain_table none;

	bpf_map_update_elem(bpf->tables, file, &none, 0);
}

static void add_table(struct bpf_unwind *bpf, const struct chain_file *file,
	const struct cfi_table *table, uint64_t delta)
{
	uint32_t words = (uint32_t)((cfi_table_size(table) - sizeof(*table)) /
		sizeof(uint32_t));
	struct chain_table added = {
		.n_pages = table->n_pages,
		.n_rows = table->n_rows,
		.base = table->base,
		.delta = delta,
	};

	if (!reserve_words(bpf, words)) {
		add_file_without_rules(bpf, file);
		return;
	}
	added.slab = bpf->n_slabs - 1;
	added.words = bpf->used;
	added.id = (uint32_t)bpf->files.n;
	/* The words are written before the program can find them. */
	memcpy(bpf->slab + bpf->used, table->words, words * sizeof(uint32_t));
	bpf->used += words;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	bpf_map_update_elem(bpf->tables, file, &added, 0);
}

static bool is_same_file(const struct chain_file *a, const struct chain_file *b)
{
	return a->inode == b->inode && a->device == b->device;
}

static bool is_known_file(
	const struct bpf_unwind *bpf, const struct chain_file *file)
{
	array_each(&bpf->files, known)
		if (is_same_file(known, file))
			return true;
	return false;
}

void bpf_unwind_add_table(struct bpf_unwind *bpf, const struct chain_file *file,
	const struct cfi *cfi, uint64_t delta)
{
	pthread_mutex_lock(&bpf->lock);
	if (!is_known_file(bpf, file)) {
		*array_push(&bpf->files) = *file;
		if (cfi)
			add_table(bpf, file, cfi_compiled(cfi), delta);
		else
			add_file_without_rules(bpf, file);
	}
	pthread_mutex_unlock(&bpf->lock);
}

void bpf_unwind_note_unknown(
	struct bpf_unwind *bpf, const struct chain_unknown *unknown)
{
	bool is_noted;
	size_t i;

	pthread_mutex_lock(&bpf->lock);
	is_noted = bpf->n_unknown == UNKNOWN_MAX ||
		is_known_file(bpf, &unknown->file);
	for (i = 0; i < bpf->n_unknown; i++)
		is_noted |= is_same_file(&bpf->unknown[i].file, &unknown->file);
	if (!is_noted) {
		bpf->unknown[bpf->n_unknown] = *unknown;
		__atomic_store_n(
			&bpf->n_unknown, bpf->n_unknown + 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&bpf->lock);
}

bool bpf_unwind_take_unknown(
	struct bpf_unwind *bpf, uint32_t pid, struct chain_unknown *ret)
{
	bool is_found = false;
	size_t i, n;

	if (!__atomic_load_n(&bpf->n_unknown, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&bpf->lock);
	n = bpf->n_unknown;
	for (i = 0; i < n && !is_found; i++) {
		if (bpf->unknown[i].pid != pid)
			continue;
		*ret = bpf->unknown[i];
		bpf->unknown[i] = bpf->unknown[n - 1];
		__atomic_store_n(&bpf->n_unknown, n - 1, __ATOMIC_RELAXED);
		is_found = true;
	}
	pthread_mutex_unlock(&bpf->lock);
	return is_found;
}

/* Calls TAKE with the value of SIZE bytes of each CPU in MAP. */
static void each_cpu_value(int map, size_t size,
	void (*take)(void *data, const void *value), void *data)
{
	int n = libbpf_num_possible_cpus(), cpu;
	_cleanup_free_ uint8_t *values = NULL;
	uint32_t zero = 0;

	if (n <= 0)
		return;
	values = xcalloc((size_t)n, size);
	if (bpf_map_lookup_elem(map, &zero, values) == 0)
		for (cpu = 0; cpu < n; cpu++)
			take(data, values + (size_t)cpu * size);
}

/* Sets the value of SIZE bytes of each CPU in MAP to 0. */
static void clear_cpu_values(int map, size_t size)
{
	int n = libbpf_num_possible_cpus();
	_cleanup_free_ uint8_t *values = NULL;
	uint32_t zero = 0;

	if (n <= 0)
		return;
	values = xcalloc((size_t)n, size);
	bpf_map_update_elem(map, &zero, values, 0);
}

static void take_stack(void *data, const void *value)
{
	const struct chain_record *stack = value;

	if (stack->n)
		memcpy(data, stack, sizeof(*stack));
}

bool bpf_unwind_last(const struct bpf_unwind *bpf, struct chain_record *ret)
{
	ret->n = 0;
	each_cpu_value(bpf->records, sizeof(*ret), take_stack, ret);
	return ret->n;
}

void bpf_unwind_forget_last(const struct bpf_unwind *bpf)
{
	clear_cpu_values(bpf->records, sizeof(struct chain_record));
}

void bpf_unwind_forget_counts(const struct bpf_unwind *bpf)
{
	clear_cpu_values(bpf->counts, sizeof(struct chain_counts));
}

void bpf_unwind_set(const struct bpf_unwind *bpf)
{
	uint32_t zero = 0;

	bpf_map_update_elem(bpf->variables, &zero, &bpf->settings, 0);
}

void bpf_unwind_set_mode(struct bpf_unwind *bpf, enum chain_mode mode)
{
	bpf->settings.mode = mode;
	bpf_unwind_set(bpf);
}

void bpf_unwind_send_linked(
	struct bpf_unwind *bpf, uint32_t pid, const struct chain_runtime *list)
{
	bpf_map_update_elem(bpf->runtimes, &pid, list, BPF_ANY);
}

void bpf_unwind_forget_runtime(struct bpf_unwind *bpf, uint32_t pid)
{
	bpf_map_delete_elem(bpf->runtimes, &pid);
}

void bpf_unwind_inherit_runtime(
	struct bpf_unwind *bpf, uint32_t parent, uint32_t child)
{
	struct chain_runtime runtime;

	if (bpf_map_lookup_elem(bpf->runtimes, &parent, &runtime) == 0)
		bpf_map_update_elem(bpf->runtimes, &child, &runtime, BPF_ANY);
}

struct count_sums {
	uint64_t *sums;
	size_t n;
};

static void add_counts(void *data, const void *value)
{
	const struct count_sums *to = data;
	const uint64_t *of_cpu = value;
	size_t i;

	for (i = 0; i < to->n; i++)
		to->sums[i] += of_cpu[i];
}

void bpf_unwind_sum(int map, void *sums, size_t size)
{
	struct count_sums to = { sums, size / sizeof(*to.sums) };

	memset(sums, 0, size);
	each_cpu_value(map, size, add_counts, &to);
}

void bpf_unwind_counts(const struct bpf_unwind *bpf, struct chain_counts *ret)
{
	bpf_unwind_sum(bpf->counts, ret, sizeof(*ret));
}
