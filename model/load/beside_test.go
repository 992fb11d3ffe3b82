package load

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/query"
)

// exported is an account's export with one picture; %q is the picture's name.
const exported = `[{"title":"Cats","create_time":1700000000,"current_node":"u","mapping":{
"r":{"id":"r","message":null,"parent":null,"children":["u"]},
"u":{"id":"u","parent":"r","children":[],"message":{"id":"u","author":{"role":"user"},"create_time":1700000001,
"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":%q,"size_bytes":9,"width":64,"height":48},"What is it?"]},
"status":"finished_successfully","recipient":"all","metadata":{"attachments":[{"id":"file-AbC","name":"cat.png","mime_type":"image/png","size":9}]}}}}}]`

// TestPicturesBeside: turns finds a picture that an export stores as a separate file by its id, in
// the folder, below it and in the archive, and finds no other file.
func TestPicturesBeside(t *testing.T) {
	for _, c := range []struct {
		pointer, file, want string
	}{
		{"file-service://file-AbC", "file-AbC-cat.png", "a picture"},
		{"file-service://file-AbC", "file-AbC", "a picture"},
		{"file-service://file-AbC", "dalle-generations/file-AbC-0001.webp", "a picture"},
		{"sediment://file_00ff", "user-x1/file_00ff-22.png", "a picture"},
		{"sediment://1f#file_00ff#p_0.jpg", "p_0.jpg", "a picture"},
		{"file-AbC", "file-AbC-cat.png", "a picture"},
		{"file-service://file-AbC", "file-AbCd-cat.png", ""},
		{"file-service://../file-AbC", "file-AbC", ""},
		{"file-service://", "file-AbC", ""},
		{"https://example.org/file-AbC", "file-AbC", ""},
	} {
		dir := t.TempDir()
		files := map[string]string{"conversations.json": fmt.Sprintf(exported, c.pointer), c.file: "a picture", "secret.png": "not this one"}
		for _, path := range []string{writeFolder(t, dir, files), writeZip(t, filepath.Join(dir, "export.zip"), files)} {
			snap := loadFile(t, path, Options{})
			data, err := query.MediaBytes(t.Context(), snap, snap.At(0), 0)
			if string(data) != c.want || (err == nil) != (c.want != "") {
				t.Errorf("%s in %s of %s: %q, %v, want %q", c.pointer, c.file, filepath.Base(path), data, err, c.want)
			}
		}
	}
}

func writeFolder(t *testing.T, dir string, files map[string]string) string {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "conversations.json")
}

func writeZip(t *testing.T, path string, files map[string]string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = strings.NewReader(text).WriteTo(w)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
