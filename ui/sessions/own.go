package sessions

import (
	"strings"

	"turns/query/session"
)

// OwnValues are what a command of the reader's gets of the session under the cursor; of a command
// about the list, text has the path of every listed (or selected) session on its line. why says
// that there is no session.
func (d *List) OwnValues(list bool) (values map[string]string, why string) {
	s := d.cur()
	if s == nil {
		return nil, "no session here"
	}
	values = map[string]string{"path": s.Path, "session": s.Session, "id": s.Session, "folder": s.Project, "text": s.Title}
	if !list {
		return values, ""
	}
	var paths []string
	for _, one := range d.asked() {
		paths = append(paths, one.Path)
	}
	values["text"] = strings.Join(paths, "\n") + "\n"
	return values, ""
}

var _ = session.No
