// Walks over the services of the Go client: which request each method makes, found by calling it with marks against a recorder. Prints
// that as one line of JSON; then makes the calls that standard input asks for, a line each, and prints what became of each of them.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

type found struct {
	Method string `json:"method"`
	Verb   string `json:"verb"`
	Path   string `json:"path"`
}

// How a method is called so that it makes a request: for each argument the number of the path's value, or the name of a parameter.
type recipe struct {
	found
	service string
	name    string
	places  map[int]int
	named   map[int]string
}

type wish struct {
	found
	Values []string                   `json:"values"`
	Params map[string]json.RawMessage `json:"params"`
	Token  string                     `json:"token"`
	Origin string                     `json:"origin"`
}

var (
	errRecorded = errors.New("only recorded")
	textMark    = regexp.MustCompile(`mark-(\d+)-mark`)
	numberMark  = regexp.MustCompile(`9100(\d\d)99`)
	reader      = reflect.TypeFor[io.Reader]()
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "pages" {
		pages()
		return
	}
	recipes, silent := walk()
	known := []found{}
	for _, one := range recipes {
		known = append(known, one.found)
	}
	out := json.NewEncoder(os.Stdout)
	check(out.Encode(map[string]any{"found": known, "silent": silent}))
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked wish
		check(json.Unmarshal(line, &asked))
		outcome := map[string]any{"error": "there is no such method"}
		for _, one := range recipes {
			if one.found == asked.found {
				outcome = call(one, asked)
				break
			}
		}
		check(out.Encode(outcome))
	}
}

// The recorder: keeps the first request of a method and sends none.
type recorder struct{ request *http.Request }

func (recorder *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	if recorder.request == nil {
		recorder.request = request
	}
	return nil, errRecorded
}

func walk() ([]recipe, []string) {
	wire := &recorder{}
	client, err := gitlab.NewClient("none", gitlab.WithBaseURL("http://recorder"), gitlab.WithoutRetries(), gitlab.WithHTTPClient(&http.Client{Transport: wire}))
	check(err)
	recipes, silent := []recipe{}, []string{}
	services := reflect.ValueOf(client).Elem()
	for index := range services.NumField() {
		field := services.Type().Field(index)
		if !field.IsExported() || field.Type.Kind() != reflect.Interface {
			continue
		}
		service := services.Field(index)
		for number := range service.Type().NumMethod() {
			name := service.Type().Method(number).Name
			method := service.MethodByName(name)
			known := map[string]bool{}
			for _, given := range marked(method.Type()) {
				wire.request = nil
				attempt(method, given)
				if wire.request == nil {
					continue
				}
				made := recipeOf(field.Name, name, wire.request)
				if !known[made.found.Path] {
					recipes = append(recipes, made)
				}
				known[made.found.Path] = true
			}
			if len(known) == 0 {
				silent = append(silent, field.Name+"."+name)
			}
		}
	}
	return recipes, silent
}

func attempt(method reflect.Value, given []reflect.Value) (results []reflect.Value, problem error) {
	defer func() {
		if reason := recover(); reason != nil {
			problem = fmt.Errorf("it panics: %v", reason)
		}
	}()
	return method.Call(given), nil
}

// Arguments that can be found again in a request; then once more without each that may be left out, which may choose another path.
func marked(method reflect.Type) [][]reflect.Value {
	all := []reflect.Value{}
	for index := range parameters(method) {
		all = append(all, mark(method.In(index), index))
	}
	lists := [][]reflect.Value{all}
	for index := range parameters(method) {
		if kind := method.In(index); kind.Kind() == reflect.Interface && kind.NumMethod() == 0 {
			without := slices.Clone(all)
			without[index] = reflect.Zero(kind)
			lists = append(lists, without)
		}
	}
	return lists
}

func parameters(method reflect.Type) int {
	if method.IsVariadic() {
		return method.NumIn() - 1
	}
	return method.NumIn()
}

func mark(kind reflect.Type, index int) reflect.Value {
	value := reflect.New(kind).Elem()
	text := fmt.Sprintf("mark-%d-mark", index)
	switch {
	case kind.Kind() == reflect.String:
		value.SetString(text)
	case kind.Kind() == reflect.Interface && kind.NumMethod() == 0:
		value.Set(reflect.ValueOf(text))
	case kind == reader:
		value.Set(reflect.ValueOf(strings.NewReader("content")))
	case value.CanInt():
		value.SetInt(int64(91000099 + 100*index))
	case kind.Kind() == reflect.Pointer:
		value.Set(reflect.New(kind.Elem()))
		if kind.Elem().Kind() != reflect.Struct {
			value.Elem().Set(mark(kind.Elem(), index))
		}
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8 && kind.Elem().Kind() != reflect.Struct:
		value.Set(reflect.Append(value, mark(kind.Elem(), index)))
	}
	return value
}

// The argument that a text stands for; -1: none.
func argumentIn(text string) int {
	for _, pattern := range []*regexp.Regexp{textMark, numberMark} {
		if match := pattern.FindStringSubmatch(text); match != nil {
			number, err := strconv.Atoi(match[1])
			check(err)
			return number
		}
	}
	return -1
}

