package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/export/outfile"
	"turns/model"
	"turns/query/human"
	"turns/ui/cli/help"
	"turns/ui/listen"
)

// listenCommand receives traces.
type listenCommand struct {
	app    *app
	public bool
	token  string

	tokenFile string
}

func (a *app) listenCommand() *cobra.Command {
	c := &listenCommand{app: a}
	cmd := &cobra.Command{
		Use: "listen [ADDR]", Short: "Receive OTLP traces and show them live",
		Long: "Receive traces and logs of agents over OTLP/HTTP and show them as they arrive; without a terminal, only save them. " +
			"turns saves them in a file of its state folder, or in the one of -o, which opens like any transcript. ADDR is 127.0.0.1:4318 by default.",
		Example: "  turns listen\n  turns listen -o spool.jsonl\n  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 python agent.py",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return hinted{fmt.Errorf("listen needs one address, not %d", len(args)), "turns listen 127.0.0.1:4318"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			addr := "127.0.0.1:4318"
			if len(args) > 0 {
				addr = args[0]
			}
			return c.listen(cmd.Context(), addr)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&c.public, "public", false, "Listen on an address that other machines can reach; needs --token")
	f.StringVar(&c.token, "token", "", "Accept only senders with \"Authorization: Bearer `TOKEN`\"")
	f.StringVar(&c.tokenFile, "token-file", "", "Read the token from `FILE`; TURNS_TOKEN sets it also")
	under(cmd, help.Output, func(f *pflag.FlagSet) { f.StringVarP(&a.out, "output", "o", "", "Append to `FILE`") })
	return cmd
}

func (a *listenCommand) listen(ctx context.Context, addr string) error {
	if err := a.findToken(); err != nil {
		return err
	}
	if err := a.mayListen(addr); err != nil {
		return err
	}
	path := a.app.out
	if a.app.out = ""; path == "" { // the screen writes no output file
		path = filepath.Join(a.app.stateDir(), "received", time.Now().Format("2006-01-02T15-04-05")+".jsonl")
	}
	a.app.goesOn()
	spool, err := listen.OpenSpool(path)
	if err != nil {
		return err
	}
	defer spool.Close()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return hinted{fmt.Errorf("listening: %w", err), "turns listen 127.0.0.1:0 finds a free port"}
	}
	receiver, reports := a.receiver(spool)
	server := &http.Server{
		Handler: receiver, ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer func() {
		_ = server.Close()
		<-served
		reports.end()
	}()
	fmt.Fprintf(a.app.Err, "turns: listening on http://%s, saving to %q\n", l.Addr(), path)
	if !a.app.Terminal {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-served:
			served <- nil
			return fmt.Errorf("listening: %w", err)
		}
	}
	a.app.follow, a.app.color = true, "auto"
	a.app.opening = []string{
		fmt.Sprintf("Listening on http://%s", l.Addr()), "Saving to " + path, "",
		fmt.Sprintf("  export OTEL_EXPORTER_OTLP_ENDPOINT=http://%s", l.Addr()), "",
		"No traces received yet. Send them to " + tracesPath + " over HTTP.",
	}
	return a.app.showFile(ctx, path)
}

// receiver makes a receiver that reports refused requests and ignored metrics.
func (a *listenCommand) receiver(spool *listen.Spool) (*listen.Receiver, *intake) {
	r := listen.NewReceiver(spool, a.token)
	in := &intake{err: a.app.Err, r: r}
	if a.app.Terminal { // the screen has the terminal until it closes
		a.app.notices = make(chan string, 1)
		in.screen = a.app.notices
	}
	r.Refused = func(sender, path string, reason error) {
		in.report(fmt.Sprintf("refused %s from %s: %s", model.CleanLine(path), sender, model.CleanLine(reason.Error())))
	}
	r.Ignored = func(n int64) {
		if n == 1 {
			in.report("ignoring metrics: turns shows traces and logs")
		}
	}
	return r, in
}

// intake reports what is not saved: on stderr, or while there is a screen, on the screen and then
// on stderr when it closes.
type intake struct {
	r      *listen.Receiver
	screen chan<- string // nil without a screen

	mu   sync.Mutex // locked by senders
	err  io.Writer
	held []string // the last reports shown on the screen
	n    int      // number of reports shown on the screen
}

// heldReports is the most reports printed when the screen closes.
const heldReports = 20

func (in *intake) report(text string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.screen == nil {
		fmt.Fprintf(in.err, "turns: %s\n", text)
		return
	}
	if in.n++; len(in.held) == heldReports {
		in.held = in.held[1:]
	}
	in.held = append(in.held, text)
	if in.n > 1 {
		text += fmt.Sprintf(" (%d reports)", in.n)
	}
	select {
	case in.screen <- text:
	default: // the screen is busy: a later report has the total
	}
}

// end prints the reports shown on the screen, and the number of ignored requests.
func (in *intake) end() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if more := in.n - len(in.held); more > 0 {
		fmt.Fprintf(in.err, "turns: %d reports before these\n", more)
	}
	for _, text := range in.held {
		fmt.Fprintf(in.err, "turns: %s\n", text)
	}
	if n := in.r.Metrics(); n > 0 {
		fmt.Fprintf(in.err, "turns: ignored %s with metrics\n", human.Plural(int(n), "request"))
	}
}

// findToken reads the token from a place that other users of this machine cannot see, unlike flags.
func (a *listenCommand) findToken() error {
	switch {
	case a.token != "" && a.tokenFile != "":
		return errors.New("--token and --token-file cannot be combined")
	case a.tokenFile != "":
		text, err := outfile.Read(a.tokenFile, 4<<10)
		if err != nil {
			return fmt.Errorf("reading the token: %w", err)
		}
		if a.token = strings.TrimSpace(string(text)); a.token == "" {
			return fmt.Errorf("reading the token: %q is empty", a.tokenFile)
		}
	case a.token == "":
		a.token = strings.TrimSpace(a.app.Env("TURNS_TOKEN"))
	}
	return nil
}

// mayListen returns an error if other machines could send, unless --public or --token allow it.
func (f *listenCommand) mayListen(addr string) error {
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
		return hinted{fmt.Errorf("refusing to listen on %s, which other machines can reach", addr), "add --public --token TOKEN"}
	case f.token == "":
		return hinted{errors.New("--public needs --token TOKEN"), "senders show it as OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20TOKEN"}
	}
	return nil
}
