/* The digest of the sources from which this library was built; amr_metrics.kernels.build reads it
 * from the file. */
#include "kernels.h"

#define AS_TEXT(value) #value
#define EXPANDED_AS_TEXT(value) AS_TEXT(value)

EXPORT const char kernels_digest[] = EXPANDED_AS_TEXT(KERNELS_DIGEST);
