/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/unpacked.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/elf/symtab.h"
#include "common/file/simpleperf.h"
#include "common/file/symbols_section.h"
#include "common/perf/record.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "common/util/sink.h"
#include "common/util/strbuf.h"
#include "report/symbols/dso_name.h"
#include "report/symbols/kernel_symbols.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

struct unpacked {
	char *path; /* owned */
	int folder;
	int fd;		  /* descriptor of the file being written; -1: none */
	char partial[32]; /* temporary name of the file being written */
	struct unpacked_counts counts;
	char *first_blocked; /* path of the first blocked file; owned */
};

/*
 * Creates the folder PATH if it does not exist. Returns 0 or an errno. For a
 * folder that exists, mkdir(2) may fail with EROFS or EACCES.
 */
static int make_folder(const char *path)
{
	struct stat status;
	int errnum;

	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	errnum = errno;
	return stat(path, &status) == 0 ? 0 : errnum;
}

struct error *unpacked_open(const char *folder, struct unpacked **ret)
{
	_cleanup_free_ char *path = xstrdup(folder);
	struct unpacked *unpacked;
	struct error *err;
	char *at = path;
	int errnum = 0;

	/* Create all folders of PATH that do not exist. */
	while (!errnum && (at = strchr(at + 1, '/'))) {
		*at = '\0';
		errnum = make_folder(path);
		*at = '/';
	}
	errnum = errnum ?: make_folder(path);
	if (errnum)
		return error_hint(error_errno(errnum,
					  "cannot create the folder %s", path),
			"use --debug-dir DIR for another folder");
	unpacked = xcalloc(1, sizeof(*unpacked));
	unpacked->path = take_pointer(path);
	unpacked->fd = -1;
	snprintf(unpacked->partial, sizeof(unpacked->partial), ".unpacking.%d",
		(int)getpid());
	/* The folder itself may be a symbolic link, its subfolders may not. */
	unpacked->folder =
		open(unpacked->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (unpacked->folder < 0) {
		err = error_errno(errno, "%s", unpacked->path);
		unpacked_close(unpacked);
		return err;
	}
	*ret = unpacked;
	return NULL;
}

void unpacked_close(struct unpacked *unpacked)
{
	if (!unpacked)
		return;
	unpacked_drop(unpacked);
	if (unpacked->folder >= 0)
		close(unpacked->folder);
	free(unpacked->path);
	free(unpacked->first_blocked);
	free(unpacked);
}

const char *unpacked_path(const struct unpacked *unpacked)
{
	return unpacked->path;
}

struct error *unpacked_begin(struct unpacked *unpacked, int *fd_ret)
{
	*fd_ret = unpacked->fd;
	if (unpacked->fd >= 0 && ftruncate(unpacked->fd, 0) == 0 &&
		lseek(unpacked->fd, 0, SEEK_SET) == 0)
		return NULL;
	unpacked_drop(unpacked);
	/*
	 * A killed process with the same PID may have left its temporary file.
	 */
	unlinkat(unpacked->folder, unpacked->partial, 0);
	unpacked->fd = openat(unpacked->folder, unpacked->partial,
		O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (unpacked->fd < 0)
		return error_errno(
			errno, "%s: cannot create a file", unpacked->path);
	*fd_ret = unpacked->fd;
	return NULL;
}

void unpacked_drop(struct unpacked *unpacked)
{
	if (unpacked->fd < 0)
		return;
	close(unpacked->fd);
	unpacked->fd = -1;
	unlinkat(unpacked->folder, unpacked->partial, 0);
}

/*
 * Opens the subfolder NAME of the descriptor FOLDER, and creates the subfolder
 * if it does not exist. Closes FOLDER. Returns a descriptor, or -errno.
 */
static int enter_subfolder(int folder, const char *name)
{
	_cleanup_close_ int from = folder;
	int fd;

	if (mkdirat(from, name, 0777) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(from, name, FOLDER_FLAGS);
	return fd < 0 ? -errno : fd;
}

/*
 * Counts the file REST/NAME in the subfolder FIRST of the build IDs, which is
 * not installed because a file or a symbolic link is in its place.
 */
static void count_kept_file(struct unpacked *unpacked, const char *first,
	const char *rest, const char *name)
{
	_cleanup_free_ char *path = xasprintf(
		"%s/.build-id/%s/%s/%s", unpacked->path, first, rest, name);
	struct stat status;

	if (stat(path, &status) == 0) {
		unpacked->counts.kept++;
		return;
	}
	if (!unpacked->counts.blocked++)
		unpacked->first_blocked = take_pointer(path);
}

/*
 * Moves the written file to REST/NAME below FOLDER, which is closed, the
 * subfolder FIRST. An existing file is kept, and also a symbolic link REST,
 * which perf may have created. Returns 0 or an errno.
 */
static int install_file(struct unpacked *unpacked, int folder,
	const char *first, const char *rest, const char *name)
{
	struct stat status;
	_cleanup_close_ int own = enter_subfolder(folder, rest);
	bool is_there = own == -ELOOP || own == -ENOTDIR;

	if (own < 0 && !is_there)
		return -own;
	if (is_there || fstatat(own, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
		count_kept_file(unpacked, first, rest, name);
		return 0;
	}
	if (renameat(unpacked->folder, unpacked->partial, own, name) < 0)
		return errno;
	unpacked->counts.placed++;
	return 0;
}

struct error *unpacked_put(struct unpacked *unpacked, const struct build_id *id,
	enum unpacked_name name)
{
	static const char *const names[UNPACKED_NAMES] = {
		[UNPACKED_ELF] = "elf",
		[UNPACKED_VDSO] = "vdso",
		[UNPACKED_KALLSYMS] = "kallsyms",
	};
	char text[BUILD_ID_TEXT], first[3] = { 0 };
	int folder = openat(unpacked->folder, ".", FOLDER_FLAGS), errnum;
	const char *where = "";

	build_id_text(id, text);
	memcpy(first, text, 2);
	if (folder >= 0)
		folder = enter_subfolder(folder, where = ".build-id");
	if (folder >= 0)
		folder = enter_subfolder(folder, where = first);
	errnum = folder < 0
		? -folder
		: install_file(unpacked, folder, first, text + 2, names[name]);
	unpacked_drop(unpacked);
	if (!errnum)
		return NULL;
	return error_errno(errnum, "%s%s%s: cannot install a file",
		unpacked->path, where == first ? "/.build-id/" : "/", where);
}

struct error *unpacked_blocked(const struct unpacked *unpacked)
{
	uint64_t n = unpacked->counts.blocked;

	if (!n)
		return NULL;
	return error_hint(
		error_new("%" PRIu64 " file%s not installed: a symbolic link "
			  "without a file, or a file in the place of a folder, "
			  "has the name: %s",
			n, n == 1 ? " was" : "s were", unpacked->first_blocked),
		"remove such links to install the files");
}

struct unpacked_counts unpacked_counts(const struct unpacked *unpacked)
{
	return unpacked->counts;
}

#define PAGE_SIZE 4096u
#define NOTE_NAME "GNU"
/* Limit of the files that are written: a recording may claim any number. */
#define FILES_MAX 100000u
/*
 * Name of a kallsyms line that ends the symbol before the line: symbols in
 * kallsyms have no size, and the next symbol may not have been recorded. The
 * name contains no bracket, because perf 6.1 would read it as the symbol of a
 * module and change the ends of neighbouring symbols.
 */
#define NOT_RECORDED "not_recorded"

/* --- a file with symbols ------------------------------------------------- */

enum {
	SHDR_NULL,
	SHDR_NOTE,
	SHDR_TEXT,
	SHDR_SYMTAB,
	SHDR_STRTAB,
	SHDR_NAMES,
	N_SECTIONS,
};
enum { SEGMENT_CODE, SEGMENT_NOTE, N_SEGMENTS };

/*
 * The program headers, which follow the ELF header, and the section headers,
 * which are at the end of the file.
 */
struct parts {
	Elf64_Phdr segments[N_SEGMENTS];
	Elf64_Shdr sections[N_SECTIONS];
};

/*
 * Returns the e_machine of ARCH, a machine name of uname(2); EM_NONE if ARCH is
 * NULL or unknown.
 */
static unsigned symbol_file_machine(const char *arch)
{
	static const struct {
		const char *arch;
		unsigned machine;
	} known[] = {
		{ "x86_64", EM_X86_64 },
		{ "aarch64", EM_AARCH64 },
		{ "riscv64", EM_RISCV },
		{ "ppc64le", EM_PPC64 },
		{ "ppc64", EM_PPC64 },
		{ "s390x", EM_S390 },
	};
	size_t i;

	for (i = 0; arch && i < ARRAY_SIZE(known); i++)
		if (string_is(known[i].arch, arch))
			return known[i].machine;
	return EM_NONE;
}

/*
 * Sets the header of SECTION, whose content starts at offset FROM and ends at
 * the end of OUT.
 */
static void end_section(Elf64_Shdr *section, uint32_t type, size_t from,
	const struct strbuf *out)
{
	section->sh_type = type;
	section->sh_offset = from;
	section->sh_size = out->n - from;
}

/*
 * Sets the headers of the code from file offset 0 to END. The file does not
 * contain the code.
 */
static void set_code_section(uint64_t end, struct parts *parts)
{
	Elf64_Shdr *text = &parts->sections[SHDR_TEXT];

	text->sh_type = SHT_NOBITS;
	text->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	text->sh_size = end;
	text->sh_addralign = 1;
	parts->segments[SEGMENT_CODE] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = end,
		.p_memsz = end,
		.p_align = PAGE_SIZE,
	};
}

static void put_symbols(
	const struct symtab *table, struct parts *parts, struct strbuf *out)
{
	Elf64_Shdr *section = &parts->sections[SHDR_SYMTAB];
	Elf64_Sym none = { 0 };
	size_t from, name = 1;

	strbuf_align(out, 8);
	from = out->n;
	strbuf_put(out, &none, sizeof(none));
	array_each(&table->symbols, symbol) {
		Elf64_Sym one = {
			.st_name = (Elf64_Word)name,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SHDR_TEXT,
			.st_value = symbol->start,
			.st_size = symbol->end - symbol->start,
		};

		strbuf_put(out, &one, sizeof(one));
		name += strlen(symtab_name(table, symbol)) + 1;
	}
	end_section(section, SHT_SYMTAB, from, out);
	section->sh_link = SHDR_STRTAB;
	section->sh_info = 1; /* index of the first global symbol in .symtab */
	section->sh_addralign = 8;
	section->sh_entsize = sizeof(none);
	from = out->n;
	strbuf_putc(out, '\0');
	array_each(&table->symbols, symbol) {
		const char *text = symtab_name(table, symbol);

		strbuf_put(out, text, strlen(text) + 1);
	}
	end_section(&parts->sections[SHDR_STRTAB], SHT_STRTAB, from, out);
}

static void put_section_names(struct parts *parts, struct strbuf *out)
{
	static const char *const names[N_SECTIONS] = { "", ".note.gnu.build-id",
		".text", ".symtab", ".strtab", ".shstrtab" };
	size_t from = out->n, i;

	for (i = 0; i < N_SECTIONS; i++) {
		parts->sections[i].sh_name = (Elf64_Word)(out->n - from);
		strbuf_put(out, names[i], strlen(names[i]) + 1);
	}
	end_section(&parts->sections[SHDR_NAMES], SHT_STRTAB, from, out);
}

/*
 * Writes a small ELF file with the symbols of another file (TABLE) in .symtab
 * and the build ID of the other file (ID) in a note. The linked addresses of
 * the symbols are not known, so all addresses are file offsets, to which the
 * only PT_LOAD segment is mapped. perf and dwell look up file offsets and find
 * every symbol. TABLE contains file offsets, and symtab_finish() was called.
 * OUT is empty before.
 */
static void symbol_file_put(const struct build_id *id, unsigned machine,
	const struct symtab *table, struct strbuf *out)
{
	struct parts parts = { 0 };
	uint64_t end = PAGE_SIZE;

	array_each(&table->symbols, symbol)
		end = MAX(end, symbol->end);
	strbuf_fill(out, '\0', sizeof(Elf64_Ehdr) + sizeof(parts.segments));
	Elf64_Nhdr note = { sizeof(NOTE_NAME), id->size, NT_GNU_BUILD_ID };
	Elf64_Shdr *section = &parts.sections[SHDR_NOTE];
	size_t from = out->n;

	strbuf_put(out, &note, sizeof(note));
	strbuf_put(out, NOTE_NAME, sizeof(NOTE_NAME));
	strbuf_put(out, id->bytes, id->size);
	strbuf_align(out, 4);
	end_section(section, SHT_NOTE, from, out);
	section->sh_addralign = 4;
	parts.segments[SEGMENT_NOTE] = (Elf64_Phdr){
		.p_type = PT_NOTE,
		.p_flags = PF_R,
		.p_offset = from,
		.p_filesz = section->sh_size,
		.p_memsz = section->sh_size,
		.p_align = 4,
	};
	set_code_section(MAX(end, ALIGN_UP(end, PAGE_SIZE)), &parts);
	put_symbols(table, &parts, out);
	put_section_names(&parts, out);
	strbuf_align(out, 8);
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			ELFDATA2LSB,
#else
			ELFDATA2MSB,
#endif
			EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = (Elf64_Half)machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_shoff = out->n,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = N_SEGMENTS,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = N_SECTIONS,
		.e_shstrndx = SHDR_NAMES,
	};

	memcpy(out->at, &header, sizeof(header));
	memcpy(out->at + sizeof(Elf64_Ehdr), parts.segments,
		sizeof(parts.segments));
	strbuf_put(out, parts.sections, sizeof(parts.sections));
}

/* --- programs and libraries ----------------------------------------------- */

struct file_dso {
	const struct symbols_dso *dso;
	bool is_packed; /* added by dwell pack, with more symbols */
};

struct file_dsos {
	ARRAY(struct file_dso) at;
};

static int compare_file_dsos(const void *a, const void *b)
{
	const struct file_dso *x = a, *y = b;
	const struct build_id *p = &x->dso->build_id, *q = &y->dso->build_id;
	int order = COMPARE(p->size, q->size);

	if (!order)
		order = memcmp(p->bytes, q->bytes, p->size);
	return order ? order : COMPARE(y->is_packed, x->is_packed);
}

/*
 * Returns whether DSO is a file or a vDSO. Other names in brackets are the
 * kernel and kernel modules.
 */
static bool has_dso_file(const struct symbols_dso *dso)
{
	return dso->path[0] != '[' || maps_is_vdso(dso->path);
}

/*
 * Adds the DSOs of BUNDLE that have symbols and a build ID to FILE_DSOS.
 * Returns the number of DSOs that have symbols but no build ID.
 */
static uint64_t add_named_dsos(const struct symbols_section *bundle,
	bool is_packed, struct file_dsos *file_dsos)
{
	uint64_t n_without = 0;

	array_each(&bundle->dsos, dso) {
		if (!dso->symbols.symbols.n || !has_dso_file(dso))
			continue;
		if (dso->build_id.size >= UNPACKED_ID_MIN)
			*array_push(&file_dsos->at) =
				(struct file_dso){ dso, is_packed };
		else
			n_without++;
	}
	return n_without;
}

static struct error *put_unpacked_file(struct unpacked *unpacked,
	const struct build_id *id, enum unpacked_name name,
	const struct strbuf *text)
{
	int fd, errnum;
	struct error *err = unpacked_begin(unpacked, &fd);

	if (err)
		return err;
	errnum = sink_write(fd, text->at, text->n);
	if (!errnum)
		return unpacked_put(unpacked, id, name);
	unpacked_drop(unpacked);
	return error_errno(
		errnum, "%s: cannot write a file", unpacked_path(unpacked));
}

/*
 * Writes one ELF file with the symbols of the N DSOs at FILE_DSO, which have
 * the same build ID.
 */
static struct error *put_symbol_file(const struct file_dso *file_dso, size_t n,
	unsigned machine, struct unpacked *unpacked)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct symtab all = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		const struct symtab *table = &file_dso[i].dso->symbols;

