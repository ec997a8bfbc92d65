import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import { listClientKeys, readKeyUse } from '../clientKeys/model.ts';
import type { ClientKey } from '../contract/clientKeys.ts';
import type { ClientKeyUse } from '../contract/clientKeyUse.ts';
import type { Dsn } from '../contract/dsn.ts';
import { readProjectBasic } from '../contract/projects.ts';
import { isOfInstance } from './find.ts';

export interface DsnProject {
  readonly id: number;
  readonly path: string;
  readonly isPublic: boolean;
}

/** State of a DSN on the current instance. */
export type DsnState =
  /** No user is signed in to the current instance. */
  | { readonly kind: 'signedOut' }
  | { readonly kind: 'otherInstance'; readonly host: string }
  | { readonly kind: 'noProject'; readonly id: number }
  /** Only maintainers may see the keys of the project. */
  | { readonly kind: 'hidden'; readonly project: DsnProject }
  /** The project has no such key. `keys` are its keys. */
  | { readonly kind: 'noKey'; readonly project: DsnProject; readonly keys: readonly ClientKey[] }
  | {
      readonly kind: 'key' /** Key of the account that sees it. */;
      readonly account: string;
      readonly project: DsnProject;
      readonly keys: readonly ClientKey[];
      readonly key: ClientKey;
    }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

/** Reads what is known of DSNs from the current instance. */
export interface DsnStates {
  readonly of: (dsn: Dsn) => Promise<DsnState>;
  /** Returns the active keys of a project, given by ID or path, the newest first; none if they cannot be read. */
  readonly activeKeys: (project: number | string) => Promise<readonly ClientKey[]>;
  /** Returns undefined if the instance does not report the use of keys, or cannot be reached. */
  readonly use: (project: number, keyId: number) => Promise<ClientKeyUse | undefined>;
  /** Forgets everything, because keys or the account may have changed. */
  readonly forget: () => void;
}

export interface DsnStateSettings {
  /** Returns the current account with its client and the address of its instance, or undefined while signed out. */
  readonly account: () => { readonly key: string; readonly address: string; readonly client: Client } | undefined;
  readonly now: () => number;
}

/** Age after which a project and its keys are read again, in milliseconds. */
export const MAX_AGE = 30_000;
/** Maximum number of projects that are remembered. */
const MAX_PROJECTS = 50;

interface Known {
  readonly at: number;
  readonly loaded: Promise<Loaded>;
}

type Loaded =
  | { readonly kind: 'keys'; readonly project: DsnProject; readonly keys: readonly ClientKey[] }
  | { readonly kind: 'hidden'; readonly project: DsnProject }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

export function createDsnStates({ account, now }: DsnStateSettings): DsnStates {
  const known = new Map<number | string, Known>();

  function load(client: Client, id: number | string): Promise<Loaded> {
    const found = known.get(id);
    if (found !== undefined && now() - found.at < MAX_AGE) return found.loaded;
    if (known.size >= MAX_PROJECTS) known.clear();
    const loaded = loadProject(client, id);
    known.set(id, { at: now(), loaded });
    return loaded;
  }

  return {
    of: async (dsn) => {
      const current = account();
      if (current === undefined) return { kind: 'signedOut' };
      if (!isOfInstance(dsn, current.address)) return { kind: 'otherInstance', host: new URL(dsn.origin).host };
      const loaded = await load(current.client, dsn.projectId);
      if (loaded.kind === 'missing') return { kind: 'noProject', id: dsn.projectId };
      if (loaded.kind !== 'keys') return loaded;
      const { project, keys } = loaded;
      const key = keys.find(({ public_key: publicKey }) => publicKey === dsn.publicKey);
      return key === undefined ? { kind: 'noKey', project, keys } : { kind: 'key', account: current.key, project, keys, key };
    },
    activeKeys: async (project) => {
      const current = account();
      if (current === undefined) return [];
      const loaded = await load(current.client, project);
      return loaded.kind === 'keys' ? loaded.keys.filter(({ active }) => active).toReversed() : [];
    },
    use: async (project, keyId) => {
      const current = account();
      if (current === undefined) return undefined;
      return readKeyUse(current.client, project, keyId).catch(() => undefined);
    },
    forget: () => known.clear(),
  };
}

/** Never rejects. */
async function loadProject(client: Client, id: number | string): Promise<Loaded> {
  try {
    const read = await client.get(apiPath`/projects/${id}`, readProjectBasic);
    const project = { id: read.id, path: read.path_with_namespace, isPublic: read['visibility'] === 'public' };
    try {
      return { kind: 'keys', project, keys: await listClientKeys(client, read.id) };
    } catch (error) {
      const failure = failureOfAny(error);
      return failure.kind === 'forbidden' ? { kind: 'hidden', project } : { kind: 'failed', failure };
    }
  } catch (error) {
    const failure = failureOfAny(error);
    return failure.kind === 'notFound' ? { kind: 'missing' } : { kind: 'failed', failure };
  }
}
