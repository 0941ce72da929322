/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/symbols/known_runtimes.h"
#include "record/symbols/unnamed_code.h"

#define FILE_START UINT64_C(0x10000)
#define JIT_START UINT64_C(0x20000)
#define LIBRARY_START UINT64_C(0x30000)

struct fixture {
	struct maps *maps;
	struct code_samples counts;
	struct jit_section jit;
	struct unnamed_code unnamed;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->maps = maps_create();
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unnamed_code_deinit(&f->unnamed);
	code_samples_deinit(&f->counts);
	jit_section_deinit(&f->jit);
	maps_destroy(f->maps);
	free(f);
	return 0;
}

static void map_file(
	struct fixture *f, uint32_t pid, uint64_t start, const char *path)
{
	const struct record_mmap map = { .pid = pid,
		.tid = pid,
		.start = start,
		.size = 0x1000,
		.path = path };

	maps_add_mmap(f->maps, &map, 2);
}

/* Adds a process that executes PATH, with memory for JIT code. */
static void add_process(
	struct fixture *f, uint32_t pid, const char *comm, const char *path)
{
	const struct record_comm exec = { pid, pid, true, comm };

	maps_add_comm(f->maps, &exec, 1);
	map_file(f, pid, FILE_START, path);
	map_file(f, pid, JIT_START, "//anon");
}

/* Adds N samples of PID at ADDRESS, with or without call chains. */
static void add_samples(struct fixture *f, uint32_t pid, uint64_t address,
	bool has_chains, size_t n)
{
	const struct sample sample = {
		.chain = (const uint8_t *)&address,
		.pid = pid,
		.tid = pid,
		.time = 10,
		.ip = address,
		.cpumode = MISC_USER,
		.n_chain = has_chains,
	};
	uint32_t space = maps_context(f->maps, pid, pid, 10).space;
	const struct mapping *mapping = maps_find(f->maps, space, address);

	while (n--)
		code_samples_add(&f->counts, f->maps, &sample, space,
			mapping ? mapping->dso : CODE_NO_DSO);
}

/* Names SIZE bytes of the JIT code of PID. */
static void name_jit_code(
	struct fixture *f, uint32_t pid, uint64_t start, uint64_t size)
{
	const struct jit_symbol symbol = { .start = start, .size = size };
	struct jit_process *process = jit_section_find(&f->jit, pid);

	if (!process) {
		process = array_push(&f->jit.processes);
		process->pid = pid;
	}
	jit_process_add(process, &symbol, "function");
}

/* Compares all sentences, each with a newline, with WANTED. */
static void assert_sentences(struct fixture *f, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	unnamed_code_deinit(&f->unnamed);
	unnamed_code_find(&f->unnamed, &f->counts, f->maps, &f->jit, false);
	array_each(&f->unnamed.sentences, sentence)
		strbuf_printf(&text, "%s\n", *sentence);
	assert_text(&text, wanted);
}

static void unnamed_jit_code_is_reported_with_its_runtime_and_a_remedy(
	void **state)
{
	struct fixture *f = *state;

	add_process(f, 7, "java", "/usr/lib/jvm/java-17-openjdk/bin/java");
	map_file(f, 7, LIBRARY_START,
		"/usr/lib/jvm/java-17-openjdk/lib/server/libjvm.so");
	add_samples(f, 7, LIBRARY_START, false, 25);
	add_samples(f, 7, JIT_START + 5, false, 75);
	assert_sentences(f,
		"75 % of the samples of java (PID 7) are in code without "
		"names: OpenJDK 17 compiles it at run time. Record it with "
		"-g, or start it with "
		"-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit "
		"-XX:+PreserveFramePointer\n");
}

static void memory_in_place_of_the_code_of_a_file_is_reported_as_such(
	void **state)
{
	struct fixture *f = *state;

	add_process(f, 7, "node", "/usr/bin/node");
	map_file(f, 7, LIBRARY_START, "/usr/bin/node");
	add_samples(f, 7, JIT_START, false, 20);
	assert_sentences(f,
		"100 % of the samples of node (PID 7) are in code without "
		"names: it is in memory without a file, in the place of code "
		"of /usr/bin/node. dwell names it if it is a copy of that code "
		"and the program runs when dwell compares them\n");
}