func recipeOf(service, name string, request *http.Request) recipe {
	made := recipe{service: service, name: name, places: map[int]int{}, named: map[int]string{}}
	segments := strings.Split(request.URL.EscapedPath(), "/")
	count := 0
	for index, segment := range segments {
		if argument := argumentIn(segment); argument >= 0 {
			segments[index] = numberMark.ReplaceAllString(textMark.ReplaceAllString(segment, "{}"), "{}")
			if segments[index] == "{}" {
				made.places[argument] = count
				count++
			}
		}
	}
	sent := map[string]any{}
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		check(err)
		_ = json.Unmarshal(body, &sent)
	}
	for key, values := range request.URL.Query() {
		sent[key] = values
	}
	for key, value := range sent {
		if argument := argumentIn(fmt.Sprint(value)); argument >= 0 {
			made.named[argument] = strings.TrimSuffix(key, "[]")
		}
	}
	made.found = found{Method: service + "." + name, Verb: request.Method, Path: strings.Join(segments, "/")}
	return made
}

func call(how recipe, asked wish) map[string]any {
	client, err := gitlab.NewClient(asked.Token, gitlab.WithBaseURL(asked.Origin), gitlab.WithoutRetries())
	check(err)
	method := reflect.ValueOf(client).Elem().FieldByName(how.service).MethodByName(how.name)
	given := []reflect.Value{}
	unknown := map[string]bool{}
	for name := range asked.Params {
		unknown[name] = true
	}
	for index := range parameters(method.Type()) {
		kind := method.Type().In(index)
		value := reflect.New(kind).Elem()
		var problem error
		if place, ok := how.places[index]; ok {
			problem = setText(value, asked.Values[place])
		} else if name, ok := how.named[index]; ok {
			problem = setJSON(value, asked.Params[name])
			delete(unknown, name)
		} else if kind.Kind() == reflect.Pointer && kind.Elem().Kind() == reflect.Struct {
			value.Set(reflect.New(kind.Elem()))
			problem = fill(value.Elem(), asked.Params, unknown)
		} else if kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8 {
			value.Set(reflect.MakeSlice(kind, 0, 0))
		}
		if problem != nil {
			return map[string]any{"error": problem.Error()}
		}
		given = append(given, value)
	}
	results, problem := attempt(method, given)
	if problem != nil {
		return map[string]any{"error": problem.Error()}
	}
	if failure, ok := results[len(results)-1].Interface().(error); ok && failure != nil {
		return map[string]any{"error": fmt.Sprintf("%T: %v; it has no member for %v", failure, failure, unknown)}
	}
	outcome := map[string]any{"type": how.Method}
	if _, isResponse := results[0].Interface().(*gitlab.Response); len(results) > 1 && !isResponse {
		outcome["type"] = results[0].Type().String()
		outcome["decoded"] = decoded(results[0].Interface())
	}
	return outcome
}

// What the client made of an answer, as JSON has it; of a file its content.
func decoded(result any) any {
	switch content := result.(type) {
	case []byte:
		return string(content)
	case io.Reader:
		text, err := io.ReadAll(content)
		check(err)
		return string(text)
	}
	return plain(reflect.ValueOf(result))
}

// The members of the client's own structs under their names in JSON. Numbers with a name are the number, whatever they are written as.
func plain(value reflect.Value) any {
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			return nil
		}
		return plain(value.Elem())
	case reflect.Slice:
		items := make([]any, value.Len())
		for index := range items {
			items[index] = plain(value.Index(index))
		}
		return items
	case reflect.Struct:
		if _, isOwn := value.Interface().(json.Marshaler); !isOwn {
			members := map[string]any{}
			addMembers(members, value)
			return members
		}
	}
	if value.CanInt() {
		return value.Int()
	}
	return value.Interface()
}

func addMembers(members map[string]any, value reflect.Value) {
	for index := range value.NumField() {
		field := value.Type().Field(index)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct {
			addMembers(members, value.Field(index))
		} else if field.IsExported() && name != "" && name != "-" {
			members[name] = plain(value.Field(index))
		}
	}
}

func setText(value reflect.Value, text string) error {
	if value.CanInt() {
		number, err := strconv.ParseInt(text, 10, 64)
		value.SetInt(number)
		return err
	}
	if value.Kind() == reflect.String {
		value.SetString(text)
		return nil
	}
	value.Set(reflect.ValueOf(text))
	return nil
}

// Sets the members of the options' struct that parameters are for, and takes those out of `unknown`.
func fill(options reflect.Value, params map[string]json.RawMessage, unknown map[string]bool) error {
	for index := range options.NumField() {
		field := options.Type().Field(index)
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			if err := fill(options.Field(index), params, unknown); err != nil {
				return err
			}
			continue
		}
		for _, tag := range []string{"json", "url"} {
			name := strings.TrimSuffix(strings.Split(field.Tag.Get(tag), ",")[0], "[]")
			sent, ok := params[name]
			if !ok {
				continue
			}
			delete(unknown, name)
			if err := setJSON(options.Field(index), sent); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			break
		}
	}
	return nil
}

// Reads JSON into a value; a list may be written as one text or number, a text as a number and the other way round.
func setJSON(value reflect.Value, sent json.RawMessage) error {
	problem := json.Unmarshal(sent, value.Addr().Interface())
	if problem == nil {
		return nil
	}
	var text string
	if json.Unmarshal(sent, &text) != nil {
		text = string(sent)
	}
	quoted, err := json.Marshal(text)
	check(err)
	for _, other := range []string{"[" + string(sent) + "]", text, string(quoted), "[" + string(quoted) + "]"} {
		if json.Unmarshal([]byte(other), value.Addr().Interface()) == nil {
			return nil
		}
	}
	return problem
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
