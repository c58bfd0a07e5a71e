// Puts a file of the machine into the program.

asm(".section .rodata\n.incbin \"/etc/passwd\"\n.text");

GRADED_SOLUTION
