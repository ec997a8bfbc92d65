import type { Platform } from '../platform.ts';
import { formatLockEnd, retryAfter } from '../web/attempts.ts';
import { type Markup, type PageContent, textField } from '../web/layout.ts';
import type { SignedInPageRequest } from '../web/route.ts';
import { usesPassword } from './enterprise.ts';
import type { User } from './identity.ts';
import { tryPassword } from './passwordAttempts.ts';

/** What is wrong with a form, by field; `status` and `headers` where it is more than a wrong value. */
export interface ValidationErrors {
  readonly fields: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly headers?: PageContent['headers'];
}

/** The password that confirms a change, where the person has one and may use it. */
export function currentPasswordField(
  platform: Platform,
  user: User,
  validationErrors: ValidationErrors | undefined,
): Markup | string {
  if (!usesPassword(platform, user)) return '';
  return textField({
    name: 'current_password',
    label: 'Your current password',
    type: 'password',
    error: validationErrors?.fields['current_password'],
    autocomplete: 'current-password',
  });
}

/** What is wrong with the password that was sent to confirm a change. */
export async function checkCurrentPassword(
  platform: Platform,
  { form, caller, context, now }: SignedInPageRequest,
): Promise<ValidationErrors | undefined> {
  if (!usesPassword(platform, caller.user)) return undefined;
  const outcome = await tryPassword(platform, caller.user.username, form.get('current_password') ?? '');
  if (outcome === 'refused') {
    context.noteRefusal('password', 'the current password is wrong');
    return { fields: { current_password: 'This is not your password.' } };
  }
  if (!('lockedUntil' in outcome)) return undefined;
  context.noteRefusal('password.attempts', 'ten wrong passwords in ten minutes lock the account for ten minutes');
  return {
    fields: { current_password: `Too many wrong passwords. Try again ${formatLockEnd(outcome.lockedUntil, now)}.` },
    status: 429,
    headers: { 'Retry-After': retryAfter(outcome.lockedUntil, now) },
  };
}

/** Status and headers of the page that shows them. */
export function validationStatus(validationErrors: ValidationErrors | undefined): Pick<PageContent, 'status' | 'headers'> {
  if (validationErrors === undefined) return {};
  return {
    status: validationErrors.status ?? 422,
    ...(validationErrors.headers === undefined ? {} : { headers: validationErrors.headers }),
  };
}
