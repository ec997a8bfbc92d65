/**
 * Versions of applications, as their SDKs name them (`appRelease`): `shop@1.2.3+45`, `v1.2.3`, `2026-01-02`, or a commit. They
 * can have any format, so most functions here may return no result.
 */

/** SDKs send at most 200 characters. Longer names are not parsed. */
const MAX_RELEASE_LENGTH = 250;
const MAX_PARTS = 8;
/** Length of an abbreviated commit ID. */
const SHORT_ID_LENGTH = 12;

/**
 * Age of a release relative to the releases in which an error was resolved (docs/interface.md#tracked-errors). `repository`: both are
 * named by commits, so only the repository can tell.
 */
export type ReleaseAge = 'same_or_older' | 'newer' | 'repository' | 'unknown';

interface ParsedRelease {
  /** Part before the `@`. */
  readonly program: string | undefined;
  /** Version as sent, without application and build. */
  readonly version: string;
  readonly build: string | undefined;
  readonly numbers: Numbers | undefined;
}

interface Numbers {
  /** `date` if it is not written with dots, which could also be a version. */
  readonly kind: 'version' | 'date';
  readonly parts: readonly number[];
  /** Identifiers of a pre-release (SemVer 2.0.0 §9). */
  readonly before: readonly string[];
}

/**
 * Returns the newest release of each application. `releases` are in the order in which they were first seen, which decides between
 * releases of one application that have no other order. The result has the same order.
 */
export function newestReleases(releases: readonly string[]): string[] {
  const newest = new Map<string, string>();
  for (const release of releases) {
    const program = programOf(release);
    const other = newest.get(program);
    if (other === undefined || (compareReleases(release, other) ?? 1) > 0) newest.set(program, release);
  }
  const found = new Set(newest.values());
  return releases.filter((release) => found.delete(release));
}

/** Returns the age of a release relative to the one of `baselines` that is of the same application. */
export function ageOf(release: string | undefined, baselines: readonly string[]): ReleaseAge {
  const baseline = release === undefined ? undefined : baselineOf(release, baselines);
  if (release === undefined || baseline === undefined) return 'unknown';
  const order = compareReleases(release, baseline);
  if (order === undefined) return namesCommit(release) && namesCommit(baseline) ? 'repository' : 'unknown';
  return order > 0 ? 'newer' : 'same_or_older';
}

/** Returns the baseline of the same application as a release. A release without an application is one of its own. */
export function baselineOf(release: string, baselines: readonly string[]): string | undefined {
  return baselines.find((one) => programOf(one) === programOf(release));
}

function namesCommit(release: string): boolean {
  return commitCandidates(release).some(({ kind }) => kind !== 'tag');
}

/** Returns the application that a release names, or an empty text. */
export function programOf(release: string): string {
  return parseRelease(release)?.program ?? '';
}

/**
 * Returns a negative number if `one` is older. Versions are compared by SemVer 2.0.0 §11 with any number of parts, and builds of
 * one version by number. Undefined if the names have no order: commits, different applications (also none and one), a version and a
 * date, or builds that are not numbers.
 */
export function compareReleases(one: string, other: string): number | undefined {
  if (one === other) return 0;
  const left = parseRelease(one);
  const right = parseRelease(other);
  if (left?.numbers === undefined || right?.numbers === undefined || !areComparable(left.numbers, right.numbers))
    return undefined;
  if (left.program !== right.program) return undefined;
  const order = compareNumbers(left.numbers, right.numbers);
  return order === 0 ? compareBuilds(left.build, right.build) : order;
}

/** A version that starts with a year can be compared with dates. */
function areComparable(one: Numbers, other: Numbers): boolean {
  const isDated = ({ kind, parts: [year = 0, month] }: Numbers): boolean =>
    kind === 'date' || (year >= 1990 && year < 2100 && month !== undefined);
  return one.kind === other.kind || (isDated(one) && isDated(other));
}

function compareNumbers(one: Numbers, other: Numbers): number {
  for (let at = 0; at < Math.max(one.parts.length, other.parts.length); at += 1) {
    const order = (one.parts[at] ?? 0) - (other.parts[at] ?? 0);
    if (order !== 0) return order;
  }
  // A version without a pre-release follows all its pre-releases.
  if (one.before.length === 0 || other.before.length === 0) return other.before.length - one.before.length;
  for (let at = 0; at < Math.max(one.before.length, other.before.length); at += 1) {
    const order = compareIdentifiers(one.before[at], other.before[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers precede words, and fewer identifiers precede more (SemVer 2.0.0 §11.4). */
function compareIdentifiers(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1;
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return one === other ? 0 : one < other ? -1 : 1;
}

/** SemVer does not order builds, but build numbers are ordered in practice. */
function compareBuilds(one: string | undefined, other: string | undefined): number | undefined {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return undefined;
  return isNumber(one) && isNumber(other) ? Number(one) - Number(other) : undefined;
}

/** Returns true for digits that a number represents exactly. */
function isNumber(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

function parseRelease(sent: string): ParsedRelease | undefined {
  const text = sent.trim();
  if (text === '' || text.length > MAX_RELEASE_LENGTH) return undefined;
  // In `@scope/shop@1.2.3`, the version follows the last `@`.
  const at = text.lastIndexOf('@');
  const program = at > 0 ? text.slice(0, at) : undefined;
  const afterAt = at > 0 ? text.slice(at + 1) : text;
  const plus = afterAt.indexOf('+');
  const version = plus < 0 ? afterAt : afterAt.slice(0, plus);
  return { program, version, build: plus < 0 ? undefined : afterAt.slice(plus + 1), numbers: numbersOf(version) };
}

function numbersOf(version: string): Numbers | undefined {
  return dateOf(version) ?? versionOf(version);
}

/** `2026-01-02` or `20260102`, optionally followed by more numbers such as a time. */
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
  // Seven or more digits may be a commit. Ten digits are seconds since 1970.
  if (!dotted.includes('.') && dotted.length > 6 && dotted.length !== 10) return undefined;
  const parts = dotted.split('.').map(Number);
  // `git describe`: a number of commits after a tag, which is not a pre-release.
  const commits = /^(\d{1,9})-g[0-9a-f]{7,64}(?:-dirty)?$/.exec(before ?? '')?.[1];
  if (commits !== undefined) return { kind: 'version', parts: [...parts, Number(commits)], before: [] };
  return { kind: 'version', parts, before: before?.split('.') ?? [] };
}

/** Names that may identify the commit of a release, in the order of lookup. */
export interface CommitCandidate {
  /** `prefix` is an abbreviated ID of at least seven digits. */
  readonly kind: 'commit' | 'prefix' | 'tag';
  readonly ref: string;
}

/**
 * Returns where a release may be found in a repository (docs/interface.md#release-health): the commit ID anywhere in its name
 * (`1f2e3d4`, `shop@1f2e3d4`, `shop@1.2.3+1f2e3d4`, `1.2.3-4-g1f2e3d4` of `git describe`), then tags with its name and its
 * version, with and without `v`.
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

/** Returns the short name of a release: its version without application and build, or an abbreviated commit ID. */
export function shortVersion(release: string): string {
  const parsed = parseRelease(release);
  if (parsed === undefined || parsed.version === '') return release.slice(0, SHORT_ID_LENGTH);
  return isCommitId(parsed.version) ? parsed.version.slice(0, SHORT_ID_LENGTH) : parsed.version;
}

function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{7,40}|[0-9a-f]{64})$/i.test(text);
}
