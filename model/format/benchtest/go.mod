module turns/model/format/benchtest

go 1.26.7

require (
	github.com/goccy/go-json v0.12.0
	turns v0.0.0
)

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace turns => ../../..
