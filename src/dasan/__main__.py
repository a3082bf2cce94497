"""`python -m dasan` is `dasan`."""

from dasan.cli import main

main()
