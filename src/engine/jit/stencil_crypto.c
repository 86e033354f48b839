// SPDX-License-Identifier: MIT
/* Stencils of the vector crypto instructions. */
#include "engine/jit/stencil_source.h"

#include "isa/sem/vmx_crypto.inc"
