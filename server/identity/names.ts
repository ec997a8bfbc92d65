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
  return /^[^@\s]+@[^@\s]+$/.test(text);
}

/** Whether a text can be a username; words of the server's own are refused beside (`isReservedName`). */
export function isUsername(text: string): boolean {
  return /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?$/.test(text);
}
