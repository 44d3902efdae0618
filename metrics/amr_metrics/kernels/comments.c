/* Values in comment lines: amr_metrics.graphs.comments. */
#include <string.h>

#include "kernels.h"

enum { MISSING, FOUND, UNSURE };

/* Return whether `str.rstrip` removes a character of ASCII; line ends aside. */
static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || (c >= 0x1c && c <= 0x1f);
}

/* Return where the next "::" begins in text[position:end], or `end`. */
static int64_t find_colons(const uint8_t *text, int64_t position, int64_t end)
{
    while (position + 1 < end) {
        const uint8_t *colon = memchr(text + position, ':', (size_t)(end - 1 - position));
        if (colon == NULL)
            return end;
        position = colon - text;
        if (text[position + 1] == ':')
            return position;
        position++;
    }
    return end;
}

/* Return whether "::snt" or "::tok" occurs in front of a position, on the same line. */
static bool follows_sentence(const uint8_t *text, int64_t first, int64_t position)
{
    int64_t line = position;
    while (line > first && text[line - 1] != '\n' && text[line - 1] != '\r')
        line--;
    for (int64_t at = find_colons(text, line, position); at + 5 <= position;
         at = find_colons(text, at + 1, position))
        if (memcmp(text + at + 2, "snt", 3) == 0 || memcmp(text + at + 2, "tok", 3) == 0)
            return true;
    return false;
}

/* Collect the value of one key in the comments of each graph, with a line feed behind each value.
 *
 * The value of "::key " ends at the line end or, unless the key is that of a sentence, at the next
 * "::"; blanks of ASCII at its end are left out. Kinds are FOUND; MISSING, with an empty value; or UNSURE, likewise, if the key occurs twice,
 * has no value, may be part of a sentence, or if a third colon follows the value, which may count
 * to the value or to the next key. Returns the length of all values.
 */
EXPORT int64_t collect_values(int64_t length, int64_t graphs, int64_t key_length, bool sentence,
                              const uint8_t text[length], const int64_t start[graphs + 1],
                              const uint8_t key[key_length], int8_t kinds[graphs],
                              uint8_t values[length + graphs])
{
    /* A value is shorter than the comments that it is in, so that `values` has room for all. */
    int64_t size = 0;
    for (int64_t g = 0; g < graphs; g++) {
        const int64_t first = start[g], last = start[g + 1];
        int64_t begin = first, end = first;
        kinds[g] = MISSING;
        for (int64_t at = find_colons(text, first, last); at < last && kinds[g] != UNSURE;
             at = find_colons(text, at + 1, last)) {
            const int64_t behind = at + 2 + key_length;
            if (behind > last || memcmp(text + at + 2, key, (size_t)key_length) != 0)
                continue;
            const uint8_t next = behind < last ? text[behind] : '\n';
            if (next != ' ' && next != ':' && next != '\n' && next != '\r')
                continue; /* another key, which begins like this one */
            if (kinds[g] == FOUND || next != ' ' || follows_sentence(text, first, at)) {
                kinds[g] = UNSURE;
                continue;
            }
            begin = end = behind + 1;
            const int64_t limit = sentence ? last : find_colons(text, begin, last);
            while (end < limit && text[end] != '\n' && text[end] != '\r')
                end++;
            const bool third = end == limit && end + 2 < last && text[end + 2] == ':';
            kinds[g] = third ? UNSURE : FOUND;
            while (end > begin && is_blank(text[end - 1]))
                end--;
        }
        if (kinds[g] == FOUND) {
            memcpy(values + size, text + begin, (size_t)(end - begin));
            size += end - begin;
        }
        values[size++] = '\n';
    }
    return size;
}
