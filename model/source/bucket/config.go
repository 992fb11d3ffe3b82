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
		Endpoint: cmp.Or(env("AWS_ENDPOINT_URL_S3"), env("AWS_ENDPOINT_URL"), said("endpoint_url")),
		Region:   cmp.Or(env("AWS_REGION"), env("AWS_DEFAULT_REGION"), said("region")),
		Credentials: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{},
			&credentials.FileAWSCredentials{Profile: env("AWS_PROFILE")},
		}),
	}
	if c.Endpoint == "" {
		c.Endpoint, c.ByHost = "https://s3.amazonaws.com", true
	} else {
		c.Region = cmp.Or(c.Region, "us-east-1") // other servers take any
	}
	return c
}

// profile looks up what the user's profile says in the configuration of AWS.
func profile(env func(string) string, home string) func(key string) string {
	name := cmp.Or(env("AWS_PROFILE"), "default")
	file, err := ini.Load(cmp.Or(env("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config")))
	if err != nil {
		return func(string) string { return "" } // most have none
	}
	for _, section := range []string{"profile " + name, name} {
		if s, err := file.GetSection(section); err == nil {
			return func(key string) string { return strings.TrimSpace(s.Key(key).String()) }
		}
	}
	return func(string) string { return "" }
}
