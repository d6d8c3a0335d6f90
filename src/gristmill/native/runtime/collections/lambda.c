/* Functions evaluated argument by argument, which remember the values they have computed. All of it is scratch. */

#include "parts.h"

typedef struct entry {
  V argument, value; /* value GM_UNSET: free */
} entry;

typedef struct lambda {
  V domain;
  gm_body body;
  V *frame;
  entry *known;
  uint64_t capacity, count;
} lambda;

enum { WORDS = (sizeof(lambda) + sizeof(V) - 1) / sizeof(V), FIRST_CAPACITY = 16 };

static lambda *lambda_of(V v) { return (lambda *)(void *)gm_object_of(v)->items; }

static entry *table(gm_worker *w, uint64_t capacity) {
  entry *entries = (entry *)(void *)gm_scratch(w, capacity * (sizeof(entry) / sizeof(V)));
  for (uint64_t i = 0; i < capacity; i++) entries[i].value = GM_UNSET;
  return entries;
}

V gm_lambda(gm_worker *w, V domain, gm_body body, V *frame) {
  if (!gm_is_set(domain)) gm_fail(w, GM_ERROR);
  gm_object *o = gm_new(w, GM_LAMBDA, WORDS);
  lambda *f = lambda_of(gm_value_of(o));
  *f = (lambda){.domain = domain, .body = body, .frame = frame, .known = table(w, FIRST_CAPACITY), .capacity = FIRST_CAPACITY};
  return gm_value_of(o);
}

V gm_lambda_domain(V v) { return lambda_of(v)->domain; }

static entry *find(const lambda *f, V argument) {
  uint64_t at = gm_hash(argument) & (f->capacity - 1);
  while (f->known[at].value != GM_UNSET && !gm_same(f->known[at].argument, argument)) at = (at + 1) & (f->capacity - 1);
  return &f->known[at];
}

static void remember(gm_worker *w, lambda *f, V argument, V value) {
  if (f->count * 2 >= f->capacity) {
    entry *old = f->known;
    uint64_t size = f->capacity;
    f->known = table(w, size * 2);
    f->capacity = size * 2;
    for (uint64_t i = 0; i < size; i++) {
      if (old[i].value != GM_UNSET) *find(f, old[i].argument) = old[i];
    }
  }
  entry *place = find(f, argument);
  f->count += place->value == GM_UNSET;
  *place = (entry){argument, value};
}

static V compute(gm_worker *w, lambda *f, V argument) {
  gm_check_stack(w);
  V value = f->body(w, f->frame, argument);
  remember(w, f, argument, value);
  return value;
}

V gm_lambda_apply(gm_worker *w, V v, V argument) {
  lambda *f = lambda_of(v);
  argument = gm_part(w, argument);
  V known = find(f, argument)->value;
  if (known != GM_UNSET) return known;
  if (!gm_member(w, argument, f->domain)) gm_fail(w, GM_ERROR);
  return compute(w, f, argument);
}

V gm_list_function(gm_worker *w, V v) {
  lambda *f = lambda_of(v);
  V domain = gm_list(w, f->domain);
  const gm_object *arguments = gm_object_of(domain);
  V *values = gm_scratch(w, arguments->size);
  for (uint32_t i = 0; i < arguments->size; i++) {
    V known = find(f, arguments->items[i])->value;
    values[i] = known != GM_UNSET ? known : compute(w, f, arguments->items[i]);
  }
  return gm_make_function(w, domain, values);
}
