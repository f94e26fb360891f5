#include "ga_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xa5, PAYLOAD_RANGE = 8192 };

/* Scales of the 64-bit types use bits above the 32nd; 1 + 2^-10 fills a double's fraction.
 * C_LONGLONG is last: GA stores it but does not accumulate it. */
const model_type model_types[MODEL_TYPES] = {
    [MODEL_INT] = {"C_INT", C_INT, sizeof(int), 1, true, false},
    [MODEL_LONG] = {"C_LONG", C_LONG, sizeof(long), (1 << 20) + 1, true, false},
    [MODEL_FLOAT] = {"C_FLOAT", C_FLOAT, sizeof(float), 0.5, true, false},
    [MODEL_DOUBLE] = {"C_DBL", C_DBL, sizeof(double), 1 + 1.0 / 1024, true, false},
    [MODEL_SCPL] = {"C_SCPL", C_SCPL, sizeof(SingleComplex), 0.5, true, true},
    [MODEL_DCPL] = {"C_DCPL", C_DCPL, sizeof(DoubleComplex), 1 + 1.0 / 1024, true, true},
    [MODEL_LONGLONG] = {"C_LONGLONG", C_LONGLONG, sizeof(long long), (1 << 21) + 1, false, false},
};

void model_store(const model_type *type, void *array, size_t index, model_number value)
{
  double re = creal(value) * type->scale, im = cimag(value) * type->scale;

  switch (type->code) {
  case C_INT:
    ((int *)array)[index] = (int)re;
    break;
  case C_LONG:
    ((long *)array)[index] = (long)re;
    break;
  case C_LONGLONG:
    ((long long *)array)[index] = (long long)re;
    break;
  case C_FLOAT:
    ((float *)array)[index] = (float)re;
    break;
  case C_DBL:
    ((double *)array)[index] = re;
    break;
  case C_SCPL:
    ((SingleComplex *)array)[index] = (SingleComplex){(float)re, (float)im};
    break;
  default:
    ((DoubleComplex *)array)[index] = (DoubleComplex){re, im};
    break;
  }
}

model_number model_load(const model_type *type, const void *array, size_t index)
{
  double re, im = 0;

  switch (type->code) {
  case C_INT:
    re = ((const int *)array)[index];
    break;
  case C_LONG:
    re = (double)((const long *)array)[index];
    break;
  case C_LONGLONG:
    re = (double)((const long long *)array)[index];
    break;
  case C_FLOAT:
    re = ((const float *)array)[index];
    break;
  case C_DBL:
    re = ((const double *)array)[index];
    break;
  case C_SCPL:
    re = ((const SingleComplex *)array)[index].real;
    im = ((const SingleComplex *)array)[index].imag;
    break;
  default:
    re = ((const DoubleComplex *)array)[index].real;
    im = ((const DoubleComplex *)array)[index].imag;
    break;
  }
  return CMPLX(re / type->scale, im / type->scale);
}

model_number model_payload(int process, size_t index, int round)
{
  double low = (double)((index + 131 * (size_t)round) % PAYLOAD_RANGE);

  return CMPLX((process + 1) * PAYLOAD_RANGE + low, 1 + process - low);
}

model_number model_alpha(const model_type *type, int round)
{
  return CMPLX(1 + round % 3, type->is_complex ? round % 2 : 0);
}

model_type model_unscaled(const model_type *type)
{
  model_type plain = *type;

  plain.scale = 1;
  return plain;
}

void model_init(model *m, const model_type *type, int ndim, const int dims[])
{
  m->type = type;
  m->ndim = ndim;
  m->count = 1;
  for (int d = 0; d < ndim; d++) {
    m->dims[d] = dims[d];
    m->count *= (size_t)dims[d];
  }
  m->at = kit_alloc(m->count, sizeof *m->at);
}

void model_free(model *m)
{
  free(m->at);
  m->at = NULL;
}

size_t model_index(const model *m, const int sub[])
{
  size_t index = 0;

  for (int d = 0; d < m->ndim; d++)
    index = index * (size_t)m->dims[d] + (size_t)sub[d];
  return index;
}

