// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "linux/signal_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/extable.h"
#include "base/log.h"
#include "engine/engine.h"
#include "linux/sched.h"
#include "linux/syscall.h"

#define FIRST_REALTIME 32
#define SA_RESTORER    0x04000000 /* of the x86-64 kernel; the C library hides it */
#define SLOTS	       128	  /* noted signals that nobody has fetched yet */

/*
 * Noted signals. Handlers run on any thread with all signals blocked, so two can run at once only
 * on different threads: a handler claims a slot, fills it and then marks it full.
 */
enum slot_state { SLOT_FREE, SLOT_CLAIMED, SLOT_FULL };

static struct {
	u32 state; /* enum slot_state */
	pid_t pid; /* a child of vfork shares this memory */
	u64 sequence;
	union guest_siginfo info;
} slots[SLOTS];

static u64 sequence;
static u32 n_noted;	 /* slots that are full */
static bool shared;	 /* signal_host_share() was called */
static bool note_deaths; /* signal_host_note_deaths() was called */
static _Thread_local u32 *idle_word;

/* Actions that only the host kernel can do. */
#define SET_STOPS (SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU))

/* Signals that do no harm by default. */
#define SET_HARMLESS                                                                               \
	(SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH))

/* Signals that stay with powertm whatever the guest does. */
static bool is_ours(int signo)
{
	return signo == SIGSEGV || signo == SIGBUS || signo == HOST_SIGNAL_KICK;
}

/* SIG_DFL or SIG_IGN for the host. */
static void set_plain(int signo, u64 handler)
{
	const u64 action[4] = {handler};

	host_call(SYS_rt_sigaction, signo, action, NULL, sizeof(u64));
}

/* Of the old signals one of each may wait. */
static bool waits_already(int signo, pid_t pid)
{
	for (int i = 0; signo < FIRST_REALTIME && i < SLOTS; i++)
		if (__atomic_load_n(&slots[i].state, __ATOMIC_SEQ_CST) == SLOT_FULL &&
		    slots[i].pid == pid && slots[i].info.signo == signo)
			return true;
	return false;
}

