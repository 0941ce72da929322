// SPDX-License-Identifier: GPL-2.0-or-later
// C++ with templates, lambdas and libstdc++, for names that must be demangled.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

struct Counter {
	std::map<std::string, std::vector<unsigned>> places;

	void take(unsigned number, unsigned place)
	{
		std::ostringstream text;

		text << "word" << number;
		places[text.str()].push_back(place);
	}
};

template <typename T> static unsigned long total(T &lists)
{
	unsigned long sum = 0;

	for (auto &entry : lists) {
		std::sort(entry.second.begin(), entry.second.end(),
			[](unsigned a, unsigned b) {
				return a * 2654435761u < b * 2654435761u;
			});
		sum += entry.second.front();
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
	std::mt19937 random(1);
	unsigned long sum = 0;

	while (rounds-- > 0) {
		Counter counter;

		for (unsigned i = 0; i < 20000; i++)
			counter.take(random() % 3000, i);
		sum += total(counter.places);
	}
	std::cout << sum << "\n";
}
