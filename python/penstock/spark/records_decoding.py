"""Files of `xmlrecords` whose encoding is given by an option, as UTF-8."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from penstock.errors import DocumentError

if TYPE_CHECKING:
    from penstock.kernel.unpacking import Readable

_DECLARED = re.compile(r"""(\A\ufeff?<\?xml\s[^>]*?)(\sencoding\s*=\s*(?:"[^"]*"|'[^']*'))""")
# An XML declaration is not longer than this.
_ENOUGH_CHARACTERS = 400


def check_encoding(name: str) -> str:
    """The name by which Python knows an encoding of text; ValueError if it knows none."""
    try:
        # What is no encoding of text has no decoder of bytes to str.
        "".encode(name)
        return codecs.lookup(name).name
    except LookupError:
        raise ValueError(f"the option encoding must name an encoding such as UTF-8, not {name!r}") from None


class Decoded:
    """Reads a file in a given encoding as UTF-8, whatever its XML declaration says of the encoding.

    What the declaration says is blanked out, so that places in the file stay what they are. Bytes that are wrong
    raise `DocumentError` after all that comes before them was read.
    """

    def __init__(self, raw: Readable, encoding: str) -> None:
        self._raw = raw
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._is_at_end = False
        self._wrong: str | None = None
        # Of what is decoded next.
        self._line, self._column, self._offset = 1, 1, 0

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes of UTF-8; none at the end."""
        while not self._ready and not self._is_at_end:
            self._fill(size)
        if not self._ready and self._wrong is not None:
            place = (self._line, self._column, self._offset)
            raise DocumentError("encoding", f"not {self._encoding}: {self._wrong}", *place)
        taken, self._ready = self._ready[:size], self._ready[size:]
        return taken

    def _fill(self, size: int) -> None:
        is_first = self._offset == 0
        text = self._decode(size)
        while is_first and len(text) < _ENOUGH_CHARACTERS and not self._is_at_end:
            text += self._decode(size)
        if is_first:
            text = _DECLARED.sub(lambda found: found[1] + " " * len(found[2]), text)
        # Some encodings have halves of characters that UTF-8 has not: the reader refuses them at their place.
        self._ready = text.encode(errors="surrogatepass")
        self._advance(text)

    def _decode(self, size: int) -> str:
        chunk = self._raw.read(size)
        self._is_at_end = not chunk
        before = self._decoder.getstate()
        try:
            return self._decoder.decode(chunk, final=self._is_at_end)
        except UnicodeDecodeError as error:
            self._wrong = error.reason
            self._is_at_end = True
            self._decoder.setstate(before)
            # The error counts from the bytes of an unfinished character that the decoder held.
            return self._decoder.decode(chunk[: max(0, error.start - len(before[0]))])

    def _advance(self, text: str) -> None:
        line_end = text.rfind("\n")
        self._column = self._column + len(text) if line_end < 0 else len(text) - line_end
        self._line += text.count("\n")
        self._offset += len(self._ready)