static bool note(const siginfo_t *si)
{
	pid_t pid = getpid();

	if (waits_already(si->si_signo, pid))
		return true;
	for (int i = 0; i < SLOTS; i++) {
		u32 state = SLOT_FREE;

		if (!__atomic_compare_exchange_n(&slots[i].state, &state, SLOT_CLAIMED, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		slots[i].info.host = *si;
		slots[i].pid = pid;
		slots[i].sequence = __atomic_fetch_add(&sequence, 1, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&n_noted, 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&slots[i].state, SLOT_FULL, __ATOMIC_SEQ_CST);
		return true;
	}
	return false;
}

static void free_slot(int i)
{
	__atomic_store_n(&slots[i].state, SLOT_FREE, __ATOMIC_SEQ_CST);
	__atomic_fetch_sub(&n_noted, 1, __ATOMIC_SEQ_CST);
}

bool signal_host_take(union guest_siginfo *info)
{
	int oldest = -1;
	pid_t pid;

	if (!signal_host_waiting())
		return false;
	pid = getpid();
	for (int i = 0; i < SLOTS; i++)
		if (__atomic_load_n(&slots[i].state, __ATOMIC_SEQ_CST) == SLOT_FULL &&
		    slots[i].pid == pid &&
		    (oldest < 0 || slots[i].sequence < slots[oldest].sequence))
			oldest = i;
	if (oldest < 0)
		return false;
	*info = slots[oldest].info;
	free_slot(oldest);
	return true;
}

bool signal_host_take_own(u64 set, union guest_siginfo *info)
{
	static const struct timespec now;

	return shared && host_call(SYS_rt_sigtimedwait, &set, info, &now, sizeof(set)) > 0;
}

bool signal_host_waiting(void)
{
	return __atomic_load_n(&n_noted, __ATOMIC_SEQ_CST) != 0;
}

/* A fault that no guest has made: a bug of powertm. Not to be taken for the guest's death. */
static void COLD report_own_fault(const siginfo_t *si, void *ucontext)
{
	const ucontext_t *uc = ucontext;
	u64 pc = (u64)uc->uc_mcontext.gregs[REG_RIP];

	log_error("internal error: host signal %d code %d address %p at host pc %p (%s%+lld), "
		  "guest pc 0x%llx",
		  si->si_signo, si->si_code, si->si_addr, (void *)(uintptr_t)pc, "signal_host_init",
		  (long long)(pc - (u64)(uintptr_t)signal_host_init),
		  current && current->cpu ? (unsigned long long)current->cpu->pc : 0);
	set_plain(SIGABRT, 0);
	abort();
}

static void on_signal(int signo, siginfo_t *si, void *ucontext)
{
	int saved_errno = errno;
	struct task *task = current;

	if (is_ours(signo) && signo != HOST_SIGNAL_KICK && si->si_code > 0) {
		if (extable_fixup(si, ucontext))
			return;
		report_own_fault(si, ucontext);
	}
	if (!note(si)) {
		/* Too many wait: leave the rest in the host kernel until some were fetched. */
		sigfillset(&((ucontext_t *)ucontext)->uc_sigmask);
		sigdelset(&((ucontext_t *)ucontext)->uc_sigmask, SIGSEGV);
		sigdelset(&((ucontext_t *)ucontext)->uc_sigmask, SIGBUS);
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signo, si);
	}
	if (idle_word)
		__atomic_store_n(idle_word, 1, __ATOMIC_SEQ_CST);
	if (task && !shared) {
		__atomic_store_n(&task->interrupt, 1, __ATOMIC_SEQ_CST);
		if (task->cpu)
			cpu_kick(task->cpu, POLL_INTERRUPT);
		host_syscall_interrupt(ucontext);
	}
	errno = saved_errno;
}

/* Somebody wants this thread to look at its words: a slice is over, or a call is to end. */
static void on_kick(int signo, siginfo_t *si, void *ucontext)
{
	int saved_errno = errno;
	struct task *task = current;

	/* Kicks come by tkill(); this one is for the guest. Each host thread may get it. */
	if (si->si_code != SI_TKILL) {
		on_signal(signo, si, ucontext);
		if (shared)
			sched_look_for_signals();
		errno = saved_errno;
		return;
	}
	if (task && task->cpu)
		cpu_kick(task->cpu, POLL_INTERRUPT);
	if (task && task_interrupted(task))
		host_syscall_interrupt(ucontext);
	errno = saved_errno;
}

/*
 * The handler runs with all signals blocked, but those of a fault inside it. Done without the C
 * library, which keeps signals 32 and 33 for itself.
 */
static void install_handler(int signo, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct {
		void (*handler)(int, siginfo_t *, void *);
		u64 flags;
		void (*restorer)(void);
		u64 mask;
	} action = {
		.handler = handler,
		.flags = SA_SIGINFO | SA_RESTORER | (u64)flags,
		.restorer = host_signal_restorer,
		.mask = ~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS)),
	};

	host_call(SYS_rt_sigaction, signo, &action, NULL, sizeof(action.mask));
}

static void install(int signo, int flags)
{
	install_handler(signo, on_signal, flags);
}

/* Is the default action of a signal left to the host kernel? Else powertm notes it and acts. */
static bool default_is_hosts(int signo)
{
	if (SIGNAL_BIT(signo) & SET_STOPS)
		return true;
	return !shared && (!note_deaths || SIGNAL_BIT(signo) & SET_HARMLESS);
}

/*
 * Does the host ignore what the guest ignores? A thread may block an ignored signal and wait for
 * it: then Linux keeps it (sig_ignored() in kernel/signal.c). With threads the host thread that
 * receives signals blocks none, so powertm must drop or keep them. That children need not be
 * waited for and that a terminal does not stop the process are matters of the host kernel.
 */
static bool ignoring_is_hosts(int signo)
{
	return !shared || SIGNAL_BIT(signo) & (SET_STOPS | SIGNAL_BIT(SIGCHLD));
}

/* Note the signals that are not left to the host kernel, though the guest has no handler. */
static void install_defaults(void)
{
	for (int signo = 1; signo <= GUEST_NSIG; signo++) {
		u64 action[4] = {0};

		if (is_ours(signo) || signo == SIGKILL || signo == SIGSTOP)
			continue;
		host_call(SYS_rt_sigaction, signo, NULL, action, sizeof(u64));
		if ((action[0] == (u64)(uintptr_t)SIG_DFL && !default_is_hosts(signo)) ||
		    (action[0] == (u64)(uintptr_t)SIG_IGN && !ignoring_is_hosts(signo)))
			install(signo, 0);
	}
}

