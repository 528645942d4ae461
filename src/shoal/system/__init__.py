"""The operating system: atomic files, locks, scratch folders, threads and memory."""
