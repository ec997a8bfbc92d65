import path from 'node:path';
import type { FeedOutcome } from '../activity/outcomes.ts';
import type { Session } from '../auth/session.ts';
import { EXTENSION_CLIENT_ID } from '../contract/product.ts';
import { isJsonObject } from '../contract/json.ts';
import { settings as settingIds } from '../ids.ts';
import type { Instance } from '../instances/instances.ts';
import type { ServerState } from '../local/serverState.ts';
import { shortName } from './redact.ts';

/** Input of a report. It may contain secrets; the report does not. */
export interface Diagnostics {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Versions and environment, by name. */
  readonly software: Readonly<Record<string, string>>;
  readonly settings: readonly ChangedSetting[];
  readonly instances: readonly InstanceMetadata[];
  readonly server: ServerMetadata;
  readonly feeds: readonly FeedOutcome[];
  /** Newest last. */
  readonly log: readonly string[];
}

/** A setting whose value is not the default. */
export interface ChangedSetting {
  readonly id: string;
  readonly value: unknown;
  /** Scope of the value: `user`, `workspace` or `folder`. */
  readonly from: string;
}

export interface InstanceMetadata {
  readonly instance: Instance;
  readonly isCurrent: boolean;
  readonly accounts: readonly AccountMetadata[];
  /** True if sessions cannot be read from the secret storage. */
  readonly isUnreadable: boolean;
  /** True if the instance ended a session. */
  readonly hasEnded: boolean;
}

export interface AccountMetadata {
  readonly session: Session;
  readonly isInUse: boolean;
  /** True if the instance rejects its tokens. */
  readonly isRefused: boolean;
}

export interface ServerMetadata {
  readonly state: ServerState;
  readonly profile: string;
  /** Latest port; 0 if there is none yet. */
  readonly lastPort: number;
  /** Previous states, newest last, with the time in milliseconds since the epoch. */
  readonly history: readonly { readonly at: number; readonly state: ServerState }[];
}

/** Redacts and escapes a text for the report. */
type Quote = (text: string) => string;

/** Returns the report as Markdown, in English like the log. `redact` removes private data from every text. */
export function diagnosticsReport(diagnostics: Diagnostics, redact: (text: string) => string): string {
  const { now, software, settings, instances, server, feeds, log } = diagnostics;
  // Redacted before escaping, because an escaped secret is no longer recognized.
  const code: Quote = (text) => inCode(redact(text));
  const lines = log.flatMap((line) => redact(line).split(/\r\n|[\r\n]/)).map((line) => line.replaceAll('```', "'''"));
  const parts: readonly (readonly [heading: string, items: readonly string[]])[] = [
    ['', Object.entries(software).map(([name, value]) => `${name}: ${code(value)}`)],
    ['Settings', settings.map((setting) => `${code(setting.id)} (${setting.from}): ${code(formatSetting(setting))}`)],
    ['Instances', instances.flatMap((metadata) => instanceItems(metadata, now, code))],
    ['Local server', serverItems(server, code)],
    ['Activity', feeds.flatMap((feed) => feedItems(feed, code))],
  ];
  const sections = parts.map(([heading, items]) => {
    const list = items.length === 0 ? 'none' : items.map((item) => (item.startsWith('  ') ? item : `- ${item}`)).join('\n');
    return heading === '' ? list : `### ${heading}\n\n${list}`;
  });
  const end = `### Log\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`;
  return ['## Signalbox diagnostics', `Created at ${timeOf(now)}.`, ...sections, end].join('\n\n');
}

function formatSetting({ id, value }: ChangedSetting): string {
  if (id === settingIds.instances) return Array.isArray(value) ? value.map(formatInstanceSetting).join('; ') : 'not a list';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  // A value of an unexpected type may contain anything, so only its type is reported.
  return Array.isArray(value) ? `list of ${value.length} items` : typeof value;
}

