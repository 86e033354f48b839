// SPDX-License-Identifier: MIT
/* As the instructions are in a transaction: fixed-point storage accesses and branches. */
#define SEM_TRANSACTIONAL
#include "engine/interp.h"
#include "isa/fixed.h"
#include "isa/spr.h"

#include "isa/sem/fixed_storage.inc"
#include "isa/sem/branch.inc"
