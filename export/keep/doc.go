// Package keep archives the files of transcripts in a folder, from which agents do not delete them.
//
// An archived file has its old path below the folder and is compressed with zstd, so that turns
// reads the folder in place. Additions to a file become a further frame of the copy. If a file is
// rewritten, its previous version moves to a name made of its hash. An append-only index records
// the contents of each copy and its hash. Files with equal contents are stored once.
package keep
