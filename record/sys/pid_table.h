/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table with one element for each process or thread ID. Only the pages of IDs
 * that are used take memory. A zero-initialized table is empty.
 *
 *	PID_TABLE(uint8_t) flags;
 *
 *	pid_table_init(&flags);
 *	*pid_table_at(&flags, tid) |= FLAG;
 *	pid_table_free(&flags);
 */
#ifndef DWELL_RECORD_SYS_PID_TABLE_H
#define DWELL_RECORD_SYS_PID_TABLE_H

#include "common/util/alloc.h"
#include "common/util/base.h"

/* PID_MAX_LIMIT of 64-bit kernels (linux/threads.h): all IDs are below. */
#define PID_TABLE_IDS (4u * 1024 * 1024)

#define PID_TABLE(type)   \
	struct {          \
		type *at; \
	}

/* Allocates TABLE with all elements set to 0. */
#define pid_table_init(table) \
	((table)->at = xcalloc(PID_TABLE_IDS + 1, sizeof(*(table)->at)))
#define pid_table_free(table) free((table)->at)
/*
 * The address of the element of ID. The kernel writes -1 for IDs of other pid
 * namespaces: these IDs share the last element.
 */
#define pid_table_at(table, id) \
	(&(table)->at[MIN((uint32_t)(id), PID_TABLE_IDS)])

#endif
