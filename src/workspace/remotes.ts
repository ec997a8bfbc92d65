import { comparableAddress, comparableHost } from '../contract/hosts.ts';
import { isJsonObject } from '../contract/json.ts';
import { type ConfigurationEntry, readConfiguration } from './gitConfiguration.ts';

/** Address of a remote of a git repository. */
export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** Reads the remotes of one file of git's configuration. */
export function readRemotes(configuration: string): readonly Remote[] {
  return remotesOf(readConfiguration(configuration));
}

/**
 * Returns the addresses from which git fetches, those of `origin` and `upstream` first. If `url.<base>.insteadOf` replaces the beginning of
 * an address, the one that was written follows: the other may be a mirror.
 */
export function remotesOf(entries: readonly ConfigurationEntry[]): readonly Remote[] {
  const written = new Map<string, string>();
  for (const { key, value } of entries) {
    const name = /^remote\.(.+)\.url$/s.exec(key)?.[1];
    // Git fetches from the first URL.
    if (name !== undefined && value !== '' && !written.has(name)) written.set(name, value);
  }
  const rank = ([name]: readonly [string, string]): number => ['upstream', 'origin'].indexOf(name);
  return [...written]
    .toSorted((one, other) => rank(other) - rank(one))
    .flatMap(([name, url]) => [...new Set([fetched(url, entries), url])].map((address) => ({ name, url: address })));
}

/** Returns the address that git uses for a URL: of the values of `insteadOf` that it begins with, the longest is replaced. */
function fetched(url: string, entries: readonly ConfigurationEntry[]): string {
  let longest: { readonly base: string; readonly prefix: string } | undefined;
  for (const { key, value } of entries) {
    const base = /^url\.(.*)\.insteadof$/s.exec(key)?.[1];
    if (base === undefined || !url.startsWith(value)) continue;
    if (longest === undefined || longest.prefix.length < value.length) longest = { base, prefix: value };
  }
  return longest === undefined ? url : longest.base + url.slice(longest.prefix.length);
}

/** Address of a git repository on another machine. */
interface RemoteAddress {
  readonly scheme: 'ssh' | 'http' | 'https';
  readonly user: string | undefined;
  /** IPv6 addresses are in brackets. */
  readonly host: string;
  /** Undefined for the usual port of the scheme. */
  readonly port: string | undefined;
  readonly path: string;
}

/** Reads `https`, `http` and `ssh` URLs and `git@host:group/project.git` (git-fetch(1), "GIT URLS"); undefined for all others. */
function readAddress(remote: string): RemoteAddress | undefined {
  const short = /^(?:([^@/:\s[\]]+)@)?(\[[^\]\s]+\]|[^@/:\s[\]]+):(?!\/\/)(.+)$/s.exec(remote);
  if (short !== null && !/^[A-Za-z]:[\\/]/.test(remote)) {
    const [, user, name = '', path = ''] = short;
    // Brackets are around an IPv6 address, or around a user, host and port.
    const [, innerUser, host = name, port] = /^\[(?:([^@\]]+)@)?([^:\]]+)(?::(\d+))?\]$/.exec(name) ?? [];
    return { scheme: 'ssh', user: user ?? innerUser, host, port, path };
  }
  if (!URL.canParse(remote)) return undefined;
  const { protocol, username, hostname, port, pathname } = new URL(remote);
  const scheme = /^(?:git\+ssh|ssh\+git|ssh):$/.test(protocol) ? 'ssh' : /^https?:$/.test(protocol) ? protocol.slice(0, -1) : '';
  if (scheme !== 'ssh' && scheme !== 'http' && scheme !== 'https') return undefined;
  return {
    ...{ scheme, host: hostname, path: pathname },
    user: username === '' ? undefined : username,
    port: port === '' ? undefined : port,
  };
}

/** Host that ssh connects to. */
export interface SshDestination {
  readonly user: string | undefined;
  readonly host: string;
  readonly port: string | undefined;
}

