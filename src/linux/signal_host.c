// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/signal_host.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/extable.h"
#include "engine/engine.h"
#include "linux/syscall.h"

#define FIRST_REALTIME 32
#define SLOTS	       128 /* noted signals that nobody has fetched yet */

/*
 * Noted signals. Handlers run on any thread with all signals blocked, so two can run at once only
 * on different threads: a handler claims a slot, fills it and then marks it full.
 */
enum slot_state { SLOT_FREE, SLOT_CLAIMED, SLOT_FULL };

static struct {
	u32 state; /* enum slot_state */
	u64 sequence;
	union guest_siginfo info;
} slots[SLOTS];

static u64 sequence;
static u64 noted_standard; /* one of each may wait */

/* Signals that stay with powertm whatever the guest does. */
static bool is_ours(int signo)
{
	return signo == SIGSEGV || signo == SIGBUS;
}

static bool note(const siginfo_t *si)
{
	if (si->si_signo < FIRST_REALTIME) {
		u64 bit = SIGNAL_BIT(si->si_signo);

		if (__atomic_fetch_or(&noted_standard, bit, __ATOMIC_SEQ_CST) & bit)
			return true; /* merges with the one that waits */
	}
	for (int i = 0; i < SLOTS; i++) {
		u32 state = SLOT_FREE;

		if (!__atomic_compare_exchange_n(&slots[i].state, &state, SLOT_CLAIMED, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		slots[i].info.host = *si;
		slots[i].sequence = __atomic_fetch_add(&sequence, 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&slots[i].state, SLOT_FULL, __ATOMIC_SEQ_CST);
		return true;
	}
	return false;
}

bool signal_host_take(union guest_siginfo *info)
{
	int oldest = -1;

	for (int i = 0; i < SLOTS; i++)
		if (__atomic_load_n(&slots[i].state, __ATOMIC_SEQ_CST) == SLOT_FULL &&
		    (oldest < 0 || slots[i].sequence < slots[oldest].sequence))
			oldest = i;
	if (oldest < 0)
		return false;
	*info = slots[oldest].info;
	if (info->signo < FIRST_REALTIME)
		__atomic_fetch_and(&noted_standard, ~SIGNAL_BIT(info->signo), __ATOMIC_SEQ_CST);
	__atomic_store_n(&slots[oldest].state, SLOT_FREE, __ATOMIC_SEQ_CST);
	return true;
}

static void on_signal(int signo, siginfo_t *si, void *ucontext)
{
	int saved_errno = errno;
	struct task *task = current;

	if (is_ours(signo) && si->si_code > 0) {
		if (extable_fixup(si, ucontext))
			return;
		/* A bug of powertm. Returning repeats the fault, now with the default action. */
		signal(signo, SIG_DFL);
		return;
	}
	if (!note(si)) {
		/* Too many wait: leave the rest in the host kernel until some were fetched. */
		sigfillset(&((ucontext_t *)ucontext)->uc_sigmask);
		sigdelset(&((ucontext_t *)ucontext)->uc_sigmask, SIGSEGV);
		sigdelset(&((ucontext_t *)ucontext)->uc_sigmask, SIGBUS);
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signo, si);
	}
	if (task) {
		__atomic_store_n(&task->interrupt, 1, __ATOMIC_SEQ_CST);
		if (task->cpu)
			cpu_kick(task->cpu, POLL_INTERRUPT);
		host_syscall_interrupt(ucontext);
	}
	errno = saved_errno;
}

static void install(int signo, int flags)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags};

	sigfillset(&action.sa_mask);
	/* A fault inside the handler must not kill. */
	sigdelset(&action.sa_mask, SIGSEGV);
	sigdelset(&action.sa_mask, SIGBUS);
	sigaction(signo, &action, NULL);
}

void signal_host_init(void)
{
	install(SIGSEGV, 0);
	install(SIGBUS, 0);
}

void signal_host_set_action(int signo, const struct guest_sigaction *action)
{
	if (is_ours(signo) || signo == SIGKILL || signo == SIGSTOP)
		return;
	if (action->handler == (u64)(uintptr_t)SIG_DFL)
		signal(signo, SIG_DFL);
	else if (action->handler == (u64)(uintptr_t)SIG_IGN)
		signal(signo, SIG_IGN);
	else
		install(signo, (int)action->flags & (SA_NOCLDSTOP | SA_NOCLDWAIT));
}

u64 signal_host_inherited(int signo)
{
	struct sigaction action;

	/* What powertm's own start-up has installed was the default before. */
	if (is_ours(signo) || sigaction(signo, NULL, &action))
		return (u64)(uintptr_t)SIG_DFL;
	return (u64)(uintptr_t)(action.sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL);
}

void signal_host_set_mask(u64 blocked)
{
	blocked &= ~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS));
	host_call(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, NULL, sizeof(blocked));
}

u64 signal_host_mask(void)
{
	u64 set = 0;

	host_call(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &set, sizeof(set));
	return set;
}

u64 signal_host_pending(void)
{
	u64 set = 0;

	host_call(SYS_rt_sigpending, &set, sizeof(set));
	return set;
}

void signal_host_die(int signo)
{
	const struct rlimit none = {0};
	u64 all_but = ~SIGNAL_BIT(signo);
	struct sigaction action = {.sa_handler = SIG_DFL};

	/* A core file of powertm would tell nothing about the guest. */
	setrlimit(RLIMIT_CORE, &none);
	sigaction(signo, &action, NULL);
	host_call(SYS_rt_sigprocmask, SIG_SETMASK, &all_but, NULL, sizeof(all_but));
	host_call(SYS_tgkill, getpid(), syscall(SYS_gettid), signo);
	_exit(128 + signo);
}
