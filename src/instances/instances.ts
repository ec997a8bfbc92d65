import * as l10n from '@vscode/l10n';
import type { Event, Memento } from 'vscode';
import { EXTENSION_CLIENT_ID } from '../contract/product.ts';
import { isJsonObject, type JsonObject, stringMember } from '../contract/json.ts';
import { createEmitter } from '../support/emitter.ts';
import { isLocalKey, localInstanceKey } from './accountKey.ts';

/** One platform to talk to. The local server is one of them like any other, apart from having an address only while it runs. */
export interface Instance {
  /** The address, or of the local server which data it has. Sessions and remembered choices hang on it. */
  readonly key: string;
  readonly kind: 'local' | 'remote';
  /** Name for people. */
  readonly label: string;
  /** `client_id` of the OAuth application that this extension signs in with there. */
  readonly clientId: string;
  /** File with the certificates (PEM) of the authority that the instance has of its own. */
  readonly ca?: string;
}

/** One element of the setting `signalbox.instances`. */
export interface InstanceSetting {
  readonly url: string;
  readonly clientId?: string;
  readonly ca?: string;
}

/** The local server with the data of this instance id; undefined while none has been seen. */
export function localInstance(instanceId: string | undefined): Instance {
  return {
    key: localInstanceKey(instanceId),
    kind: 'local',
    // Asked for when it is shown, since words are there only after the extension has begun.
    get label() {
      return l10n.t('Local server');
    },
    clientId: EXTENSION_CLIENT_ID,
  };
}

export interface Instances {
  readonly all: () => readonly Instance[];
  readonly current: () => Instance;
  /** The local server with the data it has now, or had last. */
  readonly local: () => Instance;
  readonly select: (key: string) => Promise<void>;
  /** Another instance is current, or the current one has changed. */
  readonly onDidChangeCurrent: Event<Instance>;
  /** The list is another one. */
  readonly onDidChange: Event<void>;
  /** To be called when the setting, or the data of the local server, has changed. */
  readonly reread: () => void;
}

const CURRENT = 'instances.current';

/** Whatever data it has, the local server is one choice. */
const LOCAL_CHOICE = 'local';

/** The local server and the instances of the setting as one list, with one current instance. `data`: instance id of the local server. */
export function createInstances(setting: () => unknown, memory: Memento, data: () => string | undefined): Instances {
  const changes = createEmitter<Instance>();
  const listChanges = createEmitter<void>();
  let remote = readInstanceSettings(setting()).map(remoteInstance);
  let last = current();
  let lastKeys = keys();

  function local(): Instance {
    return localInstance(data());
  }

  function keys(): string {
    return [local(), ...remote].map(({ key, clientId }) => `${key} ${clientId}`).join('\n');
  }

  function current(): Instance {
    const key: unknown = memory.get(CURRENT);
    // Somebody who has never chosen but has set an instance up means that one.
    if (key === undefined) return remote[0] ?? local();
    return remote.find((instance) => instance.key === key) ?? local();
  }

  function follow(): void {
    const nextKeys = keys();
    if (nextKeys !== lastKeys) {
      lastKeys = nextKeys;
      listChanges.fire();
    }
    const next = current();
    if (next.key === last.key && next.clientId === last.clientId) return;
    last = next;
    changes.fire(next);
  }

  return {
    all: () => [local(), ...remote],
    current,
    local,
    select: async (key) => {
      await memory.update(CURRENT, isLocalKey(key) ? LOCAL_CHOICE : key);
      follow();
    },
    onDidChangeCurrent: changes.event,
    onDidChange: listChanges.event,
    reread: () => {
      remote = readInstanceSettings(setting()).map(remoteInstance);
      follow();
    },
  };
}

/** The usable elements of the setting, each address once. Elements that name no address are left out. */
export function readInstanceSettings(value: unknown): readonly InstanceSetting[] {
  const byUrl = new Map<string, InstanceSetting>();
  for (const element of Array.isArray(value) ? value : []) {
    if (!isJsonObject(element)) continue;
    const checked = checkInstanceUrl(stringMember(element, 'url') ?? '');
    if (checked.kind === 'refused' || byUrl.has(checked.url)) continue;
    const clientId = filled(element, 'clientId');
    const ca = filled(element, 'ca');
    byUrl.set(checked.url, {
      url: checked.url,
      ...(clientId === undefined ? {} : { clientId }),
      ...(ca === undefined ? {} : { ca }),
    });
  }
  return [...byUrl.values()];
}

function filled(element: JsonObject, name: string): string | undefined {
  const text = stringMember(element, name)?.trim();
  return text === '' ? undefined : text;
}

/** Any Signalbox server knows the built-in client; for another platform the person registers an application and names it here. */
function remoteInstance({ url, clientId, ca }: InstanceSetting): Instance {
  const label = url.replace(/^https?:\/\//, '');
  return { key: url, kind: 'remote', label, clientId: clientId ?? EXTENSION_CLIENT_ID, ...(ca === undefined ? {} : { ca }) };
}

/** The instance that a URL belongs to; the local server has none that is known beforehand. */
export function instanceAt(list: readonly Instance[], url: string): Instance | undefined {
  const { origin } = new URL(url);
  return list.find(({ kind, key }) => kind === 'remote' && new URL(key).origin === origin);
}

export type CheckedUrl =
  | {
      readonly kind: 'accepted';
      readonly url: string /** What the person should know all the same. */;
      readonly warning?: string;
    }
  | { readonly kind: 'refused'; readonly text: string };

/** The address of an instance in its one spelling: no slash at the end, no `/api/v4`, no query. */
export function checkInstanceUrl(text: string): CheckedUrl {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed))
    return { kind: 'refused', text: l10n.t('Enter the full URL, for example https://gitlab.example.com') };
  const { protocol, username, password, search, hash, host, hostname, pathname } = new URL(trimmed);
  if (protocol !== 'https:' && protocol !== 'http:')
    return { kind: 'refused', text: l10n.t('The URL must start with https:// or http://') };
  if (username !== '' || password !== '')
    return { kind: 'refused', text: l10n.t('The URL must not contain a user name or password') };
  if (search !== '' || hash !== '')
    return { kind: 'refused', text: l10n.t('The URL must not contain a query (?) or fragment (#)') };
  const path = pathname
    .replace(/\/+$/, '')
    .replace(/\/api(\/v4)?$/, '')
    .replace(/\/+$/, '');
  const url = `${protocol}//${host}${path}`;
  const isNear = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol === 'https:' || isNear) return { kind: 'accepted', url };
  return { kind: 'accepted', url, warning: l10n.t('Without HTTPS, others on the network can read your token') };
}
