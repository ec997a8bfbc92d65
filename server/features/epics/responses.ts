import * as z from 'zod';
import { address, count, day, eitherOf, id, moment, named } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';
import { issueMembers } from '../issues/issues.ts';
import { labelBasic } from '../labels/labels.ts';

const members = () => ({
  id: id(),
  iid: id(),
  group_id: id(),
  parent_id: z.null(),
  parent_iid: z.null(),
  title: z.string(),
  description: z.string().nullable(),
  confidential: z.boolean(),
  author: userBasic().nullable(),
  start_date: day().nullable(),
  start_date_is_fixed: z.boolean(),
  start_date_fixed: day().nullable(),
  start_date_from_inherited_source: day().nullable(),
  start_date_from_milestones: day().nullable(),
  end_date: day().nullable(),
  due_date: day().nullable(),
  due_date_is_fixed: z.boolean(),
  due_date_fixed: day().nullable(),
  due_date_from_inherited_source: day().nullable(),
  due_date_from_milestones: day().nullable(),
  state: z.enum(['opened', 'closed']),
  web_url: address(),
  reference: z.string(),
  references: z.strictObject({ short: z.string(), relative: z.string(), full: z.string() }),
  created_at: moment(),
  updated_at: moment(),
  closed_at: moment().nullable(),
  labels: z.array(z.string()),
  upvotes: count(),
  downvotes: count(),
  imported: z.boolean(),
  imported_from: z.string(),
  _links: z.strictObject({ self: address(), epic_issues: address(), group: address(), parent: z.null() }),
  // Only for single epics, not in lists.
  subscribed: z.boolean().exactOptional(),
});

export const epicResponse = named('Epic', () => z.strictObject(members()));

export const detailedEpic = named('EpicWithLabels', () => z.strictObject({ ...members(), labels: z.array(labelBasic()) }));

/** An epic in lists. With `with_labels_details=true`, labels have details. */
export const listedEpic = eitherOf(epicResponse, detailedEpic);

/** An issue of an epic, with the ID of the link between them. */
export const epicIssue = named('EpicIssue', () => z.strictObject({ ...issueMembers(), epic_issue_id: id() }));

/** The link between an issue and an epic. */
export const epicLink = named('EpicIssueLink', () =>
  z.strictObject({ id: id(), epic: epicResponse(), issue: z.strictObject(issueMembers()) }),
);
