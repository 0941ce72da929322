/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/file_names.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/elf/elf.h"
#include "common/unwind/guessed_functions.h"
#include "common/util/clock.h"
#include "common/util/log.h"
#include "common/util/strbuf.h"
#include "record/synth/mapped_file.h"

/*
 * Limits of one file: the largest programs have a few million symbols, and a function with
 * samples has a name of about a hundred bytes.
 */
#define SYMBOLS_MAX (UINT64_C(1) << 23)
#define BYTES_MAX MIB(48)
/* Limits of all files of one owner together. The limit of time is also that of one file. */
#define OWNER_CPU_MAX_S UINT64_C(8)
#define OWNER_BYTES_MAX MIB(48)
/* The number of owners. The files of all further owners count together. */
#define OWNERS_MAX 1000u
/* The number of files that are left out with a message of their own. */
#define LEFT_OUT_SHOWN 5u

/* --- owners --------------------------------------------------------------- */

static struct file_owner *find_owner(struct file_owners *owners, uint32_t user)
{
	struct file_owner *owner;

	array_each(&owners->list, one)
		if (one->user == user)
			return one;
	if (owners->list.n == OWNERS_MAX)
		return &owners->list.at[OWNERS_MAX - 1];
	owner = array_push(&owners->list);
	owner->user = user;
	return owner;
}

/*
 * Returns true if the limits of USER hold for each file alone: the files of the system
 * belong to root, and a slow CPU must not take the names of the last of them away.
 */
static bool is_trusted(uint32_t user)
{
	return user == 0 || user == geteuid();
}

void file_owners_report(const struct file_owners *owners)
{
	if (owners->left_out > LEFT_OUT_SHOWN)
		log_note("the recording lacks the symbols of %" PRIu32
			 " more files that exceed a limit",
			owners->left_out - LEFT_OUT_SHOWN);
}

void file_owners_deinit(struct file_owners *owners)
{
	array_free(&owners->list);
}

/* Reports the file PATH, whose symbols are left out because of REASON. */
static void report_left_out(
	struct file_owners *owners, const char *path, const char *reason)
{
	if (owners->left_out++ < LEFT_OUT_SHOWN)
		log_note("the recording lacks the symbols of \"%s\": %s. "
			 "Report on this machine while the file exists",
			path, reason);
}

/* -------------------------------------------------------------------------- */

struct names_job {
	struct timed_job job;
	struct dso dso;		   /* .dso.path is owned */
	struct pinned_file pinned; /* .pinned.fd is owned */
	uint64_t started;
	ARRAY(struct hit) sampled;
	struct file_owners owners; /* a copy */
	struct file_names names;
	uint64_t cpu_ns;
	enum symtab_excess excess; /* the file is left out */
};

/*
 * Returns true if the held file was not modified: while no process executes a
 * file, it can be written to.
 */
static bool is_pinned_unchanged(const struct names_job *job)
{
	const struct dso *dso = &job->dso;
	struct build_id id;

	if (dso->build_id.size)
		return elf_read_build_id(job->pinned.fd, &id) &&
			build_id_equal(&id, &dso->build_id);
	return mapped_modified_ns(job->pinned.fd) == job->pinned.modified_ns;
}

static int open_symbols_file(const struct dso *dso, uint64_t started)
{
	const struct mapped_file mapped = {
		.pid = dso->pid,
		.path = dso->path,
		.major = dso->major,
		.minor = dso->minor,
		.inode = dso->inode,
		.build_id = dso->build_id,
	};
	_cleanup_close_ int fd = mapped_open(&mapped);

	if (fd < 0)
		return -1;
	if (!dso->build_id.size && mapped_modified_ns(fd) >= started)
		return -1;
	return take_fd(fd);
}

/* The vdso is not a file; dwell's own vdso is that of all 64-bit programs. */
static struct elf_file *open_symbols_elf(struct names_job *job)
{
	struct elf_file *file;
	struct error *err;
	int fd;

