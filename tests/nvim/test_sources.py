"""The plugin's modules as such."""

from __future__ import annotations

from tests.nvim.conftest import StartNeovim
from tests.nvim.neovim import PLUGIN


def test_every_module_loads_by_itself_and_leaves_no_global(start: StartNeovim) -> None:
    neovim = start()
    lua = PLUGIN / "lua"
    modules = [
        ".".join(path.relative_to(lua).with_suffix("").parts).removesuffix(".init")
        for path in sorted(lua.rglob("*.lua"))
        if path.name != "types.lua"
    ]
    before = neovim.lua("return vim.tbl_count(_G)")
    for module in modules:
        neovim.lua("require(...)", module)
    assert neovim.lua("return vim.tbl_count(_G)") == before
