/* Vectors of four numbers, whose results do not depend on the width of registers. */
#ifndef LANES_H
#define LANES_H

#include "kernels.h"

/* Four numbers, in one register or two. */
typedef double Four __attribute__((vector_size(32)));
#define LOAD(row) ((Four){(row)[0], (row)[1], (row)[2], (row)[3]})

/* On x86-64 functions are compiled again for wider registers, as NAME_wide, and chosen where the
 * processor and the system have these. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx2")))
#define CHOOSE(name) (has_wide ? name##_wide : name)
extern bool has_wide;
#else
#define CHOOSE(name) name
#endif

#endif