static void unnamed_code_of_an_unknown_program_needs_a_perf_map(void **state)
{
	struct fixture *f = *state;

	add_process(f, 7, "jitter", "/bin/jitter");
	add_samples(f, 7, JIT_START, false, 20);
	assert_sentences(f,
		"100 % of the samples of jitter (PID 7) are in code without "
		"names: it is in memory without a file. dwell names it if the "
		"program writes a perf map or a jitdump\n");
}

static void code_in_a_memfd_of_a_runtime_is_reported_as_jit_code(void **state)
{
	struct fixture *f = *state;

	add_process(f, 7, "beam.smp", "/usr/lib/erlang/bin/beam.smp");
	map_file(f, 7, JIT_START, "/memfd:vmem (deleted)");
	add_samples(f, 7, JIT_START, false, 20);
	assert_sentences(f,
		"100 % of the samples of beam.smp (PID 7) are in code without "
		"names: Erlang compiles it at run time. Start it with dwell "
		"record --runtime-env\n");
}

static void jit_code_with_names_is_not_reported(void **state)
{
	struct fixture *f = *state;

	add_process(f, 7, "node", "/usr/bin/node");
	add_samples(f, 7, JIT_START, false, 500);
	add_samples(f, 7, JIT_START + 0x7f, false, 450);
	add_samples(f, 7, JIT_START + 0x80, false, 50);
	name_jit_code(f, 7, JIT_START, 0x40);
	name_jit_code(f, 7, JIT_START + 0x20, 0x60);
	assert_sentences(f, "");
	/* One more sample is more than 5 %. */
	add_samples(f, 7, JIT_START + 0x80, false, 10);
	assert_sentences(f,
		"6 % of the samples of node (PID 7) are in code without names: "
		"the perf map or jitdump of the process does not contain it\n");
}

static void processes_with_few_unnamed_samples_are_not_reported(void **state)
{
	struct fixture *f = *state;

	add_process(f, 7, "perl", "/usr/bin/perl");
	add_process(f, 8, "made", "/bin/made");
	add_samples(f, 7, FILE_START, false, 19);
	add_samples(f, 8, FILE_START, false, 380);
	add_samples(f, 8, JIT_START, false, 20);
	/* Nothing is mapped there. */
	add_samples(f, 8, 0x90000, false, 1000);
	assert_sentences(f, "");
	add_samples(f, 7, FILE_START, false, 1);
	assert_sentences(f,
		"100 % of the samples of perl (PID 7) are in the interpreter "
		"of Perl: the functions that it runs have no names. Record it "
		"with -g\n");
}

static void an_interpreter_with_named_trampolines_is_not_reported(void **state)
{
	struct fixture *f = *state;
	static const char wanted[] =
		"98 % of the samples of python3 (PID 7) are in the interpreter "
		"of Python 3.12: the functions that it runs have no names. "
		"Record it with -g\n";

	add_process(f, 7, "python3", "/usr/bin/python3.12");
	add_samples(f, 7, FILE_START, false, 98);
	add_samples(f, 7, JIT_START, false, 2);
	assert_sentences(f, wanted);
	name_jit_code(f, 7, JIT_START, 0x10);
	assert_sentences(f, wanted);
	/* Only call chains contain the trampolines. */
	add_samples(f, 7, FILE_START, true, 1);
	assert_sentences(f, "");
}

static void the_three_processes_with_most_samples_are_reported(void **state)
{
	struct fixture *f = *state;
	uint32_t pid;

	for (pid = 1; pid <= 5; pid++) {
		add_process(f, pid, "a\nb", "/usr/bin/ruby3.1");
		add_samples(f, pid, FILE_START, false, 100 * pid);
	}
#define SENTENCE(pid)                                                       \
	"100 % of the samples of a\\x0ab (PID " #pid                        \
	") are in the interpreter of Ruby 3.1: the functions that it runs " \
	"have no names. Record it with -g\n"
	assert_sentences(f, SENTENCE(5) SENTENCE(4) SENTENCE(3));
}

/* A program that the same process executed before is another process. */
static void an_exec_starts_the_counts_of_a_process_again(void **state)
{
	struct fixture *f = *state;
	const struct record_comm exec = { 7, 7, true, "perl" };

	add_process(f, 7, "sh", "/bin/sh");
	add_samples(f, 7, FILE_START, false, 1000);
	maps_add_comm(f->maps, &exec, 3);
	map_file(f, 7, FILE_START, "/usr/bin/perl");
	add_samples(f, 7, FILE_START, false, 40);
	assert_sentences(f,
		"100 % of the samples of perl (PID 7) are in the interpreter "
		"of Perl: the functions that it runs have no names. Record it "
		"with -g\n");
}

