import type { Area, Route } from './route.ts';

/** Data about the routes from which the area of a path follows. */
export interface PathTable {
  /** Areas of the first one or two segments of paths, if all routes that begin so have this area. */
  readonly beginnings: Readonly<Record<string, Area>>;
  /** By beginning in `mixed`: routes of other areas, and routes with the same pattern that are matched before them, in matching order. */
  readonly exceptions: Readonly<Record<string, readonly (readonly [path: string, area: Area])[]>>;
  /** Paths to which SDKs send events. */
  readonly events: readonly string[];
}

/** Areas of paths, by the routes. */
export interface PathAreas {
  /** Returns the area of a path. The area of a matching route takes precedence. */
  areaOf(path: string): Area;
}

/** Areas of unknown paths whose beginning is shared by routes of several areas. */
const mixed: Readonly<Record<string, Area>> = {
  // Only REST has several routes here; clients of GraphQL and SDKs are given one address each.
  '/api': 'api',
  // The pages below it are for administrators. All other paths require the admin token.
  '/_local': 'control',
};

/** Beginnings that are pages themselves, because only people request them. */
const pages: ReadonlySet<string> = new Set(['/api', '/.well-known']);

/** Returns the data about the areas of routes. */
export function pathTableOf(routes: readonly Route[]): PathTable {
  const found = new Map<string, Set<Area>>();
  const events = new Set<string>();
  for (const { path, area, isOn } of routes) {
    if (area === 'ingest' && isOn === undefined) events.add(path);
    for (const beginning of new Set([firstOf(path), firstTwoOf(path)])) {
      if (/[:*]/.test(beginning)) continue;
      found.set(beginning, (found.get(beginning) ?? new Set()).add(area));
    }
  }
  const beginnings: Record<string, Area> = {};
  for (const [beginning, areas] of found) {
    const [area] = areas;
    // All paths are pages by default. Those of events are a few among those of groups and projects.
    if (area === undefined || areas.size > 1 || area === 'page' || area === 'ingest') continue;
    const first = firstOf(beginning);
    if (!(first in mixed) && (first === beginning || !(first in beginnings))) beginnings[beginning] = area;
  }
  const exceptions: Record<string, (readonly [string, Area])[]> = {};
  for (const [first, area] of Object.entries(mixed)) exceptions[first] = exceptionsBelow(first, area, routes);
  return { beginnings, exceptions, events: [...events] };
}

function exceptionsBelow(first: string, area: Area, routes: readonly Route[]): (readonly [string, Area])[] {
  const below = routes.filter((route) => firstOf(route.path) === first && route.area !== 'ingest');
  const others = below.filter((route) => route.area !== area).map(({ path }) => matcherOf([path]));
  const rows = below.filter(({ path }) => others.some((other) => other.test(path)));
  return [...new Map(rows.map((route) => [route.path, route.area]))];
}

/** Returns the areas of paths. */
export function createPathAreas({ beginnings, exceptions, events }: PathTable): PathAreas {
  const areas = new Map<string, Area>(Object.entries({ ...beginnings, ...mixed }));
  const exceptionsOf = new Map(
    Object.entries(exceptions).map(([first, rows]) => [
      first,
      rows.map(([path, area]) => ({ matcher: matcherOf([path]), area })),
    ]),
  );
  const event = matcherOf(events, '/?');
  // They rule out most paths without the regular expression.
  const endings = [...new Set(events.map((path) => path.slice(path.lastIndexOf('/'))))];

  const isIngest = (path: string): boolean => {
    for (const ending of endings) if (path.includes(ending)) return event.test(path);
    return false;
  };

  const findArea = (path: string): Area => {
    if (isIngest(path)) return 'ingest';
    const first = firstOf(path);
    const area = areas.get(first) ?? areas.get(firstTwoOf(path));
    if (area === undefined || pages.has(path)) return isGit(path) ? 'git' : 'page';
    return exceptionsOf.get(first)?.find(({ matcher }) => matcher.test(path))?.area ?? area;
  };

  // Several functions ask for the area of the same request, one after the other.
  let last: { readonly path: string; readonly area: Area } | undefined;
  const areaOf = (path: string): Area => {
    if (last?.path !== path) last = { path, area: findArea(path) };
    return last.area;
  };
  return { areaOf };
}

/** Returns true if git or Git LFS requests this path of a repository. */
export function isGit(path: string): boolean {
  // Files of repositories can have such names, too; their pages are below `/-/`.
  if (path.includes('/-/')) return false;
  if (path.endsWith('/info/refs')) return true;
  return path.includes('.git/') && /\.git\/(?:info\/|git-upload-pack$|git-receive-pack$|HEAD$|objects\/)/.test(path);
}

/** Returns a regular expression that matches the paths of routes. */
function matcherOf(paths: readonly string[], end = ''): RegExp {
  const patterns = paths.map((path) =>
    path.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+').replaceAll(/\*\w+/g, '.+'),
  );
  return new RegExp(`^(?:${patterns.join('|')})${end}$`);
}

/** Returns the first segment of a path. */
function firstOf(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path : path.slice(0, end);
}

/** Returns the first two segments of a path. */
function firstTwoOf(path: string): string {
  const second = path.indexOf('/', 1);
  const end = second === -1 ? -1 : path.indexOf('/', second + 1);
  return end === -1 ? path : path.slice(0, end);
}
