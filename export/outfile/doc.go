// Package outfile is the one place that writes files. Write makes a file whole or not at all: it
// goes to a hidden name beside and is renamed when all of it is there. Append adds whole lines
// under a lock, FreeName finds a name that nobody has, and Read refuses what is no small file.
package outfile
