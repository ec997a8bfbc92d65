// Signs in through golang.org/x/oauth2 as a device and with PKCE; prints what it needs done, line by line, and what it saw at the end.
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
	answers      = bufio.NewReader(os.Stdin)
	// Proxies of the user's are not for this machine.
	wire = &recorder{base: &http.Transport{}}
	ctx  = context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: wire, Timeout: 30 * time.Second})
)

func main() {
	must0(json.Unmarshal([]byte(os.Getenv("APPLICATIONS")), &applications))
	discover()
	seen := object{
		"device":  device(),
		"code":    code(),
		"secret":  secret(),
		"own":     own(),
		"refused": refusals,
	}
	must0(json.NewEncoder(os.Stdout).Encode(object{"saw": seen}))
}

func discover() {
	var metadata struct {
		Auth   string `json:"authorization_endpoint"`
		Token  string `json:"token_endpoint"`
		Device string `json:"device_authorization_endpoint"`
	}
	answer := must(http.DefaultTransport.RoundTrip(must(http.NewRequest("GET", origin+"/.well-known/oauth-authorization-server", nil))))
	defer answer.Body.Close()
	must0(json.NewDecoder(answer.Body).Decode(&metadata))
	endpoint = oauth2.Endpoint{AuthURL: metadata.Auth, TokenURL: metadata.Token, DeviceAuthURL: metadata.Device}
}

// As a device: a code that waits, is asked for too early, and is approved; one that is denied; one that expires.
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
	// The library waits by its own clock. It is told a shorter interval, so that the second poll comes too early; from then on it obeys.
	grant.Interval = 1
	wire.onAnswer = func(number int) {
		if number == 2 {
			ask(object{"do": "approve", "address": grant.VerificationURIComplete, "user_code": grant.UserCode})
		}
	}
	token := must(config.DeviceAccessToken(ctx, grant))
	wire.onAnswer = nil
	seen["polls"] = wire.take()
	seen["token"] = facts(token)
	seen["user"] = username(config.Client(ctx, token))
	_, err := config.DeviceAccessToken(ctx, grant)
	refuse("used device code", err)

	denied := must(config.DeviceAuth(ctx))
	denied.Interval = 1
	ask(object{"do": "deny", "address": denied.VerificationURIComplete, "user_code": denied.UserCode})
	_, err = config.DeviceAccessToken(ctx, denied)
	refuse("denied", err)

	expired := must(config.DeviceAuth(ctx))
	expired.Interval = 1
	pass(deviceLife)
	_, err = config.DeviceAccessToken(ctx, expired)
	refuse("expired", err)

	// The library sends no secret for a device code unless it is told to.
	board := confidential(oauth2.AuthStyleInHeader)
	_, err = board.DeviceAuth(ctx)
	refuse("device without secret", err)
	grant = must(board.DeviceAuth(ctx, oauth2.SetAuthURLParam("client_secret", board.ClientSecret)))
	grant.Interval = 1
	ask(object{"do": "approve", "address": grant.VerificationURIComplete, "user_code": grant.UserCode})
	seen["confidential"] = facts(must(board.DeviceAccessToken(ctx, grant)))

	wide := *config
	wide.Scopes = []string{"api"}
	_, err = wide.DeviceAuth(ctx)
	refuse("device scope", err)
	return seen
}

// With PKCE on a loopback address; the access token expires and is renewed on the way.
func code() object {
	config := public(oauth2.AuthStyleAutoDetect)
	verifier := oauth2.GenerateVerifier()
	code := authorize(config, "approve", oauth2.S256ChallengeOption(verifier))
	token := must(config.Exchange(ctx, code, oauth2.VerifierOption(verifier)))
	seen := object{"token": facts(token), "id_token": strings.Count(fmt.Sprint(token.Extra("id_token")), ".")}
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
	seen["renewed user"] = []string{username(client), username(client)}
	renewed := must(source.Token())
	seen["renewed"] = facts(renewed)
	seen["replaced"] = renewed.AccessToken != token.AccessToken && renewed.RefreshToken != token.RefreshToken
	seen["renewals"] = wire.take()
	_, err = config.TokenSource(ctx, &aged).Token()
	refuse("spent", err)
	seen["still"] = username(client)

	// Another half minute: whoever has the old token is no second window, so the whole sign-in ends.
	pass(30 * time.Second)
	_, err = config.TokenSource(ctx, &aged).Token()
	refuse("stolen", err)
	seen["ended"] = username(client)
	return seen
}

// With a secret, by HTTP Basic and in the body.
func secret() object {
	// Granted before, on the page of the device: nobody is asked again.
	inHeader, inBody := confidential(oauth2.AuthStyleInHeader), confidential(oauth2.AuthStyleInParams)
	seen := object{
		"header": facts(must(inHeader.Exchange(ctx, authorize(inHeader, "visit")))),
		"body":   facts(must(inBody.Exchange(ctx, authorize(inBody, "visit")))),
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

// The application for itself.
func own() object {
	board := applications["confidential"]
	config := clientcredentials.Config{ClientID: board.ID, ClientSecret: board.Secret, TokenURL: endpoint.TokenURL, Scopes: []string{"read_user"}}
	token := must(config.Token(ctx))
	seen := object{"token": facts(token), "user": username(config.Client(ctx))}
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
	there := endpoint
	there.AuthStyle = style
	return &oauth2.Config{ClientID: app.ID, ClientSecret: app.Secret, Endpoint: there, Scopes: scopes}
}

// The code that comes back to a port of this machine when a person has decided; state and issuer are checked.
func authorize(config *oauth2.Config, decision string, options ...oauth2.AuthCodeOption) string {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	defer listener.Close()
	arrivals := make(chan url.Values, 1)
	go http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Content-Type", "text/html")
		io.WriteString(response, "<!doctype html><title>Back</title><h1>You can close this tab</h1>")
		if request.URL.Path == "/callback" {
			arrivals <- request.URL.Query()
		}
	}))
	config.RedirectURL = fmt.Sprintf("http://%s/callback", listener.Addr())
	state := oauth2.GenerateVerifier()
	ask(object{"do": decision, "address": config.AuthCodeURL(state, options...)})
	back := <-arrivals
	if back.Get("state") != state || back.Get("iss") != origin {
		panic(fmt.Sprint("came back with ", back))
	}
	return back.Get("code")
}

func username(client *http.Client) string {
	answer, err := client.Get(origin + "/api/v4/user")
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	var user struct {
		Username string `json:"username"`
		Message  string `json:"message"`
		Error    string `json:"error"`
	}
	must0(json.NewDecoder(answer.Body).Decode(&user))
	return user.Username + user.Message + user.Error
}

func facts(token *oauth2.Token) object {
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

// Keeps what the token endpoint answered: the error, or the status when there is none.
type recorder struct {
	base     http.RoundTripper
	answers  []string
	onAnswer func(number int)
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
	r.answers = append(r.answers, refused.Error)
	if r.onAnswer != nil {
		r.onAnswer(len(r.answers))
	}
	return response, nil
}

func (r *recorder) take() []string {
	taken := r.answers
	r.answers = nil
	return taken
}

func ask(wish object) {
	must0(json.NewEncoder(os.Stdout).Encode(wish))
	must(answers.ReadString('\n'))
}

func pass(time time.Duration) {
	ask(object{"do": "pass", "seconds": time.Seconds()})
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
