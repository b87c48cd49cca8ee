"""The grids that come with the package, one text file for each."""
