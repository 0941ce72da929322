/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/doctor/doctor.h"

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "common/util/json.h"

static const struct {
	enum caller_cap number;
	const char *name;
} capabilities[] = {
	{ CALLER_CAP_PERFMON, "perfmon" },
	{ CALLER_CAP_SYS_ADMIN, "sys_admin" },
	{ CALLER_CAP_SYS_PTRACE, "sys_ptrace" },
	{ CALLER_CAP_CHECKPOINT_RESTORE, "checkpoint_restore" },
	{ CALLER_CAP_BPF, "bpf" },
	{ CALLER_CAP_IPC_LOCK, "ipc_lock" },
};

static void check_capabilities(
	const struct facts *facts, struct check_finding *ret)
{
	size_t i, n = 0;

	for (i = 0; i < ARRAY_SIZE(capabilities); i++)
		if (caller_caps_has(&facts->caller, capabilities[i].number))
			strbuf_printf(&ret->value, "%s%s", n++ ? " " : "",
				capabilities[i].name);
	if (!n)
		strbuf_puts(&ret->value, "none");
	if (caller_caps_are_full(&facts->caller)) {
		ret->meaning = "perf_event_paranoid does not restrict dwell";
		return;
	}
	ret->status = CHECK_LIMITED;
	ret->meaning = "perf_event_paranoid restricts dwell";
	strbuf_puts(&ret->remedy, CHECK_SETCAP);
}

static void check_container(
	const struct facts *facts, struct check_finding *ret)
{
	const struct caller_caps *caller = &facts->caller;

	strbuf_puts(&ret->value, caller->is_contained ? "yes" : "no");
	if (caller->is_filtered)
		strbuf_puts(&ret->value, ", below a seccomp filter");
	if (caller->is_in_userns)
		strbuf_puts(&ret->value, ", in a user namespace");
	ret->meaning = "sysctl settings are those of the host";
	if (!caller->is_contained && !caller->is_filtered)
		ret->meaning = "no container restricts recording";
	if (!caller->is_in_userns)
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "the kernel treats root as an ordinary user";
	strbuf_puts(&ret->remedy, "run dwell on the host");
}

const struct doctor_check checks[] = {
	{ "own_processes", check_own_processes },
	{ "own_kernel", check_own_kernel },
	{ "whole_system", check_whole_system },
	{ "kernel", check_kernel },
	{ "capabilities", check_capabilities },
	{ "container", check_container },
	{ "paranoid", check_paranoid },
	{ "lockdown", check_lockdown },
	{ "kernel_symbols", check_kernel_symbols },
	{ "pmu", check_pmu },
	{ "counting", check_counting },
	{ "own_counters", check_own_counters },
	{ "precision", check_precision },
	{ "nmi_watchdog", check_watchdog },
	{ "sample_rate", check_sample_rate },
	{ "cpu_time", check_cpu_time },
	{ "stack_depth", check_stack_depth },
	{ "rings", check_rings },
	{ "stacks", check_stacks },
	{ "unwinding", check_unwinding },
	{ "descriptors", check_descriptors },
	{ "tracepoints", check_tracepoints },
	{ "uprobes", check_uprobes },
	{ "kprobes", check_kprobes },
	{ "cgroups", check_cgroups },
	{ "kernel_types", check_types },
	{ "kernel_features", check_features },
};
const size_t n_doctor_checks = ARRAY_SIZE(checks);

/* The version of the JSON format; see dwell-doctor(1). */
#define JSON_VERSION 1
#define NAME_WIDTH 16

static const char *const status_names[] = {
	[CHECK_OK] = "ok",
	[CHECK_LIMITED] = "limited",
	[CHECK_NO] = "no",
};
/* ECMA-48, "select graphic rendition": green, yellow, red. */
static const char *const status_colours[] = {
	[CHECK_OK] = "\33[32m",
	[CHECK_LIMITED] = "\33[33m",
	[CHECK_NO] = "\33[31m",
};

static void put_text_finding(const struct doctor_check *check,
	const struct check_finding *finding, bool is_coloured,
	struct strbuf *out)
{
	const char *status = status_names[finding->status];

	if (is_coloured)
		strbuf_puts(out, status_colours[finding->status]);
	strbuf_printf(out, "%-8s", status);
	if (is_coloured)
		strbuf_puts(out, "\33[0m");
	strbuf_printf(out, " %-*s ", NAME_WIDTH, check->name);
	escape_text(out, finding->value.at);
	strbuf_printf(out, " - %s\n", finding->meaning);
	if (!finding->remedy.n)
		return;
	strbuf_printf(out, "%*s -> ", 8 + NAME_WIDTH - 2, "");
	escape_text(out, finding->remedy.at);
	strbuf_putc(out, '\n');
}

bool doctor_run(
	const struct facts *facts, enum doctor_form form, struct strbuf *out)
{
	struct check_finding *findings =
		xcalloc(n_doctor_checks, sizeof(*findings));
	struct json json = { .out = out };
	bool can_record = true;
	size_t i;

	for (i = 0; i < n_doctor_checks; i++) {
		checks[i].run(facts, &findings[i]);
		can_record &= findings[i].status != CHECK_NO;
	}
	if (form == DOCTOR_JSON) {
		json_begin_object(&json, NULL);
		json_unsigned(&json, "version", JSON_VERSION);
		json_bool(&json, "can_record", can_record);
		json_begin_array(&json, "checks");
	}
	for (i = 0; i < n_doctor_checks; i++) {
		if (form == DOCTOR_JSON) {
			const struct check_finding *found = &findings[i];

			json_line(&json, "\n  ");
			json_begin_object(&json, NULL);
			json_string(&json, "name", checks[i].name);
			json_string(
				&json, "status", status_names[found->status]);
			json_string(&json, "value", found->value.at);
			json_string(&json, "meaning", found->meaning);
			json_string(&json, "remedy",
				found->remedy.n ? found->remedy.at : NULL);
			json_end_object(&json);
		} else {
			put_text_finding(&checks[i], &findings[i],
				form == DOCTOR_COLOURED, out);
		}
		finding_deinit(&findings[i]);
	}
	if (form == DOCTOR_JSON) {
		json_end_array(&json);
		json_end_object(&json);
		strbuf_putc(out, '\n');
	}
	free(findings);
	return can_record;
}
