/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libunwind needs to unwind by the CFI of files that are not mapped here: the
 * search in .eh_frame_hdr, and the accessors that unw_create_addr_space(3) requires
 * but that unwinding never calls. Also used by tests.
 */
#ifndef DWELL_REPORT_CHECK_LIBUNWIND_REMOTE_H
#define DWELL_REPORT_CHECK_LIBUNWIND_REMOTE_H

#include <libunwind.h>
#include <string.h>

#include "common/elf/elf.h"

/* A function of libunwind that its header does not declare. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip,
	unw_dyn_info_t *di, unw_proc_info_t *pi, int need_unwind_info,
	void *arg);

/*
 * Size of the header of .eh_frame_hdr, and the only encoding of its table that
 * libunwind searches (LSB 5, 10.6.2).
 */
#define EH_FRAME_HDR_SIZE 12u
#define EH_FRAME_HDR_TABLE 0x3b

/*
 * Finds the procedure at IP by HEAD, the .eh_frame_hdr of a file loaded with BIAS.
 * The other arguments and the result are those of the accessor find_proc_info.
 */
static inline int libunwind_search(const struct elf_section *head,
	uint64_t bias, unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *ret,
	int needs_info, void *data)
{
	unw_dyn_info_t info = { .format = UNW_INFO_FORMAT_REMOTE_TABLE,
		.end_ip = UINT64_MAX };
	uint32_t n;

	if (head->size < EH_FRAME_HDR_SIZE || head->at[3] != EH_FRAME_HDR_TABLE)
		return -UNW_ENOINFO;
	memcpy(&n, head->at + 8, sizeof(n));
	n = MIN(n, (uint32_t)((head->size - EH_FRAME_HDR_SIZE) / 8));
	info.u.rti.segbase = head->address + bias;
	info.u.rti.table_data = info.u.rti.segbase + EH_FRAME_HDR_SIZE;
	info.u.rti.table_len = (unw_word_t)n * 8 / sizeof(unw_word_t);
	return UNW_OBJ(dwarf_search_unwind_table)(
		as, ip, &info, ret, needs_info, data);
}

static inline int libunwind_no_fpreg(unw_addr_space_t as, unw_regnum_t n,
	unw_fpreg_t *ret, int is_write, void *data)
{
	(void)as;
	(void)n;
	(void)ret;
	(void)is_write;
	(void)data;
	return -UNW_EBADREG;
}

static inline void libunwind_no_put_unwind_info(
	unw_addr_space_t as, unw_proc_info_t *info, void *data)
{
	(void)as;
	(void)info;
	(void)data;
}

static inline int libunwind_no_dyn_info(
	unw_addr_space_t as, unw_word_t *ret, void *data)
{
	(void)as;
	(void)ret;
	(void)data;
	return -UNW_ENOINFO;
}

static inline int libunwind_no_resume(
	unw_addr_space_t as, unw_cursor_t *cursor, void *data)
{
	(void)as;
	(void)cursor;
	(void)data;
	return -UNW_EINVAL;
}

static inline int libunwind_no_name(unw_addr_space_t as, unw_word_t ip,
	char *name, size_t size, unw_word_t *offset, void *data)
{
	(void)as;
	(void)ip;
	(void)name;
	(void)size;
	(void)offset;
	(void)data;
	return -UNW_ENOINFO;
}

#endif
