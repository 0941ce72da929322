// SPDX-License-Identifier: GPL-2.0-or-later
// Functions in functions, all with names that the linker would know: of others
// addr2line tells the name of what they are in.
#include <cstdint>
#include <cstdlib>

volatile uint64_t sink;

template <int rounds> inline uint64_t mix(uint64_t x)
{
	for (int i = 0; i < rounds; i++)
		x = x * UINT64_C(6364136223846793005) + (x >> 29);
	return x;
}

inline uint64_t twice(uint64_t x)
{
	return mix<9>(x) ^
		mix<11>(x + 1);
}

struct Sum {
	uint64_t total = 0;

	void add(uint64_t x)
	{
		if (x % 3)
			total += twice(x);
		else
			total += mix<5>(x);
	}
};

__attribute__((noinline)) uint64_t work(uint64_t n)
{
	Sum sum;

	while (n--)
		sum.add(n);
	return sum.total;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::atoi(argv[1]) : 10;

	for (int i = 0; i < rounds; i++)
		sink = sink + work(20000 + i);
	return 0;
}
