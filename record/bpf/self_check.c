/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/bpf/self_check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <sys/ioctl.h>
#include <unwind.h>

#include "common/elf/elf.h"
#include "common/unwind/cfi.h"
#include "common/util/alloc.h"

#define FRAMES_MAX 64u
/* The event takes a sample every 50 us of this thread. */
#define PERIOD_NS 50000u
/* Increments between two looks at the result: 0.1 ms or more. */
#define SPINS 100000u
/* The event has a sample after a few looks, or there is a fault. */
#define LOOKS_MAX 1000u
/* Files of the recorder's stack: the recorder, libc, and a few more. */
#define FILES_MAX 16u

/* --- the files of the recorder --- */

/* The loaded file with the address .pc. */
struct loaded_file {
	uint64_t pc;
	char *path;	 /* owned; NULL: not found */
	uint64_t offset; /* of the segment with .pc */
};

static int find_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded_file *loaded = data;
	size_t i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || loaded->pc < start ||
			loaded->pc - start >= segment->p_memsz)
			continue;
		loaded->offset = segment->p_offset;
		loaded->path = xstrdup(
			*info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
		return 1;
	}
	return 0;
}

/* Gives the rules of the loaded file FILE, which has PC, to the program. */
static bool add_own_file(
	struct bpf_unwind *bpf, const struct chain_file *file, uint64_t pc)
{
	struct loaded_file loaded = { .pc = pc };
	struct elf_file *elf = NULL;
	struct cfi *cfi = NULL;
	struct cache *cache;
	uint64_t delta;
	int fd = -1;

	if (dl_iterate_phdr(find_loaded, &loaded))
		fd = open(loaded.path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		error_free(elf_file_open(fd, loaded.path, &elf));
	free(loaded.path);
	if (!elf)
		return false;
	cache = cache_open(CFI_CACHE, NULL);
	error_free(cfi_cache_create(cache, elf, NULL, &cfi));
	cache_close(cache);
	delta = elf_file_address(elf, loaded.offset) - loaded.offset;
	bpf_unwind_add_table(bpf, file, cfi, delta);
	cfi_destroy(cfi);
	elf_file_close(elf);
	return true;
}

/* --- the stack --- */

struct frames {
	uint64_t pcs[FRAMES_MAX];
	size_t n;
};

static _Unwind_Reason_Code add_frame(
	struct _Unwind_Context *context, void *data)
{
	struct frames *frames = data;
	uint64_t pc = _Unwind_GetIP(context);

	if (pc && frames->n < FRAMES_MAX)
		frames->pcs[frames->n++] = pc;
	return _URC_NO_REASON;
}

/*
 * Lets the program unwind the stack of this function, and returns the stack in
 * RET. Sets EXPECTED to the frames above this function. Returns false if the
 * program was not run.
 */
static __attribute__((noinline)) bool sample_own_stack(struct bpf_unwind *bpf,
	struct chain_record *ret, struct frames *expected)
{
	volatile uint64_t spins;
	size_t looks;

	expected->n = 0;
	_Unwind_Backtrace(add_frame, expected);
	bpf_unwind_forget_last(bpf);
	for (looks = 0; looks < LOOKS_MAX; looks++) {
		for (spins = 0; spins < SPINS; spins++)
			;
		if (bpf_unwind_last(bpf, ret))
			return true;
	}
	return false;
}

/* Compares the frames above sample_own_stack(); the others may differ. */
static struct error *compare_frames(
	const struct chain_record *stack, const struct frames *expected)
{
	size_t n = expected->n - 1, i;

	if (stack->end != CHAIN_ROOT || stack->n < n)
		return error_new("the self-check of the BPF program ended "
				 "after %u of %zu frames",
			stack->n, expected->n);
	for (i = 0; i < n; i++)
		if (stack->pcs[stack->n - n + i] != expected->pcs[1 + i])
			return error_new("the self-check of the BPF program "
					 "found another "
					 "frame %zu: "
					 "%#llx, not %#" PRIx64,
				i + 1, stack->pcs[stack->n - n + i],
				expected->pcs[1 + i]);
	return NULL;
}

/* Compares the stack of this thread, which an event samples until this returns. */
static struct error *compare_sampled_stack(struct bpf_unwind *bpf)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.exclude_kernel = 1,
	};
	_cleanup_close_ int fd =
		opener_kernel.open(&opener_kernel, &attr, 0, -1);

	if (fd < 0)
		return error_errno(errno,
			"cannot open the event that checks the BPF program");
	if (!bpf_unwind_attach(bpf, fd))
		return error_errno(errno, "cannot attach the BPF program");
	_cleanup_free_ struct chain_record *stack = xcalloc(1, sizeof(*stack));
	struct frames expected;
	size_t files;

	for (files = 0; files < FILES_MAX; files++) {
		if (!sample_own_stack(bpf, stack, &expected))
			return error_new("the self-check of the BPF program "
					 "took no sample");
		/* With the rules of all its files, the stack is complete. */
		if (stack->end != CHAIN_NO_TABLE ||
			!add_own_file(bpf, &stack->file, stack->at))
			break;
	}
	return expected.n > 1 ? compare_frames(stack, &expected) : NULL;
}

struct error *self_check_bpf(struct bpf_unwind *bpf)
{
	struct error *err = compare_sampled_stack(bpf);

	bpf_unwind_forget_counts(bpf);
	return err;
}
