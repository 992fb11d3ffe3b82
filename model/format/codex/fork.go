package codex

import (
	"cmp"
	"encoding/hex"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// A fork of a rollout is written in one of two ways. It may copy its parent: its own session_meta
// is followed by those of its parents and all their records, with the time of the copy. The ids of
// their turns are unchanged and contain the time at which the turn ran. In the paginated history,
// it only refers to the position in the parent from which it continues.

// codexBase returns the transcript that a fork continues.
func codexBase(record []byte) (model.Base, bool) {
	if string(jsonspan.GetString(record, "type")) != "session_meta" {
		return model.Base{}, false
	}
	meta := jsonspan.Get(record, "payload")
	base := jsonspan.Get(meta, "history_base")
	id := jsonspan.GetString(base, "thread_id")
	if len(id) == 0 {
		return codexCopied(meta)
	}
	b := model.Base{ID: string(id)}
	b.End, _ = jsonspan.ParseInt(jsonspan.Get(base, "end_byte_offset"))
	if end, ok := jsonspan.ParseInt(jsonspan.Get(base, "end_ordinal_exclusive")); ok && b.End <= 0 {
		b.Past = func(record []byte) bool {
			n, ok := jsonspan.ParseInt(jsonspan.Get(record, "ordinal"))
			return ok && n >= end
		}
	}
	return b, true
}

// codexCopied returns the parent of a fork whose ids contain no times: only the parent's transcript
// shows which part of the fork was copied.
func codexCopied(meta []byte) (model.Base, bool) {
	id := jsonspan.GetString(meta, "forked_from_id")
	if len(id) == 0 || uuidTime(jsonspan.GetString(meta, "id")) != 0 {
		return model.Base{}, false
	}
	return model.Base{ID: string(id), Copied: true, Is: func(record []byte) bool {
		return string(jsonspan.GetString(record, "type")) == "session_meta" && string(jsonspan.GetString(record, "payload", "id")) == string(id)
	}}, true
}

// emitOrigin records the id, parent and start time of the transcript that this line begins.
func (l *codexLine) emitOrigin(f *model.Fact, parent []byte) {
	id := l.str("id")
	f.Key, f.Target = model.Hash(id), kit.HashValue(parent)
	forked := !kit.IsEmpty(l.get("forked_from_id"))
	if f.N = uuidTime(id); f.N == 0 {
		f.N = kit.MomentOf(l.get("timestamp")).Ms
	}
	f.N = cmp.Or(f.N, l.time.Ms)
	start := l.get("subagent_history_start_ordinal")
	if kit.IsString(start) {
		start = kit.Inside(start)
	}
	if n, ok := jsonspan.ParseInt(start); ok { // messages of its parent precede it
		f.Flags, f.Seq = f.Flags|model.Inherited, n
		return
	}
	if forked && f.N != 0 && kit.IsEmpty(l.get("history_base")) {
		f.Flags |= model.Inherited
	}
}

// codexCopying is the time in ms after a fork's start within which its copies are stamped.
const codexCopying = 2500

// turn returns the start time and the key of the turn that a line names. If the turn's id contains
// no time, it began when the line was written, unless that is while the fork was made.
func (l *codexLine) turn() (began int64, key model.Key) {
	id := l.str("turn_id")
	if began = uuidTime(id); began == 0 {
		began = max(0, l.time.Ms-codexCopying)
	}
	return began, model.Hash(id)
}

// uuidTime returns the Unix time in ms from a UUID of version 7, or 0 for any other id.
func uuidTime(id []byte) int64 {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[14] != '7' {
		return 0
	}
	var b [6]byte
	if _, err := hex.Decode(b[:4], id[:8]); err != nil {
		return 0
	}
	if _, err := hex.Decode(b[4:], id[9:13]); err != nil {
		return 0
	}
	n := int64(0)
	for _, x := range b {
		n = n<<8 | int64(x)
	}
	return n
}