int model_create(const model *m)
{
  int dims[GA_MAX_DIM], array;

  memcpy(dims, m->dims, sizeof dims);
  array = NGA_Create(m->type->code, m->ndim, dims, kit_name, NULL);
  if (!array)
    GA_Error(kit_name, KIT_FAIL);
  return array;
}

bool model_check(const model *m, size_t index, model_number got, const char *how)
{
  model_number want = m->at[index];
  char sub[96];
  int used = 0;

  if (creal(got) == creal(want) && cimag(got) == cimag(want))
    return kit_check(true, "%s", how);
  sub[0] = 0;
  for (size_t d = 0, span = m->count; d < (size_t)m->ndim; d++) {
    span /= (size_t)m->dims[d];
    used += snprintf(sub + used, sizeof sub - (size_t)used, "%s%zu", d ? "," : "",
                     index / span % (size_t)m->dims[d]);
  }
  return kit_check(false, "%s: %s element [%s]: got %.17g%+.17gi, want %.17g%+.17gi", how,
                   m->type->name, sub, creal(got), cimag(got), creal(want), cimag(want));
}

/* A process without elements has -1 and -2 as bounds, or, in irregular distributions, hi < lo. */
static bool find_block(const model *m, int array, int member, int lo[], int hi[])
{
  NGA_Distribution(array, member, lo, hi);
  for (int d = 0; d < m->ndim; d++)
    if (lo[d] < 0 || hi[d] < lo[d])
      return false;
  return true;
}

void model_fill(model *m, int array, int round)
{
  int group = GA_Get_pgroup(array), me = GA_Pgroup_nodeid(group);
  int members = GA_Pgroup_nnodes(group);

  GA_Pgroup_sync(group);
  for (int q = 0; q < members; q++) {
    patch p;
    int lo[GA_MAX_DIM], hi[GA_MAX_DIM];

    /* process q writes the block of its right neighbour */
    if (!find_block(m, array, (q + 1) % members, lo, hi))
      continue;
    patch_init(&p, m, lo, hi, NULL, 1);
    patch_payload(&p, q, round);
    patch_put(&p, m);
    if (q == me)
      NGA_Put(array, p.lo, p.hi, p.buffer, p.ld);
    patch_free(&p);
  }
  GA_Pgroup_sync(group);
}

void model_write(const model *m, int array)
{
  int group = GA_Get_pgroup(array), lo[GA_MAX_DIM], hi[GA_MAX_DIM];
  int neighbour = (GA_Pgroup_nodeid(group) + 1) % GA_Pgroup_nnodes(group);
  patch p;

  if (find_block(m, array, neighbour, lo, hi)) {
    patch_init(&p, m, lo, hi, NULL, 1);
    for (size_t n = 0; n < p.count; n++) {
      patch_spot at = patch_find(&p, n);
      model_store(m->type, p.buffer, at.in_buffer, m->at[at.in_model]);
    }
    NGA_Put(array, p.lo, p.hi, p.buffer, p.ld);
    patch_free(&p);
  }
  GA_Pgroup_sync(group);
}

static void verify_own_block(const model *m, int array, int me)
{
  patch p; /* used as a walk over the block only */
  int lo[GA_MAX_DIM], hi[GA_MAX_DIM], ld[GA_MAX_DIM];
  void *block;

  if (!find_block(m, array, me, lo, hi))
    return;
  patch_init(&p, m, lo, hi, NULL, 0);
  NGA_Access(array, lo, hi, &block, ld);
  memcpy(p.ld, ld, sizeof ld);
  for (size_t n = 0; n < p.count; n++) {
    patch_spot at = patch_find(&p, n);
    if (!model_check(m, at.in_model, model_load(m->type, block, at.in_buffer), "own block"))
      break;
  }
  NGA_Release(array, lo, hi);
  patch_free(&p);
}

void model_verify(const model *m, int array)
{
  int group = GA_Get_pgroup(array);
  patch whole;

  GA_Pgroup_sync(group);
  patch_init_whole(&whole, m, 3);
  NGA_Get(array, whole.lo, whole.hi, whole.buffer, whole.ld);
  patch_check(&whole, "get of the whole array");
  patch_free(&whole);
  verify_own_block(m, array, GA_Pgroup_nodeid(group));
  GA_Pgroup_sync(group); /* no process may continue writing while others still compare */
}

