package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// TestCorpus looks for false positives in the real conversations of the folder TURNS_CORPUS. With
// -v it lists the findings, masked.
func TestCorpus(t *testing.T) {
	root := modeltest.Corpus(t)
	r := New()
	counts, distinct, size := map[string]int{}, map[string]bool{}, 0
	values := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size += len(text)
		for _, f := range r.Find(text) {
			counts[f.Rule]++
			values[named(f.Rule, text[f.Start:f.End])] = true
			line := fmt.Sprintf("%s %s«%s»%s", named(f.Rule, text[f.Start:f.End]), around(text, f.Start-40, f.Start), mask(text[f.Start:f.End]), around(text, f.End, f.End+8))
			if !distinct[line] {
				distinct[line] = true
				rel, _ := filepath.Rel(root, path)
				t.Logf("%s\n    %s", rel, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	total, mb := 0, float64(size)/1e6
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[rule], rule)
		total += counts[rule]
		if float64(counts[rule]) > 1+mb {
			t.Errorf("%s: %.1f findings per MB; real conversations have fewer secrets than that", rule, float64(counts[rule])/mb)
		}
	}
	wrong, known := 0, judged()
	for _, value := range slices.Sorted(maps.Keys(values)) {
		if known[value] == "" {
			t.Logf("not judged: %s", value)
			wrong++
		} else if strings.HasPrefix(known[value], "no ") {
			wrong++
		}
	}
	if wrong > 10 {
		t.Errorf("%d of %d values are not secrets or not judged", wrong, len(values))
	}
	t.Logf("%d findings, %d distinct, %d values, in %.1f MB", total, len(distinct), len(values), mb)
}

// named identifies a value without revealing it: by its rule and the beginning of its hash.
func named(rule string, value []byte) string {
	sum := sha256.Sum256(value)
	return rule + " " + hex.EncodeToString(sum[:4])
}

// judged describes each value found in the corpus. False positives begin with "no ".
func judged() map[string]string {
	return map[string]string{
		"gcp-oauth d163308e": "an access token of a cloud", "password 240be518": "the plain text of a hashed password",
		"password 5ac7eca6": "the password of a database", "url-password 5ac7eca6": "the same in an address",
		"password 857410f2": "the password of a database in a container", "password b44556ba": "a password with every sign, of a test database",
		"password f1b75f17": "another password of the database", "url-password f1b75f17": "the same in an address",
		"url-password e92eeeae": "the password of another database", "url-password eba36caa": "the default password of a local database",
		"secret 0bd5b562": "the seed of a wallet", "secret 7b198ff5": "the token of an account that sends messages", "secret 8c1bbf71": "a key of an API of a market",
		"secret d07b3025": "no secret: the number of an error page, named a token", "secret d1b3190d": "a client secret of OAuth",
		"sendgrid-api-key 40ed10d2": "a key that sends mail", "signed-url 6aceb1d4": "a signature of an address", "signed-url cfde82e3": "another one", "signed-url fff0af75": "a third one",
		"twilio-api-key 7708805e": "no secret: the id of a key, without the secret of it",
	}
}

func around(text []byte, from, to int) string {
	s := fmt.Sprintf("%q", text[max(0, from):min(len(text), to)])
	return strings.Trim(s, `"`)
}

// mask shows the kinds of characters in a secret, not the characters.
func mask(v []byte) string {
	var b strings.Builder
	for i, c := range v[:min(len(v), 60)] {
		k := kindsOf(v[i : i+1])
		switch {
		case i < 4 && len(v) > 12 || k.other == 1:
			fmt.Fprintf(&b, "%c", c)
		case k.digit == 1:
			b.WriteByte('9')
		case k.upper == 1:
			b.WriteByte('A')
		default:
			b.WriteByte('a')
		}
	}
	return fmt.Sprintf("%q %d", b.String(), len(v))
}
