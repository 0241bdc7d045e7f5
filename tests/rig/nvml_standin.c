/* A stand-in for libnvidia-ml.so.1: answers from a text file that is read anew on each call.
 *
 * NVML_STANDIN names the file. One "key=value" a line; later code reads the first match:
 *
 *   driver=550.54.15              count=2
 *   error.<function>=<code>       refuse that function, for every card
 *   delay.<function>=<ms>         answer late (a hang is a long delay)
 *   crash=<function>              die of SIGSEGV inside it
 *   wide_v3=1                     the process list of drivers 535.43 to 535.98
 *   event=<card>:<xid>            one Xid event; told once to each process
 *   link.<a>.<b>=<level>          nvmlGpuTopologyLevel;  nvlink.<a>.<b>=1
 *   card<N>.uuid, .name, .minor, .total_mib, .used_mib, .utilization, .temperature, .power_mw, .mig,
 *   card<N>.remap_pending, .remap_failed
 *   card<N>.processes=<pid>:<MiB or ->,...      card<N>.graphics likewise
 *   card<N>.error=<code>          the card is lost: every call about it is refused
 *   card<N>.error.<function>=<code>
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, TOO_SMALL = 7, TIMEOUT = 10 };
#define MAX_CARDS 16
#define MIB (1024ULL * 1024ULL)
#define NOT_AVAILABLE (~0ULL)

typedef unsigned long long ull;
typedef struct { ull total, free, used; } memory_v1;
typedef struct { unsigned version; ull total, reserved, free, used; } memory_v2;
typedef struct { unsigned gpu, memory; } rates;
typedef struct { unsigned pid; ull used; unsigned gpu_instance, compute_instance; } process;
typedef struct { process narrow; ull protected_memory; } wide_process;
typedef struct { void *device; ull type, data; unsigned gpu_instance, compute_instance; } event;

static int handles[MAX_CARDS];
static int initialized;
static int event_told;

static int look_up(const char *key, char *value, size_t size) {
    const char *path = getenv("NVML_STANDIN");
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[4096];
    size_t length = strlen(key);
    int found = 0;
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            snprintf(value, size, "%s", line + length + 1);
            found = 1;
        }
    }
    if (file) fclose(file);
    return found;
}

static long number(const char *key, long otherwise) {
    char value[64];
    return look_up(key, value, sizeof value) ? strtol(value, NULL, 10) : otherwise;
}

static int index_of(void *handle) {
    int *cell = handle;
    return cell >= handles && cell < handles + MAX_CARDS ? (int)(cell - handles) : -1;
}

static int card_text(int card, const char *field, char *value, size_t size) {
    char key[160];
    snprintf(key, sizeof key, "card%d.%s", card, field);
    return look_up(key, value, size);
}

static long card_number(int card, const char *field, long otherwise) {
    char key[160];
    snprintf(key, sizeof key, "card%d.%s", card, field);
    return number(key, otherwise);
}

/* What every function does first: be late, die, or refuse. */
static int enter(const char *function) {
    char key[160], victim[128];
    snprintf(key, sizeof key, "delay.%s", function);
    long late_ms = number(key, 0);
    if (late_ms) {
        struct timespec rest = {late_ms / 1000, (late_ms % 1000) * 1000000L};
        nanosleep(&rest, NULL);
    }
    if (look_up("crash", victim, sizeof victim) && strcmp(victim, function) == 0) raise(SIGSEGV);
    snprintf(key, sizeof key, "error.%s", function);
    return (int)number(key, OK);
}

static int enter_card(const char *function, int card) {
    char field[140];
    int code = enter(function);
    if (code) return code;
    if (!initialized) return UNINITIALIZED;
    if (card < 0) return INVALID;
    code = (int)card_number(card, "error", OK);
    if (code) return code;
    snprintf(field, sizeof field, "error.%s", function);
    return (int)card_number(card, field, OK);
}

#define ENTER() do { int code = enter(__func__); if (code) return code; if (!initialized) return UNINITIALIZED; } while (0)
#define ENTER_CARD(handle) do { int code = enter_card(__func__, index_of(handle)); if (code) return code; } while (0)

static int answer_number(void *handle, const char *field, unsigned *value) {
    long answer = card_number(index_of(handle), field, -1);
    if (answer < 0) return NOT_SUPPORTED;
    *value = (unsigned)answer;
    return OK;
}

int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    int code = enter(__func__);
    if (!code) initialized++;
    return code;
}

int nvmlShutdown(void) { ENTER(); initialized--; return OK; }

const char *nvmlErrorString(int code) {
    static char text[64];
    if (code == 15) return "GPU is lost";
    if (code == 18) return "Driver/library version mismatch";
    snprintf(text, sizeof text, "stand-in error %d", code);
    return text;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size) {
    ENTER();
    if (!look_up("driver", text, size)) snprintf(text, size, "550.54.15");
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned *count) { ENTER(); *count = (unsigned)number("count", 0); return OK; }

int nvmlDeviceGetHandleByIndex_v2(unsigned card, void **handle) {
    if ((long)card >= number("count", 0) || card >= MAX_CARDS) return INVALID;
    int code = enter_card(__func__, (int)card);
    *handle = code ? NULL : &handles[card];
    return code;
}

