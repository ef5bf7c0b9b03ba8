"""Bad input of all kinds, thrown at every command and reader: ``make fuzz``."""
