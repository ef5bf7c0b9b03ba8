/* Stands before the C library: the n-th call of a kind that touches a file below a folder fails, or ends the process.
   Python sets it by ctypes in a child that was forked for one fault, so every library in the process is reached. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, OPEN, WRITE, SYNC, RENAME, SEND, KINDS };
static char root[PATH_MAX];
static int wanted = NONE, killing = 0, sends = 1;
static long at = 0, seen[KINDS], events = 0;

void fault_set(const char *folder, int kind, long n, int kill_there) {
    strncpy(root, folder, sizeof root - 1);
    wanted = kind; at = n; killing = kill_there;
    memset(seen, 0, sizeof seen); events = 0;
}
/* Ray talks all the time, and not always alike: of its driver only the files count. */
void fault_sends(int count_them) { sends = count_them; }
long fault_count(int kind) { return kind == NONE ? events : seen[kind]; }

static int below(const char *path) {
    char whole[PATH_MAX];
    if (!root[0] || !path) return 0;
    if (path[0] != '/') {
        if (!getcwd(whole, sizeof whole)) return 0;
        return strncmp(whole, root, strlen(root)) == 0;
    }
    return strncmp(path, root, strlen(root)) == 0;
}
static int below_fd(int fd) {
    char link[64], path[PATH_MAX];
    if (!root[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return path[0] == '/' && below(path); /* a socket or a pipe is no file, wherever the process is */
}
/* A full disk stays full; anything else fails once. */
static int fails(int kind) {
    events++; seen[kind]++;
    if (killing) { if (events == at) kill(getpid(), SIGKILL); return 0; }
    if (kind != wanted) return 0;
    return kind == WRITE ? seen[kind] >= at : seen[kind] == at;
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *data, size_t n) {
    REAL(ssize_t, "write", int, const void *, size_t);
    if (fd > 2 && below_fd(fd) && fails(WRITE)) { errno = ENOSPC; return -1; }
    return real(fd, data, n);
}
ssize_t writev(int fd, const struct iovec *v, int n) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    if (fd > 2 && below_fd(fd) && fails(WRITE)) { errno = ENOSPC; return -1; }
    return real(fd, v, n);
}
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t o) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    if (below_fd(fd) && fails(WRITE)) { errno = ENOSPC; return -1; }
    return real(fd, data, n, o);
}
ssize_t pwrite(int fd, const void *data, size_t n, off_t o) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    if (below_fd(fd) && fails(WRITE)) { errno = ENOSPC; return -1; }
    return real(fd, data, n, o);
}
/* What a client says to a database on another process: the connection breaks, and stays broken. */
ssize_t send(int fd, const void *data, size_t n, int flags) {
    REAL(ssize_t, "send", int, const void *, size_t, int);
    if (root[0] && sends && fails(SEND)) { shutdown(fd, SHUT_RDWR); errno = ECONNRESET; return -1; }
    return real(fd, data, n, flags);
}
int fsync(int fd) {
    REAL(int, "fsync", int);
    if (below_fd(fd) && fails(SYNC)) { errno = EIO; return -1; }
    return real(fd);
}
int fdatasync(int fd) {
    REAL(int, "fdatasync", int);
    if (below_fd(fd) && fails(SYNC)) { errno = EIO; return -1; }
    return real(fd);
}
int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    if (below(to) && fails(RENAME)) { errno = EACCES; return -1; }
    return real(from, to);
}
int renameat(int a, const char *from, int b, const char *to) {
    REAL(int, "renameat", int, const char *, int, const char *);
    if (below(to) && fails(RENAME)) { errno = EACCES; return -1; }
    return real(a, from, b, to);
}
#define OPENS(name) \
int name(const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); \
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(rest, mode_t) : 0; va_end(rest); \
    REAL(int, #name, const char *, int, ...); \
    if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && below(path) && fails(OPEN)) { errno = EMFILE; return -1; } \
    return real(path, flags, mode); \
}
OPENS(open)
OPENS(open64)
int openat(int d, const char *path, int flags, ...) {
    va_list rest; va_start(rest, flags);
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(rest, mode_t) : 0; va_end(rest);
    REAL(int, "openat", int, const char *, int, ...);
    if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && below(path) && fails(OPEN)) { errno = EMFILE; return -1; }
    return real(d, path, flags, mode);
}
