// SPDX-License-Identifier: MIT
/* Stencils of the vector floating-point instructions. */
#include "engine/jit/stencil_source.h"

#include "isa/sem/vmx_float.inc"
