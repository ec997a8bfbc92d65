import { createHmac } from 'node:crypto';
import type { Core } from '../../core/core.ts';
import { keyFor } from '../../core/sealing.ts';
import { equalSecrets } from '../../core/secrets.ts';

// Links that confirm an address contain a code that only this server can compute, so that nothing secret is stored.

/** Page that confirms an address. */
export const CONFIRMATION_PATH = '/-/profile/emails/confirmation';

/** Returns the path of the page that confirms an address, with the code that proves that the mail was received. */
export function confirmationPath(core: Pick<Core, 'dataFolder'>, emailId: number, address: string): string {
  return `${CONFIRMATION_PATH}?confirmation_token=${emailId}-${codeOf(core, emailId, address)}`;
}

/** Returns the ID of the address that a token names. The token proves nothing until {@link isConfirmationToken} has checked it. */
export function emailIdOfToken(token: string): number | undefined {
  const match = /^(\d{1,15})-[\w-]+$/.exec(token);
  return match === null ? undefined : Number(match[1]);
}

/** Returns true if the token is the one of this address. */
export function isConfirmationToken(
  core: Pick<Core, 'dataFolder'>,
  token: string,
  email: { readonly id: number; readonly email: string },
): boolean {
  return equalSecrets(token, `${email.id}-${codeOf(core, email.id, email.email)}`);
}

function codeOf(core: Pick<Core, 'dataFolder'>, emailId: number, address: string): string {
  return createHmac('sha256', keyFor(core, 'email confirmation'))
    .update(`${emailId}\n${address.toLowerCase()}`)
    .digest('base64url');
}
