import * as z from 'zod';
import { id, moment, named } from '../../http/responses.ts';
import { integrationSlugs, kindOf, notifiedBranches, type Property } from './catalog.ts';

const members = () => ({
  id: id(),
  title: z.string(),
  slug: z.enum(integrationSlugs),
  created_at: moment(),
  updated_at: moment(),
  active: z.boolean(),
  commit_events: z.boolean(),
  push_events: z.boolean(),
  issues_events: z.boolean(),
  confidential_issues_events: z.boolean(),
  merge_requests_events: z.boolean(),
  tag_push_events: z.boolean(),
  note_events: z.boolean(),
  confidential_note_events: z.boolean(),
  pipeline_events: z.boolean(),
  wiki_page_events: z.boolean(),
  job_events: z.boolean(),
  comment_on_event_enabled: z.boolean(),
});

type Value = string | boolean | null;

/** Shown properties of any integration; those that were never set are null. */
const properties = (): z.ZodType<Readonly<Record<string, Value>>> =>
  z.union(
    integrationSlugs.map((slug) => {
      const shown = Object.entries(kindOf(slug).properties).filter(([, { kind }]) => kind !== 'secret');
      return z.strictObject(Object.fromEntries(shown.map(([name, property]) => [name, valueOf(property)])));
    }),
  );

function valueOf({ kind }: Property): z.ZodType<Value> {
  if (kind === 'flag') return z.boolean().nullable();
  return kind === 'branches' ? z.enum(notifiedBranches).nullable() : z.string().nullable();
}

export const listedIntegration = named('IntegrationBasic', () => z.strictObject(members()));
export const integrationResponse = named('Integration', () => z.strictObject({ ...members(), properties: properties() }));
