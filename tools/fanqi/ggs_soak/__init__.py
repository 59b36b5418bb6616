"""Two GGS clients and a server with a hostile network between them, for hours or for a test."""
