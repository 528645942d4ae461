"""The command `shoal` for `spark-submit`, which takes a script: all that stands behind its name goes to Shoal."""

from shoal.cli.main import main

if __name__ == "__main__":
    main()
