/** First path segments that are pages and endpoints of the server itself. */
const reservedNames = new Set([
  'api',
  'oauth',
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
