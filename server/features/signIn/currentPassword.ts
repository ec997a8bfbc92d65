import type { Core } from '../../core/core.ts';
import { formatLockEnd, retryAfter } from '../attempts/attempts.ts';
import { type Markup, type PageContent, textField } from '../../web/layout.ts';
import type { SignedInPageRequest } from '../../web/route.ts';
import { usesPassword } from '../users/users.ts';
import type { User } from '../../core/caller.ts';
import { tryPassword } from './passwordAttempts.ts';

/** Validation errors of a form, by field. `status` and `headers` are set when the response is not a plain 422. */
export interface ValidationErrors {
  readonly fields: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly headers?: PageContent['headers'];
}

/** Returns the field for the current password; nothing if the user has no password or cannot use it. */
export function currentPasswordField(core: Core, user: User, validationErrors: ValidationErrors | undefined): Markup | string {
  if (!usesPassword(core, user)) return '';
  return textField({
    name: 'current_password',
    label: 'Current password',
    type: 'password',
    error: validationErrors?.fields['current_password'],
    autocomplete: 'current-password',
  });
}

/** Checks the current password that confirms a change. Returns the validation errors, or undefined if it is correct or not needed. */
export async function checkCurrentPassword(
  core: Core,
  { form, caller, context, now }: SignedInPageRequest,
): Promise<ValidationErrors | undefined> {
  if (!usesPassword(core, caller.user)) return undefined;
  const outcome = await tryPassword(core, caller.user.username, form.get('current_password') ?? '');
  if (outcome === 'refused') {
    context.noteRefusal('password', 'the current password is incorrect');
    return { fields: { current_password: 'The password is incorrect.' } };
  }
  if (!('lockedUntil' in outcome)) return undefined;
  context.noteRefusal(
    'password.attempts',
    'the account is locked for ten minutes after ten incorrect passwords within ten minutes',
  );
  return {
    fields: { current_password: `Too many incorrect passwords. Try again ${formatLockEnd(outcome.lockedUntil, now)}.` },
    status: 429,
    headers: { 'Retry-After': retryAfter(outcome.lockedUntil, now) },
  };
}

/** Returns the status and headers of the page that shows the validation errors. */
export function validationStatus(validationErrors: ValidationErrors | undefined): Pick<PageContent, 'status' | 'headers'> {
  if (validationErrors === undefined) return {};
  return {
    status: validationErrors.status ?? 422,
    ...(validationErrors.headers === undefined ? {} : { headers: validationErrors.headers }),
  };
}
