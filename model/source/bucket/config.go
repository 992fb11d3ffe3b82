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
	Region      string // "" is found out
	ByHost      bool   // buckets may be named in the host of the endpoint
	Credentials *credentials.Credentials
	Patient     time.Duration // for an answer; zero is a minute
	Tries       int           // of a request that failed for now; zero is three
}

// Of returns the settings in the environment and the usual files for buckets of a kind, "s3" or
// "gs". Without credentials, requests are anonymous.
func Of(kind string, env func(string) string, home string) Config {
	if kind == "gs" {
		return Config{
			Endpoint:    cmp.Or(env("GS_ENDPOINT_URL"), "https://storage.googleapis.com"),
			Region:      "auto",
			Credentials: credentials.NewStaticV4(env("GS_ACCESS_KEY_ID"), env("GS_SECRET_ACCESS_KEY"), ""),
		}
	}
	said := profile(env, home)
	c := Config{
		Endpoint:    cmp.Or(env("AWS_ENDPOINT_URL_S3"), env("AWS_ENDPOINT_URL"), said("endpoint_url")),
		Region:      cmp.Or(env("AWS_REGION"), env("AWS_DEFAULT_REGION"), said("region")),
		Credentials: credentials.NewChainCredentials(providers(env, home)),
	}
	if c.Endpoint == "" {
		c.Endpoint, c.ByHost = "https://s3.amazonaws.com", true
	} else {
		c.Region = cmp.Or(c.Region, "us-east-1") // other servers take any
	}
	return c
}

// providers are where keys may be: the environment, and a file that is not of the current folder.
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

// profile looks up what the user's profile says in the configuration of AWS.
func profile(env func(string) string, home string) func(key string) string {
	name := cmp.Or(env("AWS_PROFILE"), "default")
	none := func(string) string { return "" }
	path := env("AWS_CONFIG_FILE")
	if path == "" && filepath.IsAbs(home) { // else it would be one of the current folder
		path = filepath.Join(home, ".aws", "config")
	}
	if path == "" {
		return none
	}
	file, err := ini.Load(path)
	if err != nil {
		return none // most have none
	}
	for _, section := range []string{"profile " + name, name} {
		if s, err := file.GetSection(section); err == nil {
			return func(key string) string { return strings.TrimSpace(s.Key(key).String()) }
		}
	}
	return none
}
