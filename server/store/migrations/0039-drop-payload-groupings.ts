export const dropPayloadGroupings = `
-- Whose payload it is stands in the event, and those of a grouping are of its latest events: no index of their own is written with each.
DROP INDEX tracked_payloads_by_grouping;
ALTER TABLE tracked_payloads DROP COLUMN grouping_id;
`;
