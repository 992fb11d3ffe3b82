package parquet

import (
	"runtime"

	"github.com/klauspost/compress/zstd"
	pqzstd "github.com/parquet-go/parquet-go/compress/zstd"
)

// codec compresses pages with encoders that stay: a new one for each page, as the
// library has it, costs more than the pages do.
type codec struct {
	*pqzstd.Codec
	encoder *zstd.Encoder
}

// pageWindow is how far back a page is looked at; more than a page is of no use.
const pageWindow = 256 << 10

func newCodec() *codec {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)),
		zstd.WithWindowSize(pageWindow), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // only options that contradict each other are errors
	}
	return &codec{&pqzstd.Codec{}, e}
}

// Encode compresses a page.
func (c *codec) Encode(dst, src []byte) ([]byte, error) {
	return c.encoder.EncodeAll(src, dst[:0]), nil
}
