package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"

	"turns/model/source/remote"
)

// refusal is the reason why a server returned no data, and its kind.
type refusal struct {
	text string
	kind error
}

func (r refusal) Error() string { return r.text }
func (r refusal) Unwrap() error { return r.kind }

var forbidden = refusal{"the bucket may not be read with these credentials, or with none", fs.ErrPermission}

// unlisted returns the error for a name without an object (missing) whose listing failed (err).
func unlisted(missing, err error) error {
	switch {
	case missing == nil || err != error(forbidden):
		return err
	case errors.Is(missing, fs.ErrNotExist):
		return refusal{"it is no object, and the bucket may not be listed with these credentials, or with none", fs.ErrNotExist}
	}
	return missing
}

// refusals are answers of servers with a clearer text for each.
var refusals = []struct {
	code   string // of the answer; "" is any
	status int    // 0 is any
	refusal
}{
	{"NoSuchBucket", 0, refusal{"there is no such bucket", fs.ErrNotExist}},
	{"InvalidAccessKeyId", 0, refusal{"the server does not know the access key", fs.ErrPermission}},
	{"XAdminUserNotFound", 0, refusal{"the server does not know the access key", fs.ErrPermission}}, // Versity's
	{"SignatureDoesNotMatch", 0, refusal{"the secret key is not the one that belongs to the access key", fs.ErrPermission}},
	{"ExpiredToken", 0, refusal{"the session token has expired", fs.ErrPermission}},
	{"InvalidToken", 0, refusal{"the server does not know the session token", fs.ErrPermission}},
	{"RequestTimeTooSkewed", 0, refusal{"the clock of this machine differs too much from the server's", fs.ErrPermission}},
	{"", http.StatusForbidden, forbidden},
	{"", http.StatusUnauthorized, forbidden},
	{"", http.StatusPreconditionFailed, refusal{remote.ErrChanged.Error(), remote.ErrChanged}},
	{"", http.StatusNotFound, refusal{"there is nothing in the bucket under this name", fs.ErrNotExist}},
	{"", http.StatusRequestedRangeNotSatisfiable, refusal{remote.ErrChanged.Error(), remote.ErrChanged}},
}

// maxReason limits the text of a server that is repeated.
const maxReason = 200

// asError returns a short error for a server's refusal. It omits the request's address and
// truncates the server's text: an endpoint may be anyone's.
func (s *Store) asError(err error) error {
	if answer, ok := errors.AsType[minio.ErrorResponse](err); ok {
		for _, r := range refusals {
			if (r.code == "" || r.code == answer.Code) && (r.status == 0 || r.status == answer.StatusCode) {
				return r.refusal
			}
		}
		switch {
		case answer.StatusCode/100 == 3:
			return fmt.Errorf("the server sends elsewhere (%d), and is not followed; its region or endpoint is another", answer.StatusCode)
		case answer.StatusCode >= 400:
			return fmt.Errorf("the server answers %d: %.*s", answer.StatusCode, maxReason, s.withoutKeys(answer.Message))
		}
		return fmt.Errorf("the server says %.*s", maxReason, s.withoutKeys(answer.Message))
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), timedOut(err):
		return fmt.Errorf("the server does not answer in time: %w", context.DeadlineExceeded)
	case errors.Is(err, context.Canceled):
		return err
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	text := err.Error()
	switch {
	case errors.Is(err, errLong), errors.Is(err, errDeep):
		return err
	case strings.HasPrefix(text, "XML syntax error"), strings.Contains(text, "Last-Modified"), strings.Contains(text, "parsing time"), strings.Contains(text, "expected element type"),
		strings.Contains(text, "strconv."), text == "EOF", text == "unexpected EOF":
		return errNoList
	}
	if safe := s.withoutKeys(text); safe != text {
		return fmt.Errorf("%.*s", maxReason, safe)
	}
	return fmt.Errorf("%w", err)
}

// withoutKeys removes the request's credentials from a server's text, which may repeat them.
func (s *Store) withoutKeys(text string) string {
	keys, err := s.core.GetCreds()
	if err != nil {
		return text
	}
	for _, key := range [...]string{keys.SecretAccessKey, keys.SessionToken, keys.AccessKeyID} {
		if key != "" {
			text = strings.ReplaceAll(text, key, "[redacted]")
		}
	}
	return text
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
