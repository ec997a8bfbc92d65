// Walks over the services of the Go client: calls each method with marked arguments against a recorder to find the request it makes.
// Prints the results as one line of JSON. Then reads calls from standard input, one per line, and prints the outcome of each.
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

// How to call a method so that it makes a request: for each argument the index of the path value, or the name of a parameter.
type recipe struct {
	found
	service string
	name    string
	indexes map[int]int
	names   map[int]string
	// The field of the form that has the uploaded file, and the argument that is the name of the file. Empty and -1 without an upload.
	fileField string
	fileName  int
}

type order struct {
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
	if len(os.Args) > 1 && os.Args[1] == "merge-request" {
		mergeRequest()
		return
	}
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
		var received order
		check(json.Unmarshal(line, &received))
		outcome := map[string]any{"error": "unknown method"}
		for _, one := range recipes {
			if one.found == received.found {
				outcome = call(one, received)
				break
			}
		}
		check(out.Encode(outcome))
	}
}

// Stores the first request of a method and sends none.
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
			problem = fmt.Errorf("the method panics: %v", reason)
		}
	}()
	return method.Call(given), nil
}

// Returns recognizable arguments, and the same without each optional one, because that may select another path.
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

// Returns the index of the argument that a text stands for, or -1.
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
	made := recipe{service: service, name: name, indexes: map[int]int{}, names: map[int]string{}, fileName: -1}
	segments := strings.Split(request.URL.EscapedPath(), "/")
	count := 0
	for index, segment := range segments {
		if argument := argumentIn(segment); argument >= 0 {
			segments[index] = numberMark.ReplaceAllString(textMark.ReplaceAllString(segment, "{}"), "{}")
			if segments[index] == "{}" {
				made.indexes[argument] = count
				count++
			}
		}
	}
	sent := map[string]any{}
	if parts, err := request.MultipartReader(); err == nil {
		for part, err := parts.NextPart(); err == nil; part, err = parts.NextPart() {
			if part.FileName() != "" {
				made.fileField, made.fileName = part.FormName(), argumentIn(part.FileName())
			}
		}
	} else if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		check(err)
		_ = json.Unmarshal(body, &sent)
	}
	for key, values := range request.URL.Query() {
		sent[key] = values
	}
	for key, value := range sent {
		if argument := argumentIn(fmt.Sprint(value)); argument >= 0 {
			made.names[argument] = strings.TrimSuffix(key, "[]")
		}
	}
	made.found = found{Method: service + "." + name, Verb: request.Method, Path: strings.Join(segments, "/")}
	return made
}

func call(how recipe, received order) map[string]any {
	client, err := gitlab.NewClient(received.Token, gitlab.WithBaseURL(received.Origin), gitlab.WithoutRetries())
	check(err)
	method := reflect.ValueOf(client).Elem().FieldByName(how.service).MethodByName(how.name)
	given := []reflect.Value{}
	unknown := map[string]bool{}
	for name := range received.Params {
		unknown[name] = true
	}
	for index := range parameters(method.Type()) {
		kind := method.Type().In(index)
		value := reflect.New(kind).Elem()
		var problem error
		if valueIndex, ok := how.indexes[index]; ok {
			problem = setText(value, received.Values[valueIndex])
		} else if name, ok := how.names[index]; ok {
			problem = setJSON(value, received.Params[name])
			delete(unknown, name)
		} else if content, ok := received.Params[how.fileField]; ok && kind == reader {
			var text string
			problem = json.Unmarshal(content, &text)
			value.Set(reflect.ValueOf(strings.NewReader(text)))
			delete(unknown, how.fileField)
		} else if index == how.fileName {
			value.SetString("lamp.txt")
		} else if kind.Kind() == reflect.Struct {
			problem = fill(value, received.Params, unknown)
		} else if kind.Kind() == reflect.Pointer && kind.Elem().Kind() == reflect.Struct {
			value.Set(reflect.New(kind.Elem()))
			problem = fill(value.Elem(), received.Params, unknown)
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
		return map[string]any{"error": fmt.Sprintf("%T: %v; there is no member for %v", failure, failure, unknown)}
	}
	outcome := map[string]any{"type": how.Method}
	if _, isResponse := results[0].Interface().(*gitlab.Response); len(results) > 1 && !isResponse {
		outcome["type"] = results[0].Type().String()
		outcome["decoded"] = decoded(results[0].Interface())
	}
	return outcome
}

// Returns a decoded response as JSON values, or the content of a file.
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

// Returns the members of the client's own structs under their JSON names. Named number types become numbers, whatever their JSON form.
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

// Sets the members of an options struct from parameters, and removes these from `unknown`.
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

// Reads JSON into a value. A list may be sent as a single string or number, and strings and numbers may replace each other.
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
