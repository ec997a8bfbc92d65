/** Remote of a git repository. */
export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** Reads the remotes of a git configuration, `origin` and `upstream` first (git-config(1), "Configuration file"). */
export function readRemotes(configuration: string): readonly Remote[] {
  const remotes: Remote[] = [];
  let name: string | undefined;
  for (const line of configuration.split(/\r?\n/)) {
    const section = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (section !== null) name = section[1]?.toLowerCase() === 'remote' ? section[2]?.replace(/\\(.)/g, '$1') : undefined;
    const url = /^\s*url\s*=\s*(.*?)\s*$/i.exec(line)?.[1]?.replace(/^"(.*)"$/, '$1');
    // Git fetches from the first URL.
    if (name !== undefined && url !== undefined && url !== '' && !remotes.some((remote) => remote.name === name))
      remotes.push({ name, url });
  }
  const rank = (remote: Remote): number => ['upstream', 'origin'].indexOf(remote.name);
  return remotes.sort((one, other) => rank(other) - rank(one));
}

/**
 * Returns the project path (`group/project`) of a remote on the instance, else undefined. Reads `https` and `ssh` URLs and
 * `git@host:group/project.git`; the port of ssh URLs is ignored. `instance` is its URL without a trailing slash.
 */
export function projectOfRemote(remote: string, instance: string): string | undefined {
  if (!URL.canParse(instance)) return undefined;
  const instanceUrl = new URL(instance);
  const short = /^(?:[^@/:\s]+@)?([^/:\s]+):(?!\/\/)(.+)$/.exec(remote);
  if (short !== null && !/^[A-Za-z]:[\\/]/.test(remote)) {
    const [, host = '', path = ''] = short;
    return hostName(host) === hostName(instanceUrl.hostname) ? projectPath(path) : undefined;
  }
  if (!URL.canParse(remote)) return undefined;
  const target = new URL(remote);
  if (target.protocol === 'ssh:' || target.protocol === 'git+ssh:')
    return hostName(target.hostname) === hostName(instanceUrl.hostname) ? projectPath(target.pathname) : undefined;
  if (target.protocol !== 'https:' && target.protocol !== 'http:') return undefined;
  if (hostName(target.hostname) !== hostName(instanceUrl.hostname) || portOf(target) !== portOf(instanceUrl)) return undefined;
  const base = instanceUrl.pathname.replace(/\/+$/, '');
  return target.pathname.startsWith(`${base}/`) ? projectPath(target.pathname.slice(base.length)) : undefined;
}

/** Returns a path with at least a namespace and a name, without slashes at the ends and `.git`; undefined if it is invalid. */
function projectPath(text: string): string | undefined {
  const path = decoded(text)
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '');
  const parts = path.split('/');
  return parts.length >= 2 && parts.every((part) => /^[\p{L}\p{N}_][\p{L}\p{N}_.+ -]*$/u.test(part)) ? path : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the host name; all names of this machine become `localhost`. */
function hostName(host: string): string {
  const name = host.toLowerCase();
  return name === '127.0.0.1' || name === '[::1]' ? 'localhost' : name;
}

function portOf({ protocol, port }: URL): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80';
}
