/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/interface/module_symbols.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/strbuf.h"
#include "record/sys/file_identity.h"

/* Limits of a symbol table, 1.4 million symbols, and of its names in bytes. */
#define TABLE_MAX MIB(32)
#define TABLE_NAMES_MAX MIB(128)
/* Limits of what is kept of a file: symbols, names, and bytes of a name and of all names. */
#define FOUND_MAX 32768u
#define NAMES_FOUND_MAX 32768u
#define SYMBOL_NAME_MAX 256u
#define NAME_BYTES_MAX MIB(2)
/* Bytes that are read at once. */
#define NAMES_CHUNK KIB(256)
#define TABLE_CHUNK (8192u * sizeof(Elf64_Sym))
/* Limit of files whose symbols are kept, except those in use. */
#define FILES_MAX 64u
/*
 * Bytes that are read of the tables of one owner's files at once, and per second
 * afterwards. Each file costs at least OWNER_FILE_BYTES.
 */
#define OWNER_BYTES_MAX MIB(256)
#define OWNER_BYTES_PER_SECOND MIB(16)
#define OWNER_FILE_BYTES KIB(64)
#define OWNERS_MAX 64u

/* The symbols of a file. */
struct module_file {
	struct module_symbols symbols; /* the first member */
	struct file_identity identity;
	const char *const *prefixes;
	struct strbuf names; /* of .symbols */
	const char *refusal; /* NULL: .symbols were found */
	bool is_reading;     /* a thread reads the file */
	unsigned n_users;
	uint64_t used; /* number of the last use */
};

/* What may be read of the tables of an owner. */
struct table_owner {
	uid_t user;
	uint64_t left, at; /* bytes at the time clock_now_ns(); .at 0: empty */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t is_read; /* a file was read */
	ARRAY(struct module_file *) files;
	uint64_t n_uses, n_reads;
	struct table_owner owners[OWNERS_MAX];
} known = { .lock = PTHREAD_MUTEX_INITIALIZER,
	.is_read = PTHREAD_COND_INITIALIZER };

/* --- tables ---------------------------------------------------------------- */

/* A name with one of the prefixes: its offset in the file's table and in module_file.names. */
struct found_name {
	uint64_t offset;
	size_t at;
};

/* Where the tables are in the file, and the names that were found. */
struct table_scan {
	int fd;
	struct elf_place symbols, names;
	ARRAY(struct found_name) found;
	struct module_file *file;
};

