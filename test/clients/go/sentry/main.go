// Sends errors and messages with one of two releases of the SDK. Usage: ship story|crash|ids, with the DSN in SHIP_DSN.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

type calm struct{}

func (calm) Error() string { return "no wind" }

type leak struct{}

func (leak) Error() string { return "the hull leaks" }

func steer() {
	sentry.CaptureException(fmt.Errorf("cannot steer: %w", calm{}))
}

func sail() {
	steer()
}

func sink() {
	panic(leak{})
}

// Sends the same error for three users with 64-bit IDs.
func sendIds() {
	for _, id := range []int64{1234567890123456789, 1234567890123456788, 1234567890123456700} {
		sentry.WithScope(func(scope *sentry.Scope) {
			scope.SetUser(sentry.User{ID: fmt.Sprint(id)})
			scope.SetTag("guild", fmt.Sprint(id))
			scope.SetContext("order", map[string]interface{}{"id": id})
			sail()
		})
	}
	sentry.Flush(5 * time.Second)
}

func main() {
	err := sentry.Init(sentry.ClientOptions{
		Dsn: os.Getenv("SHIP_DSN"), Release: "ship@1.2.3", Environment: "harbour", AttachStacktrace: true,
	})
	if err != nil {
		panic(err)
	}
	if os.Args[1] == "ids" {
		sendIds()
		return
	}
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: "7", Email: "ann@example.com"})
		scope.SetTag("deck", "upper")
	})
	sentry.AddBreadcrumb(&sentry.Breadcrumb{Category: "lamp", Message: "lamp 7 switched on", Level: sentry.LevelInfo})
	if os.Args[1] == "crash" {
		defer func() {
			problem := recover()
			sentry.CurrentHub().Recover(problem)
			sentry.Flush(5 * time.Second)
			panic(problem)
		}()
		sink()
	}
	sail()
	for _, lamp := range []int{7, 8} {
		sentry.CaptureMessage(fmt.Sprintf("lamp %d stays dark", lamp))
	}
	sentry.Flush(5 * time.Second)
}
