/* Helpers that the tests of files share: arrays of all kinds, their contents, and paths. */
#pragma once

#include "kit/devices.h"
#include "kit/native.h"

#include <causeway/file.h>

enum { PATH_BYTES = 600 };

/* Makes a path that no other test uses, in `folder` (the current one if NULL); the same on all
 * processes. Collective. */
void make_path(char path[PATH_BYTES], const char *folder, const char *name);

/* Returns the number of files beside the path whose names begin with its name and a dot. */
int count_beside(const char *path);

/* Makes an array of random layout, drawn from the common sequence. */
cw_array make_array(cw_team team, const char *name, cw_type type, size_t bytes, int dimensions,
                    const int64_t *extents);

/* Fills all elements with values that depend on their number and the seed. Collective over the
 * array's team. */
void fill_array(cw_array array, int seed);
void check_array(cw_array array, int seed);

/* Stores the value of element number i. */
void set_element(const cw_array_description *is, void *element, int64_t i, int seed);
