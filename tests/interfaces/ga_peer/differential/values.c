/* Element types, and patches with their buffers. */
#include "differ.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xa5 };

/* GA stores C_LONGLONG but rejects accumulating it. */
const kind kinds[KINDS] = {
    [INT] = {"int", C_INT, sizeof(int), 0x1p29, true, true, false},
    [LONG] = {"long", C_LONG, sizeof(long), 0x1p50, true, true, false},
    [FLOAT] = {"float", C_FLOAT, sizeof(float), 0x1p23, true, false, false},
    [DOUBLE] = {"double", C_DBL, sizeof(double), 0x1p50, true, false, false},
    [SCPL] = {"scomplex", C_SCPL, sizeof(SingleComplex), 0x1p22, true, false, true},
    [DCPL] = {"dcomplex", C_DCPL, sizeof(DoubleComplex), 0x1p50, true, false, true},
    [LONGLONG] = {"longlong", C_LONGLONG, sizeof(long long), 0x1p50, false, true, false},
};

void store(const kind *type, void *values, size_t index, double re, double im)
{
  switch (type->code) {
  case C_INT:
    ((int *)values)[index] = (int)re;
    break;
  case C_LONG:
    ((long *)values)[index] = (long)re;
    break;
  case C_LONGLONG:
    ((long long *)values)[index] = (long long)re;
    break;
  case C_FLOAT:
    ((float *)values)[index] = (float)re;
    break;
  case C_DBL:
    ((double *)values)[index] = re;
    break;
  case C_SCPL:
    ((SingleComplex *)values)[index] = (SingleComplex){(float)re, (float)im};
    break;
  default:
    ((DoubleComplex *)values)[index] = (DoubleComplex){re, im};
    break;
  }
}

void load(const kind *type, const void *values, size_t index, double *re, double *im)
{
  *im = 0;
  switch (type->code) {
  case C_INT:
    *re = ((const int *)values)[index];
    break;
  case C_LONG:
    *re = (double)((const long *)values)[index];
    break;
  case C_LONGLONG:
    *re = (double)((const long long *)values)[index];
    break;
  case C_FLOAT:
    *re = (double)((const float *)values)[index];
    break;
  case C_DBL:
    *re = ((const double *)values)[index];
    break;
  case C_SCPL:
    *re = (double)((const SingleComplex *)values)[index].real;
    *im = (double)((const SingleComplex *)values)[index].imag;
    break;
  default:
    *re = ((const DoubleComplex *)values)[index].real;
    *im = ((const DoubleComplex *)values)[index].imag;
    break;
  }
}

static uint64_t digest_real(uint64_t start, double value)
{
  uint64_t bits;

  value += 0.0; /* one library may produce -0 where another produces 0 */
  memcpy(&bits, &value, sizeof bits);
  return mix(start ^ bits);
}

uint64_t digest(uint64_t start, const kind *type, const void *values, size_t index)
{
  double re, im;

  load(type, values, index, &re, &im);
  return digest_real(digest_real(start, re), im);
}

number draw_number(const kind *type, int range)
{
  number n;
  double re = draw(2 * range + 1) - range, im = draw(2 * range + 1) - range;

  memset(&n, 0, sizeof n);
  store(type, &n, 0, re, im);
  return n;
}

void log_number(const kind *type, number n)
{
  double re, im;

  load(type, &n, 0, &re, &im);
  log_text(type->is_complex ? " %.17g%+.17gi" : " %.17g", re + 0.0, im + 0.0); /* no -0 */
}

void box_set(box *b, const array *a, const int *lo, const int *hi, const int *skip, int pad)
{
  size_t elements = 1;

  b->of = a;
  b->count = 1;
  memset(b->ld, 0, sizeof b->ld);
  for (int d = 0; d < a->ndim; d++) {
    b->lo[d] = lo[d];
    b->hi[d] = hi[d];
    b->skip[d] = skip ? skip[d] : 1;
    b->extent[d] = hi[d] < lo[d] ? 0 : (hi[d] - lo[d]) / b->skip[d] + 1;
    b->count *= (size_t)b->extent[d];
    if (d > 0)
      b->ld[d - 1] = b->extent[d] + pad;
    elements *= (size_t)(d > 0 ? b->ld[d - 1] : b->extent[d]);
  }
  b->bytes = (elements + 2) * a->type->size; /* with a guard after the last row */
  b->buffer = take(b->bytes, 1);
  memset(b->buffer, POISON, b->bytes);
}

