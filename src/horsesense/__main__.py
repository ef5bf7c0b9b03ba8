from horsesense.cli import main

main()
