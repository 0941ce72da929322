// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that debug information describes within a type: lambdas and members
// of local classes, each with functions inlined into it.
#include <cstdint>

#define APART __attribute__((noinline))
#define WITHIN __attribute__((always_inline)) inline

volatile uint64_t sink;

WITHIN uint64_t mix(uint64_t x, int rounds)
{
	for (int i = 0; i < rounds; i++)
		x = x * UINT64_C(6364136223846793005) + (x >> 29);
	return x;
}

struct Twice {
	WITHIN static uint64_t of(uint64_t x)
	{
		return mix(x, 9) ^
			mix(x + 1, 11);
	}
};

// Its lambda is in an abstract instance.
WITHIN uint64_t apply(uint64_t x)
{
	auto twice = [](uint64_t y) APART { return Twice::of(y) + 1; };

	return twice(x) + twice(x + 1);
}

template <typename Number> APART Number several(Number x)
{
	class Local {
	public:
		APART static Number member(Number y)
		{
			auto inner = [](Number z) APART {
				return Twice::of(z) * 3;
			};

			return inner(y) + mix(y, 4);
		}
	};

	return Local::member(x);
}

namespace {
struct Outer {
	struct Inner {
		APART uint64_t member(uint64_t x)
		{
			union Local {
				uint64_t whole;

				APART uint64_t member(uint64_t y)
				{
					return Twice::of(y) + whole;
				}
			} local = { x };

			return local.member(x) + mix(x, 7);
		}
	};

	Inner inner;
};
}

int main(int argc, char **)
{
	int rounds = argc * 10;
	uint64_t sum = 0;
	Outer outer;
	auto once = [&](uint64_t x) APART {
		sum += Twice::of(x);
		sink = sum;
	};
	struct Local {
		APART static uint64_t member(uint64_t x)
		{
			return Twice::of(x) - mix(x, 3);
		}
	};

	for (int i = 0; i < rounds * 1000; i++) {
		once(i);
		sum += Local::member(i) + apply(i) + several<uint64_t>(i) +
			several<uint32_t>(i) + outer.inner.member(i);
	}
	sink = sum;
	return 0;
}
