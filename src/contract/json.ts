import { isExactNumber } from './exactJson.ts';

/** JSON object whose members have not been validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** Returns the member if it is a string, else undefined. Null is treated like an absent member. */
export function stringMember(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the member if it is a safe integer, else undefined. */
export function integerMember(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** Returns true if the member is true. Null and absent members count as false. */
export function booleanMember(object: JsonObject, name: string): boolean {
  return object[name] === true;
}

/** Returns the member if it is a valid time (ISO 8601), else null. */
export function timeMember(object: JsonObject, name: string): string | null {
  const value = stringMember(object, name);
  return value === undefined || Number.isNaN(Date.parse(value)) ? null : value;
}

/** Returns the results of `read` for the elements of an array, without undefined. Returns an empty array if the value is not an array. */
export function listOf<T>(value: unknown, read: (element: unknown) => T | undefined): readonly T[] {
  return Array.isArray(value) ? value.map(read).filter((element) => element !== undefined) : [];
}

/** Parses the text as JSON. Returns undefined if it is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