void patch_init(patch *p, const model *of, const int lo[], const int hi[], const int skip[],
                int pad)
{
  size_t elements = 1;

  p->of = of;
  p->count = 1;
  for (int d = 0; d < of->ndim; d++) {
    p->lo[d] = lo[d];
    p->hi[d] = hi[d];
    p->skip[d] = skip ? skip[d] : 1;
    p->extent[d] = (hi[d] - lo[d]) / p->skip[d] + 1;
    p->count *= (size_t)p->extent[d];
    elements *= (size_t)p->extent[d];
    if (d > 0) {
      p->ld[d - 1] = p->extent[d] + pad;
      elements = elements / (size_t)p->extent[d] * (size_t)p->ld[d - 1];
    }
  }
  p->bytes = (elements + 4) * of->type->size; /* with a guard after the last row */
  p->buffer = kit_alloc(p->bytes, 1);
  memset(p->buffer, POISON, p->bytes);
}

void patch_init_whole(patch *p, const model *of, int pad)
{
  int lo[GA_MAX_DIM] = {0}, hi[GA_MAX_DIM];

  for (int d = 0; d < of->ndim; d++)
    hi[d] = of->dims[d] - 1;
  patch_init(p, of, lo, hi, NULL, pad);
}

void patch_free(patch *p)
{
  free(p->buffer);
  p->buffer = NULL;
}

patch_spot patch_find(const patch *p, size_t n)
{
  const model *m = p->of;
  patch_spot at = {0, 0};
  size_t model_stride = 1, buffer_stride = 1;

  for (int d = m->ndim - 1; d >= 0; d--) {
    int k = (int)(n % (size_t)p->extent[d]);
    int sub = (p->lo[d] + k * p->skip[d]) % m->dims[d];

    n /= (size_t)p->extent[d];
    if (sub < 0)
      sub += m->dims[d];
    at.in_model += (size_t)sub * model_stride;
    at.in_buffer += (size_t)k * buffer_stride;
    model_stride *= (size_t)m->dims[d];
    if (d > 0)
      buffer_stride *= (size_t)p->ld[d - 1];
  }
  return at;
}

void patch_payload(patch *p, int process, int round)
{
  for (size_t n = 0; n < p->count; n++)
    model_store(p->of->type, p->buffer, patch_find(p, n).in_buffer,
                model_payload(process, n, round));
}

void patch_put(const patch *p, model *m)
{
  for (size_t n = 0; n < p->count; n++) {
    patch_spot at = patch_find(p, n);
    m->at[at.in_model] = model_load(m->type, p->buffer, at.in_buffer);
  }
}

void patch_acc(const patch *p, model *m, model_number alpha)
{
  for (size_t n = 0; n < p->count; n++) {
    patch_spot at = patch_find(p, n);
    m->at[at.in_model] += alpha * model_load(m->type, p->buffer, at.in_buffer);
  }
}

void patch_check(const patch *p, const char *how)
{
  const model_type *type = p->of->type;

  for (size_t n = 0; n < p->count; n++) {
    patch_spot at = patch_find(p, n);
    model_number got = model_load(type, p->buffer, at.in_buffer);

    if (!model_check(p->of, at.in_model, got, how))
      return; /* the first one is enough */
    memset(p->buffer + at.in_buffer * type->size, POISON, type->size);
  }
  for (size_t b = 0; b < p->bytes; b++)
    if (p->buffer[b] != POISON) {
      kit_check(false, "%s: wrote to the padding at byte %zu of %zu", how, b, p->bytes);
      return;
    }
}

bool patch_draw(patch *p, const model *of, int slab, int slabs)
{
  int lo[GA_MAX_DIM], hi[GA_MAX_DIM], longest = 0;
  int pad = kit_common(3);

  for (int d = 1; d < of->ndim; d++)
    if (of->dims[d] > of->dims[longest])
      longest = d;
  for (int d = 0; d < of->ndim; d++) {
    int first = d == longest ? of->dims[d] * slab / slabs : 0;
    int next = d == longest ? of->dims[d] * (slab + 1) / slabs : of->dims[d];

    if (next == first)
      return false;
    lo[d] = first + kit_common(next - first);
    hi[d] = lo[d] + kit_common(next - lo[d]);
  }
  patch_init(p, of, lo, hi, NULL, pad);
  return true;
}
