/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/alloc.h"

/* Of text that isn't all there yet, so much is kept. */
#define SOME_SIZE KIB(64)

static pid_t pager;
static struct error *failure; /* of output_some(), until somebody asks */

static bool is_installed(const char *program)
{
	_cleanup_free_ char *folders = xstrdup(getenv("PATH") ?: "");
	char *rest = folders, *folder;

	while ((folder = strsep(&rest, ":"))) {
		_cleanup_free_ char *path =
			xasprintf("%s/%s", folder, program);

		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

void output_page(void)
{
	const char *command = getenv("DWELL_PAGER");
	int ends[2];

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = is_installed("less") ? "less" : "";
	if (!isatty(STDOUT_FILENO) || !*command || string_is(command, "cat") ||
		pipe2(ends, O_CLOEXEC) < 0)
		return;
	pager = fork();
	if (pager == 0) {
		dup2(ends[0], STDIN_FILENO);
		setenv("LESS", "FRSX", 0);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (pager > 0)
		dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
}

/*
 * Whoever leaves the pager has seen enough, and so has head(1) behind a pipe:
 * then the program ends as others do, by the signal that main() ignores.
 */
static struct error *write_failed(void)
{
	if (errno != EPIPE)
		return error_errno(errno, "writing to standard output");
	if (pager <= 0) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return NULL;
}

struct error *output_text(const struct strbuf *text)
{
	if (failure)
		return take_pointer(failure);
	if (!text->n || fwrite(text->at, 1, text->n, stdout) == text->n)
		return NULL;
	return write_failed();
}

void output_some(struct strbuf *text)
{
	if (text->n < SOME_SIZE)
		return;
	if (!failure)
		failure = output_text(text);
	strbuf_clear(text);
}

struct error *output_finish(void)
{
	struct error *err = NULL;

	if (fflush(stdout))
		err = write_failed();
	if (pager > 0) {
		fclose(stdout);
		while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return err;
}

struct error *output_open(const char *path, struct output_file *ret)
{
	*ret = (struct output_file){ .fd = STDOUT_FILENO };
	if (!path || string_is(path, "-")) {
		/* Before head(1) it ends as other programs do. */
		signal(SIGPIPE, SIG_DFL);
		return NULL;
	}
	ret->path = xstrdup(path);
	ret->temporary = xasprintf("%s.XXXXXX", path);
	ret->fd = mkostemp(ret->temporary, O_CLOEXEC);
	if (ret->fd >= 0)
		return NULL;
	free(ret->path);
	free(ret->temporary);
	return error_errno(errno, "%s: can't be created", path);
}

struct error *output_close(struct output_file *file, bool failed)
{
	_cleanup_free_ char *path = file->path;
	_cleanup_free_ char *temporary = file->temporary;
	mode_t mask = umask(0);

	umask(mask);
	if (!path)
		return NULL;
	if (!failed && fchmod(file->fd, 0666 & ~mask) == 0 &&
		close(file->fd) == 0 && rename(temporary, path) == 0)
		return NULL;
	if (!failed) {
		int errnum = errno;

		unlink(temporary);
		return error_errno(errnum, "%s: can't be written", path);
	}
	close(file->fd);
	unlink(temporary);
	return NULL;
}
