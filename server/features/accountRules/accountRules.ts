import { forbidden } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import { isLongerThan } from '../../support/textLength.ts';

/** Maximum length of a username, name, bio or email address, in characters. */
export const MAX_USER_TEXT = 255;

/** First path segments that the server uses for its own pages and endpoints. */
const reservedNames = new Set([
  'api',
  'oauth',
  'v2',
  'jwt',
  'users',
  'groups',
  'projects',
  'help',
  'admin',
  'dashboard',
  'explore',
  'user_settings',
  'profile',
  '_local',
  '-',
  'assets',
  'v2',
]);

export function isReservedName(path: string): boolean {
  return reservedNames.has(path.toLowerCase());
}

export function isEmail(text: string): boolean {
  return text.length <= MAX_USER_TEXT && /^[^@\s]+@[^@\s]+$/.test(text);
}

/** Returns true if a text has the form of a username. Reserved names are checked separately ({@link isReservedName}). */
export function isUsername(text: string): boolean {
  return /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?$/.test(text);
}

/** Returns the validation error of a username; undefined if it can be used. */
export function usernameProblem(text: string): string | undefined {
  return isUsername(text) && !isReservedName(text)
    ? undefined
    : "can contain only letters, digits, '_', '-' and '.'. It must start with a letter, digit or '_' and must not be a reserved name.";
}

/** Returns the validation errors of texts that are too long, by field, in the form that `invalidRecord` takes. */
export function lengthErrors(texts: {
  readonly username?: string | undefined;
  readonly name?: string | undefined;
  readonly bio?: string | undefined;
}): Record<string, string[]> {
  const validationErrors: Record<string, string[]> = {};
  for (const [field, text] of Object.entries(texts)) {
    if (text !== undefined && isLongerThan(text, MAX_USER_TEXT)) {
      validationErrors[field] = [`is too long (maximum is ${MAX_USER_TEXT} characters)`];
    }
  }
  return validationErrors;
}

/** @throws {Forbidden} For users who are blocked, banned or deactivated (docs/interface.md#request-credentials). */
export function demandActive(user: User, baseUrl: string): void {
  if (isBlocked(user)) throw forbidden('Your account has been blocked.', lockReason(user), 'credentials.active');
  if (user.state !== 'deactivated') return;
  throw forbidden(
    `Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ${baseUrl}`,
    'the account is deactivated; the user can reactivate it by signing in on the web page, or an administrator can activate it',
    'credentials.active',
  );
}

/** Returns true for the ghost user, and for blocked and banned users, who stay locked out until an administrator reinstates them. */
export function isBlocked({ state, is_ghost }: Pick<User, 'state' | 'is_ghost'>): boolean {
  return state === 'blocked' || state === 'banned' || is_ghost === 1;
}

/** Returns why a user is locked out, for messages. */
export function lockReason(user: User): string {
  return user.is_ghost === 1 ? 'the ghost user never signs in' : `the account is ${user.state}`;
}

export function passwordProblem(password: string): string | undefined {
  if (password.length < 8) return 'is too short (minimum is 8 characters)';
  return password.length > 128 ? 'is too long (maximum is 128 characters)' : undefined;
}
