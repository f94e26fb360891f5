/* What the tests of files share: arrays of all kinds, their contents, and paths. */
#ifndef TESTS_FILE_ARRAYS_H
#define TESTS_FILE_ARRAYS_H

#include "kit/devices.h"
#include "kit/native.h"

#include <causeway/file.h>

enum { PATH_BYTES = 600 };

/* A path that no other test uses, in the folder of `folder` (NULL: this one); the same on all
 * processes. Collective. */
void make_path(char path[PATH_BYTES], const char *folder, const char *name);

/* How many files are there beside the path that begin with its name and a point? */
int count_beside(const char *path);

/* An array of random layout, from the common sequence. */
cw_array make_array(cw_team team, const char *name, cw_type type, size_t bytes, int dimensions,
                    const int64_t *extents);

/* All elements, of which number i of seed s is known. Collective over the array's team. */
void fill_array(cw_array array, int seed);
void check_array(cw_array array, int seed);

/* Store element number i. */
void set_element(const cw_array_description *is, void *element, int64_t i, int seed);
#endif
