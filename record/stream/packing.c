/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/packing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "common/util/strbuf.h"

#define PACKER "dwell-report"
#define NOT_FOUND 127

void packing_hold_files(struct packing *packing, struct sampled_code *sampled,
	const struct pinned_files *pins)
{
	const struct maps *maps = sampled_code_maps(sampled);
	size_t n, i;
	const struct hit *all = sampled_code_sorted(sampled, &n);

	for (i = 0; i < n; i++) {
		int fd = -1;

		if (!i || all[i].dso != all[i - 1].dso)
			fd = pinned_files_find(pins, maps_dso(maps, all[i].dso))
				     .fd;
		if (fd >= 0)
			fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (fd >= 0)
			*array_push(&packing->files) = fd;
	}
}

void packing_deinit(struct packing *packing)
{
	array_each(&packing->files, fd)
		close(*fd);
	array_free(&packing->files);
}

void packing_run(const struct packing *packing, const char *path)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		/*
		 * Reset the priority and the signals that the recorder changed
		 * for itself.
		 */
		struct sched_param param = { 0 };
		sigset_t none;

		sched_setscheduler(0, SCHED_OTHER, &param);
		setpriority(PRIO_PROCESS, 0, 0);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		char self[PATH_MAX];
		ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
		char *slash;
		/* PATH is always a file, also if it is "-". */
		_cleanup_free_ char *file =
			xasprintf("%s%s", path[0] == '/' ? "" : "./", path);
		/*
		 * Make the descriptors of the held files inheritable, and make the
		 * option that passes them to dwell pack.
		 */
		struct strbuf option = { 0 };

		strbuf_puts(&option, "--held=");
		array_each(&packing->files, fd) {
			fcntl(*fd, F_SETFD, 0);
			strbuf_printf(&option, "%s%d",
				fd == packing->files.at ? "" : ",", *fd);
		}
		_cleanup_free_ char *held = option.at;
		char *const argv[] = { (char *)PACKER, (char *)"pack",
			(char *)"-i", file, held,
			log_get_level() == LOG_QUIET ? (char *)"-q" : NULL,
			NULL };

		self[MAX(n, (ssize_t)0)] = '\0';
		slash = strrchr(self, '/');
		if (slash) {
			_cleanup_free_ char *beside = xasprintf(
				"%.*s/" PACKER, (int)(slash - self), self);

			execv(beside, argv);
		}
		execvp(PACKER, argv);
		_exit(NOT_FOUND);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status == 0)
		return;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) != NOT_FOUND)
		return; /* the packer reported the reason */
	log_note("cannot pack %s: %s. Run dwell pack later, while the recorded "
		 "programs are unchanged",
		path,
		pid > 0 && WIFEXITED(status) ? PACKER " is not installed"
					     : PACKER " failed");
}
