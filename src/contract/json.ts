/** A JSON object whose members nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member when it is a string, else undefined; so a null reads like an absent member. */
export function stringMember(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

/** The member when it is a safe integer, else undefined. */
export function integerMember(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** A boolean member; null and absent mean false (general request rule 6). */
export function booleanMember(object: JsonObject, name: string): boolean {
  return object[name] === true;
}

/** The member when it is a time that can be read (ISO 8601), else null. */
export function timeMember(object: JsonObject, name: string): string | null {
  const value = stringMember(object, name);
  return value === undefined || Number.isNaN(Date.parse(value)) ? null : value;
}

/** Those elements that the reader knows; nothing when it is no list. */
export function listOf<T>(value: unknown, read: (element: unknown) => T | undefined): readonly T[] {
  return Array.isArray(value) ? value.map(read).filter((element) => element !== undefined) : [];
}

/** What the text says as JSON, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
