// Package source turns whatever holds a transcript into a growing stream of
// bytes: a file as it lies there, or, for all else, a private spool into which a
// pipe, a URL, a compressed file, a database, an archive, a folder or a JSON
// document is unrolled. It knows containers and files, and no transcript format.
//
// [Open] looks at an argument and gives a [Source]. Its Sample is what formats
// judge; its Stream is read with ReadAt up to Size; [Source.Unroll] turns
// containers into lines of records, each its list, a tab and its JSON
// ([CutRecord]); [Source.Next] waits for what happens next: more bytes, the end,
// or, when a file is followed, that it was truncated, replaced or deleted.
//
//	src, err := source.Open(ctx, path, source.Options{Follow: true})
//	match := detect(src.Sample())
//	src.Unroll(source.Plan{Lists: lists, Unroll: format.Unroll})
//	for {
//		ev, err := src.Next(ctx) // io.EOF after the last event
//		… read src.Stream() up to its Size …
//	}
//
// Nothing is ever written beside a user's file, and no path that is found in
// content is opened.
package source
