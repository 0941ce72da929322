/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/bpf/bpf_start.h"

#include "common/util/alloc.h"
#include "record/bpf/self_check.h"

struct error *bpf_refuse_caller(const struct caller_caps *caller)
{
	if (caller_caps_has(caller, CALLER_CAP_SYS_ADMIN) ||
		(caller_caps_has(caller, CALLER_CAP_BPF) &&
			caller_caps_has(caller, CALLER_CAP_PERFMON)))
		return NULL;
	return error_new("BPF needs root, or the capabilities CAP_BPF and "
			 "CAP_PERFMON");
}

struct error *bpf_start(const struct caller_caps *caller, bool has_waits,
	struct bpf_unwind **ret)
{
	struct error *err = bpf_refuse_caller(caller);

	if (!err)
		err = bpf_unwind_create(has_waits, ret);
	if (!err)
		err = self_check_bpf(*ret);
	if (err)
		bpf_unwind_destroy(take_pointer(*ret));
	return err;
}
