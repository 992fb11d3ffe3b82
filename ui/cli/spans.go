package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turns/export"
	"turns/model/source/web"
	"turns/query/human"
	"turns/ui/listen"
)

// listenFlags say where what is sent is taken and kept.
type listenFlags struct {
	public bool
	token  string
}

func (a *app) listenCommand() *cobra.Command {
	var f listenFlags
	cmd := &cobra.Command{
		Use: "listen [ADDR]", Short: "Receive what frameworks send over OTLP, and watch it",
		Long: "Receive traces and logs of agents over OTLP/HTTP and show them as they come; without a terminal, keep them. What came is\n" +
			"kept in a file of the state folder, or the one of -o, which opens again as a transcript. ADDR is 127.0.0.1:4318.",
		Example: "  turns listen\n  turns listen -o spool.jsonl\n  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 python agent.py",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			addr := "127.0.0.1:4318"
			if len(args) > 0 {
				addr = args[0]
			}
			return a.listen(cmd.Context(), addr, &f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.public, "public", false, "listen where others can reach it, too; senders must show --token")
	flags.StringVar(&f.token, "token", "", "take from who sends \"Authorization: Bearer `TOKEN`\" alone")
	flags.StringVarP(&a.out, "output", "o", "", "keep what comes in FILE, behind what it has")
	return cmd
}

func (a *app) listen(ctx context.Context, addr string, f *listenFlags) error {
	if err := f.mayListen(addr); err != nil {
		return err
	}
	path := a.out
	if a.out = ""; path == "" { // the screen writes nothing there
		path = filepath.Join(a.stateDir(), "received", time.Now().Format("2006-01-02T15-04-05")+".jsonl")
	}
	a.goesOn()
	spool, err := listen.OpenSpool(path)
	if err != nil {
		return err
	}
	defer spool.Close()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return hinted{fmt.Errorf("listening: %w", err), "turns listen 127.0.0.1:0 takes a port that is free"}
	}
	server := &http.Server{
		Handler: listen.NewReceiver(spool, f.token), ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer func() {
		_ = server.Close()
		<-served
	}()
	fmt.Fprintf(a.Err, "turns: listening on http://%s, keeping what comes in %q\n", l.Addr(), path)
	if !a.Terminal {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-served:
			served <- nil
			return fmt.Errorf("listening: %w", err)
		}
	}
	a.screen.follow, a.screen.color = true, "auto"
	return a.showFile(ctx, path)
}

// mayListen reports whether senders are as near, or as well known, as they must be.
func (f *listenFlags) mayListen(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return hinted{fmt.Errorf("listening at %q: %w", addr, err), "an address is HOST:PORT"}
	}
	ip := net.ParseIP(host)
	near := host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case near:
		return nil
	case !f.public:
		return hinted{fmt.Errorf("others can reach %q", addr), "--public and --token allow that"}
	case f.token == "":
		return hinted{errors.New("--public takes a --token"), "senders must show it, as OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20TOKEN"}
	}
	return nil
}

// tracesPath is where a receiver of OTLP over HTTP takes spans (opentelemetry.io/docs/specs/otlp).
const tracesPath = "/v1/traces"

// send posts what an export writes, a request for each line, and says on stderr how many spans the
// receiver did not take.
func (a *app) send(ctx context.Context, f export.Format, write func(w io.Writer) error) error {
	if f.Name != "otlp" {
		return hinted{fmt.Errorf("--send takes spans, and %s has none", f.Name), "--to otlp writes spans"}
	}
	for _, path := range a.inputs {
		if web.IsURL(path) && len(a.header) > 0 {
			return hinted{errors.New("-H would go to the server of the transcript and to the one of --send"), "export to a file first, and give that"}
		}
	}
	header, err := parseHeaders(a.header)
	if err != nil {
		return err
	}
	to := a.export.send
	if u, err := url.Parse(to); err == nil && strings.Trim(u.Path, "/") == "" {
		u.Path = tracesPath
		to = u.String()
	}
	s, err := web.NewSender(to, "application/json", web.Options{Header: header})
	if err != nil {
		return err
	}
	defer s.Close()
	p := &posting{ctx: ctx, s: s}
	if err := write(p); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "turns: sent %s to %s\n", human.Plural(p.sent, "request"), web.Shown(to))
	if p.refused > 0 {
		return fmt.Errorf("sending spans: the server left out %s: %s", human.Plural(p.refused, "span"), cmp.Or(p.why, "it does not say why"))
	}
	return nil
}

// posting sends each line that is written.
type posting struct {
	ctx           context.Context
	s             *web.Sender
	line          []byte
	sent, refused int
	why           string
}

// Write sends the lines that are whole.
func (p *posting) Write(data []byte) (int, error) {
	p.line = append(p.line, data...)
	for {
		end := bytes.IndexByte(p.line, '\n')
		if end < 0 {
			return len(data), nil
		}
		answer, err := p.s.Send(p.ctx, p.line[:end])
		if err != nil {
			return 0, err
		}
		p.sent++
		p.learn(answer)
		p.line = append(p.line[:0], p.line[end+1:]...)
	}
}

// learn reads a partial success.
func (p *posting) learn(answer []byte) {
	var a struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"`
			ErrorMessage  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return // the specification lets a receiver answer anything with a success
	}
	n, _ := a.PartialSuccess.RejectedSpans.Int64()
	p.refused += int(n)
	p.why = cmp.Or(p.why, a.PartialSuccess.ErrorMessage)
}