/**
 * Returns the host that git connects to by ssh; undefined for other addresses, and for texts that are no names: the folder has chosen them,
 * and they become an argument of a program.
 */
export function sshDestination(remote: string): SshDestination | undefined {
  const address = readAddress(remote);
  if (address?.scheme !== 'ssh') return undefined;
  const { user, host, port } = address;
  return [host, user ?? 'git'].every((name) => /^\w[\w.-]*$/.test(name)) ? { user, host, port } : undefined;
}

/** Returns a remote that ssh reaches at another host than it names. */
export function atSshHost(remote: string, host: string): string {
  return `ssh://${host}/${readAddress(remote)?.path.replace(/^\/+/, '') ?? ''}`;
}

/** Addresses of instances by hosts of remotes, `host` or `host:port`. */
export type GitHosts = ReadonlyMap<string, string>;

/** Reads the setting `signalbox.gitHosts`. */
export function readGitHosts(value: unknown): GitHosts {
  const hosts = new Map<string, string>();
  for (const [written, instance] of Object.entries(isJsonObject(value) ? value : {})) {
    const [, host = '', port] = /^(?:[\w+]+:\/\/)?(?:[^@/]*@)?(\[[^\]]+\]|[^:/]+)(?::(\d+))?\/*$/.exec(written.trim()) ?? [];
    if (host === '' || typeof instance !== 'string' || !/^https?:/i.test(instance) || !URL.canParse(instance)) continue;
    hosts.set(hostKey(host, port), instance);
  }
  return hosts;
}

function hostKey(host: string, port: string | undefined): string {
  return comparableHost(host) + (port === undefined ? '' : `:${port}`);
}

/** Other hosts at which an instance answers to ssh, by its documentation. */
const SSH_HOSTS: Readonly<Record<string, string>> = { 'altssh.gitlab.com': 'gitlab.com' };

/**
 * Returns the project path (`group/project`) of a remote on the instance, else undefined. `instance` is its URL without a trailing slash.
 * The port of ssh addresses is ignored. Hosts in `gitHosts` belong to the instances that these name.
 */
export function projectOfRemote(remote: string, instance: string, gitHosts: GitHosts = new Map()): string | undefined {
  const address = readAddress(remote);
  if (address === undefined || !URL.canParse(instance)) return undefined;
  const { scheme, host, port, path } = address;
  const { protocol, hostname, port: instancePort, pathname } = new URL(instance);
  const base = pathname.replace(/\/+$/, '');
  const chosen = gitHosts.get(hostKey(host, port)) ?? gitHosts.get(hostKey(host, undefined));
  if (chosen !== undefined) {
    if (comparableAddress(chosen) !== comparableAddress(instance)) return undefined;
    return projectPath(scheme !== 'ssh' && path.startsWith(`${base}/`) ? path.slice(base.length) : path);
  }
  const name = comparableHost(host);
  if (scheme === 'ssh') return (SSH_HOSTS[name] ?? name) === comparableHost(hostname) ? projectPath(path) : undefined;
  // Instances redirect from http to https, each at its usual port.
  const areUsual = port === undefined && instancePort === '';
  const isSamePort = areUsual || portOf(scheme, port) === portOf(protocol.slice(0, -1), instancePort);
  if (name !== comparableHost(hostname) || !isSamePort) return undefined;
  return path.startsWith(`${base}/`) ? projectPath(path.slice(base.length)) : undefined;
}

/** Returns a path with at least a namespace and a name, without slashes at the ends and `.git`; undefined if it is invalid. */
function projectPath(text: string): string | undefined {
  const path = decoded(text)
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '');
  const parts = path.split('/');
  return parts.length >= 2 && parts.every((part) => /^[\p{L}\p{N}_][\p{L}\p{N}_.+ -]*$/u.test(part)) ? path : undefined;
}

function portOf(scheme: string, port: string | undefined): string {
  return port || (scheme === 'https' ? '443' : '80');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
