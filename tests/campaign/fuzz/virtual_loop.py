"""An event loop in virtual time: when nothing is left to do it is at once as late as need be."""

import asyncio
import selectors
from typing import Any

from hal.events import SECOND, Instant


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose time passes at once, when nothing else is left to do."""

    def __init__(self) -> None:
        super().__init__(selector=self.Selector(self))
        self.moment = 1_000.0
        self._raised: list[Exception] = []
        self.set_exception_handler(self._remember)

    def _remember(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self._raised.append(context.get("exception") or RuntimeError(context["message"]))

    def raise_what_was_logged(self) -> None:
        """What a callback raises goes to a log, and would be missed."""
        for raised in self._raised:
            raise raised

    def run_in_executor(  # type: ignore[override]  # asyncio's own is more exact
        self, executor: Any, func: Any, *args: Any
    ) -> asyncio.Future[Any]:
        """At once: a thread would need time of the other kind."""
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
            assert timeout is not None, "nothing will ever happen again"
            ready = super().select(0)
            self._loop.moment += 0 if ready else timeout
            return ready
