"""`python -m dasan` is `dasan`."""

from dasan_program import main

main()
