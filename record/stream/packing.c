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

void packing_keep(
	struct packing *packing, struct hits *hits, const struct pins *pins)
{
	const struct maps *maps = hits_maps(hits);
	size_t n, i;
	const struct hit *all = hits_sorted(hits, &n);

	for (i = 0; i < n; i++) {
		int fd = -1;

		if (!i || all[i].dso != all[i - 1].dso)
			fd = pins_find(pins, maps_dso(maps, all[i].dso)).fd;
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

/* The recorder was raised, and this isn't recording. */
static void calm_down(void)
{
	struct sched_param param = { 0 };
	sigset_t none;

	sched_setscheduler(0, SCHED_OTHER, &param);
	setpriority(PRIO_PROCESS, 0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
}

/* For the packer to inherit; the option that says so. */
static char *hand_over(const struct packing *packing)
{
	struct strbuf option = { 0 };

	strbuf_puts(&option, "--held=");
	array_each(&packing->files, fd) {
		fcntl(*fd, F_SETFD, 0);
		strbuf_printf(&option, "%s%d",
			fd == packing->files.at ? "" : ",", *fd);
	}
	return option.at;
}

static void become_packer(const struct packing *packing, const char *path)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;
	/* It is a file, whatever its name. */
	_cleanup_free_ char *file =
		xasprintf("%s%s", path[0] == '/' ? "" : "./", path);
	_cleanup_free_ char *held = hand_over(packing);
	char *const argv[] = { (char *)PACKER, (char *)"pack", (char *)"-i",
		file, held,
		log_get_level() == LOG_QUIET ? (char *)"-q" : NULL, NULL };

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

void packing_run(const struct packing *packing, const char *path)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		calm_down();
		become_packer(packing, path);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status == 0)
		return;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) != NOT_FOUND)
		return; /* it has said why */
	log_note("%s isn't packed: %s; dwell pack does it later, as long as "
		 "the programs are there",
		path,
		pid > 0 && WIFEXITED(status) ? PACKER " isn't installed"
					     : PACKER " didn't end well");
}
