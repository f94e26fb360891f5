/* The end of a phase: waves on a tree of processes. Run by the first worker of each process. */
#include "worker/wave.h"

#include <causeway/sync.h>
#include <causeway/transfer.h>

void cwi_wave_begin(struct cwi_wave *wave, const struct cwi_wave_members *members)
{
  const int rank = members->rank;
  *wave = (struct cwi_wave){.mine = members->slice(members->context, rank)};
  *wave->mine = (struct cwi_wave_shared){0};
  if (rank > 0) {
    const int parent = (rank - 1) / 2;
    wave->parent = members->slice(members->context, parent);
    wave->parent_process = members->process(members->context, parent);
    wave->place = (rank - 1) % 2;
  }
  for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < members->size; child++) {
    wave->children[wave->count] = members->slice(members->context, child);
    wave->child_process[wave->count] = members->process(members->context, child);
    wave->count++;
  }
}

bool cwi_wave_is_ready(const struct cwi_wave *wave)
{
  for (int i = 0; i < wave->count; i++)
    if (__atomic_load_n(&wave->mine->child[i].reported, __ATOMIC_ACQUIRE) == wave->number)
      return false;
  return !wave->given;
}

static cw_error decide(struct cwi_wave *wave, bool over)
{
  for (int i = 0; i < wave->count; i++)
    CWI_TRY(cw_notify(&wave->children[i]->down, over ? 2 : 1, wave->child_process[i]));
  wave->number++;
  wave->given = false;
  return CW_OK;
}

cw_error cwi_wave_report(struct cwi_wave *wave, int64_t added, int64_t done)
{
  int64_t sums[2] = {added, done};
  for (int i = 0; i < wave->count; i++) {
    sums[0] += wave->mine->child[i].added;
    sums[1] += wave->mine->child[i].done;
  }
  wave->given = true;
  if (wave->parent != NULL) {
    CWI_TRY(
        cw_put(sums, &wave->parent->child[wave->place].added, sizeof sums, wave->parent_process));
    return cw_notify(&wave->parent->child[wave->place].reported, 1, wave->parent_process);
  }
  /* The root receives its own decision through `down`, like the other processes. */
  const bool over = wave->done == sums[0];
  wave->done = sums[1];
  wave->mine->down += over ? 2 : 1;
  return CW_OK;
}

cw_error cwi_wave_poll(struct cwi_wave *wave, bool *over)
{
  const int64_t down = __atomic_load_n(&wave->mine->down, __ATOMIC_ACQUIRE);
  *over = down - wave->received == 2;
  if (down == wave->received)
    return CW_OK;
  wave->received = down;
  return decide(wave, *over);
}
