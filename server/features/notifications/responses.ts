import * as z from 'zod';
import {
  type NotificationEventBasic,
  type RecipientDecision,
  recipientRules,
  recipientTypes,
  ruleOutcomes,
  simpleRemedies,
} from '../../../src/contract/notificationDecisions.ts';
import { notificationEvents, notificationLevels } from '../../../src/contract/notifications.ts';
import { address, id, moment, named, readAs } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';
import { targetTypes } from './event.ts';

const event = () => z.enum(notificationEvents);
const scope = () => z.strictObject({ kind: z.enum(['global', 'group', 'project']), id: z.int(), path: z.string() });

export const notificationEvent = named('NotificationEvent', () =>
  readAs<NotificationEventBasic>()(
    z.strictObject({
      id: id(),
      event: event(),
      status: z.enum(['pending', 'decided', 'failed']),
      actor: userBasic().nullable(),
      project_id: id().nullable(),
      group_id: id().nullable(),
      target_type: z.enum(targetTypes),
      target_id: id(),
      target_iid: id().nullable(),
      target_title: z.string().nullable(),
      created_at: moment(),
      web_url: address(),
    }),
  ),
);

const remedy = () =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('set_level'),
      scope: scope(),
      level: z.enum(notificationLevels),
      event: event().exactOptional(),
      text: z.string(),
    }),
    z.strictObject({ kind: z.literal('set_event'), scope: scope(), event: event(), value: z.boolean(), text: z.string() }),
    z.strictObject({ kind: z.enum(simpleRemedies), text: z.string() }),
  ]);

export const recipientDecision = named('RecipientDecision', () =>
  readAs<RecipientDecision>()(
    z.strictObject({
      user: userBasic(),
      event: event(),
      relations: z.array(z.strictObject({ type: z.enum(recipientTypes), reason: z.string().nullable() })),
      setting: z.strictObject({ level: z.enum(notificationLevels), scope: scope() }),
      rules: z.array(z.strictObject({ rule: z.enum(recipientRules), outcome: z.enum(ruleOutcomes), text: z.string() })),
      mailed: z.boolean(),
      reason: z.string().nullable(),
      text: z.string(),
      remedies: z.array(remedy()),
      mail_id: id().nullable(),
    }),
  ),
);
