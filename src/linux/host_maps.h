/* SPDX-License-Identifier: MIT */
/*
 * What the host process itself has mapped in the guest's part of the address space: nothing, as a
 * rule, but sanitizers keep their shadow memory there.
 */
#ifndef LINUX_HOST_MAPS_H
#define LINUX_HOST_MAPS_H

#include "linux/range.h"

/**
 * host_maps_note - enter mappings of /proc/self/maps that the map does not know, as RANGE_HOST
 * @limit: only below this address
 *
 * Return: 0, -ENOMEM, or the error of reading.
 */
int host_maps_note(struct range_map *map, u64 limit);

#endif
