// Looks at a page, clicks its first button, reads an error, and cancels a watch.
//
// Usage: look_and_click ADDRESS URL      for example: look_and_click 127.0.0.1:50051 https://example.com
//
// The token, if the service requires one, is read from PERCEPTION_TOKEN.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "perception.example/gen/perception/v1"
)

// A screenshot exceeds gRPC's default limit of 4 MiB.
const maxMessage = 16 << 20

// token is sent with every call. Over a network use TLS, and require it here.
type token string

func (t token) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(t)}, nil
}

func (token) RequireTransportSecurity() bool { return false }

func connect(address string) (*grpc.ClientConn, error) {
	options := []grpc.DialOption{
		grpc.WithInsecure(), // over a network: grpc.WithTransportCredentials(…)
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
	}
	if shown := os.Getenv("PERCEPTION_TOKEN"); shown != "" {
		options = append(options, grpc.WithPerRPCCredentials(token(shown)))
	}
	return grpc.Dial(address, options...)
}

// within gives a call a deadline, which limits the work on the server, too.
func within(seconds time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), seconds*time.Second)
}

// errorInfo returns the details of an error of the service; nil for errors of other origin.
func errorInfo(err error) *errdetails.ErrorInfo {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info
		}
	}
	return nil
}

func lookAndClick(conn *grpc.ClientConn, session, url string) error {
	sessions, eyes, hands := pb.NewSessionServiceClient(conn), pb.NewPerceptionServiceClient(conn), pb.NewActionServiceClient(conn)
	ctx, cancel := within(60)
	defer cancel()

	if _, err := sessions.Navigate(ctx, &pb.NavigateRequest{SessionId: session, Url: url}); err != nil {
		return err
	}
	options := &pb.SnapshotOptions{Mode: pb.Mode_MODE_FUSED}
	seen, err := eyes.CaptureSnapshot(ctx, &pb.CaptureSnapshotRequest{SessionId: session, Options: options})
	if err != nil {
		return err
	}
	fmt.Println(strings.TrimRight(seen.Snapshot.Text, "\n"))

	for _, element := range seen.Snapshot.Elements {
		if element.Role != "button" || !element.Reachable {
			continue
		}
		target := &pb.Target{Target: &pb.Target_Ref{Ref: element.Ref}}
		if _, err := hands.Click(ctx, &pb.ClickRequest{SessionId: session, Target: target}); err != nil {
			return err
		}
		fmt.Printf("clicked %s, the button %q\n", element.Ref, element.Name)
		break
	}

	target := &pb.Target{Target: &pb.Target_Ref{Ref: "e999999"}}
	_, err = hands.Click(ctx, &pb.ClickRequest{SessionId: session, Target: target})
	info := errorInfo(err)
	if info == nil {
		return err
	}
	refused := status.Convert(err)
	// The code as a number: Go spells the names differently from the other languages.
	fmt.Printf("a click on e999999 is refused: %d, %s %v: %s\n", refused.Code(), info.Reason, info.Metadata, refused.Message())
	return nil
}

// watchOnce takes one snapshot from a stream. It has no deadline and ends when it is cancelled.
func watchOnce(conn *grpc.ClientConn, session string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	options := &pb.SnapshotOptions{Mode: pb.Mode_MODE_TEXT}
	watch, err := pb.NewPerceptionServiceClient(conn).WatchSnapshots(ctx, &pb.WatchSnapshotsRequest{SessionId: session, Options: options})
	if err != nil {
		return err
	}
	first, err := watch.Recv()
	if err != nil {
		return err
	}
	fmt.Printf("watching: %s came first\n", first.Snapshot.SnapshotId)
	cancel() // on the server, too
	for err == nil {
		_, err = watch.Recv()
	}
	if status.Code(err) != codes.Canceled {
		return err
	}
	fmt.Println("the watch is cancelled")
	return nil
}

func run(address, url string) error {
	conn, err := connect(address)
	if err != nil {
		return err
	}
	defer conn.Close()
	sessions := pb.NewSessionServiceClient(conn)
	ctx, cancel := within(30)
	defer cancel()
	created, err := sessions.CreateSession(ctx, &pb.CreateSessionRequest{})
	if err != nil {
		return err
	}
	session := created.Session.SessionId
	defer func() {
		ctx, cancel := within(10)
		defer cancel()
		sessions.CloseSession(ctx, &pb.CloseSessionRequest{SessionId: session})
	}()
	if err := lookAndClick(conn, session, url); err != nil {
		return err
	}
	return watchOnce(conn, session)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: look_and_click ADDRESS URL")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		if info := errorInfo(err); info != nil {
			fmt.Fprintf(os.Stderr, "%s: ", info.Reason)
		}
		fmt.Fprintln(os.Stderr, status.Convert(err).Message())
		os.Exit(1)
	}
}
