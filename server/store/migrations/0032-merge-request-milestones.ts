export const mergeRequestMilestones = `
-- Merge requests have a milestone; what they carry and who follows them goes with them.
ALTER TABLE merge_requests ADD COLUMN milestone_id INTEGER REFERENCES milestones (id) ON DELETE SET NULL;
CREATE INDEX merge_requests_by_milestone ON merge_requests (milestone_id) WHERE milestone_id IS NOT NULL;
CREATE TRIGGER merge_requests_after_delete AFTER DELETE ON merge_requests BEGIN
  DELETE FROM label_links WHERE target_type = 'MergeRequest' AND target_id = old.id;
  DELETE FROM subscriptions WHERE target_type = 'MergeRequest' AND target_id = old.id;
END;
`;
