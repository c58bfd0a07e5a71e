// Replaces the driver.

GRADED_SOLUTION

int main() { return 0; }
