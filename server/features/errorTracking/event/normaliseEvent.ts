import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';
import { readBreadcrumbs, readLevel } from './breadcrumbs.ts';
import type { EventUser, TrackedEvent } from './trackedEvent.ts';
import { readExceptions, readThreads } from './exceptions.ts';
import { readEventFrames } from './stackFrames.ts';
import { limits } from './eventLimits.ts';
import { fingerprintPieces, namesTags } from './fingerprintVariables.ts';
import { withCurrentNames } from './legacyNames.ts';
import { readMessage } from './logMessage.ts';
import { clean, cut, type Location, readList, readName, type Reading, readText, report, scrubbed } from './readValue.ts';
import { readRequest } from './eventRequest.ts';
import { FILTERED } from './filtered.ts';
import { isSecretValue } from './secretNames.ts';
import { nameScrubber, textScrubber } from './scrubText.ts';
import { driftOf, rangeOf, timeOf } from './sdkTimes.ts';
import { readTrees } from './jsonTree.ts';
import { userAddressOf } from './userAddress.ts';

/** Data about an event in addition to its payload. */
export interface AboutEvent {
  /** `event_id` of the envelope header. Applies to the first event only; undefined for others and for `/store/`. */
  readonly headerId: unknown;
  /** ID of an event that does not have one. Generated if it is undefined. */
  readonly givenId?: string;
  /** Time of receipt, in milliseconds. */
  readonly receivedAt: number;
  /** `sent_at` of the envelope header. */
  readonly sentAt: unknown;
  /** IP address of the sender, used for `{{auto}}`. */
  readonly peerAddress: string | undefined;
  /** Returns the SDK that the request names, such as `raven-php/1.8.0`. Called for events that do not name it. */
  readonly client?: () => string | undefined;
  /** Result of `holdsCleanTexts` for the payload, or false if it is not known. */
  readonly isClean?: boolean;
  /** True if secrets are scrubbed (see server/features/errorTracking/event/scrubText.ts). */
  readonly scrub: boolean;
}

/**
 * Returns the normalised event of a payload, whatever types its members have (docs/interface.md#event-payloads). Unreadable
 * members are left out and listed in `problems`. No payload is refused, and nothing is thrown. The result may share objects with
 * the payload.
 */
export function normaliseEvent(sent: JsonObject, about: AboutEvent): TrackedEvent {
  const payload = withCurrentNames(sent);
  const reading = readingOf(about, false);
  return {
    id: readId(reading, about, payload['event_id']),
    occurredAt: readTime(reading, payload['timestamp'], about.receivedAt),
    level: readLevel(reading, payload['level'], undefined) ?? 'error',
    platform: readMember(reading, payload, 'platform') ?? 'other',
    exceptions: readExceptions(reading, payload['exception']),
    threads: readThreads(reading, payload['threads']),
    message: readMessage(reading, payload),
    frames: readEventFrames(reading, payload),
    breadcrumbs: readBreadcrumbs(reading, payload['breadcrumbs']),
    tags: readTags(reading, payload['tags']),
    user: readUser(reading, payload),
    fingerprint: readFingerprint(reading, payload['fingerprint'], payload['checksum']),
    logger: readMember(reading, payload, 'logger'),
    transaction: readTransaction(reading, payload),
    serverName: readMember(reading, payload, 'server_name'),
    appRelease: readMember(reading, payload, 'release', limits.appRelease),
    dist: readMember(reading, payload, 'dist'),
    environment: readMember(reading, payload, 'environment'),
    sdk: readSdk(reading, payload['sdk']) ?? readClient(reading, about.client?.()),
    request: readRequest(reading, payload['request']),
    contexts: readTrees(reading, contextsOf(payload), limits.context, limits.extra, 'contexts'),
    extra: readTrees(reading, payload['extra'], limits.extraItem, limits.extra, 'extra'),
    modules: readModules(reading, payload['modules']),
    debugIds: readDebugIds(reading, payload['debug_meta']),
    problems: reading.problems,
  };
}

/**
 * Returns only the members needed to group, title and count the event, in a third of the time: those that {@link withoutDetails}
 * keeps, and those needed to find source maps.
 */
