/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds with libunwind, by .eh_frame_hdr and .eh_frame of the mapped files.
 * libunwind unwinds stacks of the processor for which it was built.
 */
#include "config.h"

#include "report/check/judge.h"

#if defined(HAVE_LIBUNWIND) && defined(__x86_64__)

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "report/check/libunwind_remote.h"

/* Limit of address spaces of libunwind, which each have a cache of rules. */
#define SPACES_MAX 256u

struct libunwind_space {
	uint32_t number;
	unw_addr_space_t handle;
};

struct libunwind_state {
	struct judge_files files;
	ARRAY(struct libunwind_space) spaces;
	const struct judge_stack *stack; /* of the current call */
	struct judge_code code; /* of the current frame; .elf may be NULL */
};

static bool libunwind_supports(enum unwind_arch arch)
{
	return arch == UNWIND_X86_64;
}

static void *libunwind_create(
	const struct judge_files *files, enum unwind_arch arch)
{
	struct libunwind_state *state = xcalloc(1, sizeof(*state));

	(void)arch;
	state->files = *files;
	return state;
}

static void close_libunwind_spaces(struct libunwind_state *state)
{
	array_each(&state->spaces, space)
		unw_destroy_addr_space(space->handle);
	array_free(&state->spaces);
}

static void libunwind_destroy(void *data)
{
	close_libunwind_spaces(data);
	free(data);
}

/* --- callbacks of libunwind ---------------------------------------------- */

/*
 * Reads the word at ADDRESS of a section. Bytes behind the end of the section
 * are 0.
 */
static bool read_section_word(const struct libunwind_state *state,
	const struct elf_section *section, uint64_t address, unw_word_t *ret)
{
	uint64_t at = address - state->code.bias - section->address;

	if (at >= section->size)
		return false;
	*ret = 0;
	memcpy(ret, section->at + at, MIN(sizeof(*ret), section->size - at));
	return true;
}

/*
 * Reads the stack copy, or else the file of the current frame: libunwind reads
 * the pointers of personality routines, which it never calls.
 */
static int access_memory(unw_addr_space_t as, unw_word_t address,
	unw_word_t *ret, int is_write, void *data)
{
	const struct libunwind_state *state = data;
	const struct unwind_memory *memory = state->stack->memory;
	const struct judge_code *code = &state->code;
	uint64_t at = address - memory->start;

	(void)as;
	if (is_write)
		return -UNW_EINVAL;
	if (at < memory->size && memory->size - at >= sizeof(*ret)) {
		memcpy(ret, memory->bytes + at, sizeof(*ret));
		return 0;
	}
	if (code->elf &&
		(read_section_word(state, &code->eh_frame, address, ret) ||
			read_section_word(
				state, &code->eh_frame_hdr, address, ret) ||
			elf_file_read(code->elf, address - code->bias, ret,
				sizeof(*ret)) == sizeof(*ret)))
		return 0;
	return -UNW_EINVAL;
}

static int access_register(unw_addr_space_t as, unw_regnum_t n, unw_word_t *ret,
	int is_write, void *data)
{
	const struct libunwind_state *state = data;
	const struct unwind_registers *registers = state->stack->registers;

	(void)as;
	if (is_write || n < 0 || n > UNW_X86_64_RIP)
		return -UNW_EBADREG;
	*ret = n == UNW_X86_64_RIP ? registers->pc : registers->value[n];
	return 0;
}

static int find_procedure(unw_addr_space_t as, unw_word_t ip,
	unw_proc_info_t *ret, int needs_info, void *data)
{
	struct libunwind_state *state = data;
	struct judge_code *code = &state->code;

	if (!state->files.find(
		    state->files.data, state->stack->space, ip, code))
		*code = (struct judge_code){ 0 };
	return libunwind_search(
		&code->eh_frame_hdr, code->bias, as, ip, ret, needs_info, data);
}

static unw_accessors_t accessors = {
	.find_proc_info = find_procedure,
	.put_unwind_info = libunwind_no_put_unwind_info,
	.get_dyn_info_list_addr = libunwind_no_dyn_info,
	.access_mem = access_memory,
	.access_reg = access_register,
	.access_fpreg = libunwind_no_fpreg,
	.resume = libunwind_no_resume,
	.get_proc_name = libunwind_no_name,
};

/* --- stacks --------------------------------------------------------------- */

static unw_addr_space_t find_libunwind_space(
	struct libunwind_state *state, uint32_t number)
{
	struct libunwind_space *space;

	array_each(&state->spaces, known)
		if (known->number == number)
			return known->handle;
	if (state->spaces.n == SPACES_MAX)
		close_libunwind_spaces(state);
	space = array_push(&state->spaces);
	*space = (struct libunwind_space){ number,
		unw_create_addr_space(&accessors, 0) };
	unw_set_caching_policy(space->handle, UNW_CACHE_GLOBAL);
	return space->handle;
}

static size_t libunwind_unwind(
	void *data, const struct judge_stack *stack, uint64_t *pcs, size_t room)
{
	struct libunwind_state *state = data;
	unw_addr_space_t space = find_libunwind_space(state, stack->space);
	unw_cursor_t cursor;
	unw_word_t pc;
	size_t n = 1;

	state->stack = stack;
	state->code = (struct judge_code){ 0 };
	pcs[0] = stack->registers->pc;
	if (unw_init_remote(&cursor, space, state) < 0)
		return n;
	/* The pc of libunwind's last frame can be 0. */
	while (n < room && unw_step(&cursor) > 0 &&
		unw_get_reg(&cursor, UNW_REG_IP, &pc) == 0 && pc)
		pcs[n++] = pc;
	return n;
}

const struct judge judge_libunwind = { "libunwind", libunwind_supports,
	libunwind_create, libunwind_destroy, libunwind_unwind };

#else

static bool libunwind_supports(enum unwind_arch arch _unused_)
{
	return false;
}

const struct judge judge_libunwind = { .name = "libunwind",
	.supports = libunwind_supports };

#endif
