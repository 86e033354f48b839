// SPDX-License-Identifier: MIT
/* Stencils of the fixed-point and branch instructions. */
#include "engine/jit/stencil_source.h"
#include "isa/fixed.h"
#include "isa/spr.h"

#include "isa/sem/fixed.inc"
#include "isa/sem/fixed_storage.inc"
#include "isa/sem/branch.inc"
#include "isa/sem/spr.inc"
