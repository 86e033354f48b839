/* SPDX-License-Identifier: MIT */
/*
 * The host's side of signals.
 *
 * What the guest does with a signal the host process does too: a signal that the guest ignores is
 * ignored on the host, one with the default action has it (so the host kernel stops and kills as
 * the guest's parent expects), and the guest's mask is the mask of the host thread. Only for
 * signals with a handler, and for SIGSEGV and SIGBUS which powertm needs itself, a host handler
 * notes the signal and makes the guest come to a safepoint. A guest with threads has one mask for
 * each, so there nearly all signals are noted: signal_host_share().
 */
#ifndef LINUX_SIGNAL_HOST_H
#define LINUX_SIGNAL_HOST_H

#include "linux/signal.h"

/* The host signal with which powertm gets its own threads' attention; not to be had by guests. */
#define HOST_SIGNAL_KICK 64
/* By which the host's C library reaches all threads to change their users and groups. */
#define HOST_SIGNAL_SETXID 33

/* Install the handlers that powertm needs. Before the first access to guest memory. */
void signal_host_init(void);

/* Give the host the guest's action for a signal. */
void signal_host_set_action(int signo, const struct guest_sigaction *action);

/* The action that the host process inherited: default or ignored. */
u64 signal_host_inherited(int signo);

/* Give this host thread the guest's mask; read the one it has. */
void signal_host_set_mask(u64 blocked);
u64 signal_host_mask(void);

/*
 * Around the start of a host thread: no signal of the guest arrives on this thread or the new one.
 * The C library's own functions leave two signals out.
 */
u64 signal_host_block(void);
void signal_host_unblock(u64 old);

/* Signals that wait in the host kernel because they are blocked. */
u64 signal_host_pending(void);

/**
 * signal_host_take - fetch one noted signal
 * @info: filled
 *
 * Return: false if there is none.
 */
bool signal_host_take(union guest_siginfo *info);

/*
 * Fetch a signal of the set that the host kernel has sent to this host thread, which blocks it.
 * Without threads they come to the handler. False if there is none.
 */
bool signal_host_take_own(u64 set, union guest_siginfo *info);

/* Is anything noted? Perhaps for a child of vfork: a hint. */
bool signal_host_waiting(void);

/*
 * The process gets a second guest thread: from now on host signals concern no host thread in
 * particular. All that the guest can catch are noted, and default actions done by powertm; the
 * calling thread and those made later block them, but for the one that calls
 * signal_host_receive().
 */
void signal_host_share(void);
void signal_host_receive(void);

/*
 * Note the signals that end the process by default, too: so powertm has the last word before it
 * dies of one, and can say what it has counted.
 */
void signal_host_note_deaths(void);

/* After fork, in the child, which has one thread with this mask. */
void signal_host_after_fork(u64 blocked, const struct guest_sigaction *actions);

/* Around execve: the new program inherits the guest's mask and what the guest ignores. */
void signal_host_before_exec(u64 blocked, const struct guest_sigaction *actions);
void signal_host_after_exec(const struct guest_sigaction *actions);

/* A word that the handler sets, to end the sleep of this thread; NULL = none. */
void signal_host_set_idle_word(u32 *word);

/* Does the host kernel alone know what to do with a signal: stop, kill for sure? */
bool signal_host_decides(int signo, u64 handler);

/* Die by the default action of a signal. */
void signal_host_die(int signo) __attribute__((noreturn));

#endif
