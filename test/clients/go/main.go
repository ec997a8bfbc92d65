// Signs in with golang.org/x/oauth2 by device grant and with PKCE. Prints requested actions as lines of JSON, and finally the results.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

const (
	lifetime   = 7201 * time.Second
	deviceLife = 301 * time.Second
)

type application struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

type object map[string]any

var (
	origin       = os.Getenv("ORIGIN")
	applications map[string]application
	endpoint     oauth2.Endpoint
	scopes       = []string{"openid", "profile", "email", "read_user"}
	input        = bufio.NewReader(os.Stdin)
	// Proxies of the environment must not be used for the local server.
	wire = &recorder{base: &http.Transport{}}
	ctx  = context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: wire, Timeout: 30 * time.Second})
)

func main() {
	must0(json.Unmarshal([]byte(os.Getenv("APPLICATIONS")), &applications))
	discover()
	seen := object{
		"device":             device(),
		"code":               code(),
		"secret":             secret(),
		"client credentials": clientCredentials(),
		"refused":            refusals,
	}
	must0(json.NewEncoder(os.Stdout).Encode(object{"results": seen}))
}

func discover() {
	var metadata struct {
		Auth   string `json:"authorization_endpoint"`
		Token  string `json:"token_endpoint"`
		Device string `json:"device_authorization_endpoint"`
	}
	response := must(http.DefaultTransport.RoundTrip(must(http.NewRequest("GET", origin+"/.well-known/oauth-authorization-server", nil))))
	defer response.Body.Close()
	must0(json.NewDecoder(response.Body).Decode(&metadata))
	endpoint = oauth2.Endpoint{AuthURL: metadata.Auth, TokenURL: metadata.Token, DeviceAuthURL: metadata.Device}
}

// Signs in by device grant: with a code that is pending, polled too early and then approved, with one that is denied, and with one that
// expires.
func device() object {
	config := public(oauth2.AuthStyleInParams)
	grant := must(config.DeviceAuth(ctx))
	shown := must(url.Parse(grant.VerificationURIComplete))
	seen := object{
		"page":     grant.VerificationURI == origin+"/oauth/device",
		"complete": shown.Query().Get("user_code") == grant.UserCode,
		"interval": grant.Interval,
		"expires":  time.Until(grant.Expiry).Round(10 * time.Second).Seconds(),
	}
	// The library waits by its own clock. A shorter interval makes the second poll come too early; from then on it obeys the server.
	grant.Interval = 1
	wire.onResponse = func(number int) {
		if number == 2 {
			perform(object{"action": "approve", "address": grant.VerificationURIComplete, "user_code": grant.UserCode})
		}
	}
	token := must(config.DeviceAccessToken(ctx, grant))
	wire.onResponse = nil
	seen["polls"] = wire.take()
	seen["token"] = details(token)
	seen["user"] = username(config.Client(ctx, token))
	_, err := config.DeviceAccessToken(ctx, grant)
	refuse("used device code", err)

	denied := must(config.DeviceAuth(ctx))
	denied.Interval = 1
	perform(object{"action": "deny", "address": denied.VerificationURIComplete, "user_code": denied.UserCode})
	_, err = config.DeviceAccessToken(ctx, denied)
	refuse("denied", err)

	expired := must(config.DeviceAuth(ctx))
	expired.Interval = 1
	pass(deviceLife)
	_, err = config.DeviceAccessToken(ctx, expired)
	refuse("expired", err)

	// The library sends a secret for a device code only as an explicit parameter.
	board := confidential(oauth2.AuthStyleInHeader)
	_, err = board.DeviceAuth(ctx)
	refuse("device without secret", err)
	grant = must(board.DeviceAuth(ctx, oauth2.SetAuthURLParam("client_secret", board.ClientSecret)))
	grant.Interval = 1
	perform(object{"action": "approve", "address": grant.VerificationURIComplete, "user_code": grant.UserCode})
	seen["confidential"] = details(must(board.DeviceAccessToken(ctx, grant)))

	wide := *config
	wide.Scopes = []string{"api"}
	_, err = wide.DeviceAuth(ctx)
	refuse("device scope", err)
	return seen
}

// Signs in with PKCE and a loopback redirect URI; the access token expires and is refreshed in between.
func code() object {
	config := public(oauth2.AuthStyleAutoDetect)
	verifier := oauth2.GenerateVerifier()
	code := authorize(config, "approve", oauth2.S256ChallengeOption(verifier))
	token := must(config.Exchange(ctx, code, oauth2.VerifierOption(verifier)))
	seen := object{"token": details(token), "id_token": strings.Count(fmt.Sprint(token.Extra("id_token")), ".")}
	again := public(oauth2.AuthStyleInParams)
	other := authorize(again, "approve", oauth2.S256ChallengeOption(verifier))
	_, err := again.Exchange(ctx, other, oauth2.VerifierOption(oauth2.GenerateVerifier()))
	refuse("verifier", err)
	_, err = again.Exchange(ctx, other, oauth2.VerifierOption(verifier))
	refuse("guess", err)
	_, err = again.Exchange(ctx, authorize(again, "approve", oauth2.S256ChallengeOption(verifier)))
	refuse("no verifier", err)

	pass(lifetime)
	aged := *token
	aged.Expiry = token.Expiry.Add(-lifetime)
	wire.take()
	source := config.TokenSource(ctx, &aged)
	client := oauth2.NewClient(ctx, source)
	seen["users after refresh"] = []string{username(client), username(client)}
	refreshed := must(source.Token())
	seen["refreshed"] = details(refreshed)
	seen["replaced"] = refreshed.AccessToken != token.AccessToken && refreshed.RefreshToken != token.RefreshToken
	seen["refreshes"] = wire.take()
	_, err = config.TokenSource(ctx, &aged).Token()
	refuse("spent", err)
	seen["user afterwards"] = username(client)

	// After another half minute the old token can no longer come from a second window, so the whole sign-in is revoked.
	pass(30 * time.Second)
	_, err = config.TokenSource(ctx, &aged).Token()
	refuse("stolen", err)
	seen["error after replay"] = username(client)
	return seen
}

