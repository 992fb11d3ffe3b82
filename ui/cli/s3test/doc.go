// Package s3test is a separate module, so that an S3 server stays out of the program: its tests
// run turns against gofakes3, and write the objects with the client of MinIO.
//
//	cd ui/cli/s3test && go test ./...
package s3test
