/**
 * Versions of the programs that fail, as their SDKs name them (`appRelease`): `shop@1.2.3+45`, `v1.2.3`, `2026-01-02`, a commit. Whoever
 * sends decides what they look like, so that most of what is asked here may have no answer.
 */

/** SDKs send 200 characters at most, and no pattern looks at more. */
const MAX_RELEASE_LENGTH = 250;
const MAX_PARTS = 8;
/** Characters of the id of a commit that stand for it. */
const SHORT = 12;

export interface SeenRelease {
  readonly name: string;
  /** When the project heard of it first, in milliseconds since 1970. */
  readonly firstSeenAt: number;
}

/** Of a release that an event names, seen from another one. */
export type ReleaseOrder = 'older' | 'same' | 'newer' | 'unknown';

interface ParsedRelease {
  /** In front of the `@`. */
  readonly program: string | undefined;
  /** As written, without program and build. */
  readonly version: string;
  readonly build: string | undefined;
  readonly numbers: Numbers | undefined;
}

interface Numbers {
  /** `date`: not written with dots, which would be a version as well. */
  readonly kind: 'version' | 'date';
  readonly parts: readonly number[];
  /** Identifiers of a pre-release (SemVer 2.0.0 §9). */
  readonly before: readonly string[];
}

/**
 * Where `event` stands, seen from `other`: by their versions or dates, else by when each was heard of first, which is all that can be known of
 * commits and of two programs. `unknown`: one of them is missing, or both were heard of at the same time.
 */
export function releaseOrder(event: SeenRelease | undefined, other: SeenRelease | undefined): ReleaseOrder {
  if (event === undefined || other === undefined) return 'unknown';
  const order = compareReleases(event.name, other.name) ?? (event.firstSeenAt - other.firstSeenAt || undefined);
  if (order === undefined) return 'unknown';
  return order === 0 ? 'same' : order > 0 ? 'newer' : 'older';
}

/** The newest of them; of those that have no order among each other, the one that was heard of last. */
export function newestRelease(releases: readonly SeenRelease[]): SeenRelease | undefined {
  let newest: SeenRelease | undefined;
  for (const release of releases.toSorted((one, other) => one.firstSeenAt - other.firstSeenAt)) {
    const order = releaseOrder(release, newest);
    if (order === 'newer' || order === 'unknown') newest = release;
  }
  return newest;
}

/**
 * Below zero: `one` is older. Versions compare as SemVer 2.0.0 §11 says, however many parts they have; builds of one version by their
 * numbers. Undefined when nothing in the names tells: commits, other programs, a version and a date, builds that are no numbers.
 */
export function compareReleases(one: string, other: string): number | undefined {
  if (one === other) return 0;
  const left = parseRelease(one);
  const right = parseRelease(other);
  if (left?.numbers === undefined || right?.numbers === undefined || !areAlike(left.numbers, right.numbers)) return undefined;
  if (left.program !== undefined && right.program !== undefined && left.program !== right.program) return undefined;
  const order = compareNumbers(left.numbers, right.numbers);
  return order === 0 ? compareBuilds(left.build, right.build) : order;
}

/** A version that begins with a year stands beside dates. */
function areAlike(one: Numbers, other: Numbers): boolean {
  const isDated = ({ kind, parts: [year = 0, month] }: Numbers): boolean =>
    kind === 'date' || (year >= 1990 && year < 2100 && month !== undefined);
  return one.kind === other.kind || (isDated(one) && isDated(other));
}

