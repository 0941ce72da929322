/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/unpack_archive.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include "common/elf/elf.h"
#include "common/elf/kallsyms.h"
#include "common/util/log.h"
#include "common/util/sink.h"
#include "report/pack/tarball.h"

/* More than debug files of browsers have. */
#define FILE_SIZE_MAX GIB(4)
/* Of all that is taken: a small archive may claim anything. */
#define TOTAL_SIZE_MAX GIB(64)
/* More than a machine has files, and folders with them. */
#define ENTRIES_MAX 1000000u

/* Why an entry is no file that is put somewhere. */
enum left_out {
	LEFT_LINK,    /* or a folder: perf's archives are full of them */
	LEFT_NAME,    /* not called as perf calls what has a build ID */
	LEFT_OUTSIDE, /* its name leads out of the folder */
	LEFT_LARGE,
	LEFT_OTHER, /* not what its name says */
	LEFT_KINDS,
};

struct job {
	const char *name; /* of the archive; borrowed */
	struct tarball *tarball;
	struct unpacked *unpacked;
	uint64_t total; /* bytes of files, holes included */
	uint64_t left[LEFT_KINDS];
};

/* Whether PATH, taken as it is, could lead out of a folder. */
static bool leads_out(const char *path)
{
	const char *at = path;

	if (*path == '/')
		return true;
	for (; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (string_starts(at, "..") && (!at[2] || at[2] == '/'))
			return true;
	}
	return false;
}

/* The part of [PATH, *END) behind its last slash, which *END becomes. */
static const char *last_part(const char *path, const char **end)
{
	const char *at = *end;

	while (at > path && at[-1] != '/')
		at--;
	*end = at > path ? at - 1 : path;
	return at;
}

