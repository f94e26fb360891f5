/* Two members tell their words; all compare them and say the same. */
#include "collective/differ.h"

#include "base/hash.h"
#include "collective/collective.h"

/* What a member tells. */
struct told {
  uint64_t used, hash;
  char text[2032];
};

cw_error cwi_differ(cw_team team, int odd, const struct cwi_agreed *list)
{
  struct told told[2];
  struct cwi_words words[2];
  for (int i = 0; i < 2; i++) {
    words[i] = (struct cwi_words){told[i].text, 0, sizeof told[i].text, CWI_HASH_EMPTY};
    told[i] = (struct told){.used = 0};
    cwi_agreed_write(list, &words[i]);
    told[i].used = words[i].used;
    told[i].hash = words[i].hash;
    CWI_TRY(cwi_broadcast(team, i == 0 ? 0 : odd, &told[i], sizeof told[i]));
    words[i].used = told[i].used;
    words[i].hash = told[i].hash;
  }
  CWI_TRY(cwi_agreed_compare(team->process[0], &words[0], team->process[odd], &words[1]));
  return cwi_misuse("what process %d gives is not what process %d gives; it has to be the same on "
                    "all members",
                    team->process[0], team->process[odd]);
}
