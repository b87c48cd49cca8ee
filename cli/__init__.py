"""The `fpcert` command: a thin layer over the public functions of `certify` and `fpsim`."""
