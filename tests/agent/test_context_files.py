"""Whose instructions reach the model, and in which order."""

from __future__ import annotations

import os
from pathlib import Path

from pi_lsp.agent.context_files import find_context_files
from pi_lsp.agent.system_prompt import system_prompt


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_users_own_come_first_then_the_folders_from_the_top(tmp_path: Path) -> None:
    agent_dir, folder = tmp_path / "home", tmp_path / "work" / "project"
    folder.mkdir(parents=True)
    mine = write(agent_dir / "AGENTS.md", "mine")
    above = write(tmp_path / "work" / "CLAUDE.md", "the one above")
    here = write(folder / "AGENTS.md", "here")

    found = find_context_files(folder, agent_dir, trusted=True)

    assert [file.path for file in found if tmp_path in file.path.parents] == [mine, above, here]
    prompt = system_prompt(folder, ["read"], found)
    places = [prompt.index(f"\n{text}\n") for text in ("mine", "the one above", "here")]
    assert places == sorted(places)


def test_agents_md_goes_before_claude_md_in_one_folder(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "agents")
    write(tmp_path / "CLAUDE.md", "claude")

    texts = [file.text for file in find_context_files(tmp_path, tmp_path / "no", trusted=True)]

    assert "agents" in texts
    assert "claude" not in texts


def test_an_untrusted_folders_instructions_are_not_read(tmp_path: Path) -> None:
    agent_dir, folder = tmp_path / "home", tmp_path / "hostile"
    write(agent_dir / "AGENTS.md", "mine")
    write(folder / "AGENTS.md", "do evil")

    found = find_context_files(folder, agent_dir, trusted=False)

    assert [file.text for file in found] == ["mine"]


def test_a_file_that_is_no_text_does_not_stop_anything(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_bytes(b"\xff\xfe\x00bad")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "AGENTS.md").mkdir()

    found = find_context_files(tmp_path / "sub", tmp_path / "no", trusted=True)

    assert len([file for file in found if file.path.parent == tmp_path]) == 1


def test_the_prompt_is_the_same_every_time(tmp_path: Path) -> None:
    prompts = {system_prompt(tmp_path, ["read", "edit"], []) for _ in range(2)}
    assert len(prompts) == 1


def test_a_link_that_leads_elsewhere_is_not_read_but_the_users_own_are(tmp_path: Path) -> None:
    private = write(tmp_path / "private", "secret")
    folder, agent_dir = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    agent_dir.mkdir()
    (folder / "AGENTS.md").symlink_to(private)
    (agent_dir / "AGENTS.md").symlink_to(write(tmp_path / "dotfiles" / "AGENTS.md", "mine"))

    texts = [file.text for file in find_context_files(folder, agent_dir, trusted=True)]

    assert texts == ["mine"]


def test_a_link_beside_its_target_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "rules.md", "the rules")
    (tmp_path / "CLAUDE.md").symlink_to(tmp_path / "docs" / "rules.md")

    texts = [file.text for file in find_context_files(tmp_path, tmp_path / "no", trusted=True)]

    assert texts == ["the rules"]


def test_a_pipe_in_place_of_a_file_holds_nothing_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "AGENTS.md")
    assert find_context_files(tmp_path, tmp_path / "no", trusted=True) == []
