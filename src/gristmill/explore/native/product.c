#include "product.h"

#include "memory.h"

void product_init(Product *product, uint32_t processes, uint32_t with_spare, Callbacks ask) {
    memset(product, 0, sizeof *product);
    product->processes = processes;
    product->width = processes + (with_spare ? 1 : 0);
    product->ask = ask;
    map_init(&product->expanded);
    map_init(&product->received);
}

void product_free(Product *product) {
    map_free(&product->expanded);
    map_free(&product->received);
    free(product->steps);
    free(product->expansions);
    free(product->sends);
    free(product->relevant);
}

const Expansion *product_expand(Product *product, const uint32_t *state, uint32_t process) {
    /* The network itself, which falls apart and heals, is the process after the last; it has no cell. */
    uint32_t cell = process < product->processes ? state[process] : ABSENT;
    uint32_t spare = product->width > product->processes ? state[product->processes] : 0;
    uint32_t known = map_get(&product->expanded, cell, spare);
    if (known == ABSENT) {
        product->ask.expand(process, cell, spare, &known);
        if (known == ABSENT) return NULL;
        map_put(&product->expanded, cell, spare, known);
    }
    return &product->expansions[known];
}

int product_fire(Product *product, const uint32_t *state, const Step *step, uint32_t *after) {
    memcpy(after, state, product->width * sizeof *after);
    if (step->process < product->processes) after[step->process] = step->cell;
    if (product->width > product->processes) after[product->processes] = step->spare;
    /* A callback may move the tables, and `step` with them. */
    uint32_t sends = step->sends, count = step->send_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t receiver = product->sends[2 * (sends + i)], message = product->sends[2 * (sends + i) + 1];
        uint32_t cell = map_get(&product->received, after[receiver], message);
        if (cell == ABSENT) {
            product->ask.put(receiver, after[receiver], message, &cell);
            if (cell == ABSENT) return 0;
            map_put(&product->received, after[receiver], message, cell);
        }
        after[receiver] = cell;
    }
    return 1;
}
