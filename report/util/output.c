/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/util/alloc.h"

/* Of text that isn't all there yet, so much is kept. */
#define SOME_SIZE KIB(64)
/* Others' leftovers that are passed over. */
#define NAMES_MAX 100u

static pid_t pager;
static FILE *diverted; /* where text goes; NULL: stdout */
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

/* There a pager only asks for keys. */
static bool is_dumb(void)
{
	const char *term = getenv("TERM") ?: "";

	return !*term || string_is(term, "dumb");
}

void output_page(void)
{
	const char *command = getenv("DWELL_PAGER");
	int ends[2];

	if (!command && is_dumb())
		return;
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
	if (diverted)
		return error_errno(errno, "it can't be written");
	if (errno != EPIPE)
		return error_errno(errno, "writing to standard output");
	if (pager <= 0) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return NULL;
}

void output_divert(FILE *file)
{
	diverted = file;
}

struct error *output_text(const struct strbuf *text)
{
	if (failure)
		return take_pointer(failure);
	if (!text->n ||
		fwrite(text->at, 1, text->n, diverted ?: stdout) == text->n)
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

/*
 * Of a file without a name nothing is left, however the program ends. Not all file
 * systems have such, and only by way of /proc do they get one (open(2), O_TMPFILE).
 */
static int open_nameless(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = xasprintf(
		"%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");

	if (access("/proc/self/fd", X_OK) < 0)
		return -1;
	return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* A name beside the one that it is to have: no link replaces what is there. */
static int give_name(struct output_file *file)
{
	_cleanup_free_ char *self = xasprintf("/proc/self/fd/%d", file->fd);
	unsigned i;

	for (i = 0; i < NAMES_MAX; i++) {
		_cleanup_free_ char *name =
			xasprintf("%s.%d-%u", file->path, (int)getpid(), i);

		if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ==
			0) {
			file->temporary = take_pointer(name);
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return -1;
}

/* A device or a FIFO is there to be written to. */
struct error *output_check(const char *path, bool is_forced)
{
	struct stat status;

	if (!path || string_is(path, "-") || is_forced)
		return NULL;
	if (stat(path, &status) < 0) {
		if (lstat(path, &status) < 0)
			return NULL;
		return error_new("%s: it is there already, as a symbolic link "
				 "to what isn't; --force replaces it", path);
	}
	if (!S_ISREG(status.st_mode))
		return NULL;
	return error_new("%s: it is there already; --force replaces it", path);
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
	ret->fd = open_nameless(path);
	if (ret->fd >= 0)
		return NULL;
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
		return fchmod(file->fd, file->mode ?: 0666 & ~mask) < 0
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
	struct error *err = NULL;

	if (!path)
		return NULL;
	if (!failed)
		err = take_over(file);
	if (!failed && !err && !file->temporary && give_name(file) < 0)
		err = error_errno(errno, "%s: can't be written", path);
	if (close(file->fd) < 0 && !failed && !err)
		err = error_errno(errno, "%s: can't be written", path);
	if (!failed && !err && rename(file->temporary, path) < 0)
		err = error_errno(errno, "%s: can't be written", path);
	if ((failed || err) && file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	return err;
}
