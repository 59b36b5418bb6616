"""docs/api.md is true: its examples run."""

from __future__ import annotations

import doctest
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "api.md"


def test_every_example_in_the_api_document_gives_what_it_shows():
    text = DOCUMENT.read_text(encoding="utf-8").replace("```python", "").replace("```", "")
    parser = doctest.DocTestParser()
    example = parser.get_doctest(text, {}, "docs/api.md", str(DOCUMENT), 0)
    assert len(example.examples) > 15
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(example, out=report.append)
    assert report == []
