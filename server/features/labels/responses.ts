import * as z from 'zod';
import { count, id, named } from '../../http/responses.ts';

const basicMembers = () => ({
  id: id(),
  name: z.string(),
  description: z.string().nullable(),
  description_html: z.string().nullable(),
  text_color: z.string(),
  color: z.string(),
});

/** Label with details, in other resources. */
export const labelBasic = named('LabelBasic', () => z.strictObject(basicMembers()));

const members = () => ({
  ...basicMembers(),
  // With `with_counts=true`.
  open_issues_count: count().exactOptional(),
  closed_issues_count: count().exactOptional(),
  open_merge_requests_count: count().exactOptional(),
  subscribed: z.boolean(),
});

export const groupLabel = named('GroupLabel', () => z.strictObject(members()));

export const projectLabel = named('ProjectLabel', () =>
  z.strictObject({ ...members(), priority: z.int().nullable(), is_project_label: z.boolean() }),
);