export function outlineOf(sent: JsonObject, about: AboutEvent): TrackedEvent {
  const payload = withCurrentNames(sent);
  const reading = readingOf(about, true);
  const fingerprint = readFingerprint(reading, payload['fingerprint'], payload['checksum']);
  return {
    id: readId(reading, about, payload['event_id']),
    occurredAt: readTime(reading, payload['timestamp'], about.receivedAt),
    level: readLevel(reading, payload['level'], undefined) ?? 'error',
    platform: readMember(reading, payload, 'platform') ?? 'other',
    exceptions: readExceptions(reading, payload['exception']),
    threads: readThreads(reading, payload['threads']),
    message: readMessage(reading, payload),
    frames: readEventFrames(reading, payload),
    breadcrumbs: [],
    tags: namesTags(fingerprint) ? readTags(reading, payload['tags']) : noTexts,
    user: readUser(reading, payload),
    fingerprint,
    logger: readMember(reading, payload, 'logger'),
    transaction: readTransaction(reading, payload),
    serverName: undefined,
    appRelease: readMember(reading, payload, 'release', limits.appRelease),
    dist: readMember(reading, payload, 'dist'),
    environment: readMember(reading, payload, 'environment'),
    sdk: undefined,
    request: undefined,
    contexts: nothing,
    extra: nothing,
    modules: noTexts,
    debugIds: readDebugIds(reading, payload['debug_meta']),
    problems: reading.problems,
  };
}

function readingOf(about: AboutEvent, isOutline: boolean): Reading {
  return {
    problems: [],
    scrub: about.scrub,
    drift: driftOf(about.sentAt, about.receivedAt),
    address: about.peerAddress,
    isClean: about.isClean ?? false,
    isOutline,
  };
}

function readMember(reading: Reading, payload: JsonObject, key: string, most: number = limits.text): string | undefined {
  return readName(reading, payload[key], most, nameScrubber, undefined, key);
}

function readTransaction(reading: Reading, payload: JsonObject): string | undefined {
  return (
    readMember(reading, payload, 'transaction', limits.transaction) ?? readMember(reading, payload, 'culprit', limits.transaction)
  );
}

/**
 * Returns an event ID as 32 hexadecimal digits. SDKs send it with or without dashes. Undefined for any other value and for the
 * nil ID.
 */
export function eventIdOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (!/^[0-9a-f]{32}$/.test(value)) {
    if (!/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value)) return undefined;
    return eventIdOf(value.replaceAll('-', '').toLowerCase());
  }
  return value === '00000000000000000000000000000000' ? undefined : value;
}

function readId(reading: Reading, { headerId, givenId }: AboutEvent, own: unknown): string {
  return readOneId(reading, headerId) ?? readOneId(reading, own) ?? givenId ?? randomUUID().replaceAll('-', '');
}

function readOneId(reading: Reading, sent: unknown): string | undefined {
  if (sent === undefined || sent === null) return undefined;
  const id = eventIdOf(sent);
  if (id === undefined) report(reading, 'invalid_data', undefined, 'event_id', sent);
  return id;
}

function readTime(reading: Reading, sent: unknown, receivedAt: number): number {
  if (sent === undefined || sent === null) return receivedAt;
  const time = timeOf(sent);
  if (time === undefined) {
    report(reading, 'invalid_data', undefined, 'timestamp', sent);
    return receivedAt;
  }
  const shifted = time + reading.drift;
  const range = rangeOf(shifted, receivedAt);
  if (range !== 'present') {
    report(reading, range === 'future' ? 'future_timestamp' : 'past_timestamp', undefined, 'timestamp', sent);
    return receivedAt;
  }
  if (reading.drift !== 0) report(reading, 'clock_drift', undefined, 'timestamp', sent);
  return shifted;
}

const noTexts: ReadonlyMap<string, string> = new Map();
const nothing: JsonObject = Object.freeze({});

