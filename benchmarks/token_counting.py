"""How near the token counts are, and what counting costs.

    python -m benchmarks.token_counting                        the errors
    python -m benchmarks.token_counting --cost                 and a session of 100 MB
    python -m benchmarks.token_counting --record claude.json   record the reference anew

The reference is the last tokenizer that Anthropic published: `claude.json` of the npm package
@anthropic-ai/tokenizer 0.0.4, over text in Unicode's form NFKC, as that package does it. Its
counts stand in `token_samples/reference.json`, so that no network is needed. Newer models count
otherwise; that is what calibration is for.

"before" is the plain estimate. "after" is the estimate times the ratio that one answer gave: the
ratio of each sample is tried on the other samples of its kind.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from benchmarks.long_session import compaction_costs
from pi_lsp.compaction.calibration import Calibration
from pi_lsp.compaction.encoding import count_text, guess_text, load_encoding
from pi_lsp.llm.provider import Model

SAMPLES = Path(__file__).parent / "token_samples"
REFERENCE = SAMPLES / "reference.json"
KINDS = ("prose", "code", "json", "chinese")
MODEL = Model("anthropic", "any", "any", "anthropic-messages", 200_000, 64_000)
SESSION_BYTES = 100_000_000


@dataclass(frozen=True)
class Sample:
    """A text; `reference` is its tokens by the published tokenizer."""

    text: str
    reference: int

    def error(self, tokens: float) -> float:
        """How far off, in percent; below 0 when too few."""
        return 100 * (tokens / self.reference - 1)


@dataclass(frozen=True)
class Errors:
    """Mean errors of one kind of text, in percent."""

    kind: str
    by_characters: float
    guessed: float
    before: float
    after: float


def samples(kind: str) -> list[Sample]:
    """The recorded samples of a kind."""
    reference: dict[str, int] = json.loads(REFERENCE.read_text("utf-8"))
    return [
        Sample(path.read_text("utf-8"), reference[path.stem])
        for path in sorted(SAMPLES.glob(f"{kind}-*.txt"))
    ]


def errors(kind: str) -> Errors:
    """The mean errors on a kind of text."""
    texts = samples(kind)
    return Errors(
        kind,
        by_characters=statistics.fmean(one.error(len(one.text) / 4) for one in texts),
        guessed=statistics.fmean(one.error(guess_text(one.text)) for one in texts),
        before=statistics.fmean(one.error(count_text(one.text)) for one in texts),
        after=statistics.fmean(
            abs(other.error(count_text(other.text) * _ratio(one)))
            for one in texts
            for other in texts
            if other is not one
        ),
    )


def error_of_whole_context() -> float:
    """The worst error, in percent, of the figure for a whole context after its first answer.

    The answer reported two samples of each kind; then a third one of one kind follows.
    """
    reported = [one for kind in KINDS for one in samples(kind)[:2]]
    ratio = _ratio(*reported)
    known = sum(one.reference for one in reported)
    return max(
        abs(100 * ((known + ratio * count_text(one.text)) / (known + one.reference) - 1))
        for one in (samples(kind)[2] for kind in KINDS)
    )


def _ratio(*reported: Sample) -> float:
    calibration = Calibration()
    calibration.observe(
        MODEL,
        estimated=sum(count_text(one.text) for one in reported),
        reported=sum(one.reference for one in reported),
    )
    return calibration.ratio(MODEL)


def record(published: Path) -> None:
    """Count the samples with the published tokenizer and write the table."""
    from base64 import b64decode

    from tiktoken import Encoding

    data = json.loads(published.read_text("utf-8"))
    _, offset, *tokens = data["bpe_ranks"].split(" ")
    ranks = {b64decode(token): int(offset) + place for place, token in enumerate(tokens)}
    encoding = Encoding(
        "claude",
        pat_str=data["pat_str"],
        mergeable_ranks=ranks,
        special_tokens=data["special_tokens"],
    )
    counts = {
        path.stem: len(
            encoding.encode_ordinary(unicodedata.normalize("NFKC", path.read_text("utf-8")))
        )
        for path in sorted(SAMPLES.glob("*.txt"))
    }
    REFERENCE.write_text(json.dumps(counts, indent=2) + "\n", "utf-8")


def print_errors() -> None:
    """The table of errors, in percent."""
    print(f"{'mean error, %':<14}{'chars / 4':>10}{'guess':>8}{'before':>8}{'after':>8}")
    for one in map(errors, KINDS):
        print(
            f"{one.kind:<14}{one.by_characters:>+10.1f}{one.guessed:>+8.1f}{one.before:>+8.1f}"
            f"{one.after:>8.1f}"
        )
    print(f"whole context after the first answer, worst: {error_of_whole_context():.1f} %")


def print_cost() -> None:
    """What counting costs, and a compaction of a session of 100 MB, in ms."""
    load_encoding.cache_clear()
    start = time.perf_counter()
    load_encoding()
    print(f"load the ranks, once              {_ms(start):>8.0f} ms")
    text = "".join(one.text for kind in KINDS for one in samples(kind)) * 60
    start = time.perf_counter()
    count_text(text)
    print(f"count 1 MB                        {_ms(start) * 1e6 / len(text.encode()):>8.0f} ms")
    start = time.perf_counter()
    count_text("a" * 200_000)
    print(f"count 200,000 equal letters       {_ms(start):>8.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        for name, ms in compaction_costs(Path(folder), SESSION_BYTES):
            print(f"{name:<34}{ms:>8.0f} ms")


def _ms(start: float) -> float:
    return (time.perf_counter() - start) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description="How near the token counts are.")
    parser.add_argument("--cost", action="store_true", help="measure a session of 100 MB too")
    parser.add_argument("--record", type=Path, metavar="FILE", help="the published claude.json")
    arguments = parser.parse_args()
    if arguments.record is not None:
        record(arguments.record)
    print_errors()
    if arguments.cost:
        print_cost()


if __name__ == "__main__":
    main()
