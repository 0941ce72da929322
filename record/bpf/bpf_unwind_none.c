/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Without libbpf, or on another processor than x86-64 and aarch64. */
#include "config.h"

#include "record/bpf/bpf_unwind.h"
#include "record/bpf/bpf_waits.h"
#include "record/bpf/self_check.h"

struct error *bpf_unwind_create(bool has_waits, struct bpf_unwind **ret)
{
	(void)has_waits;
	(void)ret;
	return error_new("dwell was built without libbpf (Debian package: "
			 "libbpf-dev), or not for x86-64 or aarch64");
}

struct error *self_check_bpf(struct bpf_unwind *bpf)
{
	(void)bpf;
	return NULL;
}

void bpf_unwind_set_mode(struct bpf_unwind *bpf, enum chain_mode mode)
{
	(void)bpf;
	(void)mode;
}

void bpf_unwind_send_linked(
	struct bpf_unwind *bpf, uint32_t pid, const struct chain_runtime *list)
{
	(void)bpf;
	(void)pid;
	(void)list;
}

void bpf_unwind_forget_runtime(struct bpf_unwind *bpf, uint32_t pid)
{
	(void)bpf;
	(void)pid;
}

void bpf_unwind_inherit_runtime(
	struct bpf_unwind *bpf, uint32_t parent, uint32_t child)
{
	(void)bpf;
	(void)parent;
	(void)child;
}

void bpf_unwind_destroy(struct bpf_unwind *bpf)
{
	(void)bpf;
}

const struct opener *bpf_unwind_opener(
	struct bpf_unwind *bpf, bool keeps_copies)
{
	(void)keeps_copies;
	(void)bpf;
	return &opener_kernel;
}

int bpf_unwind_open_output(struct bpf_unwind *bpf, uint32_t cpu, int ring,
	const struct perf_event_attr *like)
{
	(void)bpf;
	(void)cpu;
	(void)ring;
	(void)like;
	return 0;
}

bool bpf_unwind_is_output(const struct bpf_unwind *bpf, uint64_t id)
{
	(void)bpf;
	(void)id;
	return false;
}

void bpf_unwind_add_table(struct bpf_unwind *bpf, const struct chain_file *file,
	const struct cfi *cfi, uint64_t delta)
{
	(void)bpf;
	(void)file;
	(void)cfi;
	(void)delta;
}

void bpf_unwind_note_unknown(
	struct bpf_unwind *bpf, const struct chain_unknown *unknown)
{
	(void)bpf;
	(void)unknown;
}

bool bpf_unwind_take_unknown(
	struct bpf_unwind *bpf, uint32_t pid, struct chain_unknown *ret)
{
	(void)bpf;
	(void)pid;
	(void)ret;
	return false;
}

void bpf_unwind_counts(const struct bpf_unwind *bpf, struct chain_counts *ret)
{
	(void)bpf;
	memset(ret, 0, sizeof(*ret));
}

struct error *bpf_waits_start(
	struct bpf_unwind *bpf, const struct bpf_waits_config *config)
{
	(void)bpf;
	(void)config;
	return NULL;
}

void bpf_waits_take_sums(struct bpf_unwind *bpf, struct strbuf *records)
{
	(void)bpf;
	(void)records;
}

void bpf_waits_stop(
	struct bpf_unwind *bpf, uint64_t end, struct strbuf *records)
{
	(void)bpf;
	(void)end;
	(void)records;
}

void bpf_waits_counts(
	const struct bpf_unwind *bpf, struct bpf_waits_counts *ret)
{
	(void)bpf;
	memset(ret, 0, sizeof(*ret));
}
