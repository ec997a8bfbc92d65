import * as l10n from '@vscode/l10n';
import type { Event, Memento } from 'vscode';
import { EXTENSION_CLIENT_ID } from '../contract/product.ts';
import { comparableAddress, isLoopbackHost, isSameOrigin } from '../contract/hosts.ts';
import { isJsonObject, type JsonObject, stringMember } from '../contract/json.ts';
import { createEmitter } from '../support/emitter.ts';
import { isLocalKey, localInstanceKey } from './accountKey.ts';

/** GitLab-compatible instance. The local server is an instance that has an address only while it runs. */
export interface Instance {
  /** Address, or for the local server the key of its data. Sessions and stored choices are keyed by it. */
  readonly key: string;
  readonly kind: 'local' | 'remote';
  /** Name shown to the user. */
  readonly label: string;
  /** `client_id` of the OAuth application with which the extension signs in. */
  readonly clientId: string;
  /** Path of a PEM file with the certificates of the instance's own certificate authority. */
  readonly ca?: string;
  /** True for a server that another program runs on this machine and whose admin token the user has given. */
  readonly isConnected?: true;
}

/** Returns true if the extension can control the instance: its own local server, or a connected one. */
export function isLocalServer({ kind, isConnected }: Pick<Instance, 'kind' | 'isConnected'>): boolean {
  return kind === 'local' || isConnected === true;
}

/** An instance that has an address. Which data a local server has, and so which instance it is, is known only while it runs. */
export interface Reached {
  readonly instance: Instance;
  readonly baseUrl: string;
}

/** Element of the setting `signalbox.instances`. */
export interface InstanceSetting {
  readonly url: string;
  /** Name that the user has given to the instance. */
  readonly name?: string;
  readonly clientId?: string;
  readonly ca?: string;
}

/** Returns the local server with the data of this instance ID, which is undefined if the server has never run. */
export function localInstance(instanceId: string | undefined): Instance {
  return {
    key: localInstanceKey(instanceId),
    kind: 'local',
    // A getter, because translations are not available before activation.
    get label() {
      return l10n.t('Managed server');
    },
    clientId: EXTENSION_CLIENT_ID,
  };
}

export interface Instances {
  readonly all: () => readonly Instance[];
  readonly current: () => Instance;
  /** Returns the local server with its current or most recent data. */
  readonly local: () => Instance;
  readonly select: (key: string) => Promise<void>;
  /** Fires when another instance becomes current or the current one changes. */
  readonly onDidChangeCurrent: Event<Instance>;
  /** Fires when the list of instances changes. */
  readonly onDidChange: Event<void>;
  /** Must be called when the setting, the data of the local server or the connected servers have changed. */
  readonly reread: () => void;
}

const CURRENT = 'instances.current';

/** Stored choice for the local server, regardless of its data. */
const LOCAL_CHOICE = 'local';

/**
 * Combines the local server and the instances of the setting. `data` returns the instance ID of the local server, `isConnected` whether the
 * instance at an address is a connected server.
 */
export function createInstances(
  setting: () => unknown,
  memory: Memento,
  data: () => string | undefined,
  isConnected: (address: string) => boolean = () => false,
): Instances {
  const changes = createEmitter<Instance>();
  const listChanges = createEmitter<void>();
  let remote = readRemote();
  let last = current();
  let lastKeys = keys();

  function readRemote(): readonly Instance[] {
    return readInstanceSettings(setting()).map((element) => {
      const instance = remoteInstance(element);
      return isConnected(instance.key) ? { ...instance, isConnected: true } : instance;
    });
  }

  function local(): Instance {
    return localInstance(data());
  }

  function keys(): string {
    return [local(), ...remote].map(textOf).join('\n');
  }

  function current(): Instance {
    const key: unknown = memory.get(CURRENT);
    // Without a choice, a configured instance takes precedence over the local server.
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
    if (textOf(next) === textOf(last)) return;
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
      remote = readRemote();
      follow();
    },
  };
}

/** Returns what distinguishes instances, as text. */
function textOf({ key, label, clientId, isConnected }: Instance): string {
  return `${key} ${clientId} ${isConnected === true} ${label}`;
}

/** Returns the valid elements of the setting, one per instance. */
export function readInstanceSettings(value: unknown): readonly InstanceSetting[] {
  const byAddress = new Map<string, InstanceSetting>();
  for (const element of Array.isArray(value) ? value : []) {
    if (!isJsonObject(element)) continue;
    const checked = checkInstanceUrl(stringMember(element, 'url') ?? '');
    if (checked.kind === 'refused') continue;
    const address = comparableAddress(checked.url);
    if (byAddress.has(address)) continue;
    const name = nonEmptyMember(element, 'name');
    const clientId = nonEmptyMember(element, 'clientId');
    const ca = nonEmptyMember(element, 'ca');
    byAddress.set(address, {
      url: checked.url,
      ...(name === undefined ? {} : { name }),
      ...(clientId === undefined ? {} : { clientId }),
      ...(ca === undefined ? {} : { ca }),
    });
  }
  return [...byAddress.values()];
}

function nonEmptyMember(element: JsonObject, name: string): string | undefined {
  const text = stringMember(element, name)?.trim();
  return text === '' ? undefined : text;
}

/** Returns the instance of an element. Without a client ID it is taken for a Signalbox server, which has the built-in application. */
function remoteInstance({ url, name, clientId, ca }: InstanceSetting): Instance {
  const label = name ?? url.replace(/^https?:\/\//, '');
  return { key: url, kind: 'remote', label, clientId: clientId ?? EXTENSION_CLIENT_ID, ...(ca === undefined ? {} : { ca }) };
}

/** Returns the remote instance with the origin of the URL, or undefined. */
export function instanceAt(list: readonly Instance[], url: string): Instance | undefined {
  return list.find(({ kind, key }) => kind === 'remote' && isSameOrigin(key, url));
}

/** Returns true if two keys are of the same instance. All names and addresses of this machine are one host. */
export function isSameInstance(one: string, other: string): boolean {
  return one === other || (URL.canParse(one) && URL.canParse(other) && comparableAddress(one) === comparableAddress(other));
}

export type CheckedUrl =
  | {
      readonly kind: 'accepted';
      readonly url: string;
      /** Shown although the URL is accepted. */
      readonly warning?: string;
    }
  | { readonly kind: 'refused'; readonly text: string };

/** Validates and normalizes the URL of an instance: no trailing slash, no `/api/v4`, no query. */
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
  if (protocol === 'https:' || isLoopbackHost(hostname)) return { kind: 'accepted', url };
  return { kind: 'accepted', url, warning: l10n.t('Without HTTPS, others on the network can read your token') };
}
