"""Where sessions lie: the folder's directory for them, private, and never outside by a link."""

from __future__ import annotations

import os
import time
from pathlib import Path

from pi_lsp.errors import InvalidArgumentError, SessionInvalidError, StorageError
from pi_lsp.session.disk_file import PRIVATE_FILE, TEMPORARY_SUFFIX, reason

PRIVATE_DIRECTORY = 0o700
_LEFTOVER_AGE_S = 3600


class Places:
    """The directory of a folder's sessions.

    Args:
        folder: the workspace folder.
        directory: of the sessions; relative to the folder, or absolute where a person set it so.

    Raises:
        InvalidArgumentError: the directory's name can be none.
    """

    def __init__(self, folder: Path, directory: Path) -> None:
        if "\0" in str(directory):
            raise InvalidArgumentError("The folder for sessions cannot have a NUL in its name.")
        self.folder = Path(os.path.realpath(folder))
        named = Path(os.path.abspath(folder / directory))
        inside = _relative(named, Path(os.path.abspath(folder))) or _relative(named, self.folder)
        self._is_inside = inside is not None
        self.directory = self.folder / inside if inside is not None else named

    def session_files(self) -> list[Path]:
        """The regular `*.jsonl` files of the directory that do not lead out of it, by name.

        Raises:
            StorageError: the directory cannot be read, or leads out of the workspace.
        """
        self._check_directory()
        try:
            with os.scandir(self.directory) as found:
                names = sorted(item.name for item in found if item.name.endswith(".jsonl"))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StorageError(f"{self.directory} cannot be read: {reason(error)}.") from error
        return [path for name in names if self._is_ours(path := self.directory / name)]

    def real_file(self, path: Path) -> Path:
        """The session file with its links resolved.

        Raises:
            SessionInvalidError: a link leads out of the workspace.
            StorageError: the directory leads out of it.
        """
        self._check_directory()
        real = Path(os.path.realpath(path))
        if not any(real.is_relative_to(root) for root in self._roots()):
            raise SessionInvalidError(
                f"{path} is a link that leads out of the workspace; it was not opened."
            )
        return real

    def prepare(self) -> None:
        """Makes the directory, private, with what keeps it out of commits.

        Raises:
            StorageError: it cannot be made, or leads out of the workspace.
        """
        self._check_directory()
        try:
            for missing in reversed(self._missing()):
                missing.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
            self._check_directory()
            if self._is_inside:
                self._keep_out_of_commits()
            _remove_leftovers(self.directory)
        except OSError as error:
            raise StorageError(
                f"The folder for sessions, {self.directory}, cannot be made: {reason(error)}."
            ) from error

    def check(self) -> None:
        """Whether sessions can be kept here; makes nothing.

        Raises:
            StorageError: they cannot; says why.
        """
        self._check_directory()
        places = (self.directory, *self.directory.parents)
        nearest = next(place for place in places if place.exists())
        if not nearest.is_dir():
            raise StorageError(f"{nearest} is no directory, so no session can be kept.")
        if not os.access(nearest, os.W_OK | os.X_OK):
            raise StorageError(f"{nearest} cannot be written, so no session can be kept.")

    def _check_directory(self) -> None:
        real = Path(os.path.realpath(self.directory))
        if self._is_inside and not real.is_relative_to(self.folder):
            raise StorageError(
                f"{self.directory} is a link that leads out of the workspace; sessions are "
                "neither read nor written there. Remove the link, or set another session.dir."
            )

    def _roots(self) -> tuple[Path, ...]:
        return (Path(os.path.realpath(self.directory)), self.folder)

    def _is_ours(self, path: Path) -> bool:
        try:
            return self.real_file(path).is_file()
        except (SessionInvalidError, OSError):
            return False

    def _missing(self) -> list[Path]:
        missing: list[Path] = []
        place = self.directory
        while not place.exists():
            missing.append(place)
            place = place.parent
        return missing

    def _keep_out_of_commits(self) -> None:
        if self.directory.parent.name == ".pi":
            ignore, rule = self.directory.parent / ".gitignore", f"{self.directory.name}/\n"
        else:
            ignore, rule = self.directory / ".gitignore", "*\n"
        try:
            descriptor = os.open(ignore, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        except FileExistsError:
            return  # the person's own, whatever it says
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(rule)


def _relative(path: Path, folder: Path) -> Path | None:
    try:
        return path.relative_to(folder)
    except ValueError:
        return None


def _remove_leftovers(directory: Path) -> None:
    """Removes what a process that was killed had not put into its place yet."""
    limit = time.time() - _LEFTOVER_AGE_S
    for leftover in directory.glob(f".*.jsonl.*{TEMPORARY_SUFFIX}"):
        if leftover.lstat().st_mtime < limit:
            leftover.unlink(missing_ok=True)
