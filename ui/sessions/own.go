package sessions

import (
	"strings"

	"turns/query/session"
)

// OwnValues returns the values for a user's command, from the session under the cursor. For a
// command on the list, text holds the paths of all listed (or selected) sessions, one per line.
// Without a session, why is the reason.
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
