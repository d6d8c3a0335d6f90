#include "internal.h"
void gm_round_together(gm_core *core, uint64_t end) { gm_round_alone(core, end); }
