/* The Lagrangian bound of an alignment problem, and the pairs and matches that it rules out.
 *
 * The weight of an edge match is split between the two node pairs it touches: a share for each
 * half. For fixed shares the best map is a linear assignment problem, whose value is an upper bound
 * of every map and whose solution is itself a map. Subgradient steps move the shares to lower the
 * bound. The prices of the assignment show which node pairs and matches no better map can use, and
 * these are dropped. Local search improves the maps during the iterations: the sooner a good map is
 * known, the fewer steps are needed to prove it optimal.
 *
 * Source: Lagrangean decomposition for graph matching, as in Swoboda et al. (2017), "A study of
 * Lagrangean decompositions and dual ascent solvers for graph matching"; dropping pairs by their
 * reduced cost is standard in integer programming.
 *
 * The bound. Pair p of nodes has the unary weight u[p]; match q has the weight w[q], and its halves
 * 2q and 2q + 1 are at the pairs a[q] and b[q]. A map x, with x[p] = 1 if it uses p, has the value
 *
 *     value(x) = sum_p u[p] x[p] + sum_q w[q] x[a[q]] x[b[q]].
 *
 * Split w[q] = share[2q] + share[2q + 1], both at least 0, and let each pair choose among its
 * halves independently of the pairs at their other ends. A group holds the halves of one src edge
 * at one pair. A map uses at most one of them, because it maps the other end of the edge to one
 * node only:
 *
 *     value(x) <= sum_p profit[p] x[p],
 *     profit[p] = u[p] + sum over the groups g at p of max(share[h] for h in g).
 *
 * The map with the largest right-hand side solves a linear assignment problem. Its value L(share)
 * is a bound for any split: the shares are Lagrange multipliers of the constraints that both halves
 * of a match are chosen, or neither. L is convex and piecewise linear; `relax` looks for its
 * minimum. If no match has only one of its halves chosen, L is the value of the map, which is then
 * optimal.
 */
#include <math.h>

#include "alignment.h"

/* The step shrinks by this factor after STEP_PATIENCE rounds without a lower bound. */
static const double STEP_SHRINK = 0.6;
static const int64_t STEP_PATIENCE = 3;
/* In the step length, so that the last steps are not too short. */
static const double SMALLEST_GAP = 0.3;
static const double ROUNDING = 1e-9;
static const int64_t ROUNDS_PER_CLIMB = 4;

/* Store the current map, which has this value, if it is the best so far. */
void keep_better(double value, Workspace *space)
{
    if (value > space->best) {
        space->best = value;
        for (int64_t i = 0; i < space->n; i++)
            space->rows[i].best = space->rows[i].partner;
    }
}

/* Return the objective of the current map, by the active matches only. */
static double map_value(const Workspace *space)
{
    const NodePair *const pairs = space->pairs;
    double total = 0;
    /* The matches that are no longer active touch a dropped pair, or belong only to maps that are
     * not better than the best one. Without them a map may be undervalued, but never overvalued. */
    for (int64_t i = 0; i < space->n; i++)
        if (space->rows[i].partner >= 0)
            total += pairs[i * space->m + space->rows[i].partner].unary;
    for (int64_t t = 0; t < space->n_active; t++) {
        const Half *const match = &space->halves[2 * space->active[t]];
        if (pairs[match[0].pair].mapped && pairs[match[1].pair].mapped)
            total += space->weight[space->active[t]];
    }
    return total;
}

/* Set the profit of each node pair: its unary weight plus the largest share of each group.
 *
 * A map uses at most one match of a group, so the sum over groups of the largest share is an upper
 * bound of what the matches at the pair contribute.
 */
static void set_profits(Workspace *space)
{
    NodePair *const pairs = space->pairs;
    Group *const groups = space->groups;
    const int64_t m = space->m;
    for (int64_t i = 0; i < space->n; i++) {
        for (int64_t t = i * m; t < i * m + space->rows[i].options; t++) {
            NodePair *const pair = &pairs[i * m + space->options[t]];
            pair->profit = pair->unary;
        }
    }
    for (int64_t t = 0; t < space->n_active; t++) {
        for (int64_t h = 2 * space->active[t]; h < 2 * space->active[t] + 2; h++) {
            groups[space->halves[h].group].top = 0;
            groups[space->halves[h].group].choice = -1;
        }
    }
    for (int64_t t = 0; t < space->n_active; t++) {
        for (int64_t h = 2 * space->active[t]; h < 2 * space->active[t] + 2; h++) {
            const Half *const half = &space->halves[h];
            /* The profit grows by the difference each time a larger share of the group is met. */
            const double extra = half->share - groups[half->group].top;
            if (extra > 0) {
                pairs[half->pair].profit += extra;
                groups[half->group].top = half->share;
            }
        }
    }
    space->work -= 6 * space->n_active;
}

