"""Web app for one user on one machine; the only package that imports a web framework.

The server process never reads data. Files are read, queries answered and releases made in worker processes (`worker`),
so that a bad file or a long run cannot stop the server.
"""
