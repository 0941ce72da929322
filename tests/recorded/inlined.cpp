/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C++ in the recordings of this folder: inlined functions, a lambda, names with
 * commas. It uses the given number of milliseconds of CPU time.
 *
 *	inlined MS
 */
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace shapes
{

template <typename Key, typename Value> struct pair_of {
	Key key;
	Value value;

	/* Inlined into its caller. */
	inline void mix()
	{
		key ^= key << 13;
		key ^= key >> 7;
		value += key & 1;
		__asm__ volatile("" : "+r"(key), "+r"(value));
	}

	__attribute__((noinline)) void spin(int rounds, char step)
	{
		for (int i = 0; i < rounds; i += step)
			mix();
	}
};

} // namespace shapes

static double cpu_ms()
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	double end = cpu_ms() + (argc > 1 ? std::atof(argv[1]) : 10);
	shapes::pair_of<uint64_t, unsigned> pair{ 1, 0 };
	auto again = [&pair](int rounds) { pair.spin(rounds, 1); };

	while (cpu_ms() < end)
		again(20000);
	return pair.value == 0;
}
