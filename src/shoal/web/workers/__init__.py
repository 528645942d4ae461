"""Worker processes that touch the data: queries, jobs and tasks."""