		if (file_dso[i].is_packed != file_dso->is_packed)
			continue;
		array_each(&table->symbols, symbol)
			symtab_add(&all, symbol->start, symbol->end,
				symbol->binding, symtab_name(table, symbol));
	}
	symtab_finish(&all);
	symbol_file_put(&file_dso->dso->build_id, machine, &all, &text);
	symtab_deinit(&all);
	return put_unpacked_file(unpacked, &file_dso->dso->build_id,
		maps_is_vdso(file_dso->dso->path) ? UNPACKED_VDSO
						  : UNPACKED_ELF,
		&text);
}

static struct error *put_symbol_files(const struct file_dsos *file_dsos,
	unsigned machine, struct unpacked *unpacked)
{
	const struct file_dso *file_dso = file_dsos->at.at;
	struct error *err = NULL;
	size_t i, n, n_files = 0;

	for (i = 0; !err && i < file_dsos->at.n; i += n) {
		for (n = 1; i + n < file_dsos->at.n; n++)
			if (!build_id_equal(&file_dso[i].dso->build_id,
				    &file_dso[i + n].dso->build_id))
				break;
		if (++n_files > FILES_MAX)
			return error_new(
				"it contains more than %u files", FILES_MAX);
		err = put_symbol_file(&file_dso[i], n, machine, unpacked);
	}
	return err;
}

