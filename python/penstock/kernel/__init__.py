"""Programs for the engine, and the engine itself: the only package that talks to the native module."""
