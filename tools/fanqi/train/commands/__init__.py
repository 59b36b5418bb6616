"""What the commands of `fanqi train` do, one module a subject; `fanqi.train.cli` puts them together."""
