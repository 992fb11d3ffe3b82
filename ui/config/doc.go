// Package config reads config.toml: the theme, the columns, the keys, own commands and the prices.
// Each mistake has its line and column, and the rest of the file applies. It reads and writes
// views.toml as well.
package config
