import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Event, Memento, SecretStorage } from 'vscode';
import { createEmitter } from '../support/emitter.ts';
import type { Log, Mask } from '../support/log.ts';
import { createAdminToken } from './adminToken.ts';
import { createStopMark, type StopMark } from './stopMark.ts';

/** One set of data of the local server, with what belongs to it alone. */
export interface DataProfile {
  readonly name: string;
  readonly folder: string;
  readonly adminToken: () => Promise<string>;
  /** The port of last time, so that addresses handed to other programs stay valid. */
  readonly lastPort: { readonly get: () => number; readonly set: (port: number) => PromiseLike<void> };
  /** Instance id of the data that was last seen here; a reset and a restore bring another one. */
  readonly data: { readonly get: () => string | undefined; readonly set: (instanceId: string) => PromiseLike<void> };
  readonly stopMark: StopMark;
}

export interface DataProfiles {
  /** Profiles that have a folder, and the current one, by name. */
  readonly names: () => readonly string[];
  readonly current: () => DataProfile;
  /** Another profile is current. */
  readonly onDidChangeCurrent: Event<DataProfile>;
  /** The data with this instance id is gone from its profile, and so long ago that nobody will go back to it. */
  readonly onDidForget: Event<string>;
  /** To be called when the setting has changed. */
  readonly reread: () => void;
}

export interface DataProfileSettings {
  /** Folder that holds one folder for each profile. */
  readonly root: string;
  /** The setting, unread. */
  readonly chosen: () => unknown;
  readonly memory: Memento;
  readonly secrets: SecretStorage;
  readonly mask: Mask;
  readonly log: Log;
}

/** So many data of a profile are remembered: what is there, and what its automatic snapshots hold. */
const MAX_DATA = 11;

export const DEFAULT_PROFILE = 'default';

/** Why this cannot be the name of a profile, which is also the name of its folder; undefined when it can. */
export function profileNameProblem(name: string): string | undefined {
  if (/^[a-z0-9][a-z0-9-]{0,31}$/.test(name) && !/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name)) return undefined;
  return l10n.t('Use 1 to 32 lowercase letters, digits and hyphens, starting with a letter or digit');
}

/** The profiles of this machine's storage. A setting that is no name means the default one. */
export function createDataProfiles(settings: DataProfileSettings): DataProfiles {
  const { root, memory, secrets, mask, log } = settings;
  const made = new Map<string, DataProfile>();
  const changes = createEmitter<DataProfile>();
  const forgotten = createEmitter<string>();
  let last = currentName();

  function currentName(): string {
    const chosen = settings.chosen();
    return typeof chosen === 'string' && profileNameProblem(chosen) === undefined ? chosen : DEFAULT_PROFILE;
  }

  function profileOf(name: string): DataProfile {
    const folder = path.join(root, name);
    const portKey = `local.port/${name}`;
    const dataKey = `local.data/${name}`;
    const seen = (): readonly string[] => {
      const ids: unknown = memory.get(dataKey);
      return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
    };
    return {
      name,
      folder,
      adminToken: createAdminToken(secrets, folder, mask, log),
      lastPort: { get: () => memory.get<number>(portKey) ?? 0, set: (port) => memory.update(portKey, port) },
      data: {
        get: () => seen()[0],
        set: async (instanceId) => {
          if (seen()[0] === instanceId) return;
          const all = [instanceId, ...seen().filter((id) => id !== instanceId)];
          await memory.update(dataKey, all.slice(0, MAX_DATA));
          for (const id of all.slice(MAX_DATA)) forgotten.fire(id);
        },
      },
      stopMark: createStopMark(folder),
    };
  }

  function current(): DataProfile {
    const name = currentName();
    const profile = made.get(name) ?? profileOf(name);
    made.set(name, profile);
    return profile;
  }

  return {
    names: () => [...new Set([DEFAULT_PROFILE, currentName(), ...foldersIn(root)])].toSorted(),
    current,
    onDidChangeCurrent: changes.event,
    onDidForget: forgotten.event,
    reread: () => {
      if (currentName() === last) return;
      last = currentName();
      changes.fire(current());
    },
  };
}

/** Makes the folder of a profile, readable by its owner only, as the server itself would. */
export function makeFolder({ folder }: DataProfile): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function foldersIn(root: string): readonly string[] {
  try {
    return readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && profileNameProblem(entry.name) === undefined ? [entry.name] : [],
    );
  } catch {
    // Nothing was ever started.
    return [];
  }
}
