/** The values of a link that are validated. */
interface LinkValues {
  readonly id?: number;
  readonly name: string;
  readonly url: string;
  readonly filepath: string | null;
}

const MAX_TEXT_LENGTH = 255;
const MAX_FILEPATH_LENGTH = 128;

/** Returns the validation errors of a link among the others of its release, by member; empty if it is valid. */
export function linkErrors(link: LinkValues, others: readonly LinkValues[]): Record<string, string[]> {
  const validationErrors: Record<string, string[]> = {};
  const addProblem = (member: string, text: string): void => {
    (validationErrors[member] ??= []).push(text);
  };
  const isTaken = (is: (other: LinkValues) => boolean): boolean => others.some((other) => other.id !== link.id && is(other));
  if (link.name.trim() === '') addProblem('name', "can't be blank");
  else if (link.name.length > MAX_TEXT_LENGTH) addProblem('name', `is too long (maximum is ${MAX_TEXT_LENGTH} characters)`);
  if (isTaken(({ name }) => name === link.name)) addProblem('name', 'has already been taken');
  if (link.url.trim() === '') addProblem('url', "can't be blank");
  if (!isAllowedUrl(link.url)) addProblem('url', 'is blocked: Only allowed schemes are http, https, ftp');
  if (isTaken(({ url }) => url === link.url)) addProblem('url', 'has already been taken');
  if (link.filepath !== null) {
    const [first, ...parts] = link.filepath.split('/');
    const isPath = first === '' && parts.length > 0 && parts.every((part) => /^[\w.-]+$/.test(part));
    if (!isPath || !/[\dA-Za-z]$/.test(link.filepath)) addProblem('filepath', 'is in an invalid format');
    if (link.filepath.length > MAX_FILEPATH_LENGTH)
      addProblem('filepath', `is too long (maximum is ${MAX_FILEPATH_LENGTH} characters)`);
    if (isTaken(({ filepath }) => filepath === link.filepath)) addProblem('filepath', 'has already been taken');
  }
  return validationErrors;
}

function isAllowedUrl(text: string): boolean {
  if (!URL.canParse(text) || /\s/.test(text)) return false;
  return ['http:', 'https:', 'ftp:'].includes(new URL(text).protocol);
}
