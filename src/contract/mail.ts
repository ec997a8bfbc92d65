import { booleanMember, integerMember, isJsonObject, stringMember } from './json.ts';

/** The object that a mail is about. */
export interface MailSubject {
  /** `Issue`, `MergeRequest`, `Epic`, `Pipeline`, `Release`, `Project`, … */
  readonly type: string;
  readonly id: number;
  readonly iid: number | null;
  readonly project_id: number | null;
  readonly group_id: number | null;
  /** Full path of the project or group. */
  readonly full_path: string;
  /** ID of the comment, for mails about one. */
  readonly note_id: number | null;
  readonly web_url: string | null;
}

/** A mail in the mailbox of the local server, as in lists. */
export interface MailBasic {
  readonly id: number;
  /** Without angle brackets. */
  readonly message_id: string;
  /** ID of the recipient; null if the address belongs to nobody. */
  readonly user_id: number | null;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** Notification event, such as `new_note`; null for other mails. */
  readonly event: string | null;
  /** `own_activity`, `assigned`, `review_requested`, `mentioned` or `subscribed`; null if there is no particular reason. */
  readonly reason: string | null;
  /** ID of the event that caused the mail, to ask why it was sent; null for other mails. */
  readonly notification_event_id: number | null;
  readonly read: boolean;
  /** ISO 8601. */
  readonly created_at: string;
  readonly about: MailSubject | null;
  /** Delivery to an SMTP server; null if none was configured when the mail arrived. */
  readonly delivery: MailDelivery | null;
  /** Page of the mail. */
  readonly web_url: string;
}

export interface MailDelivery {
  readonly state: 'pending' | 'sent' | 'failed';
  readonly attempts: number;
  /** Error of the last attempt. */
  readonly error: string | null;
  /** Time of the next attempt, ISO 8601; null if there will be none. */
  readonly next_attempt_at: string | null;
  /** When the SMTP server accepted the mail, ISO 8601. */
  readonly sent_at: string | null;
}

/** A mail with its content. */
export interface Mail extends MailBasic {
  readonly text: string;
  readonly html: string;
}

export function readMailBasic(value: unknown): MailBasic | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'id');
  const createdAt = stringMember(value, 'created_at');
  if (id === undefined || createdAt === undefined) return undefined;
  return {
    id,
    message_id: stringMember(value, 'message_id') ?? '',
    user_id: integerMember(value, 'user_id') ?? null,
    from: stringMember(value, 'from') ?? '',
    to: stringMember(value, 'to') ?? '',
    subject: stringMember(value, 'subject') ?? '',
    event: stringMember(value, 'event') ?? null,
    reason: stringMember(value, 'reason') ?? null,
    notification_event_id: integerMember(value, 'notification_event_id') ?? null,
    read: booleanMember(value, 'read'),
    created_at: createdAt,
    about: readMailSubject(value.about) ?? null,
    delivery: readMailDelivery(value.delivery) ?? null,
    web_url: stringMember(value, 'web_url') ?? '',
  };
}

export function readMail(value: unknown): Mail | undefined {
  const basic = readMailBasic(value);
  if (basic === undefined || !isJsonObject(value)) return undefined;
  return { ...basic, text: stringMember(value, 'text') ?? '', html: stringMember(value, 'html') ?? '' };
}

function readMailSubject(value: unknown): MailSubject | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = stringMember(value, 'type');
  const id = integerMember(value, 'id');
  if (type === undefined || id === undefined) return undefined;
  return {
    type,
    id,
    iid: integerMember(value, 'iid') ?? null,
    project_id: integerMember(value, 'project_id') ?? null,
    group_id: integerMember(value, 'group_id') ?? null,
    full_path: stringMember(value, 'full_path') ?? '',
    note_id: integerMember(value, 'note_id') ?? null,
    web_url: stringMember(value, 'web_url') ?? null,
  };
}

function readMailDelivery(value: unknown): MailDelivery | undefined {
  if (!isJsonObject(value)) return undefined;
  const { state } = value;
  if (state !== 'pending' && state !== 'sent' && state !== 'failed') return undefined;
  return {
    state,
    attempts: integerMember(value, 'attempts') ?? 0,
    error: stringMember(value, 'error') ?? null,
    next_attempt_at: stringMember(value, 'next_attempt_at') ?? null,
    sent_at: stringMember(value, 'sent_at') ?? null,
  };
}