int nvmlDeviceGetUUID(void *handle, char *text, unsigned size) {
    ENTER_CARD(handle);
    return card_text(index_of(handle), "uuid", text, size) ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetName(void *handle, char *text, unsigned size) {
    ENTER_CARD(handle);
    if (!card_text(index_of(handle), "name", text, size)) snprintf(text, size, "NVIDIA Stand-in");
    return OK;
}

int nvmlDeviceGetMinorNumber(void *handle, unsigned *minor) {
    ENTER_CARD(handle);
    return answer_number(handle, "minor", minor);
}

/* The old call counts what the driver reserves as used, as real ones do. */
int nvmlDeviceGetMemoryInfo(void *handle, memory_v1 *memory) {
    ENTER_CARD(handle);
    int card = index_of(handle);
    memory->total = (ull)card_number(card, "total_mib", 0) * MIB;
    memory->used = (ull)(card_number(card, "used_mib", 0) + 600) * MIB;
    memory->free = memory->total - memory->used;
    return OK;
}

int nvmlDeviceGetMemoryInfo_v2(void *handle, memory_v2 *memory) {
    ENTER_CARD(handle);
    int card = index_of(handle);
    if (memory->version != 0x02000028) return 25;
    memory->total = (ull)card_number(card, "total_mib", 0) * MIB;
    memory->used = (ull)card_number(card, "used_mib", 0) * MIB;
    memory->reserved = 600 * MIB;
    memory->free = memory->total - memory->used - memory->reserved;
    return OK;
}

int nvmlDeviceGetUtilizationRates(void *handle, rates *answer) {
    ENTER_CARD(handle);
    answer->memory = 0;
    return answer_number(handle, "utilization", &answer->gpu);
}

int nvmlDeviceGetTemperature(void *handle, unsigned sensor, unsigned *celsius) {
    (void)sensor;
    ENTER_CARD(handle);
    return answer_number(handle, "temperature", celsius);
}

int nvmlDeviceGetPowerUsage(void *handle, unsigned *milliwatts) {
    ENTER_CARD(handle);
    return answer_number(handle, "power_mw", milliwatts);
}

int nvmlDeviceGetMigMode(void *handle, unsigned *current, unsigned *pending) {
    ENTER_CARD(handle);
    *pending = 0;
    return answer_number(handle, "mig", current);
}

int nvmlDeviceGetRemappedRows(void *handle, unsigned *correctable, unsigned *uncorrectable, unsigned *pending,
                              unsigned *failed) {
    ENTER_CARD(handle);
    *correctable = *uncorrectable = 0;
    *pending = (unsigned)card_number(index_of(handle), "remap_pending", 0);
    *failed = (unsigned)card_number(index_of(handle), "remap_failed", 0);
    return OK;
}

static int list_processes(void *handle, const char *field, unsigned *count, void *out, int wide) {
    char text[2048];
    process found[64];
    unsigned n = 0;
    if (!card_text(index_of(handle), field, text, sizeof text)) text[0] = 0;
    for (char *part = strtok(text, ","); part && n < 64; part = strtok(NULL, ",")) {
        char *memory = strchr(part, ':');
        ull used = memory && memory[1] != '-' ? strtoull(memory + 1, NULL, 10) * MIB : NOT_AVAILABLE;
        found[n++] = (process){(unsigned)strtoul(part, NULL, 10), used, ~0u, ~0u};
    }
    unsigned room = *count;
    *count = n;
    if (n > room) return TOO_SMALL;
    for (unsigned i = 0; i < n; i++) {
        if (wide) ((wide_process *)out)[i] = (wide_process){found[i], 0};
        else ((process *)out)[i] = found[i];
    }
    return OK;
}

#define PROCESS_LIST(kind, field) \
    int nvmlDeviceGet##kind##RunningProcesses_v2(void *handle, unsigned *count, void *out) { \
        ENTER_CARD(handle); \
        return list_processes(handle, field, count, out, 0); \
    } \
    int nvmlDeviceGet##kind##RunningProcesses_v3(void *handle, unsigned *count, void *out) { \
        ENTER_CARD(handle); \
        return list_processes(handle, field, count, out, (int)number("wide_v3", 0)); \
    }
PROCESS_LIST(Compute, "processes")
PROCESS_LIST(Graphics, "graphics")
PROCESS_LIST(MPSCompute, "mps")

int nvmlDeviceGetTopologyCommonAncestor(void *a, void *b, unsigned *level) {
    ENTER_CARD(a);
    char key[64];
    snprintf(key, sizeof key, "link.%d.%d", index_of(a), index_of(b));
    long answer = number(key, -1);
    if (answer < 0) return NOT_SUPPORTED;
    *level = (unsigned)answer;
    return OK;
}

int nvmlDeviceGetP2PStatus(void *a, void *b, unsigned what, unsigned *status) {
    ENTER_CARD(a);
    char key[64];
    snprintf(key, sizeof key, "nvlink.%d.%d", index_of(a), index_of(b));
    *status = what == 2 && number(key, 0) ? 0 : 5;
    return OK;
}

int nvmlEventSetCreate(void **set) { ENTER(); *set = &event_told; return OK; }
int nvmlEventSetFree(void *set) { (void)set; return OK; }
int nvmlDeviceRegisterEvents(void *handle, ull types, void *set) { (void)types; (void)set; ENTER_CARD(handle); return OK; }

int nvmlEventSetWait_v2(void *set, event *out, unsigned timeout_ms) {
    char text[64];
    (void)set;
    (void)timeout_ms;
    ENTER();
    if (event_told || !look_up("event", text, sizeof text)) return TIMEOUT;
    char *xid = strchr(text, ':');
    event_told = 1;
    *out = (event){&handles[strtol(text, NULL, 10)], 8, xid ? strtoull(xid + 1, NULL, 10) : 0, 0, 0};
    return OK;
}
