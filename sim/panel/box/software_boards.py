"""The page's software boards: plain, for a recording, and for a task of the trainer."""

from hal.wiring import Wiring
from sim.panel.box.lesson_board import LessonBoard
from sim.panel.box.link import Link
from sim.panel.box.panel_board import PanelBoard
from sim.panel.box.recording_board import RecordingBoard
from sim.panel.messages import BoxStart


def on_page(link: Link, start: BoxStart, _wiring: Wiring) -> PanelBoard:
    if start.setup is not None:
        return LessonBoard(link, start)
    return RecordingBoard(link, start) if start.recording else PanelBoard(link, start)
