package format

import (
	"embed"
	"sync"

	"turns/model"
)

// descriptions are formats in the language of those that users write: a file each, in
// the order in which they are asked.
//
//go:embed descriptions/*.toml
var descriptions embed.FS

// written are the formats that ship as descriptions. They are asked where no format in
// Go knows what it sees, and read no sooner.
var written = sync.OnceValue(func() (list []*model.Format) {
	files, err := descriptions.ReadDir("descriptions")
	for _, file := range files {
		var text []byte
		var f *model.Format
		if text, err = descriptions.ReadFile("descriptions/" + file.Name()); err == nil {
			f, err = Own(file.Name(), text)
		}
		if err != nil {
			break
		}
		list = append(list, f)
	}
	if err != nil {
		panic(err) // a test reads them all
	}
	return list
})
