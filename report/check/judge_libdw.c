/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds with libdw (elfutils). Each address space is a Dwfl of its own, to
 * which the files of the code are added when a frame in them is met.
 */
#include "config.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <string.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "report/check/judge.h"

/*
 * Limit of the files in all Dwfl objects: each has a descriptor of its own. More
 * are opened only for the files of one address space.
 */
#define FILES_MAX 256u

struct libdw_space {
	uint32_t number;
	Dwfl *dwfl;
	ARRAY(uint32_t) dsos; /* added files */
	bool is_attached;
};

struct libdw_state {
	struct judge_files files;
	size_t n_files; /* in all spaces */
	enum unwind_arch arch;
	ARRAY(struct libdw_space) spaces;
	const struct judge_stack *stack; /* of the current call */
	uint64_t *pcs;
	size_t n, room;
};

static bool libdw_supports(enum unwind_arch arch)
{
	return arch == UNWIND_X86_64 || arch == UNWIND_AARCH64;
}

static void *libdw_create(
	const struct judge_files *files, enum unwind_arch arch)
{
	struct libdw_state *state = xcalloc(1, sizeof(*state));

	state->files = *files;
	state->arch = arch;
	return state;
}

static void close_libdw_spaces(struct libdw_state *state)
{
	array_each(&state->spaces, space) {
		dwfl_end(space->dwfl);
		array_free(&space->dsos);
	}
	array_free(&state->spaces);
	state->n_files = 0;
}

static void libdw_destroy(void *data)
{
	struct libdw_state *state = data;

	close_libdw_spaces(state);
	free(state);
}

/* --- callbacks of libdw ------------------------------------------------- */

/* The process has one thread, with number 1. */
static pid_t next_thread(Dwfl *dwfl, void *data, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = data;
	return 1;
}

static bool read_stack_word(
	Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *data)
{
	const struct libdw_state *state = data;
	const struct unwind_memory *memory = state->stack->memory;
	uint64_t at = address - memory->start;

	(void)dwfl;
	if (memory->size < sizeof(*ret) || at > memory->size - sizeof(*ret))
		return false;
	memcpy(ret, memory->bytes + at, sizeof(*ret));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *data)
{
	const struct libdw_state *state = data;
	const struct unwind_registers *registers = state->stack->registers;
	bool is_arm = state->arch == UNWIND_AARCH64;
	int i;

	for (i = 0; i < (int)UNWIND_REGISTERS; i++)
		if (registers->known >> i & 1 &&
			!dwfl_thread_state_registers(
				thread, i, 1, &registers->value[i]))
			return false;
	if (is_arm)
		dwfl_thread_state_register_pc(thread, registers->pc);
	return is_arm ||
		dwfl_thread_state_registers(thread,
			unwind_numbers[state->arch].ra, 1, &registers->pc);
}

static int take_frame(Dwfl_Frame *frame, void *data)
{
	struct libdw_state *state = data;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL) || !pc || state->n == state->room)
		return DWARF_CB_ABORT;
	state->pcs[state->n++] = pc;
	return DWARF_CB_OK;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_stack_word,
	.set_initial_registers = set_registers,
};

/* Files are added by descriptor, and libdw searches for no others. */
static int find_no_elf(Dwfl_Module *module, void **data, const char *name,
	Dwarf_Addr base, char **file_ret, Elf **ret)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file_ret;
	(void)ret;
	return -1;
}

static int find_no_debug_file(Dwfl_Module *module, void **data,
	const char *name, Dwarf_Addr base, const char *file, const char *link,
	GElf_Word crc, char **ret)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)ret;
	return -1;
}

static const Dwfl_Callbacks file_callbacks = {
	.find_elf = find_no_elf,
	.find_debuginfo = find_no_debug_file,
	.section_address = dwfl_offline_section_address,
};

/* --- address spaces ------------------------------------------------------ */

static struct libdw_space *find_libdw_space(
	struct libdw_state *state, uint32_t number)
{
	struct libdw_space *space;

	array_each(&state->spaces, known)
		if (known->number == number)
			return known;
	if (state->n_files >= FILES_MAX)
		close_libdw_spaces(state);
	space = array_push(&state->spaces);
	*space = (struct libdw_space){ .number = number,
		.dwfl = dwfl_begin(&file_callbacks) };
	return space;
}

/* Adds the files of all frames. Returns whether a file was added. */
static bool add_files_of_frames(
	struct libdw_state *state, struct libdw_space *space)
{
	bool is_added = false;
	size_t i;

	for (i = 0; i < state->n; i++) {
		uint64_t pc = state->pcs[i] - (i > 0);
		struct judge_code code;
		bool is_known = false;
		int fd;

		if (!state->files.find(
			    state->files.data, space->number, pc, &code))
			continue;
		array_each(&space->dsos, known)
			is_known |= *known == code.dso;
		if (is_known)
			continue;
		*array_push(&space->dsos) = code.dso;
		fd = code.elf ? fcntl(elf_file_fd(code.elf), F_DUPFD_CLOEXEC, 3)
			      : -1;
		if (fd < 0)
			continue;
		state->n_files++;
		dwfl_report_begin_add(space->dwfl);
		if (!dwfl_report_elf(space->dwfl, "", "", fd, code.bias, true))
			close(fd);
		dwfl_report_end(space->dwfl, NULL, NULL);
		is_added = true;
	}
	return is_added;
}

/*
 * Unwinds until libdw knows the files of all frames. Behind a frame in another
 * file, libdw continues by the frame pointer, which leads to wrong callers.
 */
static size_t libdw_unwind(
	void *data, const struct judge_stack *stack, uint64_t *pcs, size_t room)
{
	struct libdw_state *state = data;
	struct libdw_space *space = find_libdw_space(state, stack->space);

	state->stack = stack;
	state->pcs = pcs;
	state->room = room;
	pcs[0] = stack->registers->pc;
	state->n = 1;
	add_files_of_frames(state, space);
	do {
		/* Fails while the address space has no file. */
		if (!space->is_attached)
			space->is_attached = dwfl_attach_state(
				space->dwfl, NULL, 1, &thread_callbacks, state);
		state->n = 0;
		if (space->is_attached)
			dwfl_getthread_frames(
				space->dwfl, 1, take_frame, state);
		if (!state->n)
			pcs[state->n++] = stack->registers->pc;
	} while (add_files_of_frames(state, space));
	return state->n;
}

const struct judge judge_libdw = { "libdw", libdw_supports, libdw_create,
	libdw_destroy, libdw_unwind };
