/* A bot for the bot protocol in plain C: it plays the first legal move.

   cc -O2 -o first examples/bots/first.c && dasan bot-test ./first

   It looks for the few keys that it needs and skips the rest; a JSON library does the same more thoroughly. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 20 };

/* Where the value of "key" begins after `from`, or NULL. */
static const char *value(const char *from, const char *key) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *found = strstr(from, wanted);
    return found ? found + strlen(wanted) : NULL;
}

/* Whether the message is of this type. The type of a message is its first key. */
static int is(const char *line, const char *type) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "{\"type\":\"%s\"", type);
    return strncmp(line, wanted, strlen(wanted)) == 0;
}

int main(void) {
    char *line = malloc(LONGEST);
    if (!line) return 1;
    while (fgets(line, LONGEST, stdin)) {
        if (is(line, "hello")) {
            puts("{\"type\":\"hello\",\"protocol\":\"dasan-bot/1\",\"name\":\"first-c\",\"version\":\"1\"}");
        } else if (is(line, "choose")) {
            const char *moves = value(line, "legal_moves");
            const char *move = moves ? value(moves, "move") : NULL;
            const char *id = value(line, "id");
            if (!move || !id) return 1;
            const char *end = strchr(move + 1, '"');
            if (!end) return 1;
            printf("{\"type\":\"move\",\"id\":%ld,\"move\":\"%.*s\"}\n", atol(id), (int)(end - move - 1), move + 1);
        } else if (is(line, "quit")) {
            break;
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
