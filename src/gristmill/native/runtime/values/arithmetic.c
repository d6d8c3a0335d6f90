/* What is not so short as to be in the header. Division rounds down; a remainder is never negative. */

#include "parts.h"

static void need_integers(gm_worker *w, V a, V b) {
  if (!gm_is_int(a) || !gm_is_int(b)) gm_fail(w, GM_ERROR);
}

static V product_of(gm_worker *w, int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) gm_fail(w, GM_OVERFLOW);
  return gm_check_int(w, result);
}

V gm_multiply(gm_worker *w, V a, V b) {
  need_integers(w, a, b);
  return product_of(w, gm_int_of(a), gm_int_of(b));
}

V gm_divide(gm_worker *w, V a, V b) {
  need_integers(w, a, b);
  int64_t x = gm_int_of(a), y = gm_int_of(b);
  if (!y) gm_fail(w, GM_ERROR);
  return gm_check_int(w, x / y - (x % y != 0 && (x < 0) != (y < 0)));
}

V gm_modulo(gm_worker *w, V a, V b) {
  need_integers(w, a, b);
  int64_t x = gm_int_of(a), y = gm_int_of(b);
  if (y <= 0) gm_fail(w, GM_ERROR);
  int64_t rest = x % y;
  return gm_int(rest < 0 ? rest + y : rest);
}

V gm_power(gm_worker *w, V a, V b) {
  need_integers(w, a, b);
  int64_t base = gm_int_of(a), exponent = gm_int_of(b);
  if (exponent < 0 || (!base && !exponent)) gm_fail(w, GM_ERROR);
  if (base == 0 || base == 1) return exponent ? a : gm_int(1);
  if (base == -1) return gm_int(exponent % 2 ? -1 : 1);
  V result = gm_int(1);
  for (int64_t i = 0; i < exponent; i++) result = product_of(w, gm_int_of(result), base);
  return result;
}

V gm_negate(gm_worker *w, V a) {
  if (!gm_is_int(a)) gm_fail(w, GM_ERROR);
  return gm_check_int(w, -gm_int_of(a));
}
