// SPDX-License-Identifier: MIT
/* Handlers of the fixed-point and branch instructions. */
#include "engine/interp.h"
#include "isa/fixed.h"
#include "isa/spr.h"

#include "isa/sem/fixed.inc"
#include "isa/sem/fixed_storage.inc"
#include "isa/sem/branch.inc"
#include "isa/sem/spr.inc"
