package format

import (
	"embed"
	"regexp"
	"slices"
	"sync"

	"turns/model"
)

// descriptions are formats in the language of those that users write: a file each, in
// the order in which they are asked.
//
//go:embed descriptions/*.toml
var descriptions embed.FS

// description is a format that ships as a description. Its first use compiles it.
type description struct {
	folder bool // whether a transcript of the format is a folder of files
	format func() *model.Format
}

// asksForFiles matches the key with which a description reads a folder.
var asksForFiles = regexp.MustCompile(`(?m)^files\s*=`)

// shipped are the descriptions, none of them compiled: compiling all needs a tenth of the time
// of a short command.
var shipped = sync.OnceValue(func() (list []description) {
	files, err := descriptions.ReadDir("descriptions")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, file := range files {
		text, err := descriptions.ReadFile("descriptions/" + file.Name())
		if err != nil {
			panic(err)
		}
		list = append(list, description{
			folder: asksForFiles.Match(text),
			format: sync.OnceValue(func() *model.Format {
				f, err := Own(file.Name(), text)
				if err != nil {
					panic(err) // a test reads them all
				}
				return f
			}),
		})
	}
	return list
})

// written are the formats that ship as descriptions. The detection compiles and asks them only
// if no format in Go recognises a sample.
var written = sync.OnceValue(func() []*model.Format {
	return compiled(func(description) bool { return true })
})

// folders are the formats whose transcript is a folder of files.
var folders = sync.OnceValue(func() (list []*model.Format) {
	own := compiled(func(d description) bool { return d.folder })
	return slices.DeleteFunc(slices.Concat(formats, own), func(f *model.Format) bool {
		return f.Unroll == nil || f.Unroll.Members == nil
	})
})

// Moving returns the formats whose sessions may continue in another transcript.
func Moving() []*model.Format { return moving() }

var moving = sync.OnceValue(func() []*model.Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f *model.Format) bool { return f.Moved == nil })
})

// compiled returns the formats of the wanted descriptions.
func compiled(want func(description) bool) (list []*model.Format) {
	for _, d := range shipped() {
		if want(d) {
			list = append(list, d.format())
		}
	}
	return list
}
