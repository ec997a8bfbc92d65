import { isExactNumber } from '../../../../src/contract/exactJson.ts';
import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';
import type { LogMessage } from './trackedEvent.ts';
import { limits } from './eventLimits.ts';
import { cut, type Location, readName, type Reading, report } from './readValue.ts';
import { contentScrubber, textScrubber } from './scrubText.ts';
import { readTree } from './jsonTree.ts';

/** Reads `logentry`, or else `message`. Each is a text or `{message, formatted, params}` (docs/interface.md#event-payloads). */
export function readMessage(reading: Reading, payload: JsonObject): LogMessage | undefined {
  return readOne(reading, payload['logentry'], 'logentry') ?? readOne(reading, payload['message'], 'message');
}

/** Returns true if the texts of a message may hold a secret together with its parameters. */
export function mayHoldSplitSecrets(payload: JsonObject): boolean {
  return ['logentry', 'message'].some((key) => {
    const entry = payload[key];
    return isJsonObject(entry) && isObject(entry['params']) && contentScrubber.mayChange(readOne(unread, entry, key)?.text ?? '');
  });
}

const unread: Reading = {
  problems: [],
  scrub: false,
  drift: 0,
  address: undefined,
  isClean: false,
  isOutline: true,
};

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function readOne(reading: Reading, value: unknown, key: string): LogMessage | undefined {
  if (!isJsonObject(value)) {
    const text = readName(reading, value, limits.message, contentScrubber, undefined, key);
    return text === undefined ? undefined : { template: text, text, isParameterised: false };
  }
  const location = { parent: undefined, key };
  const template = readName(reading, value['message'], limits.message, contentScrubber, location, 'message');
  const formatted = readName(reading, value['formatted'], limits.message, contentScrubber, location, 'formatted');
  if (template === undefined)
    return formatted === undefined ? undefined : { template: formatted, text: formatted, isParameterised: false };
  const filled = formatted ?? interpolate(reading, template, value['params'], location);
  // Numbers of JSON are no numbers of cards.
  const scrubber = formatted === undefined && holdsLongNumber(value['params']) ? textScrubber : contentScrubber;
  const text = reading.scrub ? scrubber.scrub(filled) : filled;
  if (text !== filled) report(reading, 'scrubbed', location, 'params');
  return { template, text, isParameterised: template !== text };
}

function holdsLongNumber(params: unknown): boolean {
  const values: readonly unknown[] = Array.isArray(params) ? params : isJsonObject(params) ? Object.values(params) : [];
  return values.some((value) => isExactNumber(value) || (typeof value === 'number' && Math.abs(value) >= 1e11));
}

/** Placeholders: `%s`, `%(name)s`, `{}`, `{0}` and `{name}`. A placeholder without a value is left unchanged. */
const placeholder = /%(?:%|(?:\(([\w.]{1,100})\))?[-+#0]{0,4}\d{0,3}(?:\.\d{1,3})?[a-zA-Z])|\{([\w.]{0,100})\}/g;
const PARAMETER_LENGTH = 1024;

function interpolate(reading: Reading, template: string, params: unknown, location: Location): string {
  if (params === undefined || params === null) return template;
  const values: readonly unknown[] | JsonObject | undefined = Array.isArray(params) || isJsonObject(params) ? params : undefined;
  if (values === undefined) {
    report(reading, 'invalid_data', location, 'params', params);
    return template;
  }
  let next = 0;
  const valueOf = (name: string): unknown => {
    if (!isList(values)) return Object.hasOwn(values, name) ? values[name] : undefined;
    if (/^\d{1,4}$/.test(name)) return values[Number(name)];
    if (name !== '') return undefined;
    next += 1;
    return values[next - 1];
  };
  const text = template.replace(placeholder, (whole, percentName: string | undefined, braceName: string | undefined) => {
    if (whole === '%%') return isList(values) && values.length === 0 ? whole : '%';
    const value = valueOf(percentName ?? braceName ?? '');
    return value === undefined ? whole : textOf(reading, value, location);
  });
  return cut(text, limits.message);
}

function isList(values: readonly unknown[] | JsonObject): values is readonly unknown[] {
  return Array.isArray(values);
}

function textOf(reading: Reading, value: unknown, location: Location): string {
  const tree = readTree(reading, value, PARAMETER_LENGTH, location, 'params');
  return typeof tree === 'string' ? tree : JSON.stringify(tree);
}
