package formats

import (
	"slices"
	"strconv"
	"testing"

	"turns/export/exporttest"
	"turns/model"
	"turns/model/jsonspan"
	"turns/query"
	"turns/query/filter"
	"turns/query/lang"
)

// TestSpeakersOfSamples filters by role: for each speaker of the samples, with the name that turns
// shows and the one in the record.
func TestSpeakersOfSamples(t *testing.T) {
	exporttest.EachSample(t, func(t *testing.T, snap *model.Snapshot) {
		asked := map[string]bool{}
		for pos := range snap.Len() {
			id := snap.At(pos)
			h := snap.HeadRow(id)
			names := []string{snap.RoleName(h)}
			if m, err := snap.Body(t.Context(), id); err == nil && len(m.Records) == 1 && len(m.Blocks) > 0 {
				for _, name := range speakers(m.Records[0].Data, m.Role) {
					if role, known := model.RoleNamed(name); name != "" && (!known && m.Role != model.Other || role == m.Role) {
						names = append(names, name)
					}
				}
			}
			for _, name := range names {
				if key := name + " " + h.Role.String(); name != "" && !asked[key] {
					asked[key] = true
					accepts(t, snap, id, name)
				}
			}
		}
	})
}

// speakers returns the names of the role and the speaker in a record. It skips the author of a
// result: the speaker is the tool, and the author is the agent that called it.
func speakers(record []byte, role model.Role) (names []string) {
	names = append(names, string(jsonspan.GetString(jsonspan.Get(record, "content"), "role")))
	for _, field := range []string{"role", "speaker", "from", "sender", "author"} {
		if field == "author" && role == model.Tool {
			continue
		}
		names = append(names, string(jsonspan.GetString(record, field)))
	}
	return names
}

func accepts(t *testing.T, snap *model.Snapshot, id model.ID, name string) {
	t.Helper()
	f, err := lang.Parse("role:" + strconv.Quote(name))
	if err != nil {
		t.Errorf("role:%q: %v", name, err)
		return
	}
	r, err := filter.Apply(t.Context(), query.Everything(snap), f, filter.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(r.IDs, id) {
		return
	}
	t.Errorf("role:%q does not find message %d, of %s", name, snap.Pos(id), snap.HeadRow(id).Role)
}
