"""What is installed, to the last byte: the lock, and the bill of materials made from it."""
