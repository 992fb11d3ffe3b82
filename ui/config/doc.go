// Package config holds what a person sets once: the theme, the columns, the keys and
// the prices. It reads config.toml, says with line and column what is wrong in it, and
// goes on with what is right.
package config
