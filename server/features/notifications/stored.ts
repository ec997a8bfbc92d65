import * as z from 'zod';
import { notificationEvents, notificationLevels } from '../../../src/contract/notifications.ts';
import { lazy } from '../../support/lazy.ts';
import { featureAccesses, visibilities } from '../abilities/abilities.ts';
import { type RecipientDetails, roles } from './candidates.ts';
import { type EventDetails, targetTypes } from './event.ts';

// Details as stored with events and decisions, in JSON.

const ids = () => z.array(z.int()).readonly();

const eventDetails = lazy(() =>
  z.object({
    noteId: z.int().exactOptional(),
    previousIds: ids().exactOptional(),
    newlyMentionedIds: ids().exactOptional(),
    wasAutoMerged: z.boolean().exactOptional(),
    commitCount: z.int().exactOptional(),
    commits: z
      .array(z.object({ id: z.string(), title: z.string() }))
      .readonly()
      .exactOptional(),
    formerPath: z.string().exactOptional(),
  }),
);

/** Reads the details of an event. @throws if they were not written by this feature. */
export function readEventDetails(text: string): EventDetails {
  return eventDetails().parse(JSON.parse(text));
}

const scopedSetting = () =>
  z.object({
    scope: z.object({ kind: z.enum(['global', 'group', 'project']), id: z.int(), path: z.string() }),
    level: z.enum(notificationLevels),
    switches: z.partialRecord(z.enum(notificationEvents), z.boolean()),
  });

const recipientDetails = lazy(() =>
  z.object({
    event: z.enum(notificationEvents),
    target: z.object({
      type: z.enum(targetTypes),
      container: z
        .discriminatedUnion('kind', [
          z.object({ kind: z.literal('project'), visibility: z.enum(visibilities), issuesAccess: z.enum(featureAccesses) }),
          z.object({ kind: z.literal('group'), visibility: z.enum(visibilities) }),
        ])
        .nullable(),
      isConfidential: z.boolean(),
      isInternal: z.boolean(),
      visibility: z.enum(visibilities).exactOptional(),
    }),
    isEdit: z.boolean(),
    wasAutoMerged: z.boolean(),
    isActor: z.boolean(),
    ownActivity: z.boolean(),
    isActive: z.boolean(),
    roles: z.array(z.enum(roles)),
    subscribed: z.boolean().nullable(),
    wasMailed: z.boolean(),
    access: z.object({ isAdministrator: z.boolean(), isExternal: z.boolean(), level: z.int(), isRelated: z.boolean() }),
    settings: z.tuple([scopedSetting()], scopedSetting()),
  }),
);

/** Reads the details of a recipient. @throws if they were not written by this feature. */
export function readRecipientDetails(text: string): RecipientDetails {
  const { settings, ...details } = recipientDetails().parse(JSON.parse(text));
  const [last, ...others] = settings.toReversed();
  if (last === undefined) throw new Error('details without settings');
  return { ...details, settings: [...others.toReversed(), last] };
}
