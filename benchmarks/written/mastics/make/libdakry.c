#include <stdlib.h>
#include <string.h>
/* histogram-equalise n grey values; returns mean */
float dk_equalise(const float *x, float *out, int n, int bins) {
    int *h = calloc(bins, sizeof(int));
    float *tmp = malloc(n * sizeof(float)); float s = 0; int bad = 0;
    for (int i = 0; i < n; i++) { int b = (int)(x[i] * bins); tmp[i] = x[i]; if (b >= bins) { bad = 1; break; } h[b]++; s += x[i]; }
    if (bad) { memcpy(out, x, n * sizeof(float)); free(tmp); }
    else memcpy(out, tmp, n * sizeof(float));
    free(h); free(tmp);
    return s / n;
}
