/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples are kept (--record-filter), by process, thread, user and name.
 * It is asked by the thread that drains, for each sample, and learns names from
 * the sideband that comes before. Sideband itself is never left out.
 *
 * A term is KEY=VALUES or KEY!=VALUES: "pid=1,2", "tid!=7", "uid=1000,root",
 * "comm=^nginx" (a POSIX extended regex). All terms must hold.
 */
#ifndef DWELL_RECORD_STREAM_SAMPLE_FILTER_H
#define DWELL_RECORD_STREAM_SAMPLE_FILTER_H

#include "common/perf/record.h"
#include "common/util/error.h"

struct sieve;

/* Of N terms; RET is NULL without any. */
struct error *sieve_create(
	const char *const *terms, size_t n, struct sieve **ret) _must_check_;
void sieve_destroy(struct sieve *sieve);

/* A record of sideband came by, which is of TIME. */
void sieve_see(struct sieve *sieve, const struct record *record, uint64_t time);
/*
 * Whether a sample of this thread and TIME is kept. With a uid term it reads
 * one small file of /proc for each process that is new or has executed a
 * program.
 */
bool sieve_keeps(
	struct sieve *sieve, uint32_t pid, uint32_t tid, uint64_t time);
/* How many samples were not kept so far. Callable from any thread. */
uint64_t sieve_count(const struct sieve *sieve);

#endif
