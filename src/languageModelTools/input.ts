import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { ERROR_STATUSES, type ErrorStatus } from '../contract/trackedErrors.ts';

/** Input of the tool that lists errors. */
export interface ListErrorsInput {
  /** Full path of the project; undefined for the project that the views show. */
  readonly project: string | undefined;
  readonly statuses: readonly ErrorStatus[];
  readonly search: string | undefined;
  readonly environment: string | undefined;
  readonly release: string | undefined;
}

/** Input of the tools about one error. */
export interface ErrorInput {
  readonly project: string | undefined;
  readonly id: string;
}

export interface ListActivityInput {
  /** True for the events of the user in all projects, false for all events of the project. */
  readonly isMine: boolean;
  readonly project: string | undefined;
}

/** Reads the input of the tool that lists errors. Throws an error that tells the model how to correct its input. */
export function readListErrorsInput(input: unknown): ListErrorsInput {
  const members = objectOf(input);
  const status = textOf(members, 'status');
  return {
    project: textOf(members, 'project'),
    statuses: statusesOf(status),
    search: textOf(members, 'search'),
    environment: textOf(members, 'environment'),
    release: textOf(members, 'release'),
  };
}

export function readErrorInput(input: unknown): ErrorInput {
  const members = objectOf(input);
  const id = textOf(members, 'id');
  if (id === undefined || !/^\d{1,20}$/.test(id))
    throw new Error('"id" must be the number of an error, as the list of errors shows it.');
  return { project: textOf(members, 'project'), id };
}

export function readListActivityInput(input: unknown): ListActivityInput {
  const members = objectOf(input);
  const scope = textOf(members, 'scope') ?? 'mine';
  if (scope !== 'mine' && scope !== 'project') throw new Error('"scope" must be "mine" or "project".');
  return { isMine: scope === 'mine', project: textOf(members, 'project') };
}

function statusesOf(status: string | undefined): readonly ErrorStatus[] {
  if (status === undefined) return ['unresolved'];
  if (status === 'all') return ERROR_STATUSES;
  const known = ERROR_STATUSES.find((one) => one === status);
  if (known === undefined) throw new Error(`"status" must be one of ${[...ERROR_STATUSES, 'all'].join(', ')}.`);
  return [known];
}

function objectOf(input: unknown): JsonObject {
  if (input === undefined || input === null) return {};
  if (!isJsonObject(input)) throw new Error('The input must be an object.');
  return input;
}

/** Returns a member as text; models also send numbers for IDs. Undefined if it is missing or empty. */
function textOf(members: JsonObject, name: string): string | undefined {
  const value = members[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (Number.isSafeInteger(value)) return String(value);
  throw new Error(`"${name}" must be a string.`);
}
