/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "row.h"

#if defined(HAVE_LIBUNWIND) && defined(__x86_64__)

#include "report/check/libunwind_remote.h"

static struct elf_section section_of(struct row_file *file, const char *name)
{
	struct elf_section section;

	elf_file_section(file->elf, name, CFI_SECTION_MAX, &section);
	return section;
}

/* Reads a word of SECTION, padded with zeros behind its end. */
static bool read_section(
	const struct elf_section *section, uint64_t address, uint64_t *ret)
{
	uint64_t at = address - section->address;

	if (!section->size || at >= section->size)
		return false;
	*ret = 0;
	memcpy(ret, section->at + at, MIN(section->size - at, UINT64_C(8)));
	return true;
}

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *ret,
	int is_write, void *data)
{
	struct row_file *file = data;
	struct elf_section frames = section_of(file, ".eh_frame");
	struct elf_section hdr = section_of(file, ".eh_frame_hdr");

	(void)as;
	if (is_write)
		return -UNW_EINVAL;
	if (!read_section(&frames, address, ret) &&
		!read_section(&hdr, address, ret))
		*ret = row_contents(file, address);
	return 0;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip,
	unw_proc_info_t *ret, int needs_info, void *data)
{
	struct row_file *file = data;
	struct elf_section hdr = section_of(file, ".eh_frame_hdr");

	return libunwind_search(&hdr, 0, as, ip, ret, needs_info, data);
}

static int access_reg(unw_addr_space_t as, unw_regnum_t n, unw_word_t *ret,
	int is_write, void *data)
{
	const struct row_file *file = data;

	(void)as;
	if (is_write || n < 0 || n > UNW_X86_64_RIP)
		return -UNW_EBADREG;
	*ret = n == UNW_X86_64_RIP ? file->registers.pc
				   : file->registers.value[n];
	return 0;
}

static unw_accessors_t accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = libunwind_no_put_unwind_info,
	.get_dyn_info_list_addr = libunwind_no_dyn_info,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = libunwind_no_fpreg,
	.resume = libunwind_no_resume,
};

bool row_step_libunwind(
	struct row_file *file, uint64_t address, struct outcome *ret)
{
	unw_cursor_t cursor;
	unw_proc_info_t info;
	int result;

	memset(ret, 0, sizeof(*ret));
	if (file->arch != UNWIND_X86_64)
		return false;
	if (!file->libunwind)
		file->libunwind = unw_create_addr_space(&accessors, 0);
	file->registers.pc = address;
	if (!file->libunwind ||
		unw_init_remote(
			&cursor, (unw_addr_space_t)file->libunwind, file) < 0)
		return false;
	/* Without CFI, libunwind would continue by heuristics. */
	if (find_proc_info((unw_addr_space_t)file->libunwind, address, &info, 0,
		    file) < 0) {
		ret->is_none = true;
		return true;
	}
	result = unw_step(&cursor);
	ret->is_root = !result;
	return result >= 0 && !unw_get_reg(&cursor, UNW_REG_IP, &ret->pc) &&
		!unw_get_reg(&cursor, UNW_REG_SP, &ret->sp) &&
		!unw_get_reg(&cursor, UNW_X86_64_RBP, &ret->fp);
}

void row_close_libunwind(struct row_file *file)
{
	if (file->libunwind)
		unw_destroy_addr_space((unw_addr_space_t)file->libunwind);
}

#else

bool row_step_libunwind(
	struct row_file *file, uint64_t address, struct outcome *ret)
{
	(void)file;
	(void)address;
	memset(ret, 0, sizeof(*ret));
	return false;
}

void row_close_libunwind(struct row_file *file)
{
	(void)file;
}

#endif
