package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model/modeltest"

	"go.yaml.in/yaml/v3"
)

// release is the part of .goreleaser.yaml used by the tests.
type release struct {
	Builds   []struct{ Ldflags []string }
	Archives []struct{ Formats, Files []string }
	Nfpms    []struct {
		Package     string `yaml:"package_name"`
		Formats     []string
		Description string
		Section     string
		Bindir      string
		Contents    []struct{ Src, Dst, Packager string }
	}
	Casks []struct {
		Manpages    []string
		Completions map[string]string
	} `yaml:"homebrew_casks"`
	Scoops   []map[string]any
	Nix      []map[string]any
	Sboms    []map[string]any
	Checksum map[string]any
}

// readRelease returns the configuration, and a folder with its sources, arranged as for a
// release.
func readRelease(t *testing.T) (r release, dir string) {
	t.Helper()
	data, err := os.ReadFile("../../.goreleaser.yaml")
	if err == nil {
		err = yaml.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	pages := filepath.Join(dir, "dist-pages")
	if err := os.MkdirAll(filepath.Join(dir, ".github"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", ".github/CHANGELOG.md"} {
		copyTo(t, filepath.Join("../..", name), filepath.Join(dir, name), 0o644)
	}
	if code, _, errs := run(t, "", "man", "--into", pages); code != exitOK {
		t.Fatal(errs)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		_, text, _ := run(t, "", "completion", shell)
		if err := os.WriteFile(filepath.Join(pages, "turns."+shell), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r, dir
}

func copyTo(t *testing.T, from, to string, perm os.FileMode) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, data, perm)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestReleaseHasAllPackages: a release has every kind of package, and each file that one names
// exists.
func TestReleaseHasAllPackages(t *testing.T) {
	r, dir := readRelease(t)
	if len(r.Archives) != 1 || len(r.Nfpms) != 1 || len(r.Casks) != 1 || len(r.Scoops) != 1 || len(r.Nix) != 1 || len(r.Sboms) != 1 || len(r.Checksum) != 1 {
		t.Fatalf("the release lacks a kind of package: %+v", r)
	}
	if formats := r.Nfpms[0].Formats; !slices.Contains(formats, "deb") || !slices.Contains(formats, "rpm") {
		t.Errorf("packages of Linux: %v", formats)
	}
	if flags := strings.Join(r.Builds[0].Ldflags, " "); !strings.Contains(flags, "-X turns/ui/cli.released=") {
		t.Errorf("the program does not get its version: %s", flags)
	}
	sources := slices.Concat(r.Archives[0].Files, r.Casks[0].Manpages)
	for _, c := range r.Nfpms[0].Contents {
		sources = append(sources, c.Src)
	}
	for _, c := range r.Casks[0].Completions {
		sources = append(sources, c)
	}
	for _, src := range sources {
		if found, err := filepath.Glob(filepath.Join(dir, strings.ReplaceAll(src, "**/", "*/"))); err != nil || len(found) == 0 {
			t.Errorf("no file is %q", src)
		}
	}
}

// TestDebInstalls builds the Debian package as configured, installs it below another root, and
// starts the program there in an empty home folder.
func TestDebInstalls(t *testing.T) {
	modeltest.Long(t, "it starts other programs")
	modeltest.Program(t, "dpkg")
	modeltest.Program(t, "dpkg-deb")
	r, dir := readRelease(t)
	pkg, stage, root := r.Nfpms[0], filepath.Join(t.TempDir(), "stage"), filepath.Join(t.TempDir(), "root")
	for _, c := range pkg.Contents {
		if c.Packager != "" && c.Packager != "deb" {
			continue
		}
		found, _ := filepath.Glob(filepath.Join(dir, c.Src))
		for _, src := range found {
			to := filepath.Join(stage, c.Dst)
			if strings.HasSuffix(c.Dst, "/") {
				to = filepath.Join(to, filepath.Base(src))
			}
			copyTo(t, src, to, 0o644)
		}
	}
	self, err := os.Executable() // also acts as the program: a build takes minutes
	if err != nil {
		t.Fatal(err)
	}
	copyTo(t, self, filepath.Join(stage, pkg.Bindir, programName), 0o755)
	arch := strings.TrimSpace(started(t, nil, "dpkg", "--print-architecture"))
	control := fmt.Sprintf("Package: %s\nVersion: 1.2.3\nSection: %s\nPriority: optional\nArchitecture: %s\nMaintainer: nobody\nDescription: %s\n", pkg.Package, pkg.Section, arch, pkg.Description)
	if err := os.MkdirAll(filepath.Join(stage, "DEBIAN"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stage, "DEBIAN/control"), []byte(control), 0o644); err != nil {
		t.Fatal(err)
	}
	deb := filepath.Join(t.TempDir(), "turns.deb")
	started(t, nil, "dpkg-deb", "--build", "--root-owner-group", "-Znone", stage, deb)
	for _, d := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	started(t, nil, "dpkg", "--root="+root, "--force-not-root", "--force-bad-path", "--log=/dev/null", "--install", deb)
	home := t.TempDir()
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if got := started(t, nil, "dpkg-query", "--admindir="+filepath.Join(root, "var/lib/dpkg"), "--show", pkg.Package); !strings.Contains(got, "1.2.3") {
		t.Errorf("dpkg has installed %q", got)
	}
	if got := started(t, env, filepath.Join(root, "usr/bin/turns"), "demo", "--plain"); !strings.Contains(got, "off by one cent") {
		t.Errorf("turns demo --plain prints %q", got)
	}
	for _, path := range []string{"usr/share/man/man1/turns.1", "usr/share/man/man7/turns-filters.7", "usr/share/bash-completion/completions/turns"} {
		if info, err := os.Stat(filepath.Join(root, path)); err != nil || info.Size() == 0 {
			t.Errorf("%s is not installed: %v", path, err)
		}
	}
}

// started runs a program and returns its output.
func started(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Env = env
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
