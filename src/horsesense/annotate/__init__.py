"""What people are asked, and what comes of their answers: instruments, tasks, judgements, labels."""
