// SPDX-License-Identifier: MIT
/* Stencils of the vector instructions. */
#include "engine/jit/stencil_source.h"
#include "isa/vector.h"

#include "isa/sem/vmx.inc"
