"""Laws of the tree, for any sequence of append, switch, fork, label, compact and reload."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pi_lsp.session import Session, SessionStore
from tests.session.conversation import answer, entry, lines, stored, user

texts = st.text(max_size=20)
places = st.integers(min_value=0, max_value=10_000)


class SessionLaws(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = SessionStore(Path(self.folder.name))
        self.session = self.store.create()
        self.others = 0

    def teardown(self) -> None:
        self.session.close()
        self.folder.cleanup()

    def some_entry(self, place: int) -> str | None:
        nodes = [e.id for e in self.session.entries().entries if not e.is_leaf_entry]
        return nodes[place % len(nodes)] if nodes else None

    @rule(text=texts)
    def ask(self, text: str) -> None:
        entry = self.session.append_message(user(text))
        assert self.session.leaf_id == self.session.visible_leaf_id == entry.id

    @rule(text=texts)
    def reply(self, text: str) -> None:
        before = self.session.leaf_id
        entry = self.session.append_message(answer(text))
        assert self.session.parent_of(entry.id) == before

    @rule(place=places)
    def switch(self, place: int) -> None:
        target = self.some_entry(place)
        self.session.move_leaf(target)
        assert self.session.leaf_id == target

    @rule()
    def go_to_the_root(self) -> None:
        self.session.move_leaf(None)
        assert self.session.context().messages == []

    @rule(place=places, label=st.none() | texts)
    def label(self, place: int, label: str | None) -> None:
        if (target := self.some_entry(place)) is not None:
            self.session.append_label(target, label)

    @rule(place=places)
    def compact(self, place: int) -> None:
        path = self.session.path()
        kept = path[place % len(path)].id if path else None
        self.session.append_compaction(summary="s", first_kept_entry_id=kept, tokens_before=1)
        assert self.session.context().messages[0].message["role"] == "compactionSummary"

    @rule(text=texts)
    def name(self, text: str) -> None:
        self.session.append_name(text)

    @precondition(lambda self: self.session.on_disk)
    @rule(place=places, idle=st.booleans())
    def another_program_appends(self, place: int, idle: bool) -> None:
        self.others += 1
        line = lines([entry(f"other{self.others:03d}", self.some_entry(place))])
        with self.session.file.open("ab") as file:
            file.write(line)
        self.session.idle = idle
        before = self.session.leaf_id, self.session.visible_leaf_id
        [taken] = self.session.take_in()
        follows = idle and taken.parent_id in before
        assert self.session.leaf_id == (taken.id if follows else before[0])
        if not follows:
            # What was decided in memory stands in the file with the next write.
            self.session.append_message(answer("meanwhile"))
        self.session.idle = True

    @precondition(lambda self: self.session.on_disk)
    @rule()
    def reload(self) -> None:
        before = snapshot(self.session)
        self.session.close()
        self.session = self.store.open(self.session.id)
        assert snapshot(self.session) == before

    @rule(place=places, at=st.booleans())
    def fork(self, place: int, at: bool) -> None:
        if (target := self.some_entry(place)) is None:
            return
        parent = self.session.entry(target)
        child, text = self.session.fork(target, "at" if at else "before")
        asked_again = parent.role == "user" and not at
        assert (text is not None) == asked_again
        last = self.session.parent_of(target) if asked_again else target
        assert messages(child) == [one.message for one in self.session.context(last).messages]
        self.session.close()
        self.session = child

    @invariant()
    def ids_are_unique(self) -> None:
        ids = [entry.id for entry in self.session.entries().entries]
        assert len(ids) == len(set(ids))

    @invariant()
    def paths_end_at_a_root(self) -> None:
        path = self.session.path()
        assert [self.session.parent_of(one.id) for one in path] == [
            None,
            *[one.id for one in path[:-1]],
        ][: len(path)]
        assert len({one.id for one in path}) == len(path)
        assert not any(one.is_leaf_entry for one in path)

    @invariant()
    def the_file_holds_what_memory_holds(self) -> None:
        if self.session.on_disk:
            known = [entry.data for entry in self.session.entries().entries]
            assert stored(self.session)[1:] == known
        assert self.session.warnings == []

    @invariant()
    def shown_nodes_form_a_tree(self) -> None:
        nodes = self.session.tree()
        above = {node.id: node.parent_id for node in nodes}
        assert all(parent is None or parent in above for parent in above.values())
        on_path = [node.id for node in nodes if node.on_path]
        assert set(on_path) <= {one.id for one in self.session.path()}


def messages(session: Session) -> list[object]:
    return [one.message for one in session.context().messages]


def snapshot(session: Session) -> object:
    """All that a person or the model can see of a session."""
    return (
        session.leaf_id,
        session.visible_leaf_id,
        session.name,
        session.context(),
        session.tree("all"),
        session.stats(),
        session.message_count,
        [entry.data for entry in session.entries().entries],
    )


TestSessionLaws = SessionLaws.TestCase
TestSessionLaws.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
