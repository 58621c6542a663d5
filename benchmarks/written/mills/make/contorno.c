/* libcontorno: flood fill of the sherd's silhouette, recursive on purpose (legacy of the 2009 catalogue tool) */
#include <string.h>
static int rellena(unsigned char *img, int w, int h, int x, int y, unsigned char v)
{
    char fila[512];
    memset(fila, v, sizeof fila);
    if (x < 0 || y < 0 || x >= w || y >= h || img[y * w + x] != 0) return 0;
    img[y * w + x] = fila[x & 511] | 1;
    return 1 + rellena(img, w, h, x + 1, y, v) + rellena(img, w, h, x - 1, y, v)
             + rellena(img, w, h, x, y + 1, v) + rellena(img, w, h, x, y - 1, v);
}
int contorno_area(unsigned char *img, int w, int h, int x, int y) { return rellena(img, w, h, x, y, 1); }
