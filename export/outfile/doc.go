// Package outfile writes all files of the program. Write is atomic: it writes a hidden temporary
// file and renames it. Append adds whole lines under a lock, FreeName finds an unused name, and
// Read refuses large and irregular files.
package outfile
