/** Names under which a repository may have the commit of a release. */
export interface ReleaseNames {
  /** Complete or abbreviated object names, the most probable one first. */
  readonly hashes: readonly string[];
  readonly tags: readonly string[];
}

/** Maximum number of characters of a release to look at. */
const MAX_LENGTH = 200;

/**
 * Returns the names that a release can stand for: a hash, `name@hash`, `name@1.2.3+hash`, the output of git-describe(1), or a tag with or
 * without `name@`, `v` and build metadata.
 */
export function releaseNames(release: string): ReleaseNames {
  const whole = release.trim();
  if (whole === '' || whole.length > MAX_LENGTH) return { hashes: [], tags: [] };
  const version = whole.slice(whole.lastIndexOf('@') + 1);
  const [plain = '', ...metadata] = version.split('+');
  const described = /-g([0-9a-f]{7,64})(?:-dirty)?$/i.exec(version)?.[1];
  const hashes = [whole, version, ...metadata.flatMap((part) => part.split('.')), described ?? ''];
  const tags = [whole, version, plain].flatMap((name) => (name.startsWith('v') ? [name] : [name, `v${name}`]));
  return {
    hashes: unique(hashes.filter((name) => /^[0-9a-f]{7,64}$/i.test(name))),
    tags: unique(tags.filter(isTagName)),
  };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** Returns true if git accepts the name as that of a tag (git-check-ref-format(1)). Other names could be expressions. */
function isTagName(name: string): boolean {
  return name !== '' && !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|^\/|\/$|\/\/|(?:^|\/)\.|\.$|\.lock(?:$|\/)|^-|^@$/u.test(name);
}
