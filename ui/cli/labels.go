package cli

import (
	"cmp"
	"context"

	"turns/model"
	"turns/query/label"
	"turns/ui/transcripts"
)

// labels returns the label store; nil with --no-labels.
func (a *app) labels() *transcripts.Labels {
	if a.noLabels {
		return nil
	}
	return a.store()
}

func (a *app) openLabels() *transcripts.Labels {
	return &transcripts.Labels{Path: cmp.Or(a.labelFile, transcripts.LabelsFile(a.Env)), By: transcripts.Author(a.Env), Cache: a.cacheDir()}
}

// here returns the labels of an open snapshot.
func (a *app) here(ctx context.Context, s *model.Snapshot) (*label.Here, error) {
	if have := a.placed[s]; have != nil {
		return have, nil
	}
	h, err := a.labels().Find(ctx, s, a.pathOf(s))
	if err == nil {
		a.placed = map[*model.Snapshot]*label.Here{s: h}
	}
	return h, err
}

// pathOf returns the path of an open transcript.
func (a *app) pathOf(s *model.Snapshot) string {
	path := a.opened[s]
	if src := s.Sources(); path == "" && len(src) > 0 {
		path = src[0].Path
	}
	return path
}
