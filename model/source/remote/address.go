package remote

import (
	"os"
	"path"
	"runtime"
	"strings"
)

// Address is a parsed name of a remote file or folder.
type Address struct {
	Kind string // "s3", "gs" or "ssh"
	Root string // bucket or host
	Key  string // path in the bucket or on the host; "" is the bucket or home folder
}

// String returns the name that Parse accepts.
func (a Address) String() string {
	switch {
	case a.Kind == "ssh":
		return a.Root + ":" + a.Key
	case a.Key == "":
		return a.Kind + "://" + a.Root
	}
	return a.Kind + "://" + a.Root + "/" + a.Key
}

// Shown returns the address for error messages. It hides text before the name of a bucket, which is
// likely a key.
func (a Address) Shown() string {
	if strings.ContainsAny(a.Root, ":@") && a.Kind != "ssh" {
		a.Root, a.Key = "xxxxx", ""
	}
	return a.String()
}

// At returns the address with another key on the same bucket or host.
func (a Address) At(key string) Address {
	a.Key = key
	return a
}

// Parse parses a name. It returns false for a path, a web URL, or a pipe.
func Parse(name string) (Address, bool) {
	if kind, rest, ok := strings.Cut(name, "://"); ok {
		if kind != "s3" && kind != "gs" {
			return Address{}, false
		}
		bucket, key, _ := strings.Cut(rest, "/")
		return Address{Kind: kind, Root: bucket, Key: key}, true
	}
	host, key, ok := strings.Cut(name, ":")
	if !ok || !hostName(host) || key == "" {
		return Address{}, false
	}
	if _, err := os.Lstat(name); err == nil {
		return Address{}, false // a local file with a colon in its name
	}
	return Address{Kind: "ssh", Root: host, Key: key}, true
}

// hostName reports whether the text before a colon can be a host, or a user and a host. A leading
// hyphen would make it an option of ssh; one letter is a drive.
func hostName(s string) bool {
	if s == "" || strings.ContainsAny(s[:1], "-.@") || runtime.GOOS == "windows" && len(s) == 1 {
		return false
	}
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-._@", r):
		default:
			return false
		}
	}
	_, host, named := strings.Cut(s, "@")
	return !named || host != "" && host[0] != '-' && !strings.Contains(host, "@") // ssh: the last @
}

// Is reports whether a name is the address of a remote file or folder, which turns reads like a
// local one.
func Is(name string) bool {
	_, ok := Parse(name)
	return ok
}

// Base returns the last part of the key, the name to show for an address.
func (a Address) Base() string {
	if key := strings.Trim(a.Key, "/"); key != "" {
		return path.Base(key)
	}
	return a.Root
}

// Dir returns the folder of the address.
func (a Address) Dir() Address {
	key := strings.TrimRight(a.Key, "/")
	i := strings.LastIndexByte(key, '/')
	switch {
	case i >= 0:
		return a.At(key[:max(i, 1)])
	case a.Kind == "ssh":
		return a.At(".")
	}
	return a.At("")
}
