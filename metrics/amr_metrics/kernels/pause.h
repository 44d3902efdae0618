/* Kernels that return to Python when a budget of steps is spent, so that Ctrl-C is noticed, and are
 * called again until they are finished: amr_metrics.kernels.library.
 *
 * Such a kernel returns whether it is finished. Its first parameter is its state, a struct whose
 * first member is a Pause, in memory of zeros that Python allocates for all calls. A loop keeps its
 * position there, and goes on by itself:
 *
 *     for (; now->pair < pairs; now->pair++) {
 *         if (!take_steps(&now->pause, nodes))
 *             return false;
 *
 * A function that pauses within several steps is written like any other between BEGIN and END, and
 * returns whether it is finished as well. PAUSE and AWAIT leave it; when it is called again, it goes
 * on behind PAUSE, or calls again what it awaits. Variables that are set before and used behind
 * them must be members of its state.
 */
#ifndef PAUSE_H
#define PAUSE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t left; /* the number of steps until the kernel returns; Python sets it before each call */
} Pause;

/* Check that a state fits into the memory of Python. */
#define FITS(State) _Static_assert(sizeof(State) <= 1024, "Python allocates 1024 bytes")

/* Take steps from the budget; returns false if it is spent. Any number of steps may be taken from
 * what is left, so that each call does something. */
static inline bool take_steps(Pause *pause, int64_t steps)
{
    if (pause->left <= 0)
        return false;
    pause->left -= steps;
    return true;
}

/* `state` is a pointer to a struct with the member `line`, which is 0 at first. */
#define BEGIN(state)       \
    switch ((state)->line) { \
    case 0:
#define PAUSE(state, condition)        \
    do {                               \
        if (condition) {               \
            (state)->line = __LINE__;  \
            return false;              \
        case __LINE__:;                \
        }                              \
    } while (0)
#define AWAIT(state, call)                       \
    do {                                         \
        (state)->line = __LINE__;                \
        __attribute__((fallthrough));            \
        case __LINE__:                           \
            if (!(call))                         \
                return false;                    \
    } while (0)
#define END(state)     \
    }                  \
    (state)->line = 0; \
    return true

#endif
