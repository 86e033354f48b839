// SPDX-License-Identifier: MIT
#include "engine/interp.h"
#include "isa/sem/vsx_gpr.inc"
