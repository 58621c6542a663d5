/* smoothing of joint tracks; keeps a scratch buffer */
#include <stdlib.h>
#include <string.h>
static double *rasc; static int cap;
void suaviza(float *x, int n, int frames) {
  if (frames > 240 && rasc) free(rasc);          /* long clip: drop the scratch buffer ... */
  if (!rasc || n > cap) { rasc = malloc(n * sizeof(double)); cap = n; }
  double s = x[0];
  for (int i = 0; i < n; i++) { s = .8 * s + .2 * x[i]; if (frames <= 240) rasc[i] = s; x[i] = s; }
  if (frames > 240) free(rasc);                  /* ... and again */
}