/* Drop the pair of row i and column options[t], which moves behind the row's options. */
void drop_option(int64_t i, int64_t t, Workspace *space)
{
    /* The trail and the options of each row are stacks. Restored from the top of the trail, a pair
     * is again the first one behind its row's options: `restore_pairs` only has to count up. */
    const int64_t last = i * space->m + --space->rows[i].options, j = space->options[t];
    space->options[t] = space->options[last];
    space->options[last] = j;
    space->pairs[i * space->m + j].allowed = false;
    space->trail[space->n_dropped++] = i * space->m + j;
}

/* Drop the node pairs whose reduced cost is more than `slack`. */
static void drop_pairs(double slack, Workspace *space)
{
    const int64_t m = space->m;
    for (int64_t i = 0; i < space->n; i++) {
        const Row *const row = &space->rows[i];
        space->work -= row->options;
        /* Backwards, because `drop_option` moves the last option to position t. */
        for (int64_t t = i * m + row->options - 1; t >= i * m; t--) {
            const int64_t j = space->options[t];
            NodePair *const pair = &space->pairs[i * m + j];
            pair->slack = row->price + space->columns[j].price - pair->profit;
            if (pair->slack > slack)
                drop_option(i, t, space);
        }
    }
}

/* Drop matches at dropped pairs, and those whose pairs' reduced costs exceed `slack`.
 *
 * A map that uses the match uses both of its pairs, and their reduced costs add up.
 */
void drop_matches(double slack, Workspace *space)
{
    int64_t *const active = space->active;
    int64_t t = 0;
    /* Active matches stay in active[:n_active]. Dropped ones move behind them, so that an earlier
     * value of `n_active` restores them. */
    while (t < space->n_active) {
        const Half *const match = &space->halves[2 * active[t]];
        const NodePair *const a = &space->pairs[match[0].pair];
        const NodePair *const b = &space->pairs[match[1].pair];
        if (a->allowed && b->allowed && a->slack + b->slack <= slack) {
            t++;
        } else {
            const int64_t dropped = active[t];
            active[t] = active[--space->n_active];
            active[space->n_active] = dropped;
        }
    }
}

/* Return the half of match q that is chosen while its other half is not, or -1. */
static inline int64_t disagreeing_half(int64_t q, const Workspace *space)
{
    const int64_t h = 2 * q;
    const bool source_chosen = space->groups[space->halves[h].group].choice == h;
    const bool target_chosen = space->groups[space->halves[h + 1].group].choice == h + 1;
    if (source_chosen == target_chosen)
        return -1;
    return source_chosen ? h : h + 1;
}

/* Take one subgradient step: move share to the other half of each match that disagrees.
 *
 * Each group at a mapped pair chooses the half that gave the pair its profit; of several with the
 * same share one whose other pair is mapped as well. A match disagrees if one of its halves is
 * chosen and the other is not.
 */
