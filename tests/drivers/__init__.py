import tests.drivers.harness  # noqa: F401  # it installs the GPIO library of this process
