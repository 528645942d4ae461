def read(path):
    raise NotImplementedError