	if (string_is(job->dso.path, MAPS_VDSO))
		return elf_file_open_vdso();
	if (job->pinned.fd >= 0 && is_pinned_unchanged(job))
		fd = take_fd(job->pinned.fd);
	else
		fd = open_symbols_file(&job->dso, job->started);
	if (fd < 0)
		return NULL;
	err = elf_file_open(fd, job->dso.path, &file);
	if (!err)
		return file;
	error_free(err);
	return NULL;
}

static bool has_code_without_symbol(const struct names_job *job)
{
	const struct symtab *table = &job->names.symbols;

	/*
	 * The recording also gets the symbol before an address. If all
	 * functions have symbols, there are only the gaps between them.
	 */
	array_each(&job->sampled, hit)
		if (!symtab_find(table, hit->place) ||
			(job->names.is_dynsym_only &&
				!symtab_find(table, hit->place - 1)))
			return true;
	return false;
}

/* Initializes RET for the sampled addresses of JOB and what is left of its limits. */
static void init_selection(
	struct names_job *job, uint64_t cpu_ns, struct symtab_selection *ret)
{
	const struct file_owner *owner =
		find_owner(&job->owners, job->names.owner);
	bool is_alone = is_trusted(job->names.owner);
	uint64_t cpu_max = OWNER_CPU_MAX_S * NSEC_PER_SEC;
	uint64_t cpu_used = cpu_ns + (is_alone ? 0 : owner->cpu_ns);
	const struct symtab_limits limits = {
		.symbols = SYMBOLS_MAX,
		.bytes = BYTES_MAX,
		.cpu_ns = cpu_max - MIN(cpu_max, cpu_used),
		.is_abandoned = &job->job.is_abandoned,
	};

	symtab_selection_init(ret, &limits);
	if (!is_alone && owner->bytes > OWNER_BYTES_MAX)
		ret->excess = SYMTAB_EXCESS_BYTES;
	array_each(&job->sampled, hit) {
		if (hit->place)
			symtab_selection_add_address(ret, hit->place - 1);
		symtab_selection_add_address(ret, hit->place);
	}
}

/*
 * Calls READ with TABLE, which gets the symbols of the sampled addresses. The thread has
 * used CPU_NS for JOB. Sets job->excess.
 */
static void read_selected(struct names_job *job, uint64_t cpu_ns,
	struct elf_file *file, struct symtab *table,
	void (*read)(struct names_job *job, struct elf_file *file))
{
	struct symtab_selection selection;

	init_selection(job, cpu_ns, &selection);
	table->selection = &selection;
	if (!selection.excess)
		read(job, file);
	table->selection = NULL;
	job->excess = selection.excess;
	symtab_selection_deinit(&selection);
}

static void read_own_symbols(struct names_job *job, struct elf_file *file)
{
	struct file_names *names = &job->names;

	do {
		names->is_dynsym_only =
			!elf_file_own_symbols(file, &names->symbols);
		elf_file_plt(file, &names->symbols);
	} while (symtab_next_pass(&names->symbols));
	symtab_finish(&names->symbols);
}

static void read_guesses(struct names_job *job, struct elf_file *file)
{
	guessed_functions_read(file, job->dso.path, &job->names.guesses);
}

static uint32_t read_owner(const struct elf_file *file)
{
	struct stat status;

	return fstat(elf_file_fd(file), &status) ? 0 : status.st_uid;
}

static void run_names_job(struct timed_job *job)
{
	struct names_job *own = (struct names_job *)job;
	uint64_t start = clock_thread_cpu_ns();
	struct elf_file *file = open_symbols_elf(own);
	struct file_names *names = &own->names;

	if (!file)
		return;
	names->owner = read_owner(file);
	read_selected(own, 0, file, &names->symbols, read_own_symbols);
	if (!own->excess && has_code_without_symbol(own)) {
		read_selected(own, clock_thread_cpu_ns() - start, file,
			&names->guesses, read_guesses);
		/* The symbols are complete without the guesses. */
		if (own->excess && own->excess != SYMTAB_EXCESS_ABANDONED) {
			symtab_deinit(&names->guesses);
			names->guesses = (struct symtab){ 0 };
			own->excess = SYMTAB_EXCESS_NONE;
		}
	}
	elf_file_close(file);
	own->cpu_ns = clock_thread_cpu_ns() - start;
}