static void counts_of_many_short_processes_take_little_memory(void **state)
{
	struct fixture *f = *state;
	uint32_t pid;

	add_process(f, 1, "perl", "/usr/bin/perl");
	add_samples(f, 1, FILE_START, false, 100);
	add_samples(f, 1, JIT_START, false, 2);
	for (pid = 2; pid < 20000; pid++) {
		add_process(f, pid, "short", "/bin/short");
		add_samples(f, pid, JIT_START, false, 1);
	}
	assert_true(f->counts.processes.n <= 4096);
	assert_true(f->counts.addresses.n <= 4097);
	/* The process with many samples was not dropped. */
	add_samples(f, 1, FILE_START, false, 98);
	assert_sentences(f,
		"99 % of the samples of perl (PID 1) are in the interpreter of "
		"Perl: the functions that it runs have no names. Record it "
		"with -g\n");
}

static void counts_of_many_addresses_take_little_memory(void **state)
{
	struct fixture *f = *state;
	const struct record_mmap map = { .pid = 1,
		.tid = 1,
		.start = 0x100000,
		.size = 0x100000,
		.path = "//anon" };
	uint64_t i;

	add_process(f, 1, "made", "/bin/made");
	maps_add_mmap(f->maps, &map, 3);
	for (i = 0; i < 80000; i++)
		add_samples(f, 1, map.start + i, false, 1);
	assert_int_equal(f->counts.addresses.n, 65536);
	/* 65,536 addresses are stored; a quarter of them has names. */
	name_jit_code(f, 1, map.start, 16384);
	assert_sentences(f,
		"75 % of the samples of made (PID 1) are in code without "
		"names: the perf map or jitdump of the process does not "
		"contain it\n");
}

static void assert_runtime(
	const char *path, unsigned kinds, const char *name, const char *remedy)
{
	const struct known_runtime *runtime = known_runtime_find(path, kinds);
	_cleanup_strbuf_ struct strbuf found = { 0 };
	_cleanup_strbuf_ struct strbuf found_remedy = { 0 };

	assert_non_null(runtime);
	known_runtime_put_name(runtime, path, &found);
	assert_text(&found, name);
	known_runtime_put_remedy(runtime, path, false, &found_remedy);
	assert_text(&found_remedy, remedy);
}

static void runtimes_that_dwell_cannot_read_get_another_remedy(
	void **state _unused_)
{
	const char *path = "/jvm/java-17-openjdk/libjvm.so";
	_cleanup_strbuf_ struct strbuf text = { 0 };

	known_runtime_put_remedy(
		known_runtime_find(path, KNOWN_RUNTIME_COMPILES), path, true,
		&text);
	assert_text(&text,
		"Start it with -XX:+UnlockDiagnosticVMOptions "
		"-XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer");
	path = "/usr/bin/python3.15";
	strbuf_clear(&text);
	known_runtime_put_remedy(
		known_runtime_find(path, KNOWN_RUNTIME_INTERPRETS), path, true,
		&text);
	assert_text(&text, "dwell could not read the structures of Python");
	path = "/usr/bin/perl";
	strbuf_clear(&text);
	known_runtime_put_remedy(
		known_runtime_find(path, KNOWN_RUNTIME_INTERPRETS), path, true,
		&text);
	assert_text(&text,
		"dwell could not read the structures of Perl, which requires "
		"BPF. dwell doctor says whether BPF can be used");
}

