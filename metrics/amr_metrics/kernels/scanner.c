/* Reading of graphs in Penman notation, from bytes to arrays of integers:
 * amr_metrics.reading.scanner_kernels.
 *
 * The tokens are those of penman's lexer (penman._lexer.PATTERNS), which reads line by line. It
 * treats all characters outside ASCII alike, so that UTF-8 is not decoded. The grammar is the part
 * of penman's in which each node has a variable of its own and a concept, and each role a target. A
 * graph with anything else in it is left to the caller.
 */
#include <string.h>

#include "kernels.h"
#include "pause.h"

/* Classes of bytes. Those up to HASH continue a symbol or role; those from BLANK are whitespace. */
enum { WORD, HASH, QUOTE, OPENING, CLOSING, SOLIDUS, COLON, TILDE, BLANK, LINE_END };
static const uint8_t CLASSES[256] = {
    ['#'] = HASH,    ['"'] = QUOTE,     ['('] = OPENING, [')'] = CLOSING, ['/'] = SOLIDUS,
    [':'] = COLON,   ['~'] = TILDE,     [' '] = BLANK,   ['\t'] = BLANK,  ['\v'] = BLANK,
    ['\f'] = BLANK,  ['\r'] = LINE_END, ['\n'] = LINE_END,
};

/* Kinds of tokens: those up to STRING are concepts and constants, those up to ROLE are symbols. */
typedef enum { SYMBOL, STRING, ROLE, OPEN, CLOSE, SLASH, ALIGNMENT, COMMENT, UNEXPECTED } TokenKind;

/* What the next token of a graph should be. EDGE: a role, or the end of the node. */
typedef enum { GRAPH, VARIABLE, SEPARATOR, CONCEPT, EDGE, TARGET } Expected;

/* How the reading of a graph ended: with a graph; at the end of the text, after nothing but
 * comments or within a graph; at something that is not certain to be part of a graph; without room
 * for another symbol; within a graph, since the budget is spent. The numbers are those of Python. */
typedef enum { DONE, NOTHING, UNFINISHED, UNSURE, FULL, PAUSED } Status;

/* Kinds of edges: the target is a constant, a node, or a node that is defined only later. The
 * numbers are those of Python. */
enum { ATTRIBUTE, RELATION, FORWARD };

/* The state of reading: the region and the number of graphs before it; the position in the text;
 * how reading ended; the numbers of graphs, symbols and attempts to read a graph so far; how often
 * the hash function was replaced. */
typedef struct {
    int64_t region, first, position, status, graphs, symbols, attempts, replaced;
} State;

typedef struct {
    int64_t code;          /* the hash code of the string */
    int64_t start, length; /* where it is in the text */
    int64_t attempt, node; /* the last attempt to read a graph with a node of that name; the node */
} Symbol;

/* The text and the tables to add to; of graphs, the first row is empty. */
typedef struct {
    const uint8_t *data;
    State *state;
    int64_t *node_start, *edge_start; /* the numbers of nodes and edges up to each graph */
    int64_t *begins, *ends; /* of each graph's comments, or of the part that was left out */
    int32_t *variables, *concepts;              /* symbols */
    int32_t *sources, *roles, *targets, *kinds; /* nodes or symbols */
    Symbol *symbols;
    int32_t *slots;   /* a hash table: the symbol in each slot, -1 if it is free */
    int64_t capacity; /* for symbols: half the number of slots, which is a power of two */
    int32_t *parents; /* one entry per level of parentheses */
    int64_t levels;
} Scanner;

typedef struct {
    TokenKind kind;
    int64_t end;
} Token;

/* How far a graph is read. */
typedef struct {
    Status status;
    int64_t position;       /* behind the last token read */
    int64_t first, opening; /* the positions of the first token and of the first parenthesis */
    int64_t nodes, edges;   /* where the next rows are written */
    int64_t attempt, depth; /* the number of the attempt; of open parentheses */
    Expected expected;
    bool alignable; /* an alignment may follow */
    int32_t node, role;
} Reading;

/* The state of `read_graphs`. */
typedef struct {
    Pause pause;
    Reading reading;
} Scanning;
FITS(Scanning);

static inline bool is_digit(uint8_t byte) { return '0' <= byte && byte <= '9'; }

