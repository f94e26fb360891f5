/* A broken collective: the block's pages are one set, not two. */
#include "team/block.h"

#define cwi_block_page(block, members, turn, rank) cwi_block_page(block, members, 0, rank)
