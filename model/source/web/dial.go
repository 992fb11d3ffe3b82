package web

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Clouds offer a machine's credentials to any program on it at certain addresses. A server must not
// lead turns there, by a redirect or by the address of a name; users may name one.

var errMetadata = errors.New("the address is one of a cloud's metadata, which only its user may name")

// metadataHosts are names and addresses outside of the link-local networks.
var metadataHosts = []string{"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192"}

// metadata reports whether a host is a cloud's metadata server: by name, by address, or any
// link-local address.
func metadata(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if slices.Contains(metadataHosts, host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.Unmap().WithZone("")
	for _, known := range metadataHosts {
		if at, err := netip.ParseAddr(known); err == nil && at == ip {
			return true
		}
	}
	return ip.IsLinkLocalUnicast()
}

// dial connects to an address. It refuses metadata servers behind other names.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: 10 * time.Second}
	if host, _, err := net.SplitHostPort(address); err == nil && !metadata(host) {
		d.Control = refuseMetadata
	}
	return d.DialContext(ctx, network, address)
}

func refuseMetadata(_, address string, _ syscall.RawConn) error {
	if host, _, err := net.SplitHostPort(address); err == nil && metadata(host) {
		return errMetadata
	}
	return nil
}