void signal_host_init(void)
{
	install(SIGSEGV, 0);
	install(SIGBUS, 0);
	install_handler(HOST_SIGNAL_KICK, on_kick, SA_RESTART);
}

bool signal_host_decides(int signo, u64 handler)
{
	return signo == SIGKILL || signo == SIGSTOP ||
	       (SIGNAL_BIT(signo) & SET_STOPS && handler == (u64)(uintptr_t)SIG_DFL);
}

void signal_host_set_action(int signo, const struct guest_sigaction *action)
{
	if (is_ours(signo) || signo == SIGKILL || signo == SIGSTOP ||
	    (shared && signo == HOST_SIGNAL_SETXID))
		return;
	if (action->handler == (u64)(uintptr_t)SIG_DFL && default_is_hosts(signo))
		set_plain(signo, action->handler);
	else if (action->handler == (u64)(uintptr_t)SIG_IGN && ignoring_is_hosts(signo))
		set_plain(signo, action->handler);
	else
		install(signo, (int)action->flags & (SA_NOCLDSTOP | SA_NOCLDWAIT));
}

u64 signal_host_inherited(int signo)
{
	u64 action[4] = {0};

	/* What powertm's own start-up has installed was the default before. */
	if (is_ours(signo) || host_call(SYS_rt_sigaction, signo, NULL, action, sizeof(u64)))
		return (u64)(uintptr_t)SIG_DFL;
	return (u64)(uintptr_t)(action[0] == (u64)(uintptr_t)SIG_IGN ? SIG_IGN : SIG_DFL);
}

static void set_thread_mask(u64 blocked)
{
	blocked &= ~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(HOST_SIGNAL_KICK));
	if (shared)
		blocked &= ~SIGNAL_BIT(HOST_SIGNAL_SETXID);
	host_call(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, NULL, sizeof(blocked));
}

void signal_host_set_mask(u64 blocked)
{
	if (!shared)
		set_thread_mask(blocked);
}

u64 signal_host_block(void)
{
	u64 old = signal_host_mask();

	set_thread_mask(~0ull);
	return old;
}

void signal_host_unblock(u64 old)
{
	host_call(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(old));
}

void signal_host_share(void)
{
	shared = true;
	set_thread_mask(~0ull);
	install_defaults();
}

void signal_host_note_deaths(void)
{
	note_deaths = true;
	install_defaults();
}

void signal_host_receive(void)
{
	set_thread_mask(0);
}

/* The host ignores all that the guest ignores, or only what it should. */
static void ignore(const struct guest_sigaction *actions, bool all)
{
	for (int signo = 1; signo <= GUEST_NSIG; signo++)
		if (actions[signo].handler == (u64)(uintptr_t)SIG_IGN && !is_ours(signo)) {
			if (all)
				set_plain(signo, actions[signo].handler);
			else
				signal_host_set_action(signo, &actions[signo]);
		}
}

void signal_host_after_fork(u64 blocked, const struct guest_sigaction *actions)
{
	/* What was noted is the parent's. */
	for (int i = 0; i < SLOTS; i++)
		slots[i].state = SLOT_FREE;
	n_noted = 0;
	if (!shared)
		return;
	shared = false;
	ignore(actions, true);
	set_thread_mask(blocked);
}

void signal_host_before_exec(u64 blocked, const struct guest_sigaction *actions)
{
	if (!shared)
		return;
	ignore(actions, true);
	set_thread_mask(blocked);
}

void signal_host_after_exec(const struct guest_sigaction *actions)
{
	if (!shared)
		return;
	set_thread_mask(~0ull);
	ignore(actions, false);
}

void signal_host_set_idle_word(u32 *word)
{
	idle_word = word;
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

	/* A core file of powertm would tell nothing about the guest. */
	setrlimit(RLIMIT_CORE, &none);
	set_plain(signo, 0);
	host_call(SYS_rt_sigprocmask, SIG_SETMASK, &all_but, NULL, sizeof(all_but));
	host_call(SYS_tgkill, getpid(), syscall(SYS_gettid), signo);
	_exit(128 + signo);
}
