/* A table that maps numbers to the objects of a session. The program and the proxy each have such a
 * table. It consists of pages. A page is allocated when its first number is used. */
#pragma once

#include "wire/message.h"

#include <stdlib.h>

enum { VOCL_NUMBERS_PAGE = 1 << 10 };

struct vocl_numbers {
  void **pages[VOCL_OBJECT_NUMBERS / VOCL_NUMBERS_PAGE];
};

/* Returns the place of a number, or NULL if its page does not exist. */
static inline void **vocl_number_place(const struct vocl_numbers *numbers, uint32_t number)
{
  void **page = number < VOCL_OBJECT_NUMBERS ? numbers->pages[number / VOCL_NUMBERS_PAGE] : NULL;
  return page != NULL ? &page[number % VOCL_NUMBERS_PAGE] : NULL;
}

/* Like vocl_number_place, but allocates a missing page. `number` must be less than
 * VOCL_OBJECT_NUMBERS. Returns NULL if there is no memory. */
static inline void **vocl_number_place_make(struct vocl_numbers *numbers, uint32_t number)
{
  void ***page = &numbers->pages[number / VOCL_NUMBERS_PAGE];
  if (*page == NULL)
    *page = calloc(VOCL_NUMBERS_PAGE, sizeof **page);
  return vocl_number_place(numbers, number);
}

/* Returns the object with the number, or NULL. */
static inline void *vocl_number_find(const struct vocl_numbers *numbers, uint32_t number)
{
  void **place = vocl_number_place(numbers, number);
  return place != NULL ? *place : NULL;
}

/* Returns the first object whose number is at least *number, and sets *number to the number after
 * it. Returns NULL if there is none. */
static inline void *vocl_number_next(const struct vocl_numbers *numbers, uint32_t *number)
{
  while (*number < VOCL_OBJECT_NUMBERS) {
    void **place = vocl_number_place(numbers, *number);
    *number = place != NULL ? *number + 1 : (*number | (VOCL_NUMBERS_PAGE - 1)) + 1;
    if (place != NULL && *place != NULL)
      return *place;
  }
  return NULL;
}

/* Empties the table. Does not free the objects. */
static inline void vocl_numbers_clear(struct vocl_numbers *numbers)
{
  for (size_t i = 0; i < sizeof numbers->pages / sizeof *numbers->pages; i++) {
    free(numbers->pages[i]);
    numbers->pages[i] = NULL;
  }
}
