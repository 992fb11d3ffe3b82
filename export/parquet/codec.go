package parquet

import (
	"runtime"

	"github.com/klauspost/compress/zstd"
	pqzstd "github.com/parquet-go/parquet-go/compress/zstd"
)

// codec compresses pages with reused encoders: the library makes a new one for each page, which
// costs more than the pages.
type codec struct {
	*pqzstd.Codec
	encoder *zstd.Encoder
}

// For speed only: pageWindow is the compression window. A window larger than a page is useless.
const pageWindow = 256 << 10

func newCodec() *codec {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)),
		zstd.WithWindowSize(pageWindow), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // only contradictory options are errors
	}
	return &codec{&pqzstd.Codec{}, e}
}

// Encode compresses a page.
func (c *codec) Encode(dst, src []byte) ([]byte, error) {
	return c.encoder.EncodeAll(src, dst[:0]), nil
}
