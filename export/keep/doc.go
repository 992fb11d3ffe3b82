// Package keep copies the files of transcripts into a folder of its own, where they stay
// when agents delete theirs.
//
// A kept file stands under the path that it had, compressed with zstd: the folder is read
// in place like any other. What an agent adds to a file becomes a further frame of the
// kept one. A file that was written anew is kept beside what it was before, which stands
// under the hash of its content. An index, to which lines are only added, says what was
// kept of which file, and by which hash it is known. Files with the same content are one.
package keep