function compareNumbers(one: Numbers, other: Numbers): number {
  for (let at = 0; at < Math.max(one.parts.length, other.parts.length); at += 1) {
    const order = (one.parts[at] ?? 0) - (other.parts[at] ?? 0);
    if (order !== 0) return order;
  }
  // Without a pre-release is behind every pre-release.
  if (one.before.length === 0 || other.before.length === 0) return other.before.length - one.before.length;
  for (let at = 0; at < Math.max(one.before.length, other.before.length); at += 1) {
    const order = compareIdentifiers(one.before[at], other.before[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers before words, fewer identifiers before more (SemVer 2.0.0 §11.4). */
function compareIdentifiers(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1;
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return one === other ? 0 : one < other ? -1 : 1;
}

/** SemVer gives builds no order, but the numbers that programs count theirs with have one. */
function compareBuilds(one: string | undefined, other: string | undefined): number | undefined {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return undefined;
  return isNumber(one) && isNumber(other) ? Number(one) - Number(other) : undefined;
}

/** Small enough to be exact. */
function isNumber(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

function parseRelease(sent: string): ParsedRelease | undefined {
  const text = sent.trim();
  if (text === '' || text.length > MAX_RELEASE_LENGTH) return undefined;
  // `@scope/shop@1.2.3` has its version behind the last one.
  const at = text.lastIndexOf('@');
  const program = at > 0 ? text.slice(0, at) : undefined;
  const behind = at > 0 ? text.slice(at + 1) : text;
  const plus = behind.indexOf('+');
  const version = plus < 0 ? behind : behind.slice(0, plus);
  return { program, version, build: plus < 0 ? undefined : behind.slice(plus + 1), numbers: numbersOf(version) };
}

function numbersOf(version: string): Numbers | undefined {
  return dateOf(version) ?? versionOf(version);
}

/** `2026-01-02`, `20260102`, each with more numbers behind it, such as a time. */
function dateOf(version: string): Numbers | undefined {
  const compact = /^((?:19|20)\d{2})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?(?:[.\-_](\d{1,9}))?$/.exec(version);
  const written = /^((?:19|20)\d{2})([-_/])(\d{1,2})\2(\d{1,2})(?:[.\-_T ](.{1,60}))?$/.exec(version);
  const digits = compact?.slice(1) ?? (written && [written[1], written[3], written[4], ...(written[5]?.match(/\d{1,9}/g) ?? [])]);
  if (!digits) return undefined;
  const parts = digits.slice(0, MAX_PARTS).map((part) => Number(part ?? 0));
  const [, month = 0, day = 0] = parts;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? { kind: 'date', parts, before: [] } : undefined;
}

function versionOf(version: string): Numbers | undefined {
  const [, dotted = '', before] = /^[vV]?(\d{1,15}(?:\.\d{1,15}){0,7})(?:-([0-9A-Za-z.-]{1,200}))?$/.exec(version) ?? [];
  if (dotted === '') return undefined;
  // Seven digits or more may be a commit; so many that count seconds since 1970 are none.
  if (!dotted.includes('.') && dotted.length > 6 && dotted.length !== 10) return undefined;
  const parts = dotted.split('.').map(Number);
  // `git describe`: so many commits behind a tag, which is no pre-release of it.
  const commits = /^(\d{1,9})-g[0-9a-f]{7,64}(?:-dirty)?$/.exec(before ?? '')?.[1];
  if (commits !== undefined) return { kind: 'version', parts: [...parts, Number(commits)], before: [] };
  return { kind: 'version', parts, before: before?.split('.') ?? [] };
}

/** What may name the commit of a release, to be looked up in this order. */
export interface CommitCandidate {
  /** `prefix`: seven digits of its id or more. */
  readonly kind: 'commit' | 'prefix' | 'tag';
  readonly ref: string;
}

/**
 * Where in a repository a release may be found (docs/interface.md#release-health): the commit that it names, wherever in it (`1f2e3d4`,
 * `shop@1f2e3d4`, `shop@1.2.3+1f2e3d4`, `1.2.3-4-g1f2e3d4` of `git describe`), then tags of its name and of its version, with `v` and
 * without.
 */
export function commitCandidates(release: string): CommitCandidate[] {
  const parsed = parseRelease(release);
  if (parsed === undefined) return [];
  const { program, version, build, numbers } = parsed;
  const ids = [version, ...(build?.split(/[.\-_]/) ?? []), /-g([0-9a-f]{7,64})(?:-dirty)?$/i.exec(version)?.[1] ?? ''];
  const commits = ids.filter(isCommitId).map((id): CommitCandidate => {
    const ref = id.toLowerCase();
    return { kind: ref.length === 40 || ref.length === 64 ? 'commit' : 'prefix', ref };
  });
  const named = [release.trim(), ...(program === undefined ? [] : [`${program}@${version}`])];
  const bare = /^[vV]\d/.test(version) ? version.slice(1) : version;
  const versions = numbers === undefined ? [version] : version === bare ? [bare, `v${bare}`] : [version, bare];
  const tags = [...new Set([...named, ...versions])].filter((tag) => !isCommitId(tag));
  return [...commits, ...tags.map((ref): CommitCandidate => ({ kind: 'tag', ref }))];
}

/** A release as people know it: its version without the program in front and the build behind, and of a commit the beginning. */
export function shortVersion(release: string): string {
  const parsed = parseRelease(release);
  if (parsed === undefined || parsed.version === '') return release.slice(0, SHORT);
  return isCommitId(parsed.version) ? parsed.version.slice(0, SHORT) : parsed.version;
}

function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{7,40}|[0-9a-f]{64})$/i.test(text);
}
