/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/util/alloc.h"

static const struct {
	const char *name, *value;
	bool is_list; /* options, separated by spaces */
} runtime_variables[] = {
	/* mono(1), since 6.8: writes /tmp/perf-PID.map. */
	{ "MONO_ENV_OPTIONS", "--jitmap", true },
	/* erl(1), since OTP 24 with the JIT: writes a perf map and a jitdump. */
	{ "ERL_FLAGS", "+JPperf true", true },
	/* .NET since 6: 1 writes a perf map and a jitdump. */
	{ "DOTNET_PerfMapEnabled", "1", false },
	/*
	 * With W^X, the default since .NET 7, code is in a memory file. A perf map has no
	 * names for mappings of files.
	 */
	{ "DOTNET_EnableWriteXorExecute", "0", false },
};

void workload_set_runtime_env(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(runtime_variables); i++) {
		const char *now = getenv(runtime_variables[i].name);
		_cleanup_free_ char *both = NULL;

		if (now && *now && !runtime_variables[i].is_list)
			continue;
		/* Of an option that occurs twice, the last one is used. */
		if (now && *now)
			both = xasprintf(
				"%s %s", runtime_variables[i].value, now);
		setenv(runtime_variables[i].name,
			both ? both : runtime_variables[i].value, 1);
	}
}

#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND 127
/* The search path of execvp(3) if PATH is not set. */
#define DEFAULT_PATH "/bin:/usr/bin"

/*
 * Returns 0 if PATH can be executed, else the errno that execve(2) would set.
 */
static int try_command_path(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return errno;
	if (!S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? EISDIR : EACCES;
	return access(path, X_OK) < 0 ? errno : 0;
}

static int find_command_path(const char *name, char **path_ret)
{
	*path_ret = NULL;
	if (!*name)
		return ENOENT;
	if (!strchr(name, '/')) {
		/* Search for the executable file NAME in $PATH. */
		const char *path = getenv("PATH");
		_cleanup_free_ char *copy = xstrdup(path ? path : DEFAULT_PATH);
		char *rest = copy, *folder;
		int found = ENOENT;

		while ((folder = strsep(&rest, ":"))) {
			_cleanup_free_ char *full = xasprintf(
				"%s/%s", *folder ? folder : ".", name);
			int errnum = try_command_path(full);

			if (!errnum) {
				*path_ret = take_pointer(full);
				return 0;
			}
			if (errnum == EACCES)
				found = EACCES;
		}
		return found;
	}
	*path_ret = xstrdup(name);
	return try_command_path(name);
}

char *workload_path(char *const *command)
{
	char *path;

	find_command_path(command[0], &path);
	return path;
}

static int exec_status(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR ? STATUS_NOT_FOUND
						     : STATUS_NOT_EXECUTABLE;
}

struct error *workload_find(char *const *command, int *status_ret)
{
	const char *name = command[0];
	_cleanup_free_ char *path = NULL;
	int errnum = find_command_path(name, &path);
	struct error *err;

	if (!errnum)
		return NULL;
	*status_ret = exec_status(errnum);
	if (errnum != ENOENT || strchr(name, '/'))
		return error_errno(errnum, "%s", name);
	err = error_new("%s: command not found", name);
	/* A value of --call-graph, as in "record -g fp". */
	if (string_is(name, "fp") || string_is(name, "lbr") ||
		string_is(name, "dwarf") || string_starts(name, "dwarf,"))
		return error_hint(
			err, "-g takes no value; use --call-graph %s", name);
	return err;
}

static struct error *pipe_error(void)
{
	int errnum = errno;
	struct error *err = error_errno(errnum, "cannot create a pipe");
	struct rlimit limit;

	if (errnum != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return err;
	return error_hint(err,
		"the limit of open files is %" PRIu64
		"; to raise it: ulimit -n 1024",
		(uint64_t)limit.rlim_cur);
}

struct error *workload_fork(char *const *command, int stdout_fd,
	const sigset_t *mask, struct workload *ret)
{
	int go[2], error[2], errnum;
	char byte;

	if (pipe2(go, O_CLOEXEC) < 0)
		return pipe_error();
	if (pipe2(error, O_CLOEXEC) < 0) {
		struct error *err = pipe_error();

		close(go[0]);
		close(go[1]);
		return err;
	}
	*ret = (struct workload){
		.pid = fork(), .name = command[0], .is_running = true
	};
	if (ret->pid == 0) {
		close(go[1]);
		close(error[0]);
		if (stdout_fd != STDOUT_FILENO)
			dup2(stdout_fd, STDOUT_FILENO);
		if (mask)
			sigprocmask(SIG_SETMASK, mask, NULL);
		/* End-of-file: the recorder failed before the start. */
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		execvp(command[0], command);
		errnum = errno;
		if (write(error[1], &errnum, sizeof(errnum)) < 0)
			_exit(1);
		_exit(exec_status(errnum));
	}
	close(go[0]);
	close(error[1]);
	ret->go_fd = go[1];
	ret->error_fd = error[0];
	return ret->pid < 0 ? error_errno(errno, "fork") : NULL;
}

struct error *workload_go(struct workload *workload)
{
	int errnum = 0;

	if (write(workload->go_fd, "", 1) != 1)
		return error_new(
			"%s was killed before its exec", workload->name);
	ssize_t n;

	do
		n = read(workload->error_fd, &errnum, sizeof(errnum));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(errnum))
		return NULL;
	workload->status = exec_status(errnum);
	return error_errno(errnum, "cannot execute %s", workload->name);
}

bool workload_has_ended(struct workload *workload)
{
	int status;

	if (!workload->is_running)
		return true;
	if (wait4(workload->pid, &status, WNOHANG, &workload->usage) !=
		workload->pid)
		return false;
	workload->is_running = false;
	workload->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
					       : WEXITSTATUS(status);
	return true;
}

void workload_terminate(struct workload *workload)
{
	if (workload->pid > 0 && !workload_has_ended(workload))
		kill(workload->pid, SIGTERM);
}

void workload_deinit(struct workload *workload)
{
	if (workload->pid <= 0)
		return;
	close(workload->go_fd);
	close(workload->error_fd);
}
