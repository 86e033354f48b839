// SPDX-License-Identifier: MIT
/* Stencils of the floating-point instructions. */
#include "engine/jit/stencil_source.h"
#include "isa/fp.h"

#include "isa/sem/fp.inc"
#include "isa/sem/fp_storage.inc"
