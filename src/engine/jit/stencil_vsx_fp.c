// SPDX-License-Identifier: MIT
/* Stencils of the vector-scalar floating-point instructions. */
#include "engine/jit/stencil_source.h"

#include "isa/sem/vsx_fp.inc"
#include "isa/sem/vsx_fp_vector.inc"
