/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks of `dwell doctor`. A check gets facts about the machine, which
 * tests replace, and returns a finding. Checks print nothing and change
 * nothing.
 */
#ifndef DWELL_RECORD_DOCTOR_CHECK_H
#define DWELL_RECORD_DOCTOR_CHECK_H

#include "common/util/strbuf.h"
#include "record/doctor/facts.h"

enum check_status {
	CHECK_OK,
	CHECK_LIMITED, /* a part of the events cannot be recorded */
	CHECK_NO,      /* no events can be recorded */
};

/* A zero-initialized finding is CHECK_OK without texts. */
struct check_finding {
	enum check_status status;
	struct strbuf value;  /* the value of the setting or fact; not empty */
	const char *meaning;  /* the effect of the value on recordings */
	struct strbuf remedy; /* the command or step that helps, or empty */
};

/* The remedy for missing privileges. */
#define CHECK_SETCAP                                                \
	"as root: setcap "                                          \
	"cap_bpf,cap_perfmon,cap_sys_ptrace,cap_ipc_lock=ep "       \
	"dwell-record; all users who can execute it can then read " \
	"the memory of all processes"

/* The remedy for missing hardware counters. */
#define CHECK_ENABLE_PMU \
	"enable the PMU of the virtual machine; libvirt: <pmu state='on'/>"

/* Frees the texts of FINDING. */
static inline void finding_deinit(struct check_finding *finding)
{
	strbuf_free(&finding->value);
	strbuf_free(&finding->remedy);
}

/* check_events.c */
void check_own_processes(const struct facts *facts, struct check_finding *ret);
void check_own_kernel(const struct facts *facts, struct check_finding *ret);
void check_whole_system(const struct facts *facts, struct check_finding *ret);
void check_counting(const struct facts *facts, struct check_finding *ret);
void check_own_counters(const struct facts *facts, struct check_finding *ret);

/* check_kernel.c */
void check_kernel(const struct facts *facts, struct check_finding *ret);
void check_paranoid(const struct facts *facts, struct check_finding *ret);
void check_kernel_symbols(const struct facts *facts, struct check_finding *ret);
void check_sample_rate(const struct facts *facts, struct check_finding *ret);
void check_cpu_time(const struct facts *facts, struct check_finding *ret);
void check_stack_depth(const struct facts *facts, struct check_finding *ret);
void check_rings(const struct facts *facts, struct check_finding *ret);
void check_descriptors(const struct facts *facts, struct check_finding *ret);
void check_lockdown(const struct facts *facts, struct check_finding *ret);
void check_features(const struct facts *facts, struct check_finding *ret);

/* check_machine.c */
void check_pmu(const struct facts *facts, struct check_finding *ret);
void check_precision(const struct facts *facts, struct check_finding *ret);
void check_watchdog(const struct facts *facts, struct check_finding *ret);
void check_tracepoints(const struct facts *facts, struct check_finding *ret);
void check_uprobes(const struct facts *facts, struct check_finding *ret);
void check_kprobes(const struct facts *facts, struct check_finding *ret);
void check_cgroups(const struct facts *facts, struct check_finding *ret);
void check_types(const struct facts *facts, struct check_finding *ret);
void check_stacks(const struct facts *facts, struct check_finding *ret);
void check_unwinding(const struct facts *facts, struct check_finding *ret);

#endif
