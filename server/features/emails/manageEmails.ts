import { type MailCore, deliver, emailIdOfToken, isConfirmationToken, storeContent } from '../mail/mail.ts';
import { randomBytes } from 'node:crypto';
import { DAY } from '../../core/clock.ts';
import type { User } from '../../core/caller.ts';
import {
  countEmails,
  deleteEmail,
  emailById,
  emailOf,
  type EmailRow,
  insertEmail,
  listEmails,
  writeConfirmationSent,
  writeConfirmed,
} from './store.ts';
import { emailHolder } from '../users/users.ts';
import { isEmail, MAX_USER_TEXT } from '../accountRules/accountRules.ts';
import type { Core } from '../../core/core.ts';
import { isLongerThan } from '../../support/textLength.ts';
import { releaseNotificationEmail } from '../notificationSettings/notificationSettings.ts';

/** Maximum number of additional addresses of a user. */
export const MAX_EMAILS = 100;
/** Lifetime of a confirmation link, in milliseconds. */
const CONFIRMATION_LIFETIME = 3 * DAY;

export interface NewEmail {
  readonly address: string;
  /** True if the address needs no confirmation. */
  readonly isConfirmed?: boolean;
  /** False to send no confirmation mail. */
  readonly isMailed?: boolean;
}

/** Adds an address to a user and mails a confirmation link to it. Returns the validation errors of the address if it cannot be added. */
export function addEmail(
  core: MailCore,
  user: Pick<User, 'id' | 'name'>,
  { address, isConfirmed = false, isMailed = true }: NewEmail,
): EmailRow | readonly string[] {
  const { store, clock } = core;
  return store.transaction(() => {
    const errors = addressErrors(core, user, address);
    if (errors.length > 0) return errors;
    const now = clock.now();
    const id = insertEmail(store, {
      user_id: user.id,
      email: address,
      confirmed_at: isConfirmed ? now : null,
      confirmation_sent_at: null,
      created_at: now,
    });
    if (!isConfirmed && isMailed) sendConfirmation(core, user, { id, email: address });
    const row = emailById(store, id);
    if (row === undefined) throw new Error('the new address was not stored');
    return row;
  });
}

function addressErrors(core: Core, user: Pick<User, 'id'>, address: string): readonly string[] {
  if (address.trim() === '') return ["can't be blank"];
  if (isLongerThan(address, MAX_USER_TEXT)) return [`is too long (maximum is ${MAX_USER_TEXT} characters)`];
  if (!isEmail(address)) return ['is invalid'];
  if (emailHolder(core, address) !== undefined) return ['has already been taken'];
  return countEmails(core.store, user.id, MAX_EMAILS) < MAX_EMAILS
    ? []
    : [`cannot be added: an account has at most ${MAX_EMAILS} additional addresses`];
}

/** Mails a new confirmation link to an address of the user. Links that were sent before work again, too. */
export function sendConfirmation(
  core: MailCore,
  user: Pick<User, 'id' | 'name'>,
  { id, email }: Pick<EmailRow, 'id' | 'email'>,
): void {
  const { store, clock } = core;
  store.transaction(() => {
    writeConfirmationSent(store, id, clock.now());
    const contentId = storeContent(core, {
      subject: 'Confirmation instructions',
      from: 'Signalbox',
      blocks: [
        { kind: 'sentence', text: `${user.name}, confirm that ${email} is your email address.` },
        { kind: 'confirmation', text: 'Confirm your email address', emailId: id },
        {
          kind: 'sentence',
          text: 'The link works for three days. If you did not add this address to your account, ignore this mail.',
        },
      ],
      headers: {},
      references: [],
      messageId: null,
      thread: null,
      target: null,
    });
    deliver(core, contentId, randomBytes(16).toString('hex'), { userId: user.id, address: email, reason: null });
  });
}

/** Returns an address of a user by its ID. */
export function findEmail(core: Core, user: Pick<User, 'id'>, id: number): EmailRow | undefined {
  const row = emailById(core.store, id);
  return row?.user_id === user.id ? row : undefined;
}

/** Removes an address. If notifications were sent to it, they are sent to the primary one from now on. */
export function removeEmail(core: Core, { id, user_id: userId, email }: EmailRow): void {
  core.store.transaction(() => {
    deleteEmail(core.store, id);
    releaseNotificationEmail(core, userId, email);
  });
}

/** State of a confirmation link that confirms nothing. */
export type EndedConfirmation =
  | { readonly outcome: 'already confirmed' | 'outdated'; readonly email: EmailRow }
  | { readonly outcome: 'unknown' };
/** State of a confirmation link. */
type Confirmation = EndedConfirmation | { readonly outcome: 'pending'; readonly email: EmailRow };

/** Returns the state of the confirmation link with this token. */
export function findConfirmation(core: Core, token: string): Confirmation {
  const { store, clock } = core;
  const email = emailById(store, emailIdOfToken(token) ?? 0);
  if (email === undefined || !isConfirmationToken(core, token, email)) return { outcome: 'unknown' };
  if (email.confirmed_at !== null) return { outcome: 'already confirmed', email };
  const isLate = clock.now() >= (email.confirmation_sent_at ?? email.created_at) + CONFIRMATION_LIFETIME;
  return { outcome: isLate ? 'outdated' : 'pending', email };
}

/** Confirms the address of a confirmation link. Returns the state of the link before that; only a pending one confirms. */
export function confirmEmail(core: Core, token: string): Confirmation {
  const { store, clock } = core;
  return store.transaction(() => {
    const confirmation = findConfirmation(core, token);
    if (confirmation.outcome === 'pending') writeConfirmed(store, confirmation.email.id, clock.now());
    return confirmation;
  });
}

/**
 * Returns the address in the form in which it is stored as notification address: null for the primary one.
 * Undefined if it is not a confirmed address of the user.
 */
export function notificationAddress(core: Core, user: Pick<User, 'id' | 'email'>, address: string): string | null | undefined {
  if (address === '' || address.toLowerCase() === user.email.toLowerCase()) return null;
  const found = emailOf(core.store, user.id, address);
  return found?.confirmed_at === null ? undefined : found?.email;
}

/** Returns the addresses to which notifications of a user can be sent, the primary one first. */
export function confirmedAddresses({ store }: Core, user: Pick<User, 'id' | 'email'>): readonly string[] {
  const additional = listEmails(store, user.id, MAX_EMAILS, 0).filter((row) => row.confirmed_at !== null);
  return [user.email, ...additional.map(({ email }) => email)];
}

/** When a user gets another primary address, the former one becomes an additional address, as on GitLab. */
export function keepFormerAddresses(core: Core): void {
  const { store, changes, clock } = core;
  changes.subscribe((change) => {
    if (change.kind !== 'userChanged') return;
    for (const { attribute, from, to } of change.attributes) {
      if (attribute !== 'email' || from.toLowerCase() === to.toLowerCase()) continue;
      const added = emailOf(store, change.userId, to);
      if (added !== undefined) removeEmail(core, added);
      if (countEmails(store, change.userId, MAX_EMAILS) >= MAX_EMAILS) continue;
      const now = clock.now();
      insertEmail(store, { user_id: change.userId, email: from, confirmed_at: now, confirmation_sent_at: null, created_at: now });
    }
  });
}
