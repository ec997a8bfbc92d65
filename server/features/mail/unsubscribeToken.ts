import { createHmac } from 'node:crypto';
import type { Core } from '../../core/core.ts';
import { keyFor } from '../../core/sealing.ts';
import { equalSecrets } from '../../core/secrets.ts';
import type { MailContent } from './content.ts';
import type { MailRow } from './store.ts';

// Links that unsubscribe from a thread contain a code that only this server can compute, so that nothing secret is stored. They do not
// expire, and they work when the mail itself was deleted.

type Thread = NonNullable<MailContent['thread']>;

/** Path of the link, followed by the token. The request log masks what follows. */
export const UNSUBSCRIBE_PATH = '/-/mailbox/unsubscribe';

const types = { i: 'Issue', m: 'MergeRequest', e: 'Epic' } as const;

/** Returns the path of the link with which a recipient unsubscribes from the thread of a mail; undefined if it has none. */
export function unsubscribePath(
  core: Pick<Core, 'dataFolder'>,
  { user_id: userId }: Pick<MailRow, 'user_id'>,
  { thread }: Pick<MailContent, 'thread'>,
): string | undefined {
  if (thread === null || userId === null) return undefined;
  const letter = Object.entries(types).find(([, type]) => type === thread.type)?.[0] ?? '';
  const subject = `${userId}-${letter}${thread.id}`;
  return `${UNSUBSCRIBE_PATH}/${subject}-${codeOf(core, subject)}`;
}

/** Returns whom a token unsubscribes from what, or undefined if this server did not make it. */
export function readUnsubscribeToken(
  core: Pick<Core, 'dataFolder'>,
  token: string,
): { readonly userId: number; readonly thread: Thread } | undefined {
  const match = /^((\d{1,15})-([ime])(\d{1,15}))-([\w-]{43})$/.exec(token);
  if (match === null) return undefined;
  const [, subject = '', userId, letter, id, code = ''] = match;
  if (!equalSecrets(code, codeOf(core, subject))) return undefined;
  const type = Object.entries(types).find(([known]) => known === letter)?.[1];
  return type === undefined ? undefined : { userId: Number(userId), thread: { type, id: Number(id) } };
}

function codeOf(core: Pick<Core, 'dataFolder'>, subject: string): string {
  return createHmac('sha256', keyFor(core, 'mail unsubscribe')).update(subject).digest('base64url');
}
