package bucket

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOfTheEnvironmentAndTheFiles checks the settings of the usual files, and what overrides them.
func TestOfTheEnvironmentAndTheFiles(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".aws"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"config":      "[default]\nregion = eu-north-1\n[profile lab]\nregion = us-west-2\nendpoint_url = http://lab:9000\n",
		"credentials": "[default]\naws_access_key_id = D\naws_secret_access_key = S\n[lab]\naws_access_key_id = L\naws_secret_access_key = S\naws_session_token = T\n",
	} {
		if err := os.WriteFile(filepath.Join(home, ".aws", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, test := range []struct {
		env                          map[string]string
		endpoint, region, key, token string
	}{
		{nil, "https://s3.amazonaws.com", "eu-north-1", "D", ""},
		{map[string]string{"AWS_PROFILE": "lab"}, "http://lab:9000", "us-west-2", "L", "T"},
		{map[string]string{"AWS_REGION": "x", "AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_S3": "http://b"}, "http://b", "x", "D", ""},
	} {
		c := Of("s3", func(name string) string { return test.env[name] }, home)
		keys, err := c.Credentials.GetWithContext(nil)
		if err != nil || c.Endpoint != test.endpoint || c.Region != test.region || keys.AccessKeyID != test.key || keys.SessionToken != test.token {
			t.Errorf("%v: %s %s %s %s, %v", test.env, c.Endpoint, c.Region, keys.AccessKeyID, keys.SessionToken, err)
		}
	}
}

// TestEndpointsOfTheCurrentFolder: files in the current folder that name another server are not
// read, even without a home folder.
func TestEndpointsOfTheCurrentFolder(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	for _, name := range []string{".aws/config", ".aws/credentials", "config", "credentials", ".env", "aws.ini", ".s3cfg", ".mc/config.json", ".config/turns/config.toml", "turns.toml", ".netrc"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		text := "[default]\nendpoint_url = http://evil\nregion = evil\naws_access_key_id = EVIL\naws_secret_access_key = EVIL\nAWS_ENDPOINT_URL=http://evil\n"
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
	for _, home := range []string{"", ".", "./", t.TempDir()} {
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", home)
		for _, kind := range []string{"s3", "gs"} {
			c := Of(kind, func(string) string { return "" }, home)
			keys, err := c.Credentials.GetWithContext(nil)
			if strings.Contains(c.Endpoint+c.Region+keys.AccessKeyID, "vil") || strings.Contains(keys.AccessKeyID, "EVIL") {
				t.Errorf("home %q, %s: %s %s %s, %v", home, kind, c.Endpoint, c.Region, keys.AccessKeyID, err)
			}
		}
	}
}
