import { execFile } from 'node:child_process';
import os from 'node:os';
import { readPrintedConfiguration } from './gitConfiguration.ts';
import { atSshHost, remotesOf, type SshDestination, sshDestination } from './remotes.ts';
import type { RunGit } from './runGit.ts';

/** Runs the ssh program. Rejects if it fails. */
export type RunSsh = (args: readonly string[]) => Promise<string>;

/** Remotes as git and ssh resolve them. */
export interface ResolvedRemotes {
  /** URLs in the order of the remotes. */
  readonly urls: readonly string[];
  /** Absolute paths of the files with the configuration. */
  readonly files: readonly string[];
}

/** Time after which a program is ended, in milliseconds. */
const TIMEOUT = 10_000;
/** Maximum number of hosts about which ssh is asked. */
const MAX_HOSTS = 10;

/** Values that decide the addresses of remotes, and what includes other files, so that these are named. */
const KEYS = String.raw`^(remote\..*\.url|url\..*\.insteadof|include(if\..*)?\.path)$`;

/**
 * Asks git for the remotes of the repository that a folder is in, with everything that the configuration of the user and the system says
 * about them, and ssh for the names of hosts. Git connects to nothing and starts no programs for that. Rejects without git.
 */
export async function resolveRemotes(git: RunGit, ssh: RunSsh, folder: string): Promise<ResolvedRemotes> {
  const signal = AbortSignal.timeout(TIMEOUT);
  const output = await git(folder, ['config', '--null', '--show-origin', '--get-regexp', KEYS], { signal });
  const { entries, files } = readPrintedConfiguration(output);
  const urls = remotesOf(entries).map(({ url }) => url);
  const hosts = await hostNames(ssh, urls);
  return { urls: urls.flatMap((url) => [url, ...(hosts.get(url) ?? [])]), files };
}

/** Returns the URLs at the hosts that ssh connects to, by those that name another host. */
async function hostNames(ssh: RunSsh, urls: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = new Map<string, Promise<string | undefined>>();
  const found = urls.map(async (url): Promise<readonly [string, readonly string[]]> => {
    const destination = sshDestination(url);
    if (destination === undefined) return [url, []];
    const key = JSON.stringify(destination);
    if (!asked.has(key) && asked.size < MAX_HOSTS) asked.set(key, hostName(ssh, destination));
    const name = await asked.get(key);
    return [url, name === undefined || name === destination.host ? [] : [atSshHost(url, name)]];
  });
  return new Map(await Promise.all(found));
}

/** Returns the host that ssh connects to, by the configuration of the user (ssh_config(5), "HostName"); undefined without ssh. */
async function hostName(ssh: RunSsh, { user, host, port }: SshDestination): Promise<string | undefined> {
  const options = [...(user === undefined ? [] : ['-l', user]), ...(port === undefined ? [] : ['-p', port])];
  try {
    return /^hostname (\S+)$/m.exec(await ssh(['-G', ...options, '--', host]))?.[1];
  } catch {
    return undefined;
  }
}

/** Runs the ssh program of the machine in the folder of the user, so that an open folder cannot bring its own. */
export const runSsh: RunSsh = (args) =>
  new Promise((resolve, reject) => {
    const options = { cwd: os.homedir(), windowsHide: true, timeout: TIMEOUT, killSignal: 'SIGKILL' } as const;
    const child = execFile('ssh', [...args], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end();
  });
