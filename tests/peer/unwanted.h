/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accessors that unw_create_addr_space(3) requires but that libunwind does not
 * call when it only follows CFI.
 */
#ifndef DWELL_UNWANTED_H
#define DWELL_UNWANTED_H

#include <libunwind.h>

static inline int unwanted_fpreg(unw_addr_space_t as, unw_regnum_t n,
	unw_fpreg_t *ret, int is_write, void *data)
{
	(void)as;
	(void)n;
	(void)ret;
	(void)is_write;
	(void)data;
	return -UNW_EBADREG;
}

static inline void unwanted_put_unwind_info(
	unw_addr_space_t as, unw_proc_info_t *info, void *data)
{
	(void)as;
	(void)info;
	(void)data;
}

static inline int unwanted_dyn_info(
	unw_addr_space_t as, unw_word_t *ret, void *data)
{
	(void)as;
	(void)ret;
	(void)data;
	return -UNW_ENOINFO;
}

static inline int unwanted_resume(
	unw_addr_space_t as, unw_cursor_t *cursor, void *data)
{
	(void)as;
	(void)cursor;
	(void)data;
	return -UNW_EINVAL;
}

static inline int unwanted_name(unw_addr_space_t as, unw_word_t ip, char *name,
	size_t size, unw_word_t *offset, void *data)
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
