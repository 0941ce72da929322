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

/*
 * Limit of the size of one file, in bytes; debug files of browsers are smaller.
 */
#define FILE_SIZE_MAX GIB(4)
/*
 * Limit of the size of all files, in bytes: a small archive may claim any size.
 */
#define TOTAL_SIZE_MAX GIB(64)
/* Limit of archive entries: more than the files and folders of a machine. */
#define ENTRIES_MAX 1000000u
/*
 * Limit of the files with a build ID. A recording of all programs of a machine
 * has some thousand.
 */
#define FILES_MAX 100000u

/* Why an entry is skipped. */
enum skip_reason {
	SKIP_LINK,    /* a link or a folder; perf's archives contain many */
	SKIP_NAME,    /* the path is not one of perf's build-ID cache */
	SKIP_OUTSIDE, /* the path leads out of the target folder */
	SKIP_LARGE,
	SKIP_OTHER, /* the content does not match the name */
	SKIP_REASONS,
};

struct job {
	const char *name; /* name of the archive; borrowed */
	struct tarball *tarball;
	struct unpacked *unpacked;
	uint64_t n_files; /* files with a build ID so far */
	uint64_t total;	  /* size of all files so far, in bytes, with holes */
	uint64_t skipped[SKIP_REASONS]; /* skipped entries, by reason */
};

/* Returns whether PATH, relative to a folder, could lead out of this folder. */
static bool path_leaves_folder(const char *path)
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

/*
 * Returns the text behind the last slash in [PATH, *END), and moves *END back
 * to this slash, or to PATH if there is no slash.
 */
static const char *last_path_part(const char *path, const char **end)
{
	const char *at = *end;

	while (at > path && at[-1] != '/')
		at--;
	*end = at > path ? at - 1 : path;
	return at;
}

static bool parse_hex_id(const char *at, size_t n, struct build_id *id)
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

/*
 * Parses the build ID, xxrest in hex digits, of the text from PATH to END:
 * ".build-id/xx/rest" or "any/path/xxrest".
 */
static bool parse_path_id(
	const char *path, const char *end, struct build_id *ret)
{
	static const char by_id[] = ".build-id";
	const char *rest_end = end, *rest = last_path_part(path, &end);
	const char *first_end = end, *first = last_path_part(path, &end);
	const char *folder_end = end, *folder = last_path_part(path, &end);
	bool is_by_id = first_end - first == 2 &&
		folder_end - folder == (ptrdiff_t)strlen(by_id) &&
		!memcmp(folder, by_id, strlen(by_id));

	memset(ret, 0, sizeof(*ret));
	return (!is_by_id || parse_hex_id(first, 2, ret)) &&
		parse_hex_id(rest, (size_t)(rest_end - rest), ret) &&
		ret->size >= UNPACKED_ID_MIN;
}

static bool parse_entry_path(
	const char *path, struct build_id *id_ret, enum unpacked_name *name_ret)
{
	const char *end = path + strlen(path);
	const char *name = last_path_part(path, &end);
	unsigned i;

	for (i = 0; i < UNPACKED_NAMES; i++)
		if (string_is(name, unpacked_name(i)))
			break;
	*name_ret = i;
	return i < UNPACKED_NAMES && parse_path_id(path, end, id_ret);
}

/*
 * Returns whether PIECE, the first piece of a file, can be the start of a file
 * named NAME. Returns true if PIECE is too short for a decision. Called before
 * the file is written.
 */
static bool has_valid_start(
	enum unpacked_name name, const struct tarball_piece *piece)
{
	if (piece->offset)
		return false;
	if (name == UNPACKED_KALLSYMS)
		return isxdigit(piece->at[0]);
	return piece->size < SELFMAG || !memcmp(piece->at, ELFMAG, SELFMAG);
}

/*
 * Writes PIECE to FD at the offset in PIECE. Bytes that are in no piece remain
 * holes.
 */
static struct error *write_piece(
	const struct job *job, int fd, const struct tarball_piece *piece)
{
	int errnum = lseek(fd, (off_t)piece->offset, SEEK_SET) < 0
		? errno
		: sink_write(fd, piece->at, piece->size);

	return errnum ? error_errno(errnum, "%s: cannot write a file",
				unpacked_path(job->unpacked))
		      : NULL;
}

static bool is_piece_inside(
	const struct tarball_piece *piece, const struct tarball_entry *entry)
{
	return piece->size <= entry->size &&
		piece->offset <= entry->size - piece->size;
}

/*
 * Copies the content of ENTRY, the current entry, to FD. Sets REASON_RET to the
 * reason why the file is skipped, or SKIP_REASONS if it is not skipped.
 */
static struct error *copy_entry(const struct job *job,
	const struct tarball_entry *entry, enum unpacked_name name, int fd,
	enum skip_reason *reason_ret)
{
	struct tarball_piece piece;
	struct error *err = NULL;
	bool is_first = true;
	int status = 0;

