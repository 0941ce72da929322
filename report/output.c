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
	struct stat status;

	*ret = (struct output_file){ .fd = STDOUT_FILENO };
	if (!path || string_is(path, "-")) {
		/* Before head(1) it ends as other programs do. */
		signal(SIGPIPE, SIG_DFL);
		return NULL;
	}
	/* A device or a FIFO stays what it is. */
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		ret->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return ret->fd < 0 ? error_errno(errno,
					     "%s: can't be written", path)
				   : NULL;
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

struct error *output_replace(
	const char *path, uint64_t size, struct output_file *ret)
{
	struct stat status;
	struct error *err;

	if (stat(path, &status) < 0)
		return error_errno(errno, "%s", path);
	if (access(path, W_OK) < 0)
		return error_errno(errno, "%s: can't be replaced", path);
	err = output_open(path, ret);
	ret->replaced = status;
	ret->replaced.st_size = (off_t)size;
	return err;
}

static bool has_changed(const struct output_file *file)
{
	const struct stat *was = &file->replaced;
	struct stat now;

	return stat(file->path, &now) < 0 || now.st_ino != was->st_ino ||
		now.st_size != was->st_size ||
		now.st_mtim.tv_sec != was->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != was->st_mtim.tv_nsec;
}

/* Owner first: a change of it may take bits of the mode away. */
static struct error *take_over(const struct output_file *file)
{
	const struct stat *was = &file->replaced;
	mode_t mask;

	if (!was->st_nlink) {
		mask = umask(0);
		umask(mask);
		return fchmod(file->fd, 0666 & ~mask) < 0
			? error_errno(errno, "%s: can't be written",
				  file->path)
			: NULL;
	}
	if (has_changed(file))
		return error_new("%s: it changed meanwhile, and stays as it "
				 "is; is it still being recorded?",
			file->path);
	if ((geteuid() != was->st_uid || getegid() != was->st_gid) &&
		fchown(file->fd, was->st_uid, was->st_gid) < 0)
		return error_errno(errno,
			"%s: its owner can't be kept; name another file "
			"with -o",
			file->path);
	if (fchmod(file->fd, was->st_mode & 07777) < 0 || fsync(file->fd) < 0)
		return error_errno(errno, "%s: can't be written", file->path);
	return NULL;
}

struct error *output_close(struct output_file *file, bool failed)
{
	_cleanup_free_ char *path = file->path;
	_cleanup_free_ char *temporary = file->temporary;
	struct error *err = NULL;

	if (!path)
		return NULL;
	if (!failed)
		err = take_over(file);
	if (close(file->fd) < 0 && !failed && !err)
		err = error_errno(errno, "%s: can't be written", path);
	if (!failed && !err && rename(temporary, path) < 0)
		err = error_errno(errno, "%s: can't be written", path);
	if (failed || err)
		unlink(temporary);
	return err;
}