void box_whole(box *b, const array *a)
{
  int lo[DIMS] = {0}, hi[DIMS];

  for (int d = 0; d < a->ndim; d++)
    hi[d] = a->dims[d] - 1;
  box_set(b, a, lo, hi, NULL, 0);
}

bool box_empty(const box *b)
{
  return b->count == 0;
}

void box_draw(box *b, const array *a, int slab, int slabs)
{
  int lo[DIMS], hi[DIMS], longest = 0, pad = draw(3);

  for (int d = 1; d < a->ndim; d++)
    if (a->dims[d] > a->dims[longest])
      longest = d;
  for (int d = 0; d < a->ndim; d++) {
    int first = d == longest ? a->dims[d] * slab / slabs : 0;
    int next = d == longest ? a->dims[d] * (slab + 1) / slabs : a->dims[d];
    int from = draw(1 << 20), to = draw(1 << 20); /* always drawn, to keep the sequences equal */

    lo[d] = first;
    hi[d] = first - 1;
    if (next > first) {
      lo[d] = first + from % (next - first);
      hi[d] = lo[d] + to % (next - lo[d]);
    }
  }
  box_set(b, a, lo, hi, NULL, pad);
}

void box_draw_like(box *b, const array *a, const box *like)
{
  int lo[DIMS], hi[DIMS];

  for (int d = 0; d < a->ndim; d++) {
    lo[d] = draw(a->dims[d] - like->extent[d] + 1);
    hi[d] = lo[d] + like->extent[d] - 1;
  }
  box_set(b, a, lo, hi, NULL, draw(3));
}

void box_free(box *b)
{
  free(b->buffer);
  b->buffer = NULL;
}

size_t box_spot(const box *b, size_t n)
{
  size_t spot = 0, stride = 1;

  for (int d = b->of->ndim - 1; d >= 0; d--) {
    spot += n % (size_t)b->extent[d] * stride;
    n /= (size_t)b->extent[d];
    if (d > 0)
      stride *= (size_t)b->ld[d - 1];
  }
  return spot;
}

void box_random(box *b, int range, uint64_t stamp)
{
  for (size_t n = 0; n < b->count; n++) {
    uint64_t x = mix(stamp + n);
    double re = (double)(x % (uint64_t)(2 * range + 1)) - range;
    double im = (double)((x >> 32) % (uint64_t)(2 * range + 1)) - range;

    store(b->of->type, b->buffer, box_spot(b, n), re, im);
  }
}

uint64_t box_digest(const box *b)
{
  uint64_t h = b->count;
  size_t size = b->of->type->size;

  for (size_t n = 0; n < b->count; n++) {
    size_t spot = box_spot(b, n);
    h = digest(h, b->of->type, b->buffer, spot);
    memset(b->buffer + spot * size, POISON, size);
  }
  for (size_t i = 0; i < b->bytes; i++)
    if (b->buffer[i] != POISON) {
      own(" PADDING OVERWRITTEN at byte %zu of %zu", i, b->bytes);
      return h + 1;
    }
  return h;
}

void log_box(const box *b)
{
  log_text(" [");
  for (int d = 0; d < b->of->ndim; d++) {
    log_text("%s%d:%d", d ? "," : "", b->lo[d], b->hi[d]);
    if (b->skip[d] != 1)
      log_text("/%d", b->skip[d]);
  }
  log_text("]");
}

void draw_sub(const array *a, int *sub)
{
  for (int d = 0; d < a->ndim; d++)
    sub[d] = draw(a->dims[d]);
}

/* Powers of two of both signs, without imaginary part, so that divisions by them are exact. */
double powers(uint64_t stamp, size_t index, bool imaginary)
{
  uint64_t x = mix(stamp + index);

  return imaginary ? 0 : (double)(1 << (x % 3)) * (x & 64 ? -1 : 1);
}

/* Multiples of 16, so that quotients are integers. */
double multiples(uint64_t stamp, size_t index, bool imaginary)
{
  return ((double)(mix(stamp + 2 * index + imaginary) % 19) - 9) * 16;
}

/* Numbers whose absolute values are known exactly, and differ from all of odds(). */
double evens(uint64_t stamp, size_t index, bool imaginary)
{
  return imaginary ? 0 : ((double)(mix(stamp + index) % 19) - 9) * 2;
}

double odds(uint64_t stamp, size_t index, bool imaginary)
{
  return imaginary ? 0 : ((double)(mix(stamp + index) % 19) - 9) * 2 + 1;
}
