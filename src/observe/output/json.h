/* Writes JSON: objects, lists and values in their order, with commas and escapes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A JSON text that is being written. The caller sets `out` and `indent`, and all other fields to
 * zero. */
struct cwi_json {
  FILE *out;
  int indent; /* spaces for each level, if the members are on lines of their own */
  int depth;
  struct cwi_json_level {
    char end;    /* bracket that ends the object or list */
    bool lines;  /* each member is on a line of its own */
    bool filled; /* a member has been written */
  } levels[8];   /* the first is the text itself */
};

/* cwi_json_object and cwi_json_list begin an object or a list; cwi_json_end ends it. The values
 * written in between belong to it. `name` is its name in the object around it, or NULL in a list.
 * `lines` puts each member on a line of its own. */
void cwi_json_object(struct cwi_json *json, const char *name, bool lines);
void cwi_json_list(struct cwi_json *json, const char *name, bool lines);
void cwi_json_end(struct cwi_json *json);

/* Write a value. `name` is NULL in a list. cwi_json_fixed writes value / 10^digits. */
void cwi_json_whole(struct cwi_json *json, const char *name, uint64_t value);
void cwi_json_integer(struct cwi_json *json, const char *name, int64_t value);
void cwi_json_fixed(struct cwi_json *json, const char *name, uint64_t value, int digits);
void cwi_json_fraction(struct cwi_json *json, const char *name, double value);
void cwi_json_truth(struct cwi_json *json, const char *name, bool value);

/* Writes a text in quotes and in ASCII. Bytes that are not valid UTF-8 become characters of
 * Latin-1. */
void cwi_json_text(struct cwi_json *json, const char *name, const char *text);

/* Writes a list of whole numbers, each divided by `parts`. */
void cwi_json_wholes(struct cwi_json *json, const char *name, const uint64_t *values, size_t count,
                     uint64_t parts);
