import * as z from 'zod';
import type { ActivityEvent, EventNote, PushData } from '../../../src/contract/activity.ts';
import { type ResponseOf, type ResponseSchema, count, eitherOf, id, moment, named, readAs } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';
import { noteResponse } from '../notes/notes.ts';

const pushData = named('PushData', () =>
  readAs<PushData>()(
    z.strictObject({
      commit_count: count(),
      action: z.enum(['pushed', 'created', 'removed']),
      ref_type: z.enum(['branch', 'tag']),
      commit_from: z.string().nullable(),
      commit_to: z.string().nullable(),
      ref: z.string().nullable(),
      commit_title: z.string().nullable(),
      ref_count: count().nullable(),
    }),
  ),
);

/** Members of all events. */
const members = () => ({
  id: id(),
  title: z.null(),
  project_id: id().nullable(),
  target_id: id().nullable(),
  target_iid: id().nullable(),
  target_type: z.string().nullable(),
  author_id: id(),
  target_title: z.string().nullable(),
  created_at: moment(),
  author: userBasic(),
  imported: z.boolean(),
  imported_from: z.string(),
  author_username: z.string().nullable(),
});

const pushActions = ['pushed', 'pushed to', 'pushed new', 'deleted'] as const;
const otherActions = [
  'created',
  'opened',
  'closed',
  'accepted',
  'joined',
  'left',
  'destroyed',
  'removed due to membership expiration from',
  'approved',
] as const;

/** An event of any form in any feed. */
export type EventResponse = z.output<z.ZodObject<ReturnType<typeof members>>> & {
  readonly action_name: (typeof pushActions | typeof otherActions)[number] | 'commented on';
  readonly data?: null;
  readonly note?: ResponseOf<typeof noteResponse>;
  readonly push_data?: ResponseOf<typeof pushData>;
};

/** Returns the schemas of the three forms of an event: a push with `push_data`, a comment with `note`, and all others. */
function eventForms(listing: string, more: () => z.ZodRawShape): readonly ResponseSchema[] {
  const read = readAs<ActivityEvent>();
  return [
    named(`${listing}Event`, () => read(z.strictObject({ ...members(), ...more(), action_name: z.enum(otherActions) }))),
    named(`${listing}CommentEvent`, () =>
      read(
        z.strictObject({
          ...members(),
          ...more(),
          action_name: z.literal('commented on'),
          note: readAs<EventNote>()(noteResponse()),
        }),
      ),
    ),
    named(`${listing}PushEvent`, () =>
      read(z.strictObject({ ...members(), ...more(), action_name: z.enum(pushActions), push_data: pushData() })),
    ),
  ];
}

/** An event in the feed of a user. */
export const userEvent = eitherOf(...eventForms('User', () => ({})));
/** An event in the feed of a project, which also has the member `data` (docs/interface.md#activity-events). */
export const projectEvent = eitherOf(...eventForms('Project', () => ({ data: z.null() })));
