"""One file per dataset that belongs to no method: its name is that of the dataset, its function is ``read``."""
