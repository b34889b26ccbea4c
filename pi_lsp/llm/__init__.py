"""Models and the services that run them: one interface, and a package or module per provider."""
