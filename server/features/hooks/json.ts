import { isJsonObject, type JsonObject } from '../../../src/contract/json.ts';

/** Returns the object in a JSON column. */
export function objectIn(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  return isJsonObject(value) ? value : {};
}

/** Returns the members of an object whose values are strings. */
export function stringMembers(value: unknown): Readonly<Record<string, string>> {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(members.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])));
}

/** Returns the strings in a JSON column by name. */
export function stringsIn(json: string): Readonly<Record<string, string>> {
  return stringMembers(objectIn(json));
}
