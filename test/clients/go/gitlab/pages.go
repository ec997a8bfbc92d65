package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

type object map[string]any

// Tests the paginators and errors of the client. Prints their results as one JSON object.
func pages() {
	client := connect(os.Getenv("TOKEN"))
	plain := connect(os.Getenv("PLAIN_TOKEN"))
	anonymous, err := gitlab.NewAuthSourceClient(gitlab.Unauthenticated{}, gitlab.WithBaseURL(os.Getenv("ORIGIN")))
	check(err)
	seen := object{}

	lamps := "root/lamps"
	issues := &gitlab.ListProjectIssuesOptions{ListOptions: gitlab.ListOptions{PerPage: 20, Sort: "asc"}}
	numbers, reported := []int64{}, []any{}
	for {
		page, response, err := client.Issues.ListProjectIssues(lamps, issues)
		check(err)
		for _, issue := range page {
			numbers = append(numbers, issue.IID)
		}
		reported = append(reported, []int64{response.CurrentPage, response.PreviousPage, response.NextPage, response.ItemsPerPage, response.TotalPages, response.TotalItems})
		if response.NextPage == 0 {
			break
		}
		issues.Page = response.NextPage
	}
	seen["pages"] = object{"rows": count(numbers), "reported": reported}

	projects := &gitlab.ListProjectsOptions{ListOptions: gitlab.ListOptions{Pagination: "keyset", OrderBy: "id", Sort: "asc", PerPage: 20}}
	ids, links := []int64{}, 0
	next := []gitlab.RequestOptionFunc{}
	for {
		page, response, err := client.Projects.ListProjects(projects, next...)
		check(err)
		for _, project := range page {
			ids = append(ids, project.ID)
		}
		if response.NextLink == "" {
			break
		}
		links++
		next = []gitlab.RequestOptionFunc{gitlab.WithKeysetPaginationParameters(response.NextLink)}
	}
	seen["links"] = object{"rows": count(ids), "sorted": slices.IsSorted(ids), "next": links}

	walks := object{}
	walks["issues"] = walked(func(page gitlab.PaginationOptionFunc) ([]*gitlab.Issue, *gitlab.Response, error) {
		return client.Issues.ListProjectIssues(lamps, &gitlab.ListProjectIssuesOptions{ListOptions: gitlab.ListOptions{PerPage: 20}}, page)
	}, func(issue *gitlab.Issue) int64 { return issue.IID })
	walks["projects"] = walked(func(page gitlab.PaginationOptionFunc) ([]*gitlab.Project, *gitlab.Response, error) {
		return client.Projects.ListProjects(projects, page)
	}, func(project *gitlab.Project) int64 { return project.ID })
	walks["groups"] = walked(func(page gitlab.PaginationOptionFunc) ([]*gitlab.Group, *gitlab.Response, error) {
		keyset := gitlab.ListOptions{Pagination: "keyset", OrderBy: "name", PerPage: 20}
		return anonymous.Groups.ListGroups(&gitlab.ListGroupsOptions{ListOptions: keyset}, page)
	}, func(group *gitlab.Group) int64 { return group.ID })
	walks["users"] = walked(func(page gitlab.PaginationOptionFunc) ([]*gitlab.User, *gitlab.Response, error) {
		return client.Users.ListUsers(&gitlab.ListUsersOptions{ListOptions: gitlab.ListOptions{PerPage: 20}}, page)
	}, func(user *gitlab.User) int64 { return user.ID })
	walks["tree"] = walked(func(page gitlab.PaginationOptionFunc) ([]*gitlab.TreeNode, *gitlab.Response, error) {
		keyset := gitlab.ListOptions{Pagination: "keyset", PerPage: 20}
		return client.Repositories.ListTree(lamps, &gitlab.ListTreeOptions{ListOptions: keyset}, page)
	}, func(node *gitlab.TreeNode) string { return node.Path })
	seen["walks"] = walks

	failures := object{}
	failed := func(name string, err error) {
		var refusal *gitlab.ErrorResponse
		if !errors.As(err, &refusal) {
			failures[name] = fmt.Sprint(err)
			return
		}
		var body any
		_ = json.Unmarshal(refusal.Body, &body)
		failures[name] = []any{refusal.StatusCode, refusal.Message, errors.Is(err, gitlab.ErrNotFound), body}
	}
	_, _, err = client.Projects.GetProject("nobody/nothing", nil)
	failed("get", err)
	_, _, err = client.Issues.ListProjectIssues(lamps, &gitlab.ListProjectIssuesOptions{State: new("asleep")})
	failed("list", err)
	byName := gitlab.ListOptions{Pagination: "keyset", OrderBy: "name"}
	_, _, err = client.Projects.ListProjects(&gitlab.ListProjectsOptions{ListOptions: byName})
	failed("order", err)
	_, _, err = client.Projects.CreateProject(&gitlab.CreateProjectOptions{Name: new("Lamps"), Path: new("lamps")})
	failed("create", err)
	_, _, err = plain.Users.CreateUser(&gitlab.CreateUserOptions{Email: new("a@example.com"), Name: new("A"), Username: new("a"), ForceRandomPassword: new(true)})
	failed("create without permission", err)
	_, _, err = client.Issues.UpdateIssue(lamps, 9999, &gitlab.UpdateIssueOptions{Title: new("Nothing")})
	failed("update", err)
	_, err = plain.Projects.DeleteProject(lamps, nil)
	failed("delete without permission", err)
	_, err = client.Users.BlockUser(1)
	failed("block", err)
	_, _, err = connect("wrong").Users.CurrentUser()
	failed("with a wrong token", err)
	_, _, err = connect(os.Getenv("TOKEN"), gitlab.WithoutRetries()).Metadata.GetMetadata()
	failed("gateway", err)
	seen["failures"] = failures

	version, _, err := client.Version.GetVersion()
	check(err)
	seen["retried"] = version.Version

	limit := &gitlab.UpdateSettingsOptions{
		ThrottleAuthenticatedAPIEnabled:           new(true),
		ThrottleAuthenticatedAPIRequestsPerPeriod: new(int64(1)),
	}
	_, _, err = client.Settings.UpdateSettings(limit)
	check(err)
	impatient := connect(os.Getenv("PLAIN_TOKEN"), gitlab.WithoutRetries())
	_, _, err = impatient.Users.CurrentUser()
	check(err)
	_, response, err := impatient.Users.CurrentUser()
	failed("too often", err)
	limits := []string{}
	for _, name := range []string{"RateLimit-Limit", "RateLimit-Observed", "RateLimit-Remaining"} {
		limits = append(limits, response.Header.Get(name))
	}
	seen["limit"] = limits
	check(json.NewEncoder(os.Stdout).Encode(seen))
}

func connect(token string, options ...gitlab.ClientOptionFunc) *gitlab.Client {
	client, err := gitlab.NewClient(token, append(options, gitlab.WithBaseURL(os.Getenv("ORIGIN")))...)
	check(err)
	return client
}

// walked returns the number of different items of the client's iterator, and true if they equal the collected list.
func walked[T any, K comparable](read func(gitlab.PaginationOptionFunc) ([]T, *gitlab.Response, error), key func(T) K) []any {
	keys := []K{}
	for item, err := range gitlab.Scan2(read) {
		check(err)
		keys = append(keys, key(item))
	}
	collected, err := gitlab.ScanAndCollect(read)
	check(err)
	same := slices.EqualFunc(collected, keys, func(item T, known K) bool { return key(item) == known })
	return []any{count(keys), same}
}

func count[K comparable](keys []K) int {
	different := map[K]bool{}
	for _, key := range keys {
		different[key] = true
	}
	return len(different)
}