static void runtimes_are_found_by_their_files(void **state _unused_)
{
	static const struct {
		const char *path, *name, *remedy;
	} runs[] = {
		{ "/usr/bin/python3.11", "Python 3.11",
			"Record it with -g" },
		{ "/lib/libpython3.7m.so.1.0", "Python 3.7",
			"Record it with -g" },
		{ "/usr/bin/python2.7 (deleted)", "Python 2.7",
			"Record it with -g" },
		{ "/opt/libpython3.13.so.1.0", "Python 3.13",
			"Record it with -g" },
		{ "/opt/python3", "Python 3",
			"Record it with -g" },
		{ "/opt/python4.0", "Python 4.0",
			"Record it with -g" },
		{ "/usr/bin/perl (deleted)", "Perl",
			"Record it with -g" },
		{ "/lib/libperl.so.5.36", "Perl 5.36",
			"Record it with -g" },
		{ "/lib/libruby-3.1.so.3.1", "Ruby 3.1",
			"Record it with -g" },
		{ "/usr/sbin/php-fpm8.2", "PHP 8.2",
			"Record it with -g" },
		{ "/usr/bin/php-cgi8.2", "PHP 8.2",
			"Record it with -g" },
		{ "/usr/bin/php-cgi", "PHP",
			"Record it with -g" },
		{ "/usr/bin/pypy3.9-c", "PyPy 3.9",
			"dwell names no functions of PyPy" },
		{ "/usr/bin/lua5.4", "Lua 5.4",
			"dwell names no functions of Lua" },
		{ "/lib/libluajit-5.1.so.2", "LuaJIT",
			"Record it with -g" },
	},
	  compiles[] = {
		{ "/opt/jdk-21.0.2+13/lib/server/libjvm.so", "OpenJDK 21.0.2",
			"Record it with -g, or start it with "
			"-XX:+UnlockDiagnosticVMOptions "
			"-XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer" },
		{ "/jvm/java-1.8.0-openjdk/jre/libjvm.so", "OpenJDK 1.8.0",
			"Record it with -g" },
		{ "/root/.nvm/versions/node/v20.11.0/bin/node",
			"Node.js 20.11.0", "Record it with -g, or start it with --perf-basic-prof" },
		{ "node", "Node.js", "Record it with -g, or start it with --perf-basic-prof" },
		{ "/lib/libnode.so.108", "Node.js",
			"Record it with -g, or start it with --perf-basic-prof" },
		{ "/dotnet/shared/Microsoft.NETCore.App/8.0.1/libcoreclr.so",
			".NET 8.0.1",
			"Start it with DOTNET_PerfMapEnabled=1 and "
			"DOTNET_EnableWriteXorExecute=0" },
		{ "/usr/bin/mono-sgen", "Mono",
			"Start it with dwell record --runtime-env" },
		{ "/usr/lib/libmonosgen-2.0.so.1", "Mono",
			"Start it with dwell record --runtime-env" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(runs); i++)
		assert_runtime(runs[i].path, KNOWN_RUNTIME_INTERPRETS,
			runs[i].name, runs[i].remedy);
	for (i = 0; i < ARRAY_SIZE(compiles); i++)
		assert_runtime(compiles[i].path, KNOWN_RUNTIME_COMPILES,
			compiles[i].name, compiles[i].remedy);
}

static void files_with_similar_names_are_no_runtimes(void **state _unused_)
{
	static const char *const paths[] = { "/usr/bin/perlbench", "/bin/nodes",
		"/usr/bin/node-exporter", "/usr/bin/node_exporter",
		"/python3.11/lib/a.so", "/bin/luakit", "/lib/libpythonic.so",
		"//anon", "[vdso]", "" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		assert_null(known_runtime_find(paths[i],
			KNOWN_RUNTIME_INTERPRETS | KNOWN_RUNTIME_COMPILES));
	assert_null(known_runtime_find("/bin/perl", KNOWN_RUNTIME_COMPILES));
	assert_null(known_runtime_find("/bin/node", KNOWN_RUNTIME_INTERPRETS));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unnamed_jit_code_is_reported_with_its_runtime_and_a_remedy),
		TEST(memory_in_place_of_the_code_of_a_file_is_reported_as_such),
		TEST(unnamed_code_of_an_unknown_program_needs_a_perf_map),
		TEST(code_in_a_memfd_of_a_runtime_is_reported_as_jit_code),
		TEST(jit_code_with_names_is_not_reported),
		TEST(processes_with_few_unnamed_samples_are_not_reported),
		TEST(an_interpreter_with_named_trampolines_is_not_reported),
		TEST(the_three_processes_with_most_samples_are_reported),
		TEST(an_exec_starts_the_counts_of_a_process_again),
		TEST(counts_of_many_short_processes_take_little_memory),
		TEST(counts_of_many_addresses_take_little_memory),
		cmocka_unit_test(
			runtimes_that_dwell_cannot_read_get_another_remedy),
		cmocka_unit_test(runtimes_are_found_by_their_files),
		cmocka_unit_test(files_with_similar_names_are_no_runtimes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
