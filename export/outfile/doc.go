// Package outfile writes files whole or not at all, under names that are free.
package outfile
