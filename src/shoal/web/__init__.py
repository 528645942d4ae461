"""The page in the browser: one person, one machine. The only room that knows a web framework.

The process that answers requests never touches data: files are read, questions answered and releases made in processes
of their own (`worker`), so that a bad file or a long run cannot stop the page.
"""
