import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Event, Memento, SecretStorage } from 'vscode';
import { createEmitter } from '../support/emitter.ts';
import type { Log, Mask } from '../support/log.ts';
import { createAdminToken } from './adminToken.ts';
import { createStopMark, type StopMark } from './stopMark.ts';

/** Data profile of the local server, with everything that is stored per profile. */
export interface DataProfile {
  readonly name: string;
  readonly folder: string;
  readonly adminToken: () => Promise<string>;
  /** Last port, which is used again so that addresses stay valid. 0 if there is none. */
  readonly lastPort: { readonly get: () => number; readonly set: (port: number) => PromiseLike<void> };
  /** Instance ID of the latest data of this profile. Reset and restore change it. */
  readonly data: { readonly get: () => string | undefined; readonly set: (instanceId: string) => PromiseLike<void> };
  readonly stopMark: StopMark;
}

export interface DataProfiles {
  /** Returns the names of the default profile, the current one, and all that have a folder. */
  readonly names: () => readonly string[];
  readonly current: () => DataProfile;
  /** Fires when another profile becomes current. */
  readonly onDidChangeCurrent: Event<DataProfile>;
  /** Fires with the instance ID of data that was replaced so long ago that it can no longer be restored. */
  readonly onDidForget: Event<string>;
  /** Must be called when the setting has changed. */
  readonly reread: () => void;
}

export interface DataProfileSettings {
  /** Folder that contains one folder per profile. */
  readonly root: string;
  /** Returns the value of the setting, not validated. */
  readonly chosen: () => unknown;
  readonly memory: Memento;
  readonly secrets: SecretStorage;
  readonly mask: Mask;
  readonly log: Log;
}

/** Number of instance IDs that are remembered per profile: the current data and its automatic snapshots. */
const MAX_INSTANCE_IDS = 11;

export const DEFAULT_PROFILE = 'default';

/** Returns the reason why the name is invalid for a profile and its folder, or undefined if it is valid. */
export function profileNameProblem(name: string): string | undefined {
  if (/^[a-z0-9][a-z0-9-]{0,31}$/.test(name) && !/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name)) return undefined;
  return l10n.t('Use 1 to 32 lowercase letters, digits and hyphens, starting with a letter or digit');
}

/** Creates the data profiles below `root`. An invalid setting selects the default profile. */
export function createDataProfiles(settings: DataProfileSettings): DataProfiles {
  const { root, memory, secrets, mask, log } = settings;
  const created = new Map<string, DataProfile>();
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
    const instanceIds = (): readonly string[] => {
      const ids: unknown = memory.get(dataKey);
      return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
    };
    return {
      name,
      folder,
      adminToken: createAdminToken(secrets, folder, mask, log),
      lastPort: { get: () => memory.get<number>(portKey) ?? 0, set: (port) => memory.update(portKey, port) },
      data: {
        get: () => instanceIds()[0],
        set: async (instanceId) => {
          if (instanceIds()[0] === instanceId) return;
          const all = [instanceId, ...instanceIds().filter((id) => id !== instanceId)];
          await memory.update(dataKey, all.slice(0, MAX_INSTANCE_IDS));
          for (const id of all.slice(MAX_INSTANCE_IDS)) forgotten.fire(id);
        },
      },
      stopMark: createStopMark(folder),
    };
  }

  function current(): DataProfile {
    const name = currentName();
    const profile = created.get(name) ?? profileOf(name);
    created.set(name, profile);
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

/** Creates the folder of a profile with access for its owner only, as the server does. */
export function makeFolder({ folder }: DataProfile): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function foldersIn(root: string): readonly string[] {
  try {
    return readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && profileNameProblem(entry.name) === undefined ? [entry.name] : [],
    );
  } catch {
    // The folder does not exist before the first start.
    return [];
  }
}
