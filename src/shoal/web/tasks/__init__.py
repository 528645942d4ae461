"""What a worker can do, a file a task. Each has ``run(asked, room)``: plain data in, plain data out."""
