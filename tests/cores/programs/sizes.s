# Functions of every window that names are looked for in, and one without a size, as hand-written code has it.
        .text
        .globl  small, large, huge, bare, alias, _alias
        .type   small, @function
small:  .fill   64, 1, 0x90
        .size   small, . - small
        .type   large, @function
large:  .fill   70000, 1, 0x90
        .size   large, . - large
        .type   huge, @function
huge:   .fill   3000000, 1, 0x90
        .size   huge, . - huge
        .type   alias, @function
        .type   _alias, @function
alias:
_alias: .fill   64, 1, 0x90
        .size   alias, . - alias
        .size   _alias, . - _alias
        .type   bare, @function
bare:   .fill   64, 1, 0x90
        .section .note.GNU-stack, "", @progbits
