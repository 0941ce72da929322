/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chain.c with call chains that hardly ever repeat, as real programs' do. */
#define CHAIN_RANDOM
#include "tests/bench/chain.c"
