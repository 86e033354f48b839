/* SPDX-License-Identifier: MIT */
/*
 * File descriptors of the emulator itself, in a process whose descriptors belong to the guest.
 *
 * They are close-on-exec and have numbers that the guest does not meet: above the soft limit of
 * open files if the hard limit allows, else just below it. The guest can neither close nor replace
 * them, and does not see them in /proc/self/fd.
 *
 * Any thread may call these. A number can change when the guest claims it, so fetch it from the
 * variable that was registered each time.
 */
#ifndef BASE_PRIVATE_FD_H
#define BASE_PRIVATE_FD_H

#include "base/types.h"

/**
 * private_fd_adopt - make a descriptor private
 * @fd: variable that holds an open descriptor; receives the new number and is kept up to date
 *
 * If no high number can be had, the descriptor stays where it is and is still protected.
 *
 * Return: 0; -EMFILE if there are too many, then nothing has changed.
 */
int private_fd_adopt(int *fd);

/* Close it and set the variable to -1. */
void private_fd_close(int *fd);

/* Is this the number of a private descriptor? */
bool private_fd_is(int fd);

/**
 * private_fd_yield - move out of the way
 * @fd: number that the guest is about to use as the target of dup2 or dup3
 *
 * Return: 0, also if the number was not a private one; -EMFILE if there was no other place.
 */
int private_fd_yield(int fd);

/**
 * private_fd_next - walk through the private numbers in ascending order
 * @from: lowest number of interest
 *
 * Return: the lowest private number that is at least @from; -1 if there is none.
 */
int private_fd_next(unsigned int from);

#endif