static size_t read_table(
	const struct table_scan *scan, uint64_t offset, void *out, size_t size)
{
	ssize_t n;

	do
		n = pread(scan->fd, out, size, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? 0 : (size_t)n;
}

/* Adds the name at OFFSET of the names, whose first LEFT bytes are at NAME. */
static void add_found_name(
	struct table_scan *scan, uint64_t offset, const char *name, size_t left)
{
	const char *end =
		memchr(name, '\0', MIN(left, (size_t)SYMBOL_NAME_MAX));
	struct strbuf *names = &scan->file->names;

	if (!end || scan->found.n == NAMES_FOUND_MAX ||
		names->n + SYMBOL_NAME_MAX > NAME_BYTES_MAX)
		return;
	*array_push(&scan->found) = (struct found_name){ offset, names->n };
	strbuf_put(names, name, (size_t)(end - name) + 1);
}

/*
 * Finds all names with one of the PREFIXES. A name can begin inside another one, because
 * linkers merge names with the same end.
 */
static void find_names(
	struct table_scan *scan, const char *const *prefixes, size_t n_prefixes)
{
	size_t room = NAMES_CHUNK + SYMBOL_NAME_MAX, i;
	_cleanup_free_ char *bytes = xmalloc(room);
	uint64_t start;

	for (start = 0; start < scan->names.size; start += NAMES_CHUNK) {
		uint64_t left = scan->names.size - start;
		size_t n = read_table(scan, scan->names.offset + start, bytes,
			(size_t)MIN((uint64_t)room, left));
		size_t end = MIN(n, (size_t)NAMES_CHUNK);

		for (i = 0; i < n_prefixes; i++) {
			size_t length = strlen(prefixes[i]);
			const char *at = bytes;

			while ((at = memmem(at, n - (size_t)(at - bytes),
					prefixes[i], length)) &&
				at < bytes + end) {
				add_found_name(scan,
					start + (uint64_t)(at - bytes), at,
					n - (size_t)(at - bytes));
				at++;
			}
		}
	}
	array_sort(&scan->found, array_compare_u64);
}

static void add_symbol(struct table_scan *scan, const Elf64_Sym *symbol)
{
	struct module_file *file = scan->file;
	size_t i = array_count_before(
		&scan->found, name, name->offset < symbol->st_name);

	if (symbol->st_shndx != SHN_UNDEF && i < scan->found.n &&
		scan->found.at[i].offset == symbol->st_name &&
		file->symbols.list.n < FOUND_MAX)
		*array_push(&file->symbols.list) = (struct module_symbol){
			file->names.at + scan->found.at[i].at, symbol->st_value,
			symbol->st_size
		};
}

/* Adds the symbols with the names that were found. */
static void find_symbols(struct table_scan *scan)
{
	_cleanup_free_ uint8_t *bytes = xmalloc(TABLE_CHUNK);
	uint64_t start;
	size_t i;

	for (start = 0; start < scan->symbols.size && scan->found.n;
		start += TABLE_CHUNK) {
		uint64_t left = scan->symbols.size - start;
		size_t n = read_table(scan, scan->symbols.offset + start, bytes,
			(size_t)MIN((uint64_t)TABLE_CHUNK, left));

		for (i = 0; i + sizeof(Elf64_Sym) <= n;
			i += sizeof(Elf64_Sym)) {
			Elf64_Sym symbol;

			memcpy(&symbol, bytes + i, sizeof(symbol));
			add_symbol(scan, &symbol);
		}
	}
}

/* Returns a reason if FILE has no tables that can be read, or NULL. */
static const char *find_tables(struct elf_file *file, struct table_scan *ret)
{
	*ret = (struct table_scan){ .fd = elf_file_fd(file) };
	if ((!elf_file_section_place(file, ".symtab", &ret->symbols) ||
		    !elf_file_section_place(file, ".strtab", &ret->names)) &&
		(!elf_file_section_place(file, ".dynsym", &ret->symbols) ||
			!elf_file_section_place(file, ".dynstr", &ret->names)))
		return "its file has no symbols";
	if (ret->symbols.size > TABLE_MAX || ret->names.size > TABLE_NAMES_MAX)
		return "the symbol table of its file is larger than 32 MiB, or "
		       "its names are larger than 128 MiB";
	return NULL;
}

/* --- files ------------------------------------------------------------------- */

/* The functions of this part are called with the lock held. */

/* Returns whether N bytes may be read now for files of USER, and counts them. */
static bool may_read_bytes(uid_t user, uint64_t n)
{
	uint64_t now = clock_now_ns();
	struct table_owner *owner = known.owners;
	size_t i;

	for (i = 0; i < OWNERS_MAX; i++) {
		struct table_owner *at = &known.owners[i];

		if (at->at && at->user == user) {
			owner = at;
			break;
		}
		if (at->at < owner->at)
			owner = at;
	}
	if (!owner->at || owner->user != user)
		*owner = (struct table_owner){ user, OWNER_BYTES_MAX, now };
	owner->left = MIN(OWNER_BYTES_MAX,
		owner->left +
			(now - owner->at) / NSEC_PER_MSEC *
				(OWNER_BYTES_PER_SECOND / 1000));
	owner->at = now;
	if (owner->left < n)
		return false;
	owner->left -= n;
	return true;
}

static struct module_file *find_module_file(
	const struct file_identity *identity, const char *const *prefixes)
{
	array_each(&known.files, at)
		if (file_identity_equal(&(*at)->identity, identity) &&
			(*at)->prefixes == prefixes)
			return *at;
	return NULL;
}

static void free_module_file(struct module_file *file)
{
	array_free(&file->symbols.list);
	strbuf_free(&file->names);
	free(file);
}

/* Frees the file that was not used for the longest time, if there are too many. */
static void forget_oldest_file(void)
{
	struct module_file **oldest = NULL;

	array_each(&known.files, at)
		if (!(*at)->n_users &&
			(!oldest || (*at)->used < (*oldest)->used))
			oldest = at;
	if (known.files.n < FILES_MAX || !oldest)
		return;
	free_module_file(*oldest);
	*oldest = known.files.at[--known.files.n];
}

static struct module_file *add_module_file(
	const struct file_identity *identity, const char *const *prefixes)
{
	struct module_file *file = xcalloc(1, sizeof(*file));

	forget_oldest_file();
	file->identity = *identity;
	file->prefixes = prefixes;
	*array_push(&known.files) = file;
	return file;
}

/* Reads SCAN, whose file is in the list. The lock is released meanwhile. */
static void read_module_file(
	struct table_scan *scan, const char *const *prefixes, size_t n_prefixes)
{
	scan->file->is_reading = true;
	known.n_reads++;
	pthread_mutex_unlock(&known.lock);
	find_names(scan, prefixes, n_prefixes);
	find_symbols(scan);
	array_free(&scan->found);
	pthread_mutex_lock(&known.lock);
	scan->file->is_reading = false;
	pthread_cond_broadcast(&known.is_read);
}

/*
 * Returns the file with IDENTITY, which is FILE, or NULL if it must be read later. The
 * caller is one of its users.
 */
static struct module_file *use_module_file(struct elf_file *file,
	const struct file_identity *identity, const char *const *prefixes,
	size_t n_prefixes)
{
	struct module_file *found = find_module_file(identity, prefixes);
	struct table_scan scan;
	const char *refusal;

	if (!found) {
		refusal = find_tables(file, &scan);
		if (!refusal &&
			!may_read_bytes(identity->owner,
				scan.symbols.size + scan.names.size +
					OWNER_FILE_BYTES))
			return NULL;
		found = scan.file = add_module_file(identity, prefixes);
		found->refusal = refusal;
		found->n_users++;
		if (!refusal)
			read_module_file(&scan, prefixes, n_prefixes);
	} else {
		found->n_users++;
	}
	while (found->is_reading)
		pthread_cond_wait(&known.is_read, &known.lock);
	found->used = ++known.n_uses;
	return found;
}

/* --- the interface ------------------------------------------------------------- */

enum runtime_state module_symbols_get(struct elf_file *file,
	const char *const *prefixes, size_t n_prefixes,
	const struct module_symbols **ret, const char **reason_ret)
{
	struct file_identity identity;
	struct module_file *found;

	*ret = NULL;
	*reason_ret = "the file of the runtime cannot be read";
	if (!file_identity_read(elf_file_fd(file), &identity))
		return RUNTIME_REFUSED;
	pthread_mutex_lock(&known.lock);
	found = use_module_file(file, &identity, prefixes, n_prefixes);
	*reason_ret = found ? found->refusal
			    : "the symbols of its file were not read, because "
			      "the owner of the file has many files of "
			      "runtimes with large symbol tables";
	if (found && found->refusal)
		found->n_users--;
	else if (found)
		*ret = &found->symbols;
	pthread_mutex_unlock(&known.lock);
	if (!found)
		return RUNTIME_STARTING;
	return *ret ? RUNTIME_READY : RUNTIME_REFUSED;
}

void module_symbols_release(const struct module_symbols *symbols)
{
	pthread_mutex_lock(&known.lock);
	array_each(&known.files, at)
		if (&(*at)->symbols == symbols)
			(*at)->n_users--;
	pthread_mutex_unlock(&known.lock);
}

uint64_t module_symbols_reads(void)
{
	uint64_t n;

	pthread_mutex_lock(&known.lock);
	n = known.n_reads;
	pthread_mutex_unlock(&known.lock);
	return n;
}

enum runtime_state module_symbols_probe(const struct runtime_module *module,
	const char *const *prefixes, size_t n_prefixes,
	module_symbols_probe_fn probe, struct process_memory *memory,
	void **ret, const char **reason_ret)
{
	const struct module_symbols *symbols;
	enum runtime_state state = module_symbols_get(
		module->file, prefixes, n_prefixes, &symbols, reason_ret);

	if (symbols)
		state = probe(module, symbols, memory, ret, reason_ret);
	module_symbols_release(symbols);
	return state;
}

const struct module_symbol *module_symbols_find(
	const struct module_symbols *symbols, const char *name)
{
	array_each(&symbols->list, symbol)
		if (string_is(symbol->name, name))
			return symbol;
	return NULL;
}
