package format

import (
	"embed"
	"slices"
	"strings"
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
	files  []string // of a transcript that is a folder; all of them must be in it
	format func() *model.Format
}

// filesOf returns the names after the key files of a description, without reading the rest of it.
func filesOf(text string) (names []string) {
	_, list, _ := strings.Cut(text, "\nfiles")
	list, _, _ = strings.Cut(list, "]")
	for i, part := range strings.Split(list, `"`) {
		if i%2 == 1 {
			names = append(names, part)
		}
	}
	return names
}

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
			files: filesOf(string(text)),
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

// folders returns the formats whose transcript may be a folder with files of these names.
func folders(names []string) []*model.Format {
	return append(slices.Clip(foldersInGo()), compiled(func(d description) bool {
		return d.files != nil && !slices.ContainsFunc(d.files, func(name string) bool { return !slices.Contains(names, name) })
	})...)
}

var foldersInGo = sync.OnceValue(func() []*model.Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f *model.Format) bool { return f.Unroll == nil || f.Unroll.Members == nil })
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
