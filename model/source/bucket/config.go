package bucket

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"gopkg.in/ini.v1"
)

// Config is the place of a bucket, and the credentials for it.
type Config struct {
	Endpoint    string // URL of the server
	Region      string // "" to detect it
	ByHost      bool   // bucket names may be part of the endpoint's host
	Credentials *credentials.Credentials
	Patient     time.Duration // timeout for an answer; zero is a minute
	Tries       int           // attempts for a request with a temporary failure; zero is three
}

// Of returns the settings for buckets of a kind, "s3" or "gs", from the environment and the usual
// files. Without credentials, requests are anonymous.
func Of(kind string, env func(string) string, home string) Config {
	if kind == "gs" {
		return Config{
			Endpoint:    cmp.Or(env("GS_ENDPOINT_URL"), "https://storage.googleapis.com"),
			Region:      "auto",
			Credentials: credentials.NewStaticV4(env("GS_ACCESS_KEY_ID"), env("GS_SECRET_ACCESS_KEY"), ""),
		}
	}
	profile := profile(env, home)
	c := Config{
		Endpoint:    cmp.Or(env("AWS_ENDPOINT_URL_S3"), env("AWS_ENDPOINT_URL"), profile("endpoint_url")),
		Region:      cmp.Or(env("AWS_REGION"), env("AWS_DEFAULT_REGION"), profile("region")),
		Credentials: credentials.NewChainCredentials(providers(env, home)),
	}
	if c.Endpoint == "" {
		c.Endpoint, c.ByHost = "https://s3.amazonaws.com", true
	} else {
		c.Region = cmp.Or(c.Region, "us-east-1") // other servers accept any
	}
	return c
}

// providers are the sources of keys: the environment, and a file outside of the current folder.
func providers(env func(string) string, home string) []credentials.Provider {
	all := []credentials.Provider{&credentials.EnvAWS{}}
	file := env("AWS_SHARED_CREDENTIALS_FILE")
	if file == "" && filepath.IsAbs(home) {
		file = filepath.Join(home, ".aws", "credentials")
	}
	if file != "" {
		all = append(all, &credentials.FileAWSCredentials{Filename: file, Profile: env("AWS_PROFILE")})
	}
	return all
}

// profile returns a look-up in the user's profile in the AWS configuration.
func profile(env func(string) string, home string) func(key string) string {
	name := cmp.Or(env("AWS_PROFILE"), "default")
	none := func(string) string { return "" }
	path := env("AWS_CONFIG_FILE")
	if path == "" && filepath.IsAbs(home) { // otherwise it would be in the current folder
		path = filepath.Join(home, ".aws", "config")
	}
	if path == "" {
		return none
	}
	file, err := ini.Load(path)
	if err != nil {
		return none // most users have none
	}
	for _, section := range []string{"profile " + name, name} {
		if s, err := file.GetSection(section); err == nil {
			return func(key string) string { return strings.TrimSpace(s.Key(key).String()) }
		}
	}
	return none
}
