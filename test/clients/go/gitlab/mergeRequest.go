package main

import (
	"encoding/json"
	"os"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// Creates a merge request as glab does, finds it by its branch, and prints what a checkout needs.
func mergeRequest() {
	client, err := gitlab.NewClient(os.Getenv("TOKEN"), gitlab.WithBaseURL(os.Getenv("ORIGIN")))
	check(err)
	project, _, err := client.Projects.GetProject(os.Getenv("PROJECT"), nil)
	check(err)
	branch := os.Getenv("BRANCH")
	created, _, err := client.MergeRequests.CreateMergeRequest(project.ID, &gitlab.CreateMergeRequestOptions{
		Title:        gitlab.Ptr("Add colors"),
		SourceBranch: &branch,
		TargetBranch: &project.DefaultBranch,
	})
	check(err)
	listed, _, err := client.MergeRequests.ListProjectMergeRequests(project.ID, &gitlab.ListProjectMergeRequestsOptions{
		SourceBranch: &branch,
		State:        gitlab.Ptr("opened"),
	})
	check(err)
	found, _, err := client.MergeRequests.GetMergeRequest(project.ID, created.IID, nil)
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"clone":  project.HTTPURLToRepo,
		"iid":    found.IID,
		"sha":    found.SHA,
		"source": found.SourceBranch,
		"target": found.TargetBranch,
		"open":   len(listed),
	}))
}
