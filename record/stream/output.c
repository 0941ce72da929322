/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/util/alloc.h"
#include "common/util/log.h"

static char *old_name(const char *path)
{
	return xasprintf("%s.old", path);
}

/* A link may be made by somebody else, to have a file of ours overwritten. */
static struct error *refuse_link(const char *path)
{
	_cleanup_free_ char *target = realpath(path, NULL);
	struct error *err = error_new(
		"%s: is a symbolic link, and those are not followed", path);

	return target ? error_hint(err, "what it points at: -o %s", target)
		      : error_hint(err, "another name: -o FILE");
}

static struct error *keep_old(struct output *output)
{
	_cleanup_free_ char *old = old_name(output->path);
	struct stat status;

	if (lstat(output->path, &status) < 0)
		return NULL;
	if (S_ISLNK(status.st_mode))
		return refuse_link(output->path);
	if (!S_ISREG(status.st_mode))
		return error_new("%s: exists and is not a regular file; "
				 "another name: -o FILE",
			output->path);
	if (rename(output->path, old) < 0)
		return error_errno(
			errno, "renaming %s to %s", output->path, old);
	output->has_old = true;
	return NULL;
}

static void give_back_old(struct output *output)
{
	_cleanup_free_ char *old = old_name(output->path);

	if (output->has_old && rename(old, output->path) < 0)
		log_note("the older recording is %s now", old);
	output->has_old = false;
}

static bool read_id(const char *variable, unsigned *ret)
{
	const char *text = getenv(variable);
	char *end;

	if (!text || !*text)
		return false;
	*ret = (unsigned)strtoul(text, &end, 10);
	return *end == '\0';
}

/* Under sudo the file is for the user who called it. */
static void give_to_caller(const struct output *output)
{
	unsigned uid, gid;

	if (geteuid() != 0 || !read_id("SUDO_UID", &uid) ||
		!read_id("SUDO_GID", &gid))
		return;
	if (fchown(output->fd, uid, gid) < 0)
		log_verbose("%s stays root's", output->path);
}

bool output_is_stream(const char *path)
{
	return string_is(path, "-");
}

/* Documentation/admin-guide/devices.txt: /dev/null is 1:3. */
bool output_is_null(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISCHR(status.st_mode) &&
		status.st_rdev == makedev(1, 3);
}

/* To know what recording costs: there is nothing to keep, name or remove. */
static struct error *open_null(struct output *output)
{
	output->is_stream = true;
	output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
	if (output->fd < 0)
		return error_errno(errno, "opening %s", output->path);
	return NULL;
}

static struct error *create_stream(struct output *output)
{
	output->is_stream = true;
	if (isatty(STDOUT_FILENO))
		return error_usage("-o -: standard output is a terminal; send "
				   "it to a program: | dwell report -i -");
	output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (output->fd < 0)
		return error_errno(errno, "standard output");
	return NULL;
}

struct error *output_create(const char *path, struct output *ret)
{
	struct error *err;

	*ret = (struct output){ .fd = -1, .path = xstrdup(path) };
	if (output_is_stream(path))
		return create_stream(ret);
	if (output_is_null(path))
		return open_null(ret);
	err = keep_old(ret);
	if (err)
		return err;
	ret->fd = open(path,
		O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (ret->fd < 0) {
		err = error_hint(error_errno(errno, "creating %s", path),
			"another name: -o FILE");
		give_back_old(ret);
		return err;
	}
	give_to_caller(ret);
	return NULL;
}

struct sink output_sink(struct output *output)
{
	return output->is_stream ? sink_of_stream(&output->fd)
				 : sink_of_file(&output->fd);
}

const char *output_name(const struct output *output)
{
	if (output->is_stream && output_is_stream(output->path))
		return "standard output";
	return output->path;
}

void output_discard(struct output *output)
{
	if (!output->path)
		return;
	if (output->fd >= 0 && !output->is_stream)
		unlink(output->path);
	error_free(output_close(output));
	give_back_old(output);
}

struct error *output_rename(struct output *output, const char *name)
{
	int result = renameat2(AT_FDCWD, output->path, AT_FDCWD, name,
		RENAME_NOREPLACE);

	/* Not every file system can promise to replace nothing. */
	if (result < 0 && (errno == EINVAL || errno == ENOSYS))
		result = rename(output->path, name);
	if (result < 0)
		return error_errno(errno, "naming it %s", name);
	free(output->path);
	output->path = xstrdup(name);
	return NULL;
}

struct error *output_close(struct output *output)
{
	int fd = take_fd(output->fd);

	if (fd >= 0 && close(fd) < 0)
		return error_errno(errno, "closing %s", output_name(output));
	return NULL;
}

void output_deinit(struct output *output)
{
	if (output->path && output->fd >= 0)
		close(output->fd);
	free(output->path);
	*output = (struct output){ .fd = -1 };
}
