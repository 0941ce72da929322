/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/util/alloc.h"
#include "common/util/trusted_file.h"

/* --- the limit --------------------------------------------------------- */

/*
 * The default limit is LIMIT_TIMES the size of the recordings, but at least
 * LIMIT_MIN bytes.
 */
#define LIMIT_MIN GIB(1)
#define LIMIT_TIMES 1000u

static struct {
	uint64_t size;	 /* limit in bytes; 0: no limit */
	uint64_t inputs; /* size of the recordings in bytes */
	uint64_t written;
	bool is_exceeded;
} output_limit;

void output_limit_begin(uint64_t size)
{
	memset(&output_limit, 0, sizeof(output_limit));
	output_limit.size = size;
}

void output_limit_add_input(uint64_t size)
{
	output_limit.inputs += MIN(size, UINT64_MAX - output_limit.inputs);
}

static uint64_t limit_size(void)
{
	uint64_t inputs = output_limit.inputs;

	if (output_limit.size != OUTPUT_LIMIT_BY_INPUT)
		return output_limit.size ?: UINT64_MAX;
	if (inputs > UINT64_MAX / LIMIT_TIMES)
		return UINT64_MAX;
	return MAX(inputs * LIMIT_TIMES, LIMIT_MIN);
}

bool output_limit_has_room(uint64_t size)
{
	uint64_t limit = limit_size(), written = output_limit.written;

	if (written > limit || size > limit - written)
		output_limit.is_exceeded = true;
	return !output_limit.is_exceeded;
}

bool output_limit_take(uint64_t size)
{
	if (!output_limit_has_room(size))
		return false;
	output_limit.written += size;
	return true;
}

struct error *output_limit_error(const char *path)
{
	bool is_default = output_limit.size == OUTPUT_LIMIT_BY_INPUT;
	_cleanup_strbuf_ struct strbuf size = { 0 };

	if (!output_limit.is_exceeded)
		return NULL;
	strbuf_put_size(&size, limit_size());
	return error_hint(
		error_new("%s %s: the output exceeds %s, %s",
			path ?: "standard output",
			path ? "was not written" : "is incomplete", size.at,
			is_default ? "the default limit for this recording"
				   : "the limit of --max-output"),
		"use --max-output SIZE for another limit, or 0 for none");
}

static int append_limited(void *data, const void *bytes, size_t size)
{
	if (!output_limit_take(size))
		return EFBIG;
	return sink_write(*(int *)data, bytes, size);
}

struct sink output_limit_sink(int *fd)
{
	struct sink sink = sink_of_file(fd);

	sink.append = append_limited;
	return sink;
}

/* --- standard output and files ----------------------------------------- */

/* output_some() does not write texts that are shorter than this, in bytes. */
#define SOME_SIZE KIB(64)
/*
 * Limit of the temporary names that are tried, if files with these names exist.
 */
#define NAMES_MAX 100u
/* Width of a text that no terminal shows, in columns. */
#define COLUMNS_DEFAULT 100u

static pid_t pager;
static size_t pager_columns; /* width of the pager's terminal; 0: unknown */
static FILE *diverted;	     /* file of output_divert(); NULL: stdout */
static struct error *deferred_error; /* error of output_some(), which the next
                                      * output_text() returns */

