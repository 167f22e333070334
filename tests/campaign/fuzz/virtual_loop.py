"""An event loop in virtual time: it skips to the next timer when nothing is ready."""

import asyncio
import selectors
from typing import Any

from hal.events import SECOND, Instant


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that skips idle time."""

    def __init__(self) -> None:
        super().__init__(selector=self.Selector(self))
        self.moment = 1_000.0
        self._errors: list[Exception] = []
        self.set_exception_handler(self._keep_error)

    def _keep_error(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self._errors.append(context.get("exception") or RuntimeError(context["message"]))

    def raise_logged(self) -> None:
        """Raise errors of callbacks, which asyncio would only log."""
        for error in self._errors:
            raise error

    def run_in_executor(  # type: ignore[override]  # asyncio's own is more exact
        self, executor: Any, func: Any, *args: Any
    ) -> asyncio.Future[Any]:
        """Run at once: a thread would need real time."""
        del executor
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done

    def time(self) -> float:
        return self.moment

    def wall(self) -> Instant:
        return Instant(round(self.moment * SECOND))

    class Selector(selectors.DefaultSelector):
        def __init__(self, loop: "VirtualLoop") -> None:
            super().__init__()
            self._loop = loop

        def select(self, timeout: float | None = None) -> list[Any]:
            assert timeout is not None, "the loop would wait forever"
            ready = super().select(0)
            self._loop.moment += 0 if ready else timeout
            return ready