static void free_names_job(struct timed_job *job)
{
	struct names_job *own = (struct names_job *)job;

	if (own->pinned.fd >= 0)
		close(own->pinned.fd);
	file_names_deinit(&own->names);
	file_owners_deinit(&own->owners);
	array_free(&own->sampled);
	free(own->dso.path);
	free(own);
}

static struct names_job *create_names_job(const struct file_owners *owners,
	const struct file_names_request *request)
{
	struct names_job *job = xcalloc(1, sizeof(*job));
	size_t i;

	job->job = (struct timed_job){ run_names_job, free_names_job };
	job->dso = *request->dso;
	job->dso.path = xstrdup(request->dso->path);
	job->pinned = request->pinned;
	if (request->pinned.fd >= 0)
		job->pinned.fd = fcntl(request->pinned.fd, F_DUPFD_CLOEXEC, 0);
	job->started = request->started;
	for (i = 0; i < request->n_sampled; i++)
		*array_push(&job->sampled) = request->sampled[i];
	array_each(&owners->list, owner)
		*array_push(&job->owners.list) = *owner;
	return job;
}

/* Reports that the symbols of the file PATH of USER exceed a limit. */
static void report_excess(struct file_owners *owners, const char *path,
	uint32_t user, enum symtab_excess excess)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	switch (excess) {
	case SYMTAB_EXCESS_SYMBOLS:
		strbuf_printf(&text, "it has more than %" PRIu64 " symbols",
			SYMBOLS_MAX);
		break;
	case SYMTAB_EXCESS_BYTES:
		strbuf_puts(&text, "the sampled symbols in ");
		if (!is_trusted(user) &&
			find_owner(owners, user)->bytes > OWNER_BYTES_MAX)
			strbuf_printf(
				&text, "files of user %" PRIu32 " ", user);
		else
			strbuf_puts(&text, "it ");
		strbuf_puts(&text, "exceed ");
		strbuf_put_size(&text, BYTES_MAX);
		break;
	case SYMTAB_EXCESS_CPU:
		strbuf_puts(&text,
			is_trusted(user) ? "its symbols"
					 : "the symbols in files of user ");
		if (!is_trusted(user))
			strbuf_printf(&text, "%" PRIu32, user);
		strbuf_printf(&text,
			" take more than %" PRIu64 " s of CPU time",
			OWNER_CPU_MAX_S);
		break;
	case SYMTAB_EXCESS_ABANDONED:
	case SYMTAB_EXCESS_NONE: return;
	}
	report_left_out(owners, path, text.at);
}

void file_names_read(struct timed_worker *worker, struct file_owners *owners,
	const struct file_names_request *request, struct file_names *names)
{
	struct names_job *job = create_names_job(owners, request);
	bool is_ended = timed_worker_is_ended(worker);

	if (!timed_worker_run(worker, &job->job)) {
		if (!is_ended)
			report_left_out(owners, request->dso->path,
				"reading the file takes too long");
		return;
	}
	find_owner(owners, job->names.owner)->cpu_ns += job->cpu_ns;
	if (job->excess) {
		report_excess(owners, request->dso->path, job->names.owner,
			job->excess);
	} else {
		*names = job->names;
		job->names = (struct file_names){ 0 };
	}
	free_names_job(&job->job);
}

void file_names_add_bytes(const struct file_names *names, uint64_t bytes,
	struct file_owners *owners)
{
	find_owner(owners, names->owner)->bytes += bytes;
}

void file_names_deinit(struct file_names *names)
{
	symtab_deinit(&names->symbols);
	symtab_deinit(&names->guesses);
}
