/* Makes the k-th call on files of one folder fail, write half, or end the process; or makes clocks jump, or the k-th
 * large allocation fail. Loaded in front of the C library:
 *   TRUST_FOLDER  calls on paths below it are counted
 *   TRUST_AT      the number of the call, from 0
 *   TRUST_ACTION  EIO, ENOSPC, EROFS, short, kill, clock, memory or count
 * Prints "TRUST FIRED" or, at the end of a run that only counts, "TRUST CALLS n" to standard error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST 4096
static char watched[MOST];
static const char *folder, *action;
static long at = -1, calls, allocations, jumps;
static int ready;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void start(void) {
    folder = getenv("TRUST_FOLDER");
    action = getenv("TRUST_ACTION");
    const char *number = getenv("TRUST_AT");
    at = number ? atol(number) : -1;
    ready = folder != NULL && action != NULL;
}

static void say(const char *text) {
    ssize_t (*plain)(int, const void *, size_t) = next("write");
    plain(2, text, strlen(text));
}

__attribute__((destructor)) static void finish(void) {
    if (!ready || strcmp(action, "count")) return;
    char line[64];
    snprintf(line, sizeof line, "TRUST CALLS %ld\n", calls);
    say(line);
}

static int below(const char *path) { return ready && path && !strncmp(path, folder, strlen(folder)); }

/* Whether this counted call is the one that fails; a kill does not return. */
static int due(void) {
    if (!strcmp(action, "clock") || !strcmp(action, "memory")) return 0;
    long now = __sync_fetch_and_add(&calls, 1);
    if (now != at || !strcmp(action, "count")) return 0;
    say("TRUST FIRED\n");
    if (!strcmp(action, "kill")) kill(getpid(), SIGKILL);
    return 1;
}

static int code(void) {
    if (!strcmp(action, "ENOSPC")) return ENOSPC;
    if (!strcmp(action, "EROFS")) return EROFS;
    return EIO;
}

static int opened(int fd, const char *path, int flags) {
    if (fd >= 0 && fd < MOST) watched[fd] = below(path) && (flags & (O_WRONLY | O_RDWR)) != 0;
    return fd;
}

#define OPEN(name)                                                        \
    int name(const char *path, int flags, ...) {                          \
        int (*real)(const char *, int, ...) = next(#name);                \
        va_list more;                                                     \
        va_start(more, flags);                                            \
        int mode = va_arg(more, int);                                     \
        va_end(more);                                                     \
        if (below(path) && (flags & O_CREAT) && due()) {                  \
            errno = code();                                               \
            return -1;                                                    \
        }                                                                 \
        return opened(real(path, flags, mode), path, flags);              \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                      \
    int name(int where, const char *path, int flags, ...) {               \
        int (*real)(int, const char *, int, ...) = next(#name);           \
        va_list more;                                                     \
        va_start(more, flags);                                            \
        int mode = va_arg(more, int);                                     \
        va_end(more);                                                     \
        if (below(path) && (flags & O_CREAT) && due()) {                  \
            errno = code();                                               \
            return -1;                                                    \
        }                                                                 \
        return opened(real(where, path, flags, mode), path, flags);       \
    }
OPENAT(openat)
OPENAT(openat64)

static int is_watched(int fd) { return ready && fd >= 0 && fd < MOST && watched[fd]; }

ssize_t write(int fd, const void *data, size_t size) {
    ssize_t (*real)(int, const void *, size_t) = next("write");
    if (is_watched(fd) && due()) {
        if (!strcmp(action, "short")) return real(fd, data, size > 1 ? size / 2 : size);
        errno = code();
        return -1;
    }
    return real(fd, data, size);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    ssize_t (*real)(int, const struct iovec *, int) = next("writev");
    if (is_watched(fd) && due()) {
        if (!strcmp(action, "short")) return real(fd, parts, 1);
        errno = code();
        return -1;
    }
    return real(fd, parts, count);
}

#define ON_FD(name)                              \
    int name(int fd) {                           \
        int (*real)(int) = next(#name);          \
        if (is_watched(fd) && due()) {           \
            if (!strcmp(action, "short")) return real(fd); \
            errno = code();                      \
            return -1;                           \
        }                                        \
        return real(fd);                         \
    }
ON_FD(fsync)
ON_FD(fdatasync)

int close(int fd) {
    int (*real)(int) = next("close");
    if (fd >= 0 && fd < MOST) watched[fd] = 0;
    return real(fd);
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = next("rename");
    if (below(to) && due() && strcmp(action, "short")) {
        errno = code();
        return -1;
    }
    return real(from, to);
}

int unlink(const char *path) {
    int (*real)(const char *) = next("unlink");
    if (below(path) && due() && strcmp(action, "short")) {
        errno = code();
        return -1;
    }
    return real(path);
}

int clock_gettime(clockid_t which, struct timespec *now) {
    int (*real)(clockid_t, struct timespec *) = next("clock_gettime");
    int result = real(which, now);
    if (ready && !strcmp(action, "clock") && (which == CLOCK_REALTIME || which == CLOCK_MONOTONIC)) {
        long turn = __sync_fetch_and_add(&jumps, 1);
        if (now->tv_sec > 100000) now->tv_sec += turn % 3 == 2 ? -90000 : (turn % 3) * 90000;
    }
    return result;
}

#define LARGE 65536
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static int out_of_memory(size_t size) {
    if (!ready || size < LARGE || strcmp(action, "memory")) return 0;
    if (__sync_fetch_and_add(&allocations, 1) != at) return 0;
    say("TRUST FIRED\n");
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return out_of_memory(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return out_of_memory(count * size) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return out_of_memory(size) ? NULL : __libc_realloc(old, size); }
