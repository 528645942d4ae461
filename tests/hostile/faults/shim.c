/* A library that stands between a program and the system, and lets calls fail as a bad day would.

   FAULT_CALLS   which calls: open, read, write, sync, close, rename, link, mkdir, unlink, fork, thread
   FAULT_UNDER   only those on paths that begin so (several parted by ':'); without it all of them
   FAULT_AT      from which matching call on, counted from 1; 0 only counts
   FAULT_TIMES   how many calls fail; 0 means all from then on
   FAULT_ERRNO   how they fail
   FAULT_SIGNAL  in place of a failure, the signal that the process sends itself before the call
   FAULT_AFTER   ... or after it
   FAULT_COUNT   a file of 8 bytes in which matching calls are counted
   CLOCK_JUMP    seconds by which the clock of the day jumps, at call CLOCK_AT
   CLOCK_LEAP    seconds by which the steady clock leaps at every call; -1: it stands still from call CLOCK_AT on */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static char calls[256], under[4096];
static long at, times, error, sent, after, clock_at;
static double jump, leap;
static atomic_long own, days, steps;
static atomic_long *count = &own;
static struct timespec still;

static long number(const char *name, long otherwise) {
    const char *said = getenv(name);
    return said && *said ? atol(said) : otherwise;
}

__attribute__((constructor)) void fault_reset(void) {
    const char *said = getenv("FAULT_CALLS");
    snprintf(calls, sizeof calls, ",%s,", said ? said : "");
    said = getenv("FAULT_UNDER");
    snprintf(under, sizeof under, "%s", said ? said : "");
    at = number("FAULT_AT", 0), times = number("FAULT_TIMES", 1), error = number("FAULT_ERRNO", 5);
    sent = number("FAULT_SIGNAL", 0), after = number("FAULT_AFTER", 0), clock_at = number("CLOCK_AT", 1);
    said = getenv("CLOCK_JUMP");
    jump = said && *said ? atof(said) : 0;
    said = getenv("CLOCK_LEAP");
    leap = said && *said ? atof(said) : 0;
    own = 0, days = 0, steps = 0, count = &own;
    said = getenv("FAULT_COUNT");
    if (said && *said) {
        int file = syscall(SYS_openat, AT_FDCWD, said, O_RDWR);
        if (file >= 0) {
            void *found = mmap(0, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (found != MAP_FAILED) count = found;
            syscall(SYS_close, file);
        }
    }
}

static int begins(const char *path) {
    const char *from = under;
    if (!*under) return 1;
    while (*from) {
        size_t length = strcspn(from, ":");
        if (length && !strncmp(path, from, length)) return 1;
        from += length + (from[length] == ':');
    }
    return 0;
}

static int concerned(const char *call, int folder, const char *path, int file) {
    char name[32], found[4096];
    ssize_t length;
    snprintf(name, sizeof name, ",%s,", call);
    if (!strstr(calls, name)) return 0;
    if (!*under) return 1;
    if (path && *path == '/') return begins(path);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    if (path && folder == AT_FDCWD) snprintf(name, sizeof name, "/proc/self/cwd");
    if (path && folder != AT_FDCWD) snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
    length = syscall(SYS_readlinkat, AT_FDCWD, name, found, sizeof found - 1);
    if (length < 0) return 0;
    found[length] = 0;
    if (path && (size_t)length + strlen(path) + 2 < sizeof found) {
        found[length] = '/';
        strcpy(found + length + 1, path);
    }
    return begins(found);
}

/* 0: go on; 1: fail; 2: send the signal after the call */
static int struck(const char *call, int folder, const char *path, int file) {
    long nth;
    if (calls[1] == ',' || !concerned(call, folder, path, file)) return 0;
    nth = atomic_fetch_add(count, 1) + 1;
    if (!at || nth < at || (times && nth >= at + times)) return 0;
    if (!sent) {
        errno = error;
        return 1;
    }
    if (after) return 2;
    syscall(SYS_kill, getpid(), sent);
    return 0;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define ASKED(result, failed, call, folder, path, file, given) \
    int how = struck(call, folder, path, file); \
    if (how == 1) return failed; \
    result made = real given; \
    if (how == 2) { int kept = errno; syscall(SYS_kill, getpid(), sent); errno = kept; } \
    return made

ssize_t write(int f, const void *b, size_t n) { REAL(write); ASKED(ssize_t, -1, "write", 0, 0, f, (f, b, n)); }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { REAL(pwrite); ASKED(ssize_t, -1, "write", 0, 0, f, (f, b, n, o)); }
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { REAL(pwrite64); ASKED(ssize_t, -1, "write", 0, 0, f, (f, b, n, o)); }
ssize_t writev(int f, const struct iovec *v, int n) { REAL(writev); ASKED(ssize_t, -1, "write", 0, 0, f, (f, v, n)); }
ssize_t sendfile(int f, int g, off_t *o, size_t n);
ssize_t sendfile(int f, int g, off_t *o, size_t n) { REAL(sendfile); ASKED(ssize_t, -1, "write", 0, 0, f, (f, g, o, n)); }
ssize_t sendfile64(int f, int g, off64_t *o, size_t n);
ssize_t sendfile64(int f, int g, off64_t *o, size_t n) { REAL(sendfile64); ASKED(ssize_t, -1, "write", 0, 0, f, (f, g, o, n)); }
ssize_t copy_file_range(int g, off64_t *p, int f, off64_t *o, size_t n, unsigned k) { REAL(copy_file_range); ASKED(ssize_t, -1, "write", 0, 0, f, (g, p, f, o, n, k)); }
int ftruncate(int f, off_t n) { REAL(ftruncate); ASKED(int, -1, "write", 0, 0, f, (f, n)); }
int ftruncate64(int f, off64_t n) { REAL(ftruncate64); ASKED(int, -1, "write", 0, 0, f, (f, n)); }
ssize_t read(int f, void *b, size_t n) { REAL(read); ASKED(ssize_t, -1, "read", 0, 0, f, (f, b, n)); }
ssize_t pread(int f, void *b, size_t n, off_t o) { REAL(pread); ASKED(ssize_t, -1, "read", 0, 0, f, (f, b, n, o)); }
ssize_t pread64(int f, void *b, size_t n, off64_t o) { REAL(pread64); ASKED(ssize_t, -1, "read", 0, 0, f, (f, b, n, o)); }
int fsync(int f) { REAL(fsync); ASKED(int, -1, "sync", 0, 0, f, (f)); }
int fdatasync(int f) { REAL(fdatasync); ASKED(int, -1, "sync", 0, 0, f, (f)); }
int close(int f) {
    REAL(close);
    int how = struck("close", 0, 0, f);
    int made = real(f), kept = errno;
    if (how == 1) { errno = error; return -1; }
    if (how == 2) syscall(SYS_kill, getpid(), sent);
    errno = kept;
    return made;
}
int rename(const char *a, const char *b) { REAL(rename); ASKED(int, -1, "rename", AT_FDCWD, b, 0, (a, b)); }
int renameat(int d, const char *a, int e, const char *b) { REAL(renameat); ASKED(int, -1, "rename", e, b, 0, (d, a, e, b)); }
int link(const char *a, const char *b) { REAL(link); ASKED(int, -1, "link", AT_FDCWD, b, 0, (a, b)); }
int linkat(int d, const char *a, int e, const char *b, int k) { REAL(linkat); ASKED(int, -1, "link", e, b, 0, (d, a, e, b, k)); }
int mkdir(const char *p, mode_t m) { REAL(mkdir); ASKED(int, -1, "mkdir", AT_FDCWD, p, 0, (p, m)); }
int mkdirat(int d, const char *p, mode_t m) { REAL(mkdirat); ASKED(int, -1, "mkdir", d, p, 0, (d, p, m)); }
int unlink(const char *p) { REAL(unlink); ASKED(int, -1, "unlink", AT_FDCWD, p, 0, (p)); }
int unlinkat(int d, const char *p, int k) { REAL(unlinkat); ASKED(int, -1, "unlink", d, p, 0, (d, p, k)); }

#define WRITES(flags) ((flags) & (O_WRONLY | O_RDWR | O_CREAT) ? "open" : "look")
#define MODE mode_t m = 0; if (k & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, k); m = va_arg(more, mode_t); va_end(more); }
int open(const char *p, int k, ...) { MODE REAL(open); ASKED(int, -1, WRITES(k), AT_FDCWD, p, 0, (p, k, m)); }
int open64(const char *p, int k, ...) { MODE REAL(open64); ASKED(int, -1, WRITES(k), AT_FDCWD, p, 0, (p, k, m)); }
int openat(int d, const char *p, int k, ...) { MODE REAL(openat); ASKED(int, -1, WRITES(k), d, p, 0, (d, p, k, m)); }
int openat64(int d, const char *p, int k, ...) { MODE REAL(openat64); ASKED(int, -1, WRITES(k), d, p, 0, (d, p, k, m)); }
int creat(const char *p, mode_t m) { REAL(creat); ASKED(int, -1, "open", AT_FDCWD, p, 0, (p, m)); }

static int has_none(const char *what) { return concerned(what, 0, "/", 0); }
pid_t fork(void) { REAL(fork); if (has_none("fork")) { errno = EAGAIN; return -1; } return real(); }
pid_t vfork(void) { errno = EAGAIN; return has_none("fork") ? -1 : fork(); }
int posix_spawn(pid_t *i, const char *p, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *t, char *const v[], char *const e[]) {
    REAL(posix_spawn); return has_none("fork") ? EAGAIN : real(i, p, a, t, v, e); }
int posix_spawnp(pid_t *i, const char *p, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *t, char *const v[], char *const e[]) {
    REAL(posix_spawnp); return has_none("fork") ? EAGAIN : real(i, p, a, t, v, e); }
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *g) {
    REAL(pthread_create); return struck("thread", 0, "/", 0) == 1 ? EAGAIN : real(t, a, f, g); }

int clock_gettime(clockid_t which, struct timespec *now) {
    REAL(clock_gettime);
    int made = real(which, now);
    if (made) return made;
    if (jump && which == CLOCK_REALTIME && atomic_fetch_add(&days, 1) + 1 >= clock_at) now->tv_sec += (time_t)jump;
    if (leap && which == CLOCK_MONOTONIC) {
        long nth = atomic_fetch_add(&steps, 1) + 1;
        if (leap > 0) now->tv_sec += (time_t)(leap * nth);
        else if (nth < clock_at || !still.tv_sec) still = *now;
        else *now = still;
    }
    return 0;
}
int gettimeofday(struct timeval *now, void *zone) {
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec, now->tv_usec = found.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}
