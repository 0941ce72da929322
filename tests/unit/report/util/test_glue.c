/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/glue.h"

#include "tests/unit/testing.h"

static void assert_glue(const char *name)
{
	if (!glue_is_name(name))
		fail_msg("'%s' is not glue", name);
}

static void assert_own(const char *name)
{
	if (glue_is_name(name))
		fail_msg("'%s' is glue", name);
}

static void start_functions_of_programs_and_threads_are_recognized(
	void **state _unused_)
{
	static const char *const starts[] = { "_start", "main", "clone3",
		"__libc_start_main@@GLIBC_2.34", "start_thread",
		"runtime.goexit.abi0" };
	static const char *const others[] = { "std::sort", "qsort", "leaf",
		"core::ops::function::FnOnce::call_once", "a::main",
		"main.main", "_start2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		assert_true(glue_is_start_name(starts[i]));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(glue_is_start_name(others[i]));
}

static void start_code_of_c_is_glue(void **state _unused_)
{
	assert_glue("_start");
	assert_glue("__libc_start_main");
	assert_glue("__libc_start_main@@GLIBC_2.34");
	assert_glue("__libc_start_main_impl");
	assert_glue("__libc_start_call_main");
	assert_glue("start_thread");
	assert_glue("clone");
	assert_glue("__clone");
	assert_glue("clone3");
	assert_glue("__clone3");
	assert_glue("_dl_start_user");
	assert_own("main");
	assert_own("start");
	assert_own("clone_items");
	assert_own("my_start_thread");
	assert_own("malloc");
	assert_own("");
}

static void the_standard_library_of_cpp_is_glue(void **state _unused_)
{
	assert_glue("std::sort<int*>");
	assert_glue("__gthread_mutex_lock (inlined)");
	assert_glue("std::__1::sort<int*>");
	assert_glue(
		"__gnu_cxx::__ops::_Iter_comp_iter<less>::operator()<int*>");
	assert_glue("std::operator< <char, std::char_traits<char> >");
	assert_glue("std::_Function_handler<unsigned int (unsigned int), "
		    "work()::{lambda(unsigned int)#1}>::_M_invoke");
	assert_own("operator()");
	assert_own("Filter::clone");
	assert_own("my::std::sort");
	assert_own("stdx::sort");
	assert_own("(anonymous namespace)::sort");
}

static void template_arguments_do_not_make_a_function_glue(
	void **state _unused_)
{
	assert_own("sort_all<std::vector<int>>");
	assert_own("sort_all<std::vector<int>, void (*)(std::string)>");
	assert_own("pick<&Key::operator<, std::less<int> >");
	assert_own("Table<std::string>::find");
	assert_own("sort<__gnu_cxx::__normal_iterator<int*> >");
}

static void return_types_do_not_make_a_function_glue(void **state _unused_)
{
	assert_glue("void std::__invoke_impl<void, main::{lambda()#1}>");
	assert_glue("unsigned long std::count<int*, int>");
	assert_glue("std::enable_if<true, int>::type std::__invoke_r<int>");
	assert_own("std::enable_if<true, int>::type twice<int>");
	assert_own("std::vector<int, std::allocator<int> > load<int>");
	assert_own("Path::operator std::string");
	assert_glue("std::atomic<int>::operator int");
	assert_glue("non-virtual thunk to std::ostream::~ostream");
}

/* g++ 12 writes no namespace for functions that are called with a lambda. */
static void templates_with_reserved_names_are_glue(void **state _unused_)
{
	assert_glue("__introsort_loop<int*, sort_items(int*)::<lambda(int)> >");
	assert_glue("__invoke_impl<void, work()::<lambda()>&>");
	assert_own("__kernel_entry");
	assert_own("__detail::run<int>");
}

static void standard_crates_of_rust_are_glue(void **state _unused_)
{
	assert_glue("core::ops::function::FnOnce::call_once{{vtable.shim}}");
	assert_glue("alloc::slice::<impl [T]>::sort_by::{{closure}}");
	assert_glue("<core::iter::Map<I,F> as core::iter::Iterator>::fold");
	assert_glue("<alloc::string::String>::push_str");
	assert_glue("<&mut alloc::string::String as core::fmt::Write>::write");
	assert_glue("<std::sys::thread::unix::Thread>::new::thread_start");
	assert_glue("hashbrown::map::make_hash");
	assert_glue("std::rt::lang_start::{{closure}}");
	assert_glue("lang_start<()>");
	assert_glue("__rust_begin_short_backtrace<fn(), ()>");
	assert_glue(
		"std::sys::backtrace::__rust_begin_short_backtrace::<f, ()>");
	assert_glue("test::__rust_begin_short_backtrace");
	assert_own("my::work::{{closure}}");
	assert_own("<my::Item as core::fmt::Display>::fmt");
	assert_own("<my::List<alloc::string::String>>::push");
	assert_own("my::run::<alloc::vec::Vec<u8>>");
	assert_own("corelib::run");
}

/* Only the library may implement its traits for these types. */
static void standard_traits_of_builtin_rust_types_are_glue(
	void **state _unused_)
{
	assert_glue("<T as core::slice::sort::Sort>::small_sort");
	assert_glue("<u32 as core::fmt::Display>::fmt");
	assert_glue("<u32>::wrapping_mul");
	assert_glue("<*const u8>::copy_to_nonoverlapping");
	assert_glue("<[u8]>::to_vec_in::<alloc::alloc::Global>");
	assert_glue("<u8 as <[_]>::to_vec_in::ConvertVec>::to_vec");
	assert_glue("__rustc::__rust_alloc");
	assert_own("<my::Item>::weigh");
	assert_own("<lambda(int)>::_FUN");
	assert_own("<module>");
	assert_own("<");
	assert_glue("<&my::Item as core::fmt::Debug>::fmt");
	assert_glue("<my::main::{closure#0} as "
		    "core::ops::function::FnOnce<()>>::call_once");
	assert_own("<u32 as my::Weigh>::weigh");
	assert_own("<dyn my::Shape as core::fmt::Debug>::fmt");
	assert_own("<fn() -> core::fmt::Result as my::Run>::run");
}

static void start_code_of_go_is_glue(void **state _unused_)
{
	assert_glue("runtime.main");
	assert_glue("runtime.goexit");
	assert_glue("runtime.goexit.abi0");
	assert_glue("runtime.mcall");
	assert_glue("runtime.rt0_go");
	assert_glue("runtime.mstart.abi0");
	assert_own("main.main");
	assert_own("runtime.mallocgc");
	assert_own("runtime.mainStart");
	assert_own("clone.coldStart");
}

static void marks_and_suffixes_of_function_names_are_ignored(
	void **state _unused_)
{
	assert_glue("std::sort<int*> (inlined)");
	assert_glue("std::string::_M_data basic_string.h:233 (inlined)");
	assert_glue("std::string::_M_data basic_string.h:233:7 (inlined)");
	assert_own("main::{lambda}::operator() std.cpp:41 (inlined)");
	assert_glue("std::sort<int*> (?)");
	assert_glue("std::sort<int*> [clone .cold]");
	assert_glue("std::terminate@plt");
	assert_glue("_start (inlined)");
	assert_glue("start_thread.cold");
	assert_glue("start_thread.isra.0");
	assert_glue("clone.constprop.0.cold");
	assert_own("run.cold");
	assert_own("twice<int> (inlined)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			start_functions_of_programs_and_threads_are_recognized),
		cmocka_unit_test(start_code_of_c_is_glue),
		cmocka_unit_test(the_standard_library_of_cpp_is_glue),
		cmocka_unit_test(
			template_arguments_do_not_make_a_function_glue),
		cmocka_unit_test(return_types_do_not_make_a_function_glue),
		cmocka_unit_test(templates_with_reserved_names_are_glue),
		cmocka_unit_test(standard_crates_of_rust_are_glue),
		cmocka_unit_test(
			standard_traits_of_builtin_rust_types_are_glue),
		cmocka_unit_test(start_code_of_go_is_glue),
		cmocka_unit_test(
			marks_and_suffixes_of_function_names_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
