package query

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"turns/model"
)

// MediaOfResult returns the blocks of a message with the images, sounds and files of a call's
// result.
func MediaOfResult(m *model.Message, call string) []int {
	var blocks []int
	results := 0
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Kind {
		case model.ToolResult:
			results++
		case model.Media:
			if b.ID == call && call != "" || b.ID == "" && m.Role == model.Tool {
				blocks = append(blocks, i)
			}
		}
	}
	if results > 1 && len(blocks) > 0 && m.Blocks[blocks[0]].ID == "" {
		return nil // it is unclear to which result they belong
	}
	return blocks
}

// MediaBytes returns the decoded bytes of a block of media. It fetches them if they are not in the
// transcript.
func MediaBytes(ctx context.Context, s *model.Snapshot, id model.ID, block int) ([]byte, error) {
	blocks, err := s.NewReader().Blocks(ctx, id)
	if err != nil {
		return nil, err
	}
	if block >= len(blocks) || blocks[block].Kind != model.Media {
		return nil, errors.New("no media here")
	}
	b := &blocks[block]
	if place := b.Elsewhere.String(); place != "" {
		return s.Fetch(ctx, place)
	}
	text := b.Text.String()
	data, err := DecodeMedia(text)
	if err != nil && isFile(text) {
		return s.Fetch(ctx, text)
	}
	return data, err
}

// isFile reports whether a text can be the name of a file next to the transcript. URLs do not
// count: turns must not contact a server because a transcript names it.
func isFile(text string) bool {
	return text != "" && len(text) < 400 && !strings.Contains(text, "://") && !strings.HasPrefix(text, "data:")
}

// DecodeMedia decodes base64, with or without data: URL.
func DecodeMedia(text string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		_, text, _ = strings.Cut(rest, ",")
	}
	text = strings.TrimRight(strings.NewReplacer("\n", "", "\r", "", " ", "").Replace(text), "=")
	if text == "" {
		return nil, errors.New("the transcript does not hold its data")
	}
	for _, enc := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if data, err := enc.DecodeString(text); err == nil {
			return data, nil
		}
	}
	return nil, fmt.Errorf("the transcript holds only its place, %q", text[:min(len(text), 80)])
}
