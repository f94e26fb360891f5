/* Round numbers, and the shades in which amounts are drawn, on pages and in text. */
#include "cw-report.h"

#include "base/scaled.h"

#include <math.h>

/* --- Round numbers ---------------------------------------------------------------------------- */

double report_round_up(int measure, double value)
{
  const double almost = value * (1 - 1e-9);
  if (measure == REPORT_BY_BYTES)
    return exp2(ceil(log2(almost)));
  const double ten = pow(10, floor(log10(almost)));
  return ten >= almost ? ten : 2 * ten >= almost ? 2 * ten : 5 * ten >= almost ? 5 * ten : 10 * ten;
}

void report_format_amount(char word[REPORT_WORD], int measure, double amount)
{
  if (measure == REPORT_BY_COUNT || amount <= 0) {
    snprintf(word, REPORT_WORD, "%.0f", amount);
    return;
  }
  const char *unit =
      measure == REPORT_BY_BYTES ? cwi_scaled_bytes(&amount) : cwi_scaled_seconds(&amount);
  snprintf(word, REPORT_WORD, amount < 1e4 ? "%.4g %s" : "%.0f %s", amount, unit);
}

/* --- Shades ----------------------------------------------------------------------------------- */

/* Sets the ends of shades that are equally wide. */
static void scale_evenly(struct report_scale *scale, int measure)
{
  double width = report_round_up(measure, scale->most / REPORT_SHADES);
  if (measure != REPORT_BY_TIME)
    width = fmax(1, width);
  scale->shades = (int)fmin(REPORT_SHADES, ceil(scale->most / width * (1 - 1e-9)));
  for (int shade = 1; shade <= scale->shades; shade++)
    scale->end[shade] = width * shade;
}

/* Sets the ends of shades so that each end is the same multiple of the end before. The multiple is
 * a power of 2 for bytes, else of 10, so that the ends stay round. */
static void scale_by_multiples(struct report_scale *scale, int measure)
{
  const double base = measure == REPORT_BY_BYTES ? 2 : 10;
  double multiple = base;
  while (scale->least * pow(multiple, REPORT_SHADES - 1) < scale->most)
    multiple *= base;
  double end = pow(base, ceil(log(scale->least) / log(base) - 1e-9));
  scale->shades = 0;
  for (; scale->shades < REPORT_SHADES && scale->end[scale->shades] < scale->most; end *= multiple)
    scale->end[++scale->shades] = end;
}

struct report_scale report_scale_of(const double *value, size_t count, int measure)
{
  const double much = 100; /* the greatest ratio of amounts for equally wide shades */
  struct report_scale scale = {.least = HUGE_VAL};
  for (size_t i = 0; i < count; i++) {
    scale.least = value[i] > 0 ? fmin(scale.least, value[i]) : scale.least;
    scale.most = fmax(scale.most, value[i]);
  }
  if (scale.most <= 0)
    return scale;
  scale.is_even = scale.most <= 2 * scale.least;
  if (scale.most <= much * scale.least)
    scale_evenly(&scale, measure);
  else
    scale_by_multiples(&scale, measure);
  return scale;
}

int report_shade_of(const struct report_scale *scale, double value)
{
  if (value <= 0)
    return 0;
  if (scale->is_even)
    return REPORT_EVEN_SHADE;
  int shade = 1;
  while (shade < scale->shades && value > scale->end[shade])
    shade++;
  return shade;
}

void report_describe_shade(char word[2 * REPORT_WORD + 16], const struct report_scale *scale,
                           int measure, int shade)
{
  enum { SIZE = 2 * REPORT_WORD + 16 };
  char least[REPORT_WORD], most[REPORT_WORD];
  report_format_amount(least, measure, scale->least);
  report_format_amount(most, measure, scale->is_even ? scale->most : scale->end[shade]);
  if (!scale->is_even)
    snprintf(word, SIZE, "to %s", most);
  else if (scale->least < scale->most)
    snprintf(word, SIZE, "even: %s to %s", least, most);
  else
    snprintf(word, SIZE, "all %s", most);
}