/* Return the token that starts at a position without a blank. */
static inline Token read_token(const uint8_t *data, int64_t position, int64_t stop)
{
    const uint8_t start = CLASSES[data[position]];
    int64_t end = position + 1;
    switch (start) {
    case WORD:
    case COLON:
        while (end < stop && CLASSES[data[end]] <= HASH)
            end++;
        return (Token){start == WORD ? SYMBOL : ROLE, end};
    case OPENING:
        return (Token){OPEN, end};
    case CLOSING:
        return (Token){CLOSE, end};
    case SOLIDUS:
        return (Token){SLASH, end};
    case HASH:
        while (end < stop && CLASSES[data[end]] != LINE_END)
            end++;
        return (Token){COMMENT, end};
    case QUOTE:
        for (; end < stop && CLASSES[data[end]] != LINE_END; end++) {
            if (data[end] == '"')
                return (Token){STRING, end + 1};
            if (data[end] == '\\') {
                end++;
                if (end == stop || CLASSES[data[end]] == LINE_END)
                    break;
            }
        }
        return (Token){UNEXPECTED, position + 1};
    }
    /* A tilde: an optional letter, possibly with a dot, and numbers separated by commas. */
    if (end < stop && 'a' <= data[end] && data[end] <= 'z') {
        end++;
        if (end < stop && data[end] == '.')
            end++;
    }
    const int64_t digits = end;
    while (end < stop && is_digit(data[end]))
        end++;
    if (end == digits)
        return (Token){UNEXPECTED, position + 1};
    while (end + 1 < stop && data[end] == ',' && is_digit(data[end + 1])) {
        end += 2;
        while (end < stop && is_digit(data[end]))
            end++;
    }
    return (Token){ALIGNMENT, end};
}

/* How far a symbol may be from its first slot before the hash function is replaced. With half of
 * the slots free, symbols that are not made to collide are not that far, however many there are. */
enum { FARTHEST = 256 };

/* Return the hash code of a string, of 32 bits.
 *
 * There is a function for each number of times that it was `replaced`: strings that are made to
 * collide in one function do not collide in the next.
 */
