/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/relocate.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "common/util/strbuf.h"
#include "record/sys/sysfile.h"

bool relocate_is_needed(const struct selection *selection)
{
	array_each(&selection->events, event)
		if (event->is_relocated)
			return true;
	return false;
}

struct error *relocate_begin(pid_t pid)
{
	if (ptrace(PTRACE_SEIZE, pid, NULL,
		    (void *)(uintptr_t)PTRACE_O_TRACEEXEC) == 0)
		return NULL;
	return error_hint(
		error_errno(errno, "cannot trace the command until its exec"),
		"a breakpoint on a symbol needs ptrace. Use an address: "
		"-e mem:ADDRESS");
}

/*
 * Waits for the next ptrace(2) stop of PID. Returns false if PID has ended, and
 * leaves the exit status to workload_has_ended().
 */
static bool wait_for_stop(pid_t pid, int *status_ret)
{
	siginfo_t info = { 0 };
	int result;

	do
		result = waitid(
			P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT);
	while (result < 0 && errno == EINTR);
	return result == 0 &&
		(info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) &&
		waitpid(pid, status_ret, WNOHANG) == pid &&
		WIFSTOPPED(*status_ret);
}

/* Waits for the exec of PID. Returns false if PID ended before its exec. */
static bool wait_for_exec(pid_t pid)
{
	int status;

	while (wait_for_stop(pid, &status)) {
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return true;
		/* Deliver signals that arrive before the exec. */
		if (status >> 16)
			ptrace(PTRACE_CONT, pid, NULL, NULL);
		else
			ptrace(PTRACE_CONT, pid, NULL,
				(void *)(uintptr_t)WSTOPSIG(status));
	}
	return false;
}

/*
 * Reads the entry point from the auxiliary vector of the new program (proc(5),
 * auxv).
 */
static bool read_load_entry(pid_t pid, uint64_t *ret)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/auxv", (int)pid);
	_cleanup_strbuf_ struct strbuf auxv = { 0 };
	size_t at;

	if (!sysfile_slurp(AT_FDCWD, path, &auxv))
		return false;
	for (at = 0; at + sizeof(Elf64_auxv_t) <= auxv.n;
		at += sizeof(Elf64_auxv_t)) {
		Elf64_auxv_t entry;

		memcpy(&entry, auxv.at + at, sizeof(entry));
		if (entry.a_type != AT_ENTRY)
			continue;
		*ret = entry.a_un.a_val;
		return true;
	}
	return false;
}

static struct error *move_breakpoints(struct selection *selection,
	const struct event_fd *fds, size_t n, uint64_t entry, bool is_on)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct selection_event *event =
			&selection->events.at[fds[i].event];
		int errnum;

		if (fds[i].fd < 0 || fds[i].event >= selection->events.n ||
			!event->is_relocated)
			continue;
		/*
		 * Move the breakpoint to the load address, and enable it if
		 * IS_ON. The ioctl(2) fails if any other field differs from the
		 * kernel's copies of the attribute: the event's, and those of
		 * the events that tasks inherited. Therefore enable_on_exec is
		 * not set, which exec(2) clears in one of them.
		 */
		struct perf_event_attr attr = event->attr;

		attr.bp_addr += entry - event->entry;
		attr.disabled = !is_on;
		errnum = ioctl(fds[i].fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
				 &attr) < 0
			? errno
			: 0;
		if (errnum)
			return error_errno(errnum,
				"cannot move the breakpoint %s to the "
				"command's load address; this needs Linux 4.17",
				event->name);
	}
	/* Events that are opened later use the new address. */
	array_each(&selection->events, event)
		if (event->is_relocated) {
			event->attr.bp_addr += entry - event->entry;
			event->is_relocated = false;
		}
	return NULL;
}

struct error *relocate_finish(struct selection *selection,
	const struct event_fd *fds, size_t n, pid_t pid, bool is_on)
{
	struct error *err;
	uint64_t entry;

	if (!wait_for_exec(pid))
		return NULL;
	if (!read_load_entry(pid, &entry))
		err = error_new("cannot read the command's load address from "
				"/proc/%d/auxv",
			(int)pid);
	else
		err = move_breakpoints(selection, fds, n, entry, is_on);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return err;
}
