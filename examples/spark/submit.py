"""The command `shoal` as a script for `spark-submit`; all further arguments go to Shoal."""

from shoal.cli.main import main

if __name__ == "__main__":
    main()
