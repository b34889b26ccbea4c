from __future__ import annotations

from pi_lsp.compaction.file_lists import MOST_LISTED, FileLists, file_lists, without_lists
from tests.compaction.conversation import answer, result, user


def test_files_that_were_read_and_files_that_were_changed() -> None:
    files = file_lists(
        [
            user("change b"),
            answer(
                calls=[
                    ("t1", "read", {"path": "a.py"}),
                    ("t2", "read", {"path": "b.py"}),
                    ("t3", "edit", {"path": "b.py", "edits": []}),
                    ("t4", "write", {"path": "c.py", "content": ""}),
                    ("t5", "bash", {"command": "ls"}),
                    ("t6", "grep", {"pattern": "x", "path": "src"}),
                ]
            ),
        ],
        [],
    )
    assert files == FileLists(read=("a.py",), modified=("b.py", "c.py"))


def test_the_lists_grow_over_compactions() -> None:
    earlier = [{"readFiles": ["a.py", "b.py"], "modifiedFiles": ["c.py"]}]
    files = file_lists([answer(calls=[("t1", "edit", {"path": "a.py"})])], earlier)
    assert files == FileLists(read=("b.py",), modified=("c.py", "a.py"))
    assert files.details() == {"readFiles": ["b.py"], "modifiedFiles": ["c.py", "a.py"]}


def test_a_call_that_failed_touched_no_file() -> None:
    files = file_lists(
        [
            answer(calls=[("t1", "write", {"path": "a.py"}), ("t2", "read", {"path": "b.py"})]),
            result("t1", "denied", is_error=True),
            result("t2", "text"),
        ],
        [],
    )
    assert files == FileLists(read=("b.py",))


def test_what_another_program_wrote_may_have_any_shape() -> None:
    earlier = [{}, {"readFiles": "a.py", "modifiedFiles": [1, None, "", "ok.py"]}]
    odd = answer(
        calls=[("t1", "read", {"path": 7}), ("t2", "edit", {}), ("t3", "read", {"path": ""})]
    )
    assert file_lists([odd], earlier) == FileLists(modified=("ok.py",))


def test_the_lists_stand_at_the_end_of_a_summary_and_come_off_again() -> None:
    files = FileLists(read=("a.py",), modified=("b.py", "c.py"))
    assert files.text() == (
        "<read-files>\na.py\n</read-files>\n\n<modified-files>\nb.py\nc.py\n</modified-files>"
    )
    assert without_lists(f"## Goal\nwork\n\n{files.text()}\n") == "## Goal\nwork"
    assert without_lists("a summary without") == "a summary without"
    assert FileLists().text() == ""


def test_a_summary_names_the_newest_files_and_the_details_all() -> None:
    files = FileLists(read=tuple(f"{number}.py" for number in range(MOST_LISTED + 50)))
    assert "(50 more before these)" in files.text()
    assert "\n49.py\n" not in files.text()
    assert "\n50.py\n" in files.text()
    assert len(files.details()["readFiles"]) == MOST_LISTED + 50