static bool read_hex(const char *at, size_t n, struct build_id *id)
{
	if (n % 2 || id->size + n / 2 > BUILD_ID_MAX)
		return false;
	for (; n; at += 2, n -= 2) {
		char pair[3] = { at[0], at[1], '\0' };

		if (!isxdigit((unsigned char)at[0]) ||
			!isxdigit((unsigned char)at[1]))
			return false;
		id->bytes[id->size++] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return true;
}

/* ".build-id/xx/rest" or "any/path/xxrest", from PATH to END. */
static bool read_id(const char *path, const char *end, struct build_id *ret)
{
	static const char by_id[] = ".build-id";
	const char *rest_end = end, *rest = last_part(path, &end);
	const char *first_end = end, *first = last_part(path, &end);
	const char *folder_end = end, *folder = last_part(path, &end);
	bool is_by_id = first_end - first == 2 &&
		folder_end - folder == (ptrdiff_t)strlen(by_id) &&
		!memcmp(folder, by_id, strlen(by_id));

	memset(ret, 0, sizeof(*ret));
	return (!is_by_id || read_hex(first, 2, ret)) &&
		read_hex(rest, (size_t)(rest_end - rest), ret) &&
		ret->size >= UNPACKED_ID_MIN;
}

static bool read_path(
	const char *path, struct build_id *id_ret, enum unpacked_name *name_ret)
{
	const char *end = path + strlen(path);
	const char *name = last_part(path, &end);
	unsigned i;

	for (i = 0; i < UNPACKED_NAMES; i++)
		if (string_is(name, unpacked_name(i)))
			break;
	*name_ret = i;
	return i < UNPACKED_NAMES && read_id(path, end, id_ret);
}

/* Long before all of it was written; true also of what is too short to tell. */
static bool begins_well(
	enum unpacked_name name, const struct tarball_piece *piece)
{
	if (piece->offset)
		return false;
	if (name == UNPACKED_KALLSYMS)
		return isxdigit(piece->at[0]);
	return piece->size < SELFMAG || !memcmp(piece->at, ELFMAG, SELFMAG);
}

/* At its place: what isn't in the archive is a hole. */
static struct error *write_piece(
	const struct job *job, int fd, const struct tarball_piece *piece)
{
	int errnum = lseek(fd, (off_t)piece->offset, SEEK_SET) < 0
		? errno
		: sink_write(fd, piece->at, piece->size);

	return errnum ? error_errno(errnum, "%s: can't be written",
				unpacked_path(job->unpacked))
		      : NULL;
}

static bool is_inside(
	const struct tarball_piece *piece, const struct tarball_entry *entry)
{
	return piece->size <= entry->size &&
		piece->offset <= entry->size - piece->size;
}

/* ENTRY, the last one, to FD. WHY_RET as of take(). */
static struct error *copy(const struct job *job,
	const struct tarball_entry *entry, enum unpacked_name name, int fd,
	enum left_out *why_ret)
{
	struct tarball_piece piece;
	struct error *err = NULL;
	bool is_first = true;
	int status = 0;

	*why_ret = LEFT_KINDS;
	if (ftruncate(fd, (off_t)entry->size) < 0)
		return error_errno(errno, "%s: can't be written",
			unpacked_path(job->unpacked));
	while (!err && (status = tarball_read(job->tarball, &piece)) == 0) {
		if (!piece.size)
			continue;
		if (!is_inside(&piece, entry) ||
			(is_first && !begins_well(name, &piece))) {
			*why_ret = LEFT_OTHER;
			return NULL;
		}
		is_first = false;
		err = write_piece(job, fd, &piece);
	}
	return err || status > 0 ? err : tarball_error(job->tarball);
}

static bool has_id(int fd, const struct build_id *id)
{
	struct elf_file *file = NULL;
	struct build_id found;
	bool is_same;

	error_free(elf_file_open(dup(fd), "", &file));
	is_same = file && elf_file_build_id(file, &found) &&
		build_id_equal(&found, id);
	elf_file_close(file);
	return is_same;
}

static bool is_kallsyms(int fd)
{
	struct kallsyms kallsyms;
	bool is_good = lseek(fd, 0, SEEK_SET) == 0 &&
		kallsyms_read_fd(fd, &kallsyms);

	if (is_good)
		kallsyms_deinit(&kallsyms);
	return is_good;
}

/* WHY_RET: it is left out therefore; LEFT_KINDS: it isn't. */
static struct error *take(struct job *job, const struct tarball_entry *entry,
	const struct build_id *id, enum unpacked_name name,
	enum left_out *why_ret)
{
	struct error *err;
	int fd;

	job->total += entry->size;
	if (job->total > TOTAL_SIZE_MAX)
		return error_new("%s: its files have over %lu GiB", job->name,
			TOTAL_SIZE_MAX / GIB(1));
	err = unpacked_begin(job->unpacked, &fd);
	if (!err)
		err = copy(job, entry, name, fd, why_ret);
	if (!err && *why_ret == LEFT_KINDS &&
		!(name == UNPACKED_KALLSYMS ? is_kallsyms(fd)
					    : has_id(fd, id)))
		*why_ret = LEFT_OTHER;
	if (!err && *why_ret == LEFT_KINDS)
		return unpacked_put(job->unpacked, id, name);
	unpacked_drop(job->unpacked);
	return err;
}

static struct error *look_at(struct job *job, const struct tarball_entry *entry)
{
	enum left_out why = LEFT_KINDS;
	enum unpacked_name name;
	struct error *err = NULL;
	struct build_id id;

	if (leads_out(entry->path ? entry->path : "/"))
		why = LEFT_OUTSIDE;
	else if (entry->kind != TARBALL_FILE)
		why = LEFT_LINK;
	else if (!read_path(entry->path, &id, &name))
		why = LEFT_NAME;
	else if (entry->size > FILE_SIZE_MAX)
		why = LEFT_LARGE;
	else
		err = take(job, entry, &id, name, &why);
	if (why < LEFT_KINDS)
		job->left[why]++;
	return err;
}

static struct error *look_at_all(struct job *job)
{
	struct tarball_entry entry;
	struct error *err = NULL;
	unsigned n = 0;
	int status;

	while (!err && (status = tarball_next(job->tarball, &entry)) == 0) {
		err = look_at(job, &entry);
		if (!err && ++n > ENTRIES_MAX)
			err = error_new("%s: it has over %u entries", job->name,
				ENTRIES_MAX);
	}
	return err || status > 0 ? err : tarball_error(job->tarball);
}

static void tell_left(const struct job *job)
{
	static const char *const why[LEFT_KINDS] = {
		[LEFT_OUTSIDE] = "because their names lead out of the folder",
		[LEFT_LARGE] = "because they are too large",
		[LEFT_OTHER] = "because they aren't what their names say: no "
			       "ELF file with that build ID, no kallsyms with "
			       "addresses",
	};
	unsigned i;

	log_verbose("%s: %" PRIu64 " links and folders, and %" PRIu64
		    " files without a build ID in their name, are left out",
		job->name, job->left[LEFT_LINK], job->left[LEFT_NAME]);
	for (i = 0; i < LEFT_KINDS; i++)
		if (why[i] && job->left[i])
			log_note("%s: %" PRIu64 " %s left out, %s", job->name,
				job->left[i],
				job->left[i] == 1 ? "entry is" : "entries are",
				why[i]);
}

struct error *unpack_archive(
	int fd, const char *name, struct unpacked *unpacked)
{
	struct job job = { .name = name, .unpacked = unpacked };
	struct error *err = tarball_open(fd, name, &job.tarball);

	if (err)
		return err;
	err = look_at_all(&job);
	tell_left(&job);
	tarball_close(job.tarball);
	return err;
}
