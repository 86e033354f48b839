// SPDX-License-Identifier: MIT
/* Stencils of the vector-scalar storage accesses and moves. */
#include "engine/jit/stencil_source.h"
#include "isa/fp.h"
#include "isa/vector.h"

#include "isa/sem/vsx_move.inc"
#include "isa/sem/vsx_gpr.inc"
