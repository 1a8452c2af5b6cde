"""Where long work is: a bar of tqdm, or any callable that is told the stage, how much is done, and of how much."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Optional, Union

Told = Callable[[str, int, Optional[int]], Any]
Progress = Union[bool, Told, type, None]


class Bar:
    """Bars of tqdm, one after the other: one for each stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._stage: str | None = None
        self._bar: Any = None

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self._stage:
            self.close()
            self._stage, self._bar = stage, self._tqdm(total=total, desc=stage, leave=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Ends the bar that is shown."""
        if self._bar is not None:
            self._bar.close()
        self._stage, self._bar = None, None


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


class Watch:
    """The callable for native code, as a context: bars are closed at its end.

    `True` shows a bar, `False` none, `None` one in notebooks where tqdm is installed. A class such as `tqdm.tqdm` shows its bars.
    """

    def __init__(self, progress: Progress) -> None:
        if progress is None:
            progress = _in_notebook()
        self._bar: Bar | None = None
        self._told: Any = None
        if progress is True or isinstance(progress, type):
            tqdm = progress if isinstance(progress, type) else _tqdm()
            if tqdm is not None:
                self._bar = self._told = Bar(tqdm)
        elif progress is not False:
            self._told = progress

    def __enter__(self) -> Any:
        return self._told

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