// Signs in with a secret, by HTTP Basic and in the body.
func secret() object {
	// The grant on the device page makes consent unnecessary.
	inHeader, inBody := confidential(oauth2.AuthStyleInHeader), confidential(oauth2.AuthStyleInParams)
	seen := object{
		"header": details(must(inHeader.Exchange(ctx, authorize(inHeader, "visit")))),
		"body":   details(must(inBody.Exchange(ctx, authorize(inBody, "visit")))),
	}
	wrong := confidential(oauth2.AuthStyleAutoDetect)
	code := authorize(wrong, "visit")
	right := wrong.ClientSecret
	wrong.ClientSecret = "wrong"
	_, err := wrong.Exchange(ctx, code)
	refuse("secret", err)
	wrong.ClientSecret = right
	token := must(wrong.Exchange(ctx, code))
	_, err = wrong.Exchange(ctx, code)
	refuse("replay", err)
	seen["replayed"] = username(wrong.Client(ctx, token))
	return seen
}

// Gets a token by client credentials.
func clientCredentials() object {
	board := applications["confidential"]
	config := clientcredentials.Config{ClientID: board.ID, ClientSecret: board.Secret, TokenURL: endpoint.TokenURL, Scopes: []string{"read_user"}}
	token := must(config.Token(ctx))
	seen := object{"token": details(token), "user": username(config.Client(ctx))}
	config.Scopes = []string{"everything"}
	_, err := config.Token(ctx)
	refuse("scope", err)
	return seen
}

func public(style oauth2.AuthStyle) *oauth2.Config {
	return config("public", style)
}

func confidential(style oauth2.AuthStyle) *oauth2.Config {
	return config("confidential", style)
}

func config(name string, style oauth2.AuthStyle) *oauth2.Config {
	app := applications[name]
	styled := endpoint
	styled.AuthStyle = style
	return &oauth2.Config{ClientID: app.ID, ClientSecret: app.Secret, Endpoint: styled, Scopes: scopes}
}

// Returns the code that is sent to a local port after the user has decided, and verifies state and issuer.
func authorize(config *oauth2.Config, decision string, options ...oauth2.AuthCodeOption) string {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	defer listener.Close()
	callbacks := make(chan url.Values, 1)
	go http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Content-Type", "text/html")
		io.WriteString(response, "<!doctype html><title>Back</title><h1>You can close this tab</h1>")
		if request.URL.Path == "/callback" {
			callbacks <- request.URL.Query()
		}
	}))
	config.RedirectURL = fmt.Sprintf("http://%s/callback", listener.Addr())
	state := oauth2.GenerateVerifier()
	perform(object{"action": decision, "address": config.AuthCodeURL(state, options...)})
	back := <-callbacks
	if back.Get("state") != state || back.Get("iss") != origin {
		panic(fmt.Sprint("unexpected callback parameters ", back))
	}
	return back.Get("code")
}

func username(client *http.Client) string {
	response, err := client.Get(origin + "/api/v4/user")
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	var user struct {
		Username string `json:"username"`
		Message  string `json:"message"`
		Error    string `json:"error"`
	}
	must0(json.NewDecoder(response.Body).Decode(&user))
	return user.Username + user.Message + user.Error
}

func details(token *oauth2.Token) object {
	return object{
		"token_type": token.TokenType,
		"type":       token.Type(),
		"expires_in": token.ExpiresIn,
		"scope":      token.Extra("scope"),
		"refresh":    token.RefreshToken != "",
	}
}

var refusals = object{}

func refuse(name string, err error) {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		refusals[name] = fmt.Sprint(err)
		return
	}
	challenge := refused.Response.Header.Get("WWW-Authenticate") != ""
	refusals[name] = []any{refused.Response.StatusCode, refused.ErrorCode, refused.ErrorDescription != "", challenge}
}

// Records the responses of the token endpoint: the error, or the status if there is none.
type recorder struct {
	base       http.RoundTripper
	outcomes   []string
	onResponse func(number int)
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.base.RoundTrip(request)
	if err != nil || request.URL.String() != endpoint.TokenURL {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(strings.NewReader(string(body)))
	var refused struct {
		Error string `json:"error"`
	}
	must0(json.Unmarshal(body, &refused))
	if refused.Error == "" {
		refused.Error = fmt.Sprint(response.StatusCode)
	}
	r.outcomes = append(r.outcomes, refused.Error)
	if r.onResponse != nil {
		r.onResponse(len(r.outcomes))
	}
	return response, nil
}

func (r *recorder) take() []string {
	taken := r.outcomes
	r.outcomes = nil
	return taken
}

// perform requests an action and waits until it is done.
func perform(action object) {
	must0(json.NewEncoder(os.Stdout).Encode(action))
	must(input.ReadString('\n'))
}

func pass(time time.Duration) {
	perform(object{"action": "pass", "seconds": time.Seconds()})
}

func must[T any](value T, err error) T {
	must0(err)
	return value
}

func must0(err error) {
	if err != nil {
		panic(err)
	}
}
