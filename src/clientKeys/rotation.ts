import type { Memento } from 'vscode';
import type { ClientKeyUse, KeyProgram } from '../contract/clientKeyUse.ts';
import type { ClientKey } from '../contract/clientKeys.ts';
import { booleanMember, integerMember, isJsonObject, stringMember } from '../contract/json.ts';
import { TEST_RELEASE } from './testEvent.ts';

/** Replacement of a client key by a new one that has begun and not ended. Only IDs of keys are stored. */
export interface Rotation {
  /** Account key. */
  readonly account: string;
  readonly path: string;
  readonly oldKey: number;
  readonly newKey: number;
  /** True if the user has said that the new key works. */
  readonly isConfirmed: boolean;
}

/** Rotations of all accounts. They are read from the memory each time, because other windows change them. */
export interface Rotations {
  readonly of: (account: string, path: string) => readonly Rotation[];
  readonly put: (rotation: Rotation) => PromiseLike<void>;
  readonly remove: (rotation: Rotation) => PromiseLike<void>;
}

const MEMORY = 'clientKeys.rotations';

export function createRotations(memory: Memento): Rotations {
  const all = (): readonly Rotation[] => {
    const stored: unknown = memory.get(MEMORY);
    return Array.isArray(stored) ? stored.map(readRotation).filter((rotation) => rotation !== undefined) : [];
  };
  const without = (rotation: Rotation): readonly Rotation[] =>
    all().filter((other) => !(other.account === rotation.account && other.newKey === rotation.newKey));
  const write = (rotations: readonly Rotation[]): PromiseLike<void> =>
    memory.update(MEMORY, rotations.length === 0 ? undefined : rotations);
  return {
    of: (account, path) => all().filter((rotation) => rotation.account === account && rotation.path === path),
    put: (rotation) => write([...without(rotation), rotation]),
    remove: (rotation) => write(without(rotation)),
  };
}

function readRotation(value: unknown): Rotation | undefined {
  if (!isJsonObject(value)) return undefined;
  const [account, path] = [stringMember(value, 'account'), stringMember(value, 'path')];
  const [oldKey, newKey] = [integerMember(value, 'oldKey'), integerMember(value, 'newKey')];
  if (account === undefined || path === undefined || oldKey === undefined || newKey === undefined) return undefined;
  return { account, path, oldKey, newKey, isConfirmed: booleanMember(value, 'isConfirmed') };
}

/** Use of both keys of a rotation. It is `unreported` if the instance does not report the use of keys. */
export interface KeyUses {
  readonly keys: readonly ClientKey[];
  readonly newUse: ClientKeyUse | 'unreported';
  readonly oldUse: ClientKeyUse | 'unreported';
}

export type RotationState =
  /** Somebody has deleted one of the keys. */
  | { readonly kind: 'newKeyGone' | 'oldKeyGone' }
  /** No program has sent anything with the new key. */
  | { readonly kind: 'waiting'; readonly isReported: boolean }
  | {
      readonly kind: 'works';
      /** Program that sent with the new key; undefined if only the user has said that it works. */
      readonly program: KeyProgram | undefined;
      /** Programs that have sent with the old key since the new one exists; undefined if the instance does not report them. */
      readonly remaining: readonly KeyProgram[] | undefined;
      /** Last use of the old key; undefined if it was never used or the instance does not report it. */
      readonly lastUse: LastUse | undefined;
    };

/** Last use of a client key. */
export interface LastUse {
  /** Milliseconds since the epoch, by the clock of the instance. */
  readonly at: number;
  /** Program that sent last; undefined if nothing names it. */
  readonly program: KeyProgram | undefined;
  /** True if the new key existed at that time. */
  readonly isRecent: boolean;
  /** Number of programs that sent earlier than all in the list. */
  readonly morePrograms: number;
}

/** Returns how far a rotation is. */
export function stateOf({ oldKey, newKey, isConfirmed }: Rotation, { keys, newUse, oldUse }: KeyUses): RotationState {
  if (!keys.some(({ id }) => id === newKey)) return { kind: 'newKeyGone' };
  if (!keys.some(({ id }) => id === oldKey)) return { kind: 'oldKeyGone' };
  const program = newUse === 'unreported' ? undefined : newUse.programs.find(isReal);
  if (program === undefined && !isConfirmed) return { kind: 'waiting', isReported: newUse !== 'unreported' };
  const since = newUse === 'unreported' ? 0 : newUse.createdAt;
  const remaining = oldUse === 'unreported' ? undefined : oldUse.programs.filter((one) => isReal(one) && one.lastAt >= since);
  return { kind: 'works', program, remaining, lastUse: oldUse === 'unreported' ? undefined : lastUseOf(oldUse, since) };
}

function lastUseOf({ lastUsedAt, programs, morePrograms }: ClientKeyUse, since: number): LastUse | undefined {
  // Test errors are no use by a program.
  const program = programs.find(isReal);
  const isTest = program === undefined && programs.length > 0 && morePrograms === 0;
  const at = program === undefined || programs[0] !== program ? (program?.lastAt ?? lastUsedAt) : lastUsedAt;
  return at === null || isTest ? undefined : { at, program, isRecent: at >= since, morePrograms };
}

/** Test errors do not show that a program uses a key. */
function isReal({ release }: KeyProgram): boolean {
  return release !== TEST_RELEASE;
}