/* Returns the width of the terminal stdout; 0: stdout is no terminal. */
static size_t stdout_columns(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

size_t output_columns(void)
{
	size_t columns = pager > 0 ? pager_columns : stdout_columns();

	return columns ?: COLUMNS_DEFAULT;
}

void output_page(void)
{
	const char *command = getenv("DWELL_PAGER");
	_cleanup_free_ char *folders = NULL;
	char *rest, *folder;
	int ends[2];

	/*
	 * On a dumb terminal a pager cannot scroll back; it only waits for
	 * keys.
	 */
	const char *term = getenv("TERM") ?: "";

	if (!command && (!*term || string_is(term, "dumb")))
		return;
	if (!command)
		command = getenv("PAGER");
	folders = xstrdup(getenv("PATH") ?: "");
	rest = folders;
	while (!command && (folder = strsep(&rest, ":"))) {
		_cleanup_free_ char *path = xasprintf("%s/less", folder);

		if (access(path, X_OK) == 0)
			command = "less";
	}
	if (!command)
		command = "";
	if (!isatty(STDOUT_FILENO) || !*command || string_is(command, "cat") ||
		pipe2(ends, O_CLOEXEC) < 0)
		return;
	pager_columns = stdout_columns();
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
 * Returns the error of a write to stdout or the diverted file, by errno. A
 * closed pipe is no error: the user left the pager, or head(1) has read enough.
 * Without a pager, SIGPIPE, which main() ignores, ends the process here.
 */
static struct error *output_write_error(void)
{
	if (diverted)
		return error_errno(errno, "write failed");
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
	if (deferred_error)
		return take_pointer(deferred_error);
	if (!diverted && !output_limit_take(text->n))
		return output_limit_error(NULL);
	if (!text->n ||
		fwrite(text->at, 1, text->n, diverted ?: stdout) == text->n)
		return NULL;
	return output_write_error();
}

void output_some(struct strbuf *text)
{
	if (text->n < SOME_SIZE)
		return;
	if (!deferred_error)
		deferred_error = output_text(text);
	strbuf_clear(text);
}

struct error *output_finish(void)
{
	struct error *err = NULL;

	if (fflush(stdout))
		err = output_write_error();
	if (pager > 0) {
		fclose(stdout);
		while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return err;
}

/* PATH may be an existing device or FIFO. */
struct error *output_check(const char *path, bool is_forced)
{
	struct stat status;

	if (!path || string_is(path, "-") || is_forced)
		return NULL;
	if (stat(path, &status) < 0) {
		if (lstat(path, &status) < 0)
			return NULL;
		return error_new("cannot create %s: it is a symbolic link to a "
				 "missing file; use --force to replace it",
			path);
	}
	if (!S_ISREG(status.st_mode))
		return NULL;
	return error_new(
		"cannot create %s: it exists; use --force to replace it", path);
}

struct error *output_open(const char *path, struct output_file *ret)
{
	struct stat status;

	*ret = (struct output_file){ .fd = STDOUT_FILENO };
	if (!path || string_is(path, "-")) {
		/*
		 * SIGPIPE ends the process, as in other programs, if head(1)
		 * has read enough.
		 */
		signal(SIGPIPE, SIG_DFL);
		return NULL;
	}
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		/*
		 * PATH, a device or a FIFO, is written directly and not
		 * replaced by a file.
		 */
		return trusted_file_open_output(path, false, &ret->fd);
	}
	ret->path = xstrdup(path);
	/*
	 * A file without a name leaves nothing behind, however the process
	 * ends. Some file systems do not support such files, and giving the
	 * file a name needs /proc (open(2), O_TMPFILE).
	 */
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = xasprintf("%.*s",
		slash ? (int)(slash - path + 1) : 1, slash ? path : ".");

	ret->fd = access("/proc/self/fd", X_OK) < 0
		? -1
		: open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (ret->fd >= 0)
		return NULL;
	ret->temporary = xasprintf("%s.XXXXXX", path);
	ret->fd = mkostemp(ret->temporary, O_CLOEXEC);
	if (ret->fd >= 0)
		return NULL;
	free(ret->path);
	free(ret->temporary);
	return error_errno(errno, "cannot create %s", path);
}

struct error *output_replace(
	const char *path, uint64_t size, struct output_file *ret)
{
	struct stat status;
	struct error *err;

	if (stat(path, &status) < 0)
		return error_errno(errno, "cannot replace %s", path);
	if (access(path, W_OK) < 0)
		return error_errno(errno, "cannot replace %s", path);
	err = output_open(path, ret);
	ret->replaced = status;
	ret->replaced.st_size = (off_t)size;
	return err;
}

/*
 * Sets the owner and mode of the new file. The owner is set first: chown(2) can
 * clear mode bits.
 */
static struct error *set_owner_and_mode(const struct output_file *file)
{
	const struct stat *was = &file->replaced;
	mode_t mask;

	if (!was->st_nlink) {
		mask = umask(0);
		umask(mask);
		return fchmod(file->fd, file->mode ?: 0666 & ~mask) < 0
			? error_errno(errno, "cannot write %s", file->path)
			: NULL;
	}
	struct stat now;

	if (stat(file->path, &now) < 0 || now.st_ino != was->st_ino ||
		now.st_size != was->st_size ||
		now.st_mtim.tv_sec != was->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != was->st_mtim.tv_nsec)
		return error_new(
			"cannot replace %s: the file has changed since "
			"it was read; stop its recording, or write "
			"another file with -o",
			file->path);
	if ((geteuid() != was->st_uid || getegid() != was->st_gid) &&
		fchown(file->fd, was->st_uid, was->st_gid) < 0)
		return error_errno(errno,
			"cannot keep the owner of %s; write another file "
			"with -o",
			file->path);
	if (fchmod(file->fd, was->st_mode & 07777) < 0 || fsync(file->fd) < 0)
		return error_errno(errno, "cannot write %s", file->path);
	return NULL;
}

struct error *output_commit(struct output_file *file, bool failed)
{
	_cleanup_free_ char *path = file->path, *self = NULL;
	struct error *err = NULL;
	unsigned i;

	if (!path)
		return NULL;
	if (!failed)
		err = set_owner_and_mode(file);
	/*
	 * Link a file without a name to a temporary name in the folder of its
	 * final name. linkat(2) cannot replace a file; rename(2) can.
	 */
	self = xasprintf("/proc/self/fd/%d", file->fd);
	for (i = 0; !failed && !err && !file->temporary; i++) {
		_cleanup_free_ char *name =
			xasprintf("%s.%d-%u", path, (int)getpid(), i);

		if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ==
			0)
			file->temporary = take_pointer(name);
		else if (errno != EEXIST || i + 1 == NAMES_MAX)
			err = error_errno(errno, "cannot write %s", path);
	}
	if (close(file->fd) < 0 && !failed && !err)
		err = error_errno(errno, "cannot write %s", path);
	if (!failed && !err && rename(file->temporary, path) < 0)
		err = error_errno(errno, "cannot write %s", path);
	if ((failed || err) && file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	return err;
}
