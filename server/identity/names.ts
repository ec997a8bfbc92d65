import { isLongerThan } from '../textLength.ts';

/** Characters of a username, name, bio or e-mail address. */
export const MAX_USER_TEXT = 255;

/** First path segments that are pages and endpoints of the server itself. */
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

/** Whether a text can be a username; words of the server's own are refused beside (`isReservedName`). */
export function isUsername(text: string): boolean {
  return /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?$/.test(text);
}

/** Texts about a person that are too long, by their names, as `invalidRecord` takes them. */
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
