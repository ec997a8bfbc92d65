/** A remote of a git repository. */
export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** The remotes that a git configuration names, `origin` and `upstream` before all others (git-config(1), "Configuration file"). */
export function readRemotes(configuration: string): readonly Remote[] {
  const remotes: Remote[] = [];
  let name: string | undefined;
  for (const line of configuration.split(/\r?\n/)) {
    const section = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (section !== null) name = section[1]?.toLowerCase() === 'remote' ? section[2]?.replace(/\\(.)/g, '$1') : undefined;
    const url = /^\s*url\s*=\s*(.*?)\s*$/i.exec(line)?.[1]?.replace(/^"(.*)"$/, '$1');
    // The first address is the one that is fetched from.
    if (name !== undefined && url !== undefined && url !== '' && !remotes.some((remote) => remote.name === name))
      remotes.push({ name, url });
  }
  const rank = (remote: Remote): number => ['upstream', 'origin'].indexOf(remote.name);
  return remotes.sort((one, other) => rank(other) - rank(one));
}

/**
 * `group/project` when the address of a remote is one on the instance, else undefined. Both `https` and `ssh` forms are read, also
 * `git@host:group/project.git`; over ssh the port says nothing about the platform. `instance` is its address without a slash at the end.
 */
export function projectOfRemote(remote: string, instance: string): string | undefined {
  if (!URL.canParse(instance)) return undefined;
  const container = new URL(instance);
  const short = /^(?:[^@/:\s]+@)?([^/:\s]+):(?!\/\/)(.+)$/.exec(remote);
  if (short !== null && !/^[A-Za-z]:[\\/]/.test(remote)) {
    const [, host = '', path = ''] = short;
    return hostName(host) === hostName(container.hostname) ? projectPath(path) : undefined;
  }
  if (!URL.canParse(remote)) return undefined;
  const target = new URL(remote);
  if (target.protocol === 'ssh:' || target.protocol === 'git+ssh:')
    return hostName(target.hostname) === hostName(container.hostname) ? projectPath(target.pathname) : undefined;
  if (target.protocol !== 'https:' && target.protocol !== 'http:') return undefined;
  if (hostName(target.hostname) !== hostName(container.hostname) || portOf(target) !== portOf(container)) return undefined;
  const base = container.pathname.replace(/\/+$/, '');
  return target.pathname.startsWith(`${base}/`) ? projectPath(target.pathname.slice(base.length)) : undefined;
}

/** At least a namespace and a name, without what git allows around them. */
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

/** All names of this machine are one. */
function hostName(host: string): string {
  const name = host.toLowerCase();
  return name === '127.0.0.1' || name === '[::1]' ? 'localhost' : name;
}

function portOf({ protocol, port }: URL): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80';
}
