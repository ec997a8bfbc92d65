import { type JsonObject, isJsonObject, stringMember } from '../../../../src/contract/json.ts';
import { DAY } from '../../../core/clock.ts';
import type { Store } from '../../../store/open.ts';
import { anyKeyById, type ClientKey, findClientKey } from '../../clientKeys/clientKeys.ts';
import type { Envelope } from '../body/envelope.ts';
import type { EnvelopeContents, SentEvent } from '../body/envelopeContents.ts';
import { limits } from '../event/eventLimits.ts';
import { clean, cut } from '../event/readValue.ts';
import { holdsSecretForm } from '../event/secretForms.ts';
import {
  addToKeyDay,
  addToProgram,
  type KeyRefusal,
  MAX_PROGRAMS,
  type Program,
  removeSurplusPrograms,
  writeKeyRefusal,
  writeUse,
} from './keyUseStore.ts';

/**
 * Use of client keys since the last write. `createIngestStats` holds it, and writes it together with its counters, so that no request
 * pays for a transaction.
 */
export interface KeyUse {
  /** Notes a request that was accepted. Does nothing for senders without a key. */
  used(keyId: number, at: number): void;
  /** Notes a program that has sent something, and counts its new events. */
  usedBy(keyId: number, at: number, program: Program, events: 0 | 1): void;
  /** Notes a refused request with a public key, which may not exist. */
  refused(publicKey: string, refusal: KeyRefusal): void;
  isEmpty(): boolean;
  /** Returns true if more is held than should be. */
  isFull(): boolean;
  /** Writes what is held, in the transaction of the caller. Returns the keys. */
  write(store: Store): readonly WrittenKey[];
  clear(): void;
}

/** Client key whose use was written. */
export type WrittenKey = Pick<ClientKey, 'id' | 'project_id'>;

interface UsedProgram {
  readonly program: Program;
  events: number;
  at: number;
}

interface HeldKey {
  usedAt: number;
  /** Number of events by day. */
  readonly days: Map<number, number>;
  /** Programs by their names, the one that sent last at the end. */
  readonly programs: Map<string, UsedProgram>;
}

const MAX_KEYS = 200;
const MAX_REFUSED_KEYS = 100;

export function createKeyUse(): KeyUse {
  const keys = new Map<number, HeldKey>();
  const refusals = new Map<string, KeyRefusal>();

  const used = (keyId: number, at: number): HeldKey => {
    let held = keys.get(keyId);
    if (held === undefined) {
      held = { usedAt: at, days: new Map(), programs: new Map() };
      keys.set(keyId, held);
    } else if (at > held.usedAt) held.usedAt = at;
    return held;
  };

  return {
    used: (keyId, at) => {
      if (keyId !== 0) used(keyId, at);
    },
    usedBy: (keyId, at, program, events) => {
      if (keyId === 0) return;
      const { days, programs } = used(keyId, at);
      const day = Math.floor(at / DAY);
      if (events > 0) days.set(day, (days.get(day) ?? 0) + events);
      const name = `${program.release}\n${program.serverName}\n${program.sdk}`;
      const known = programs.get(name);
      if (known !== undefined) {
        known.events += events;
        if (at > known.at) known.at = at;
        return;
      }
      if (programs.size >= MAX_PROGRAMS) for (const oldest of programs.keys()) if (programs.delete(oldest)) break;
      programs.set(name, { program, events, at });
    },
    refused: (publicKey, refusal) => {
      refusals.delete(publicKey);
      if (refusals.size >= MAX_REFUSED_KEYS) for (const oldest of refusals.keys()) if (refusals.delete(oldest)) break;
      refusals.set(publicKey, refusal);
    },
    isEmpty: () => keys.size === 0 && refusals.size === 0,
    isFull: () => keys.size > MAX_KEYS,
    write: (store) => {
      const written: WrittenKey[] = [];
      for (const [keyId, held] of keys) {
        const key = anyKeyById(store, keyId);
        if (key === undefined) continue;
        writeHeld(store, keyId, held);
        written.push(key);
      }
      for (const [publicKey, refusal] of refusals) {
        const key = findClientKey({ store }, publicKey);
        if (key === undefined) continue;
        writeKeyRefusal(store, key.id, refusal);
        written.push(key);
      }
      return written;
    },
    clear: () => {
      keys.clear();
      refusals.clear();
    },
  };
}

function writeHeld(store: Store, keyId: number, { usedAt, days, programs }: HeldKey): void {
  writeUse(store, keyId, usedAt);
  for (const [day, events] of days) addToKeyDay(store, keyId, day, events);
  for (const { program, events, at } of programs.values()) addToProgram(store, keyId, withoutSecrets(program), events, at);
  if (programs.size > 0) removeSurplusPrograms(store, keyId);
}

/** Returns the program that sent an event. Events that may hold secrets were scrubbed as a whole. */
export function programOf({ event, mayHoldSecrets, payload, traces }: SentEvent): Program {
  const release = event.appRelease ?? '';
  if (mayHoldSecrets) {
    const { serverName = '', sdk } = event;
    return { release, serverName, sdk: sdk === undefined ? '' : sdkName(sdk.name, sdk.version) };
  }
  return { release, serverName: shortText(payload, 'server_name'), sdk: sdkOf(payload) ?? traces.client ?? '' };
}

/**
 * Returns the programs that sent the items of an envelope that are no events. Sessions name the release, and the header of the envelope or
 * the credentials (`client`) name the SDK.
 */
export function otherProgramsOf(
  { header, items, skipped }: Envelope,
  { sessions, sessionCounts }: EnvelopeContents,
  client: () => string | undefined,
): readonly Program[] {
  const releases = [...sessions, ...sessionCounts].map(({ appRelease }) => appRelease);
  if (releases.length === 0 && (skipped.size > 0 || items.some(({ type }) => type === 'client_report'))) releases.push('');
  if (releases.length === 0) return [];
  const sdk = sdkOf(header) ?? client() ?? '';
  return [...new Set(releases)].map((release) => ({ release, serverName: '', sdk }));
}

function sdkOf({ sdk }: JsonObject): string | undefined {
  if (!isJsonObject(sdk)) return undefined;
  const name = shortText(sdk, 'name');
  return name === '' ? undefined : sdkName(name, shortText(sdk, 'version'));
}

function sdkName(name: string, version: string): string {
  return version === '' ? name : `${name}/${version}`;
}

function shortText(object: JsonObject, member: string): string {
  return cut(clean(stringMember(object, member) ?? ''), limits.text);
}

/** Projects may store events with their secrets. The use of keys never has any. */
function withoutSecrets({ release, serverName, sdk }: Program): Program {
  const safe = (text: string): string => (holdsSecretForm(text) ? '' : text);
  return { release: safe(release), serverName: safe(serverName), sdk: safe(sdk) };
}