	*reason_ret = SKIP_REASONS;
	if (ftruncate(fd, (off_t)entry->size) < 0)
		return error_errno(errno, "%s: cannot write a file",
			unpacked_path(job->unpacked));
	while (!err && (status = tarball_read(job->tarball, &piece)) == 0) {
		if (!piece.size)
			continue;
		if (!is_piece_inside(&piece, entry) ||
			(is_first && !has_valid_start(name, &piece))) {
			*reason_ret = SKIP_OTHER;
			return NULL;
		}
		is_first = false;
		err = write_piece(job, fd, &piece);
	}
	return err || status > 0 ? err : tarball_error(job->tarball);
}

static bool file_has_build_id(int fd, const struct build_id *id)
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

static bool is_kallsyms_file(int fd)
{
	struct kallsyms kallsyms;
	bool is_good =
		lseek(fd, 0, SEEK_SET) == 0 && kallsyms_read_fd(fd, &kallsyms);

	if (is_good)
		kallsyms_deinit(&kallsyms);
	return is_good;
}

/*
 * Installs the file in ENTRY under ID and NAME. Sets REASON_RET to the reason
 * why the file is skipped, or SKIP_REASONS if it is not skipped.
 */
static struct error *unpack_file(struct job *job,
	const struct tarball_entry *entry, const struct build_id *id,
	enum unpacked_name name, enum skip_reason *reason_ret)
{
	struct error *err;
	int fd;

	if (job->n_files++ == FILES_MAX)
		return error_new("%s: it has more than %u files with a build "
				 "ID",
			job->name, FILES_MAX);
	job->total += entry->size;
	if (job->total > TOTAL_SIZE_MAX)
		return error_new("%s: its files exceed %lu GiB", job->name,
			TOTAL_SIZE_MAX / GIB(1));
	err = unpacked_begin(job->unpacked, &fd);
	if (!err)
		err = copy_entry(job, entry, name, fd, reason_ret);
	if (!err && *reason_ret == SKIP_REASONS &&
		!(name == UNPACKED_KALLSYMS ? is_kallsyms_file(fd)
					    : file_has_build_id(fd, id)))
		*reason_ret = SKIP_OTHER;
	if (!err && *reason_ret == SKIP_REASONS)
		return unpacked_put(job->unpacked, id, name);
	/* The next file reuses the temporary file. */
	return err;
}

static struct error *unpack_entry(
	struct job *job, const struct tarball_entry *entry)
{
	enum skip_reason reason = SKIP_REASONS;
	enum unpacked_name name;
	struct error *err = NULL;
	struct build_id id;

	if (path_leaves_folder(entry->path ? entry->path : "/"))
		reason = SKIP_OUTSIDE;
	else if (entry->kind != TARBALL_FILE)
		reason = SKIP_LINK;
	else if (!parse_entry_path(entry->path, &id, &name))
		reason = SKIP_NAME;
	else if (entry->size > FILE_SIZE_MAX)
		reason = SKIP_LARGE;
	else
		err = unpack_file(job, entry, &id, name, &reason);
	if (reason < SKIP_REASONS)
		job->skipped[reason]++;
	return err;
}

static struct error *unpack_all_entries(struct job *job)
{
	struct tarball_entry entry;
	struct error *err = NULL;
	unsigned n = 0;
	int status;

	while (!err && (status = tarball_next(job->tarball, &entry)) == 0) {
		err = unpack_entry(job, &entry);
		if (!err && ++n > ENTRIES_MAX)
			err = error_new("%s: it has more than %u entries",
				job->name, ENTRIES_MAX);
	}
	return err || status > 0 ? err : tarball_error(job->tarball);
}

static void report_skipped_entries(const struct job *job)
{
	static const char *const reasons[SKIP_REASONS] = {
		[SKIP_OUTSIDE] = "the path leads out of the folder",
		[SKIP_LARGE] = "the file is too large",
		[SKIP_OTHER] = "the content does not match the name (no ELF "
			       "file with this build ID, or no kallsyms with "
			       "addresses)",
	};
	unsigned i;

	log_verbose("%s: skipped %" PRIu64 " links and folders, and %" PRIu64
		    " files without a build ID in their name",
		job->name, job->skipped[SKIP_LINK], job->skipped[SKIP_NAME]);
	for (i = 0; i < SKIP_REASONS; i++)
		if (reasons[i] && job->skipped[i])
			log_note("%s: skipped %" PRIu64 " %s: %s", job->name,
				job->skipped[i],
				job->skipped[i] == 1 ? "entry" : "entries",
				reasons[i]);
}

struct error *unpack_archive(
	int fd, const char *name, struct unpacked *unpacked)
{
	struct job job = { .name = name, .unpacked = unpacked };
	struct error *err = tarball_open(fd, name, &job.tarball);

	if (err)
		return err;
	err = unpack_all_entries(&job);
	report_skipped_entries(&job);
	tarball_close(job.tarball);
	return err;
}
