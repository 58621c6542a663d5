/* Inlined functions, two deep, with known lines. */
struct node { struct node *next; int value; };
static inline __attribute__((always_inline)) int take(struct node *node)
{
    return *(volatile int *)&node->next->value;   /* line 5 */
}
static inline __attribute__((always_inline)) int take_two(struct node *node)
{
    return take(node) + 1;         /* line 9 */
}
__attribute__((noinline)) int outer(struct node *node)
{
    int sum = node->value;
    return sum + take_two(node);   /* line 14 */
}
int main(int argc, char **argv)
{
    struct node node = {0, argc};
    (void)argv;
    return outer(&node) + 1;       /* line 20 */
}
