/* Preloaded into a process: counts what it and its children change below a folder, and kills it at a given number.

   KILL_FOLDER  only changes of files below this folder count
   KILL_COUNTER file of 4096 bytes that all processes map: the count, who is killed, the change before which it was
   KILL_AT      number of the change, from 1; 0 only counts
   KILL_HOW     before | half (of the bytes of a write) | after

   Killed are the first process that was started this way and the one that makes the change. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct counter {
    long changes;
    int first_process;
    char killed_at[2048];
};

static struct counter *counter;
static const char *folder;
static long kill_at;
static char how = 'b';

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("KILL_COUNTER");
    folder = getenv("KILL_FOLDER");
    if (!path || !folder) return;
    if (getenv("KILL_AT")) kill_at = atol(getenv("KILL_AT"));
    if (getenv("KILL_HOW")) how = getenv("KILL_HOW")[0];
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof(struct counter), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return;
    counter = mapped;
    __sync_bool_compare_and_swap(&counter->first_process, 0, getpid());
}

static void die(void) {
    kill(counter->first_process, SIGKILL);
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Count a change; 1 when it is the one to die at. */
static int counts(const char *call, const char *place) {
    size_t length;
    if (!counter || !place) return 0;
    length = strlen(folder);
    if (place[0] == '/' && (strncmp(place, folder, length) || (place[length] && place[length] != '/'))) return 0;
    long number = __sync_add_and_fetch(&counter->changes, 1);
    const char *shown = place[0] == '/' ? place + length : place;
    if (number != kill_at) return 0;
    snprintf(counter->killed_at, sizeof counter->killed_at, "%s %s", call, shown);
    if (how == 'b') die();
    return 1;
}

static int counts_file(const char *call, int file) {
    char name[64], place[PATH_MAX];
    if (!counter) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, place, sizeof place - 1);
    if (length <= 0 || place[0] != '/') return 0;
    place[length] = 0;
    int saved = errno, hit = counts(call, place);
    errno = saved;
    return hit;
}

#define DONE(hit, call)      \
    do {                     \
        long result = call;  \
        if (hit) die();      \
        return result;       \
    } while (0)

ssize_t write(int file, const void *bytes, size_t size) {
    int hit = counts_file("write", file);
    if (hit && how == 'h') size /= 2;
    DONE(hit, syscall(SYS_write, file, bytes, size));
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
    int hit = counts_file("pwrite", file);
    if (hit && how == 'h') size /= 2;
    DONE(hit, syscall(SYS_pwrite64, file, bytes, size, at));
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) { return pwrite(file, bytes, size, at); }

ssize_t writev(int file, const struct iovec *pieces, int count) {
    int hit = counts_file("writev", file);
    if (hit && how == 'h') count = (count + 1) / 2;
    DONE(hit, syscall(SYS_writev, file, pieces, count));
}

int ftruncate(int file, off_t size) {
    int hit = counts_file("ftruncate", file);
    DONE(hit, syscall(SYS_ftruncate, file, size));
}

int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

int fallocate(int file, int mode, off_t at, off_t size) {
    int hit = counts_file("fallocate", file);
    DONE(hit, syscall(SYS_fallocate, file, mode, at, size));
}

int fallocate64(int file, int mode, off64_t at, off64_t size) { return fallocate(file, mode, at, size); }

int fsync(int file) {
    int hit = counts_file("fsync", file);
    DONE(hit, syscall(SYS_fsync, file));
}

int fdatasync(int file) {
    int hit = counts_file("fdatasync", file);
    DONE(hit, syscall(SYS_fdatasync, file));
}

ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *into, size_t size, unsigned flags) {
    int hit = counts_file("copy_file_range", to);
    DONE(hit, syscall(SYS_copy_file_range, from, at, to, into, size, flags));
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    int hit = counts("rename", to);
    DONE(hit, syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, 0);
}

int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    int hit = counts("link", to);
    DONE(hit, syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int in, const char *path, int flags) {
    int hit = counts("unlink", path);
    DONE(hit, syscall(SYS_unlinkat, in, path, flags));
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int in, const char *path, mode_t mode) {
    int hit = counts("mkdir", path);
    DONE(hit, syscall(SYS_mkdirat, in, path, mode));
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int chmod(const char *path, mode_t mode) {
    int hit = counts("chmod", path);
    DONE(hit, syscall(SYS_fchmodat, AT_FDCWD, path, mode));
}

int fchmod(int file, mode_t mode) {
    int hit = counts_file("chmod", file);
    DONE(hit, syscall(SYS_fchmod, file, mode));
}
