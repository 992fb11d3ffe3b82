package screen

import (
	"context"
	"image"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/ui/paint"
)

// pictures are those of the open rows, small enough to draw in cells. They are read in the
// background: one frame requests a picture, a later one shows it.
type pictures struct {
	known  map[pictureKey]*picture
	wanted []pictureKey // requested by the last frame
}

type pictureKey struct {
	id    model.ID
	block int
}

// picture is the state of a picture: img is nil while it is read, and if err holds an error.
type picture struct {
	img *image.RGBA
	err string
}

// picturesMost is how many pictures are cached, pictureW and pictureH their largest size in pixels.
const (
	picturesMost = 64
	pictureW     = 160
	pictureH     = 100
)

// pictureMsg is the result of reading a picture.
type pictureMsg struct {
	snap *model.Snapshot
	key  pictureKey
	img  *image.RGBA
	err  error
}

// mediaParts draws a block of media: its description, and the picture if the terminal can show it.
func (h *Host) mediaParts(m *model.Message, block int) []paint.Part {
	b := &m.Blocks[block]
	row := []paint.Span{{Text: "▣ ", Ink: paint.InkAccent}, {Text: paint.OneLine(describe.MediaText(b))}, {Text: "   " + h.Key("I") + " opens it", Ink: paint.InkDim}}
	parts := []paint.Part{{Kind: paint.PartRows, Rows: [][]paint.Span{row}}}
	if !h.Opts.Pictures || h.Styles.NoColor || b.Width == 0 && (b.Elsewhere == "" || h.remote()) {
		return parts
	}
	s := &h.pictures
	p := s.known[pictureKey{m.ID, block}]
	switch {
	case p == nil:
		s.wanted = append(s.wanted, pictureKey{m.ID, block})
	case p.err != "":
		parts = append(parts, NoteRow(p.err))
	case p.img != nil:
		parts = append(parts, paint.PicturePart(p.img))
	}
	return parts
}

// ResultMedia draws the pictures, sounds and files in the result of a call.
func (h *Host) ResultMedia(call model.CallID, id string) []paint.Part {
	answer := h.Snap.Call(call).Result
	if answer == model.NoID || h.Snap.HeadRow(answer).Flags&model.HasMedia == 0 {
		return nil
	}
	m := h.Bodies.Get(answer)
	if m == nil {
		return nil
	}
	var parts []paint.Part
	for _, block := range query.MediaOfResult(m, id) {
		parts = append(parts, h.mediaParts(m, block)...)
	}
	return parts
}

// readWanted returns the commands that read the pictures requested by the last frame.
func (h *Host) readWanted() []tea.Cmd {
	s := &h.pictures
	var cmds []tea.Cmd
	for _, key := range s.wanted {
		if s.known[key] != nil {
			continue
		}
		if s.known == nil || len(s.known) >= picturesMost {
			s.known = map[pictureKey]*picture{}
		}
		s.known[key] = &picture{}
		ctx, snap := h.Ctx, h.Snap
		cmds = append(cmds, Background(func() tea.Msg {
			img, err := smallPicture(ctx, snap, key)
			return pictureMsg{snap, key, img, err}
		}))
	}
	s.wanted = s.wanted[:0]
	return cmds
}

func smallPicture(ctx context.Context, snap *model.Snapshot, key pictureKey) (*image.RGBA, error) {
	data, err := query.MediaBytes(ctx, snap, key.id, key.block)
	if err != nil {
		return nil, err
	}
	img, err := paint.DecodePicture(data)
	if err != nil {
		return nil, err
	}
	return paint.Thumbnail(img, pictureW, pictureH), nil
}

// arrived stores a read picture.
func (s *pictures) arrived(m pictureMsg) {
	p := s.known[m.key]
	if p == nil {
		return
	}
	if p.img = m.img; m.err != nil {
		p.err = paint.OneLine(m.err.Error())
	}
}