static inline int64_t hash_string(const uint8_t *data, int64_t start, int64_t end,
                                  int64_t replaced)
{
    if (replaced == 0) {
        /* FNV-1a is fast, but its lower bits depend only on the lower bits of the bytes. */
        uint32_t hash = 0x811C9DC5;
        for (int64_t k = start; k < end; k++)
            hash = (hash ^ data[k]) * 0x01000193;
        return hash;
    }
    uint64_t hash = (uint64_t)replaced;
    for (int64_t k = start; k < end; k++) {
        hash = (hash ^ data[k]) * 0x9E3779B97F4A7C15; /* 2^64 divided by the golden ratio */
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* Return where in the hash table to look for a string first. */
static inline int64_t first_slot_of(int64_t code, int64_t mask)
{
    return (code ^ (code >> 15)) & mask;
}

/* Enter the symbols so far into an empty hash table. */
static void enter_symbols(const Scanner *scanner)
{
    const int64_t slots = 2 * scanner->capacity;
    for (int64_t slot = 0; slot < slots; slot++)
        scanner->slots[slot] = -1;
    for (int64_t symbol = 0; symbol < scanner->state->symbols; symbol++) {
        int64_t slot = first_slot_of(scanner->symbols[symbol].code, slots - 1);
        while (scanner->slots[slot] >= 0)
            slot = (slot + 1) & (slots - 1);
        scanner->slots[slot] = (int32_t)symbol;
    }
}

/* Enter the symbols so far again, with codes of the next hash function. */
static void rehash_symbols(const Scanner *scanner)
{
    const int64_t replaced = ++scanner->state->replaced;
    for (int64_t symbol = 0; symbol < scanner->state->symbols; symbol++) {
        Symbol *const entry = &scanner->symbols[symbol];
        const int64_t end = entry->start + entry->length;
        entry->code = hash_string(scanner->data, entry->start, end, replaced);
    }
    enter_symbols(scanner);
}

/* Return a string's symbol, after adding a new string; -1 if there is no room for it. */
static inline int64_t symbol_of(const Scanner *scanner, int64_t start, int64_t end)
{
    const uint8_t *data = scanner->data;
    Symbol *symbols = scanner->symbols;
    /* Equal codes are only likely to be equal strings: their bytes are compared as well. */
    const int64_t replaced = scanner->state->replaced, length = end - start;
    const int64_t code = hash_string(data, start, end, replaced), mask = 2 * scanner->capacity - 1;
    const int64_t first = first_slot_of(code, mask);
    int64_t slot = first, symbol;
    for (; (symbol = scanner->slots[slot]) >= 0; slot = (slot + 1) & mask) {
        const Symbol *entry = &symbols[symbol];
        if (entry->code == code && entry->length == length
            && memcmp(data + entry->start, data + start, (size_t)length) == 0)
            return symbol;
    }
    symbol = scanner->state->symbols;
    if (symbol == scanner->capacity)
        return -1;
    scanner->state->symbols++;
    scanner->slots[slot] = (int32_t)symbol;
    symbols[symbol].code = code;
    symbols[symbol].start = start;
    symbols[symbol].length = length;
    /* Each function may leave symbols twice as far away as the one before, so that it is replaced
     * only a few times, whatever the symbols are. */
    if (((slot - first) & mask) >> replaced > FARTHEST)
        rehash_symbols(scanner);
    return symbol;
}

static inline void add_edge(const Scanner *scanner, int64_t e, int32_t source, int32_t role,
                            int64_t target, int32_t kind)
{
    scanner->sources[e] = source;
    scanner->roles[e] = role;
    scanner->targets[e] = (int32_t)target;
    scanner->kinds[e] = kind;
}

/* Return the state before the first token. */
static Reading begin_reading(const Scanner *scanner, int64_t position)
{
    State *const state = scanner->state;
    return (Reading){
        .position = position,
        .first = -1,
        .opening = -1,
        .nodes = scanner->node_start[state->graphs],
        .edges = scanner->edge_start[state->graphs],
        .attempt = ++state->attempts,
        .expected = GRAPH,
        .node = -1,
        .role = -1,
    };
}

/* Read comments and a graph, to the end of the graph, of the text at `stop`, or of the budget at
 * `limit`. */
static Reading read_graph(const Scanner *scanner, Reading now, int64_t stop, int64_t limit)
{
    const int64_t first_node = scanner->node_start[scanner->state->graphs];
    const int64_t first_edge = scanner->edge_start[scanner->state->graphs];
    const uint8_t *data = scanner->data;
    Symbol *symbols = scanner->symbols;
    int32_t *parents = scanner->parents;
    /* An automaton: `expected` is what the next token should be. parents[:depth] is a stack with
     * the parent of each node whose parenthesis is open, -1 for the root. A symbol is a variable of
     * this graph if its last attempt is this one, so that nothing has to be reset between graphs.
     *
     * There are rows for all parentheses and colons of the text. Each node that is written here has
     * read a parenthesis, each edge a colon, and rows that are kept belong to the text before
     * `position`: there are always enough. */
    /* An automaton: `expected` is what the next token should be. parents[:depth] is a stack with
     * the parent of each node whose parenthesis is open, -1 for the root. A symbol is a variable of
     * this graph if its last attempt is this one, so that nothing has to be reset between graphs.
     *
     * There are rows for all parentheses and colons of the text. Each node that is written here has
     * read a parenthesis, each edge a colon, and rows that are kept belong to the text before the
     * graph: there are always enough. */
    int64_t symbol = -1;
    for (;;) {
        while (now.position < stop && CLASSES[data[now.position]] >= BLANK)
            now.position++;
        if (now.position >= limit) {
            now.status = limit < stop ? PAUSED : now.opening < 0 ? NOTHING : UNFINISHED;
            break;
        }
        if (now.first < 0)
            now.first = now.position;
        const Token token = read_token(data, now.position, stop);
        const TokenKind kind = token.kind;
        if (kind <= ROLE) {
            symbol = symbol_of(scanner, now.position, token.end);
            if (symbol < 0) {
                now.status = FULL;
                break;
            }
        }
        const bool may_align = now.alignable;
        now.alignable = false;
        if (kind == ALIGNMENT && may_align) {
        } else if (now.expected == EDGE && kind == ROLE) {
            now.role = (int32_t)symbol;
            now.expected = TARGET;
            now.alignable = true;
        } else if (now.expected == TARGET && kind <= STRING) {
            const bool is_node = symbols[symbol].attempt == now.attempt;
            add_edge(scanner, now.edges++, now.node, now.role,
                     is_node ? symbols[symbol].node : symbol, is_node ? RELATION : ATTRIBUTE);
            now.expected = EDGE;
            now.alignable = true;
        } else if (now.expected == TARGET && kind == OPEN && now.depth < scanner->levels) {
            add_edge(scanner, now.edges++, now.node, now.role, now.nodes - first_node, RELATION);
            parents[now.depth++] = now.node;
            now.expected = VARIABLE;
        } else if (now.expected == EDGE && kind == CLOSE) {
            now.node = parents[--now.depth];
            if (now.depth == 0) {
                now.position = token.end;
                now.status = DONE;
                break;
            }
        } else if (now.expected == VARIABLE && kind == SYMBOL
                   && symbols[symbol].attempt != now.attempt) {
            now.node = (int32_t)(now.nodes - first_node);
            symbols[symbol].attempt = now.attempt;
            symbols[symbol].node = now.node;
            scanner->variables[now.nodes] = (int32_t)symbol;
            now.expected = SEPARATOR;
        } else if (now.expected == SEPARATOR && kind == SLASH) {
            now.expected = CONCEPT;
        } else if (now.expected == CONCEPT && kind <= STRING) {
            scanner->concepts[now.nodes++] = (int32_t)symbol;
            now.expected = EDGE;
            now.alignable = true;
        } else if (now.expected == GRAPH && kind == OPEN) {
            now.opening = now.position;
            parents[0] = -1;
            now.depth = 1;
            now.expected = VARIABLE;
        } else if (now.expected != GRAPH || kind != COMMENT) {
            now.status = UNSURE;
            break;
        }
        now.position = token.end;
    }
    if (now.status == DONE) {
        /* A symbol that was no variable when it was read may be one that is defined later. */
        for (int64_t k = first_edge; k < now.edges; k++) {
            const Symbol *target = &symbols[scanner->targets[k]];
            if (scanner->kinds[k] == ATTRIBUTE && target->attempt == now.attempt) {
                scanner->targets[k] = (int32_t)target->node;
                scanner->kinds[k] = FORWARD;
            }
        }
    }
    return now;
}

/* Return the position behind the parenthesis that closes the next graph, or -1.
 *
 * Text with an unexpected character is invalid in any case, so that its end is not looked for.
 */
static int64_t end_of_graph(const uint8_t *data, int64_t position, int64_t stop)
{
    int64_t depth = 0;
    for (;;) {
        while (position < stop && CLASSES[data[position]] >= BLANK)
            position++;
        if (position >= stop)
            return -1;
        const Token token = read_token(data, position, stop);
        if (token.kind == OPEN) {
            depth++;
        } else if (token.kind == CLOSE) {
            depth--;
            if (depth <= 0)
                return depth == 0 ? token.end : -1;
        } else if (token.kind == UNEXPECTED || (depth == 0 && token.kind != COMMENT)) {
            return -1;
        }
        position = token.end;
    }
}

/* Add a row to the table of graphs. */
static void add_graph(const Scanner *scanner, int64_t nodes, int64_t edges, int64_t begin,
                      int64_t end)
{
    const int64_t row = ++scanner->state->graphs;
    scanner->node_start[row] = nodes;
    scanner->edge_start[row] = edges;
    scanner->begins[row] = begin;
    scanner->ends[row] = end;
}

/* Leave out a part of the text. */
static void add_part(const Scanner *scanner, int64_t begin, int64_t end)
{
    const int64_t row = scanner->state->graphs;
    add_graph(scanner, scanner->node_start[row], scanner->edge_start[row], begin, end);
}

/* Read graphs from where `state` says, to the end or until the table of symbols is full.
 *
 * The regions are the begins and ends of the parts of the text to read, in order. If a region
 * cannot be read to its end, all of it is left out with `whole`, else only single graphs; these
 * only before `complete`, where the last line ends that is complete. The rows of `state`, `graphs`,
 * `nodes`, `edges` and `symbols` are the members of State and Scanner.
 */
EXPORT bool read_graphs(Scanning *scanning, int64_t length, int64_t n_regions, int64_t rows,
                        int64_t openings, int64_t colons, int64_t capacity, int64_t levels,
                        bool whole, int64_t complete, const uint8_t data[length],
                        const int64_t regions[n_regions][2], int64_t state[8],
                        int64_t graphs[4][rows], int32_t nodes[2][openings],
                        int32_t edges[4][colons], int64_t symbols[capacity][5],
                        int32_t slots[2 * capacity], int32_t parents[levels])
{
    /* Everything is kept in `state`: after FULL, the caller enlarges the table of symbols and calls
     * again; the graph that was being read is read from its beginning. */
    State *const now = (State *)state;
    const Scanner scanner = {
        .data = data,
        .state = now,
        .node_start = graphs[0], .edge_start = graphs[1], .begins = graphs[2], .ends = graphs[3],
        .variables = nodes[0], .concepts = nodes[1],
        .sources = edges[0], .roles = edges[1], .targets = edges[2], .kinds = edges[3],
        .symbols = (Symbol *)symbols, .slots = slots, .capacity = capacity,
        .parents = parents, .levels = levels,
    };
    bool paused = scanning->reading.status == PAUSED;
    if (!paused)
        enter_symbols(&scanner);
    now->status = NOTHING;
    for (; now->region < n_regions; now->region++) {
        const int64_t begin = max_int(regions[now->region][0], 0);
        const int64_t stop = min_int(regions[now->region][1], length);
        now->position = max_int(now->position, begin);
        for (;;) {
            /* Rows of nodes and edges are overwritten by the next attempt unless `add_graph` counts
             * them. */
            if (now->graphs + 1 == rows) {
                now->status = DONE;
                return true;
            }
            const Reading before
                = paused ? scanning->reading : begin_reading(&scanner, now->position);
            const int64_t allowed = max_int(scanning->pause.left, 1);
            const Reading reading = read_graph(&scanner, before, stop,
                                               min_int(stop, before.position + allowed));
            scanning->pause.left -= reading.position - before.position;
            paused = reading.status == PAUSED;
            if (paused) {
                scanning->reading = reading;
                return false;
            }
            now->status = reading.status;
            if (reading.status == FULL)
                return true;
            if (reading.status == DONE) {
                add_graph(&scanner, reading.nodes, reading.edges, reading.first, reading.opening);
                now->position = reading.position;
                continue;
            }
            if (reading.status == UNSURE && !whole) {
                const int64_t end = end_of_graph(data, now->position, stop);
                if (0 <= end && end <= complete) {
                    add_part(&scanner, now->position, end);
                    now->position = end;
                    continue;
                }
            }
            break;
        }
        if (whole && (now->status != NOTHING || now->graphs == now->first)) {
            now->graphs = now->first;
            add_part(&scanner, begin, stop);
        }
        now->first = now->graphs;
    }
    return true;
}

/* Copy parts of a text, each with a line feed behind it, to `joined`. */
EXPORT void join_parts(int64_t length, int64_t parts, int64_t size, const uint8_t data[length],
                       const int64_t begins[parts], const int64_t lengths[parts],
                       uint8_t joined[size])
{
    uint8_t *end = joined;
    for (int64_t part = 0; part < parts; part++) {
        memcpy(end, data + begins[part], (size_t)lengths[part]);
        end += lengths[part];
        *end++ = '\n';
    }
}

/* Divide the edges of each graph into attributes and relations; normalise inverse roles.
 *
 * `base_roles` has, for each symbol, the role that it inverts, or itself. Rows of attributes are
 * (node, role, constant), those of relations (source, role, target); flags are whether a relation
 * was written with an inverse role, and whether its target was defined only later.
 */
EXPORT void split_edges(int64_t graphs, int64_t edges, int64_t n_symbols, int64_t n_attributes,
                        int64_t n_relations, const int64_t edge_start[graphs + 1],
                        const int32_t sources[edges], const int32_t roles[edges],
                        const int32_t targets[edges], const int32_t kinds[edges],
                        const int32_t base_roles[n_symbols], const bool is_inverse[n_symbols],
                        int64_t start[2][graphs + 1], int32_t attributes[3][n_attributes],
                        int32_t relations[3][n_relations], bool flags[2][n_relations])
{
    int64_t a = 0, r = 0;
    start[0][0] = start[1][0] = 0;
    for (int64_t g = 0; g < graphs; g++) {
        for (int64_t e = edge_start[g]; e < edge_start[g + 1]; e++) {
            if (kinds[e] == ATTRIBUTE) {
                attributes[0][a] = sources[e];
                attributes[1][a] = roles[e];
                attributes[2][a++] = targets[e];
                continue;
            }
            const bool inverse = is_inverse[roles[e]];
            relations[0][r] = inverse ? targets[e] : sources[e];
            relations[1][r] = base_roles[roles[e]];
            relations[2][r] = inverse ? sources[e] : targets[e];
            flags[0][r] = inverse;
            flags[1][r++] = kinds[e] == FORWARD;
        }
        start[0][g + 1] = a;
        start[1][g + 1] = r;
    }
}