function formatInstanceSetting(element: unknown): string {
  if (!isJsonObject(element)) return 'not an instance';
  const { url, clientId, ca } = element;
  return [
    typeof url === 'string' ? addressOf(url) : 'no address',
    clientId === undefined ? '' : 'custom client ID',
    typeof ca === 'string' ? `ca …/${path.posix.basename(ca.replaceAll('\\', '/'))}` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** Returns a URL without user, password, query and fragment. */
function addressOf(text: string): string {
  if (!URL.canParse(text)) return 'not an address';
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

function instanceItems(
  { instance, isCurrent, accounts, isUnreadable, hasEnded }: InstanceMetadata,
  now: number,
  code: Quote,
): string[] {
  const text = [
    instance.kind === 'local' ? 'local server' : code(addressOf(instance.key)),
    isCurrent ? 'current' : '',
    instance.clientId === EXTENSION_CLIENT_ID ? '' : 'custom client ID',
    instance.ca === undefined ? '' : 'custom certificate authority',
    accounts.length === 0 ? 'not signed in' : '',
    hasEnded ? 'session ended by the instance' : '',
    isUnreadable ? 'secret storage unreadable' : '',
  ];
  return [text.filter(Boolean).join(', '), ...accounts.map((account) => `  - ${formatAccount(account, now, code)}`)];
}

function formatAccount({ session, isInUse, isRefused }: AccountMetadata, now: number, code: Quote): string {
  const { account, credential, scopes, expiry, refreshToken } = session;
  return [
    `${code(shortName(account.username))} (id ${account.id})`,
    credential,
    `scopes ${scopes.length === 0 ? 'unknown' : code(scopes.join(' '))}`,
    expiry === undefined
      ? 'expiry unknown'
      : `access token expires ${timeOf(expiry.at)} (in ${Math.round((expiry.at - now) / 1000)} s)`,
    refreshToken === undefined ? 'not renewable' : '',
    isInUse ? 'in use' : '',
    isRefused ? 'rejected by the instance' : '',
  ]
    .filter(Boolean)
    .join(', ');
}

function serverItems({ state, profile, lastPort, history }: ServerMetadata, code: Quote): string[] {
  return [
    `state: ${formatState(state, code)}`,
    `data profile: ${code(profile)}`,
    `last port: ${lastPort === 0 ? 'none' : lastPort}`,
    ...(history.length === 0 ? [] : ['previous states:']),
    ...history.map(({ at, state: past }) => `  - ${timeOf(at)} ${formatState(past, code)}`),
  ];
}

function formatState(state: ServerState, code: Quote): string {
  switch (state.kind) {
    case 'running':
      return `running, started by this window (process ${state.pid}, version ${code(state.version)}, port ${portOf(state.origin)})`;
    case 'attached':
      return `attached, started by another window or program (port ${portOf(state.origin)})`;
    case 'failed':
      return `failed (${code(state.code)}): ${code(state.text)} ${state.hint === '' ? '' : code(state.hint)}`.trim();
    case 'stopped':
    case 'starting':
    case 'stopping':
      return state.kind;
  }
}

function portOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).port : 'unknown';
}

function feedItems({ view, success, failure }: FeedOutcome, code: Quote): string[] {
  return [
    code(view),
    `  - last successful response: ${success === undefined ? 'none' : `${timeOf(success.at)}, ${success.events} events${success.isCached ? ', from the disk cache' : ''}`}`,
    failure === undefined
      ? '  - last failure: none'
      : `  - last failure: ${timeOf(failure.at)}, ${failure.kind}${failure.status === undefined ? '' : ` (${failure.status})`}, request ${failure.requestId === undefined ? 'without an id' : code(failure.requestId)}: ${code(failure.text)}`,
  ];
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}

/** Returns text as inline code, so that it contains no markup, mention or link. */
function inCode(text: string): string {
  return `\`${text.replaceAll('`', "'").replace(/\s+/g, ' ')}\``;
}