/** Accepts a map, a list of pairs, or a list of `{key, value}`. */
function readTags(reading: Reading, tags: unknown): ReadonlyMap<string, string> {
  if (tags === undefined || tags === null) return noTexts;
  const location: Location = { parent: undefined, key: 'tags' };
  const read = new Map<string, string>();
  if (!isJsonObject(tags) && !Array.isArray(tags)) {
    report(reading, 'invalid_data', undefined, 'tags', tags);
    return noTexts;
  }
  const entries: readonly unknown[] = Array.isArray(tags) ? tags : Object.entries(tags);
  for (const [index, entry] of entries.entries()) {
    if (read.size >= limits.tags) {
      report(reading, 'too_many', undefined, 'tags', entries.length);
      break;
    }
    const [key, value] = pairOf(entry);
    const name = readName(reading, key, limits.tagKey, textScrubber, location, index);
    if (name === undefined) {
      if (entry !== null) report(reading, 'invalid_data', location, index, entry);
      continue;
    }
    const sent = readText(reading, value, limits.tagValue, textScrubber, location, name);
    const isSecret =
      reading.scrub && sent !== undefined && sent !== '' && isSecretValue(name, sent) && typeof value !== 'boolean';
    if (isSecret && sent !== FILTERED) report(reading, 'scrubbed', location, name);
    const text = isSecret ? FILTERED : sent;
    if (text !== undefined && !read.has(name)) read.set(name, text);
  }
  return read;
}

function pairOf(entry: unknown): readonly [name: unknown, value: unknown] {
  if (Array.isArray(entry)) return [entry[0], entry[1]];
  return isJsonObject(entry) ? [entry['key'], entry['value']] : [undefined, undefined];
}

/** Data about the request of an event that its payload refers to, or lacks. */
export interface RequestTraces {
  /** IP address of the sender, if the user has it. */
  readonly address: string | undefined;
  /** Name and version of the SDK, if the payload does not name it. */
  readonly client: string | undefined;
}

/** Returns what must be stored with a payload, so that it is read again as it was when it was received. */
export function requestTracesOf(sent: JsonObject, { peerAddress, client }: AboutEvent): RequestTraces {
  const payload = withCurrentNames(sent);
  const { sdk } = payload;
  return {
    address: userAddressOf(payload).kind === 'sender' ? peerAddress : undefined,
    client: isJsonObject(sdk) && typeof sdk['name'] === 'string' && sdk['name'] !== '' ? undefined : client?.(),
  };
}

/** Returns undefined if nothing about a user is known. */
function readUser(reading: Reading, payload: JsonObject): EventUser | undefined {
  const sent = payload['user'];
  if (!isJsonObject(sent) && sent !== undefined && sent !== null) report(reading, 'invalid_data', undefined, 'user', sent);
  const user = isJsonObject(sent) ? sent : nothing;
  const location: Location = { parent: undefined, key: 'user' };
  const origin = userAddressOf(payload);
  const id = readName(reading, user['id'], limits.text, textScrubber, location, 'id');
  const username = readName(reading, user['username'], limits.text, textScrubber, location, 'username');
  const email = readName(reading, user['email'], limits.text, textScrubber, location, 'email');
  const address =
    origin.kind === 'sent'
      ? readName(reading, origin.value, limits.text, textScrubber, location, 'ip_address')
      : origin.kind === 'sender'
        ? reading.address
        : undefined;
  const name = readName(reading, user['name'], limits.text, textScrubber, location, 'name');
  return (id ?? username ?? email ?? address ?? name) === undefined ? undefined : { id, username, email, address, name };
}

/** Returns the fingerprint. Some SDKs send an empty one with every event, which is treated as missing. */
function readFingerprint(reading: Reading, fingerprint: unknown, checksum: unknown): readonly string[] {
  const list: readonly unknown[] =
    typeof fingerprint === 'string' ? [fingerprint] : readList(reading, fingerprint, undefined, 'fingerprint');
  if (list.length > limits.fingerprint) report(reading, 'too_many', undefined, 'fingerprint', list.length);
  const location: Location = { parent: undefined, key: 'fingerprint' };
  const parts: string[] = [];
  for (let index = 0; index < Math.min(list.length, limits.fingerprint); index += 1) {
    const part = readName(reading, list[index], limits.fingerprintPart, textScrubber, location, index)?.trim();
    if (part === undefined || part === '') continue;
    parts.push(part);
    for (const { kind, text } of fingerprintPieces(part)) {
      if (kind === 'unknown') report(reading, 'invalid_data', location, index, text);
    }
  }
  if (parts.length > 0) return parts;
  const legacy = readName(reading, checksum, limits.fingerprintPart, textScrubber, undefined, 'checksum');
  return legacy === undefined ? [] : [legacy];
}

