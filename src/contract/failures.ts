import { isJsonObject } from './json.ts';

/**
 * Returns the message of an error body in one line, or undefined if there is none. Reads the formats of the API (`message`, which may
 * contain field → texts, and `error`) and of OAuth (`error_description` before `error`).
 */
export function messageOfErrorBody(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  for (const member of [body.error_description, body.message, body.error]) {
    const text = messageOf(member);
    if (text !== '') return text;
  }
  return undefined;
}

function messageOf(value: unknown): string {
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').trim();
  if (Array.isArray(value)) return value.map(messageOf).filter(Boolean).join(', ');
  if (!isJsonObject(value)) return '';
  return Object.entries(value)
    .map(([field, texts]) => (field === 'base' ? messageOf(texts) : `${field} ${messageOf(texts)}`))
    .join('; ');
}
