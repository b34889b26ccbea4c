std = "luajit"
read_globals = { "vim" }
globals = { "vim.b", "vim.bo", "vim.g", "vim.o", "vim.opt", "vim.w", "vim.wo" }
max_line_length = 120