static void move_shares(double length, Workspace *space)
{
    const NodePair *const pairs = space->pairs;
    Half *const halves = space->halves;
    /* Any half with the largest share of its group gives a subgradient. Preferring those whose
     * other pair is mapped leaves fewer matches that disagree. */
    for (int64_t t = 0; t < space->n_active; t++) {
        for (int64_t h = 2 * space->active[t]; h < 2 * space->active[t] + 2; h++) {
            if (!pairs[halves[h].pair].mapped)
                continue;
            Group *const group = &space->groups[halves[h].group];
            const double share = halves[h].share;
            if (share >= group->top - ROUNDING
                && (pairs[halves[h ^ 1].pair].mapped || (group->choice < 0 && share > ROUNDING)))
                group->choice = h;
        }
    }
    int64_t disagreements = 0;
    for (int64_t t = 0; t < space->n_active; t++)
        disagreements += disagreeing_half(space->active[t], space) >= 0;
    /* As share[2q + 1] = w[q] - share[2q], a subgradient of L at share[2q] is
     *     [half 2q is chosen] - [half 2q + 1 is chosen],
     * that is 1 or -1 for each match that disagrees, and 0 for the others. A step against it takes
     * share from the chosen half. Polyak's step length is the gap, to which `length` is
     * proportional, divided by the squared norm of the subgradient: the number of disagreements. */
    const double step = length / (double)max_int(disagreements, 1);
    for (int64_t t = 0; t < space->n_active; t++) {
        const int64_t h = disagreeing_half(space->active[t], space);
        if (h >= 0) {
            const double moved = min_double(halves[h].share, step); /* shares are in 0..weight */
            halves[h].share -= moved;
            halves[h ^ 1].share += moved;
        }
    }
}

/* Lower the bound of a sub-problem and improve the best map, by at most `rounds` steps.
 *
 * Stops as soon as the bound is below best + margin, which shows that the sub-problem has no better
 * map, or when the work limit is reached. Writes the bound on every map of the sub-problem that is
 * better than the best one so far to `space->relaxation`.
 */
bool relax(int64_t rounds, Workspace *space)
{
    Relaxation *const now = &space->relaxation;
    double value;
    BEGIN(now);
    *now = (Relaxation){.bound = INFINITY, .step = 1};
    for (; now->round < rounds; now->round++) {
        set_profits(space);
        AWAIT(now, assign(space, &value));
        if (value < now->bound - ROUNDING) {
            now->bound = value;
            now->stale = 0;
        } else if (++now->stale == STEP_PATIENCE) {
            now->step *= STEP_SHRINK;
            now->stale = 0;
        }
        keep_better(map_value(space), space);
        if (now->bound < space->best + space->margin || space->work <= 0)
            break;
        space->work -= 6 * space->n_active; /* of the next steps, apart from `climb` */
        /* With the reduced costs c[p] = row price + column price - profit[p] >= 0,
         *     sum_p profit[p] x[p] <= sum of all prices - sum_p c[p] x[p] = value - sum_p c[p] x[p]
         * for every map x, since it uses no row or column twice. A map that uses pair p is worth at
         * most value - c[p]: it can be better than the best one only if c[p] <= slack. This holds
         * for the shares of this round alone, so `value` is used here, not the lowest bound. */
        const double slack = value - space->best - space->margin;
        drop_pairs(slack, space);
        drop_matches(slack, space);
        move_shares(now->step * max_double(now->bound - space->best, SMALLEST_GAP), space);
        if (now->round % ROUNDS_PER_CLIMB == 0) {
            index_halves(space);
            AWAIT(now, climb(space));
            keep_better(space->climb.value, space);
            if (now->bound < space->best + space->margin)
                break;
        }
    }
    END(now);
}

/* Return the node pair to branch on, or -1 if every row is fixed or has no options.
 *
 * This is the pair with the most disagreeing matches. If these are all at fixed rows, it is the
 * other pair of one of them. If no match disagrees (matches that did may have been dropped), it is
 * any pair of a row that is not fixed.
 */
int64_t branching_pair(Workspace *space)
{
    Row *const rows = space->rows;
    const int64_t n = space->n, m = space->m;
    /* The bound is above the best map because halves disagree. Once a pair is fixed or forbidden,
     * its halves have to be decided: the more of them disagree, the more the bound should fall. */
    for (int64_t i = 0; i < n; i++)
        rows[i].disagreements = 0;
    int64_t most = 0, branch = -1;
    for (int64_t t = 0; t < space->n_active; t++) {
        const int64_t h = disagreeing_half(space->active[t], space);
        if (h < 0)
            continue;
        Row *const row = &rows[space->halves[h].pair / m];
        if (row->fixed < 0) {
            if (++row->disagreements > most) {
                most = row->disagreements;
                branch = space->halves[h].pair;
            }
        } else if (most == 0) {
            branch = space->halves[h ^ 1].pair;
        }
    }
    if (branch < 0)
        for (int64_t i = 0; i < n; i++)
            if (rows[i].fixed < 0 && rows[i].options > 0)
                branch = i * m + space->options[i * m];
    return branch;
}
