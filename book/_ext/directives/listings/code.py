"""CUDA source text as highlighted HTML lines."""

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer


def highlight_lines(text: str) -> list[str]:
    """Return one piece of HTML per line of CUDA ``text``, with the classes of Sphinx's style sheet."""
    # stripnl would drop empty lines at both ends, and lines would not match their numbers.
    lexer = CudaLexer(stripnl=False, ensurenl=True)
    html = highlight(text, lexer, HtmlFormatter(nowrap=True))
    return html.split("\n")[: len(text.splitlines())]