/* --- the kernel ----------------------------------------------------------- */

static void put_kallsyms_lines(
	const struct symbols_dso *dso, struct strbuf *out)
{
	bool is_module = !dso_name_is_kernel(dso->path);
	const char *tab = is_module ? "\t" : "";
	const char *module = is_module ? dso->path : "";
	const struct symtab *table = &dso->symbols;
	const struct symbol *last = NULL;

	array_each(&table->symbols, symbol) {
		if (last && last->end < symbol->start)
			strbuf_printf(out,
				"%016" PRIx64 " t " NOT_RECORDED "%s%s\n",
				last->end, tab, module);
		strbuf_printf(out, "%016" PRIx64 " T %s%s%s\n", symbol->start,
			symtab_name(table, symbol), tab, module);
		last = symbol;
	}
	if (last)
		strbuf_printf(out, "%016" PRIx64 " t " NOT_RECORDED "%s%s\n",
			last->end, tab, module);
}

/*
 * Writes _text and _stext at address START. perf and dwell compare one of these
 * symbols with the recording to recognize another boot; the processor decides
 * which symbol perf uses.
 */
static void put_kallsyms_start(const struct symbols_section *bundle,
	uint64_t start, struct strbuf *out)
{
	strbuf_printf(out, "%016" PRIx64 " T _text\n%016" PRIx64 " T _stext\n",
		start, start);
	array_each(&bundle->dsos, dso)
		if (dso_name_is_kernel(dso->path) &&
			symtab_find(&dso->symbols, start))
			return;
	strbuf_printf(out, "%016" PRIx64 " t " NOT_RECORDED "\n", start + 1);
}

