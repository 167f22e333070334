"""Foreign text in error messages."""

from firmware.user_error import UserError, one_line


def test_control_characters_become_spaces() -> None:
    assert one_line("a\x1b[31mb\nc\td") == "a [31mb c d"


def test_long_text_is_shortened() -> None:
    assert len(one_line("x" * 100_000)) == 500


def test_a_sentence_is_one_line_and_its_details_are_printable() -> None:
    error = UserError("a\x1b[31m\nb", details="one\x07\ntwo\n")
    assert (str(error), error.details) == ("a [31m b", ["one ", "two"])


def test_the_exit_status_is_1_unless_it_is_given() -> None:
    assert (UserError("no").status, UserError("no", 2).status) == (1, 2)
