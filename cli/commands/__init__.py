"""One module for each subcommand; each holds a click command called `command`."""