/*
 * Writes the kernel's symbols as kallsyms. Uses only the symbols that the
 * recorder wrote, not the symbols of the running kernel.
 */
static struct error *put_kernel_symbols(const struct survey *survey,
	const struct reader *reader, const struct symbols_section *bundle,
	struct unpacked *unpacked)
{
	struct build_id id = kernel_symbols_id(reader);
	uint64_t start = kernel_symbols_text(survey->maps);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (id.size < UNPACKED_ID_MIN || !start)
		return NULL;
	put_kallsyms_start(bundle, start, &text);
	array_each(&bundle->dsos, dso)
		if (dso->symbols.symbols.n && !has_dso_file(dso))
			put_kallsyms_lines(dso, &text);
	return put_unpacked_file(unpacked, &id, UNPACKED_KALLSYMS, &text);
}

/* --- the recording -------------------------------------------------------- */

static void read_symbols_section(
	struct reader *reader, const char *name, struct symbols_section *ret)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };

	memset(ret, 0, sizeof(*ret));
	if (reader_section(reader, name, SYMBOLS_SECTION_VERSION, &section))
		symbols_section_read(
			bytes_of(section.at, section.n, false), ret);
}

struct error *unpacked_put_all(struct reader *reader,
	const struct survey *survey, struct unpacked *unpacked)
{
	const struct features *features = reader_features(reader);
	const struct feature_bytes *files2 = &features->simpleperf_files;
	struct symbols_section packed, hit;
	struct file_dsos file_dsos = { 0 };
	struct error *err;
	uint64_t n_without;

	read_symbols_section(reader, SECTION_PACKED, &packed);
	read_symbols_section(reader, SECTION_SYMBOLS, &hit);
	simpleperf_read_files(
		bytes_of(files2->at, files2->n, files2->swap), &hit);
	add_named_dsos(&packed, true, &file_dsos);
	n_without = add_named_dsos(&hit, false, &file_dsos);
	array_sort(&file_dsos.at, compare_file_dsos);
	err = put_symbol_files(
		&file_dsos, symbol_file_machine(features->arch), unpacked);
	if (!err)
		err = put_kernel_symbols(survey, reader, &hit, unpacked);
	if (!err && n_without)
		log_note("%s: did not unpack the symbols of %" PRIu64
			 " file%s: no build ID was recorded",
			reader_path(reader), n_without, plural(n_without));
	array_free(&file_dsos.at);
	symbols_section_deinit(&packed);
	symbols_section_deinit(&hit);
	return error_wrap(err, "%s", reader_path(reader));
}
