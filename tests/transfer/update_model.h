/* A plain model of atomic updates of one element. It shares no code with the library. */
#pragma once

#include <causeway.h>
#include <stdbool.h>
#include <stddef.h>

enum { MODEL_TYPES = 15, MODEL_OPERATIONS = 14 };

extern const cw_type model_types[MODEL_TYPES];
extern const cw_reduction model_operations[MODEL_OPERATIONS];

size_t model_bytes(cw_type type);

/* Returns true if MPI allows this operation on this type. */
bool model_allows(cw_reduction operation, cw_type type);

/* Computes to = to op operand for one element. */
void model_update(cw_reduction operation, cw_type type, void *to, const void *operand);

/* Stores the number 2 as an element of a type that can be scaled. */
void model_two(cw_type type, void *element);

/* Draws an element whose results are exact: a small whole number for real and complex types. */
void model_random(cw_type type, void *element);
