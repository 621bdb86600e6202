"""`python -m toponaut` is `toponaut`."""

from toponaut.cli import main

main()