function readSdk(reading: Reading, sdk: unknown): TrackedEvent['sdk'] {
  if (sdk === undefined || sdk === null) return undefined;
  if (!isJsonObject(sdk)) {
    report(reading, 'invalid_data', undefined, 'sdk', sdk);
    return undefined;
  }
  const location: Location = { parent: undefined, key: 'sdk' };
  const name = readName(reading, sdk['name'], limits.text, nameScrubber, location, 'name');
  if (name === undefined) return undefined;
  return { name, version: readText(reading, sdk['version'], limits.text, nameScrubber, location, 'version') ?? '' };
}

/** Returns the SDK in the credentials of a request. Former SDKs name themselves only there. */
function readClient(reading: Reading, client: string | undefined): TrackedEvent['sdk'] {
  const text = readName(reading, client, limits.text, nameScrubber, undefined, 'sentry_client');
  if (text === undefined) return undefined;
  const slash = text.lastIndexOf('/');
  return slash < 1 ? { name: text, version: '' } : { name: text.slice(0, slash), version: text.slice(slash + 1) };
}

/** Returns the contexts, with the database query that an event of former SDKs is about. */
function contextsOf({ contexts, query }: JsonObject): unknown {
  if (!isJsonObject(query)) return contexts;
  return isJsonObject(contexts) || contexts === undefined || contexts === null ? { query, ...contexts } : contexts;
}

/** Returns versions by name. Accepts a map or a list of `{name, version}`. */
function readModules(reading: Reading, modules: unknown): ReadonlyMap<string, string> {
  if (modules === undefined || modules === null) return noTexts;
  const read = new Map<string, string>();
  const add = (name: unknown, version: unknown): void => {
    if (typeof name !== 'string' || typeof version !== 'string') return;
    const [storedName, storedVersion] = [name, version].map((text) =>
      cut(scrubbed(reading, clean(text), nameScrubber, undefined, 'modules'), limits.text),
    );
    if (storedName !== undefined && storedVersion !== undefined) read.set(storedName, storedVersion);
  };
  const entries: readonly unknown[] | undefined = Array.isArray(modules)
    ? modules
    : isJsonObject(modules)
      ? Object.entries(modules)
      : undefined;
  if (entries === undefined) report(reading, 'invalid_data', undefined, 'modules', modules);
  else if (entries.length > limits.modules) report(reading, 'too_many', undefined, 'modules', entries.length);
  for (const entry of entries?.slice(0, limits.modules) ?? []) {
    if (Array.isArray(entry)) add(entry[0], entry[1]);
    else if (isJsonObject(entry)) add(entry['name'], entry['version']);
  }
  return read;
}

/** Returns the debug IDs. They are used only to find source maps, so unreadable ones are not reported as problems. */
function readDebugIds(reading: Reading, debugMeta: unknown): ReadonlyMap<string, string> {
  const images: unknown = isJsonObject(debugMeta) ? debugMeta['images'] : undefined;
  if (!Array.isArray(images)) return noTexts;
  const read = new Map<string, string>();
  const list: readonly unknown[] = images;
  for (const image of list.slice(0, limits.images)) {
    if (!isJsonObject(image)) continue;
    const { code_file: file, debug_id: id } = image;
    if (typeof file !== 'string' || typeof id !== 'string') continue;
    const location: Location = { parent: undefined, key: 'debug_meta' };
    read.set(
      cut(scrubbed(reading, clean(file), nameScrubber, location, 'code_file'), limits.frameText),
      cut(scrubbed(reading, clean(id), nameScrubber, location, 'debug_id'), limits.text),
    );
  }
  return read;
}
