"""Work that alternates between building, asking and measuring."""
