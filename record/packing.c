/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/packing.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "common/alloc.h"
#include "common/log.h"

#define PACKER "dwell-report"
#define NOT_FOUND 127

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

static void become_packer(const char *path)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;
	/* It is a file, whatever its name. */
	_cleanup_free_ char *file =
		xasprintf("%s%s", path[0] == '/' ? "" : "./", path);
	char *const argv[] = { (char *)PACKER, (char *)"pack", (char *)"-i",
		file,
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

void packing_run(const char *path)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		calm_down();
		become_packer(path);
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
