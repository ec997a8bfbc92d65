import Router from '@koa/router';
import { type PathTable, pathTableOf, isGit } from './areas.ts';
import { type CrossOriginRow, crossOriginTableOf } from './crossOrigin.ts';
import type { Route } from './route.ts';

export interface RouteMatch {
  /** Undefined if no route of the path has the method. */
  readonly route: Route | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  /** Methods of the route, or of all routes of the path if none has the method of the request. */
  readonly methods: readonly string[];
}

/** Index that finds the route of a request. */
export interface RouteIndex {
  /** Returns undefined if no route begins like the path. With `isPage`, routes that begin with a pattern are searched too. */
  find(path: string, method: string, isPage: boolean): RouteMatch | undefined;
}

/** Creates a group of routes when a request first needs one of them. Returns the same routes each time. */
export type RouteGroup = () => readonly Route[];

/**
 * Data about the routes that is needed before they are created. Groups are identified by their index. The build embeds it in the server, so
 * that a start does not need to create hundreds of routes.
 */
export interface RouteTable {
  /** Groups by shard: the groups with routes that begin with the same literal segments. */
  readonly shards: Readonly<Record<string, readonly number[]>>;
  /** Groups of the routes that can be turned off, by path. */
  readonly switchable: Readonly<Record<string, number>>;
  /** Names of the secret parameters by path. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
  readonly areas: PathTable;
  /** Paths that scripts of other origins can request, outside the areas in which they can request all. */
  readonly crossOrigin: Readonly<Record<string, CrossOriginRow>>;
}

/** Returns the table of all routes, for which it creates all of them. */
export function routeTableOf(groups: readonly RouteGroup[]): RouteTable {
  const shards: Record<string, number[]> = {};
  const switchable: Record<string, number> = {};
  const secrets: Record<string, readonly string[]> = {};
  for (const [index, group] of groups.entries()) {
    for (const { path, isOn, secrets: ofPath } of group()) {
      const shard = (shards[shardOfRoute(path)] ??= []);
      if (!shard.includes(index)) shard.push(index);
      if (isOn !== undefined) switchable[path] = index;
      if (ofPath !== undefined) secrets[path] = ofPath;
    }
  }
  const routes = groups.flatMap((group) => group());
  return { shards, switchable, secrets, areas: pathTableOf(routes), crossOrigin: crossOriginTableOf(routes) };
}

/**
 * Creates an index of routes by the literal segments of their paths, so that the time to find a route does not grow with their number.
 *
 * @koa/router compiles a regular expression for each route and tests them one by one. Here it only tests routes that may match: those with
 * the same literal segments at the same positions. The regular expression of a route is compiled when a path first reaches it.
 */
export function createRouteIndex(groups: readonly RouteGroup[], { shards }: Pick<RouteTable, 'shards'>): RouteIndex {
  const shardsByName = new Map(Object.entries(shards));
  /** Trees of the shards that were requested; undefined for a shard without routes. */
  const trees = new Map<string, Node | undefined>();
  const treeNamed = (name: string): Node | undefined => {
    const inShard = shardsByName.get(name);
    if (inShard === undefined || trees.has(name)) return trees.get(name);
    const routes = inShard.flatMap((location) => groups[location]?.() ?? []).filter(({ path }) => shardOfRoute(path) === name);
    const tree = routes.length === 0 ? undefined : treeOf(routes);
    trees.set(name, tree);
    return tree;
  };
  return {
    find: (path, method, isPage) => {
      const tree =
        treeNamed(shardOf(path)) ??
        treeNamed(pairOf(path)) ??
        treeNamed(firstSegment(path)) ??
        (isPage ? treeNamed('') : undefined);
      return tree === undefined ? undefined : findIn(tree, path, method);
    },
  };
}

/** Node in the tree of path segments. */
interface Node {
  readonly literals: Map<string, Node>;
  /** Child for a pattern that matches any segment. */
  any: Node | undefined;
  /** Routes whose path ends here. */
  readonly ends: Candidate[];
  /** Routes whose remaining pattern matches any number of segments. */
  readonly wildcards: Candidate[];
}

/** Route that may match. */
interface Candidate {
  /** Index among the routes of the shard; the first matching route wins. */
  readonly order: number;
  readonly route: Route;
  /** Longest literal part after the first wildcard; a path without it cannot match. */
  readonly literal: string;
  /** Router of this route only, created for the first path that may match. */
  router: Router | undefined;
}

function findIn(tree: Node, path: string, method: string): RouteMatch {
  const candidates: Candidate[] = [];
  collect(tree, path.split('/'), 1, path, candidates);
  if (candidates.length > 1) candidates.sort((a, b) => a.order - b.order);
  const methods = new Set<string>();
  for (const candidate of candidates) {
    // Routes of git begin with a wildcard, which also matches pages of files with such names.
    if (candidate.route.area === 'git' && !isGit(path)) continue;
    candidate.router ??= routerOf(candidate.route);
    const [layer] = candidate.router.match(path, method).path;
    if (layer === undefined) continue;
    if (layer.methods.includes(method)) {
      return { route: candidate.route, parameters: layer.params(path, layer.captures(path)), methods: layer.methods };
    }
    for (const name of layer.methods) methods.add(name);
  }
  return { route: undefined, parameters: {}, methods: [...methods] };
}

function routerOf(route: Route): Router {
  const router = new Router({ sensitive: true });
  router.register(route.path, [route.method], () => undefined);
  return router;
}

function treeOf(routes: readonly Route[]): Node {
  const root = emptyNode();
  for (const [order, route] of routes.entries()) {
    let node = root;
    const segments = route.path.split('/');
    const wildcard = segments.findIndex((segment) => segment.includes('*'));
    for (const segment of segments.slice(1, wildcard === -1 ? undefined : wildcard)) node = childOf(node, segment);
    const literal = wildcard === -1 ? '' : longestLiteral(segments.slice(wildcard).join('/'));
    const candidate = { order, route, literal, router: undefined };
    (wildcard === -1 ? node.ends : node.wildcards).push(candidate);
  }
  return root;
}

function emptyNode(): Node {
  return { literals: new Map(), any: undefined, ends: [], wildcards: [] };
}

function childOf(node: Node, segment: string): Node {
  if (isPattern(segment)) {
    node.any ??= emptyNode();
    return node.any;
  }
  const known = node.literals.get(segment);
  if (known !== undefined) return known;
  const made = emptyNode();
  node.literals.set(segment, made);
  return made;
}

/** Adds the routes that may match the segments from `at` on. */
function collect(node: Node, segments: readonly string[], at: number, path: string, found: Candidate[]): void {
  for (const candidate of node.wildcards) if (path.includes(candidate.literal)) found.push(candidate);
  const segment = segments[at];
  if (segment === undefined) {
    found.push(...node.ends);
    return;
  }
  const next = node.literals.get(segment);
  if (next !== undefined) collect(next, segments, at + 1, path, found);
  if (node.any !== undefined) collect(node.any, segments, at + 1, path, found);
}

function longestLiteral(path: string): string {
  return path.split(/[:*]\w+/).reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

/** Returns true if a path has `:name` for a segment or `*name` for several. */
function isPattern(path: string): boolean {
  return path.includes(':') || path.includes('*');
}

/** Shards of routes by path. Each shard that is first requested looks for its routes among all of its groups. */
const shardsOfRoutes = new Map<string, string>();

/** Returns the shard of a route; empty if its path begins with a pattern. */
function shardOfRoute(path: string): string {
  const known = shardsOfRoutes.get(path);
  if (known !== undefined) return known;
  const shard = shardOf(path);
  const name = isPattern(shard) ? firstSegment(path) : shard;
  const found = isPattern(name) ? '' : name;
  shardsOfRoutes.set(path, found);
  return found;
}

/** Returns the first two segments; below /api/v4 the third one instead of the first two, and the literal segment after an ID if there is one. */
function shardOf(path: string): string {
  const afterId = path.startsWith('/api/') ? path.split('/', 6)[5] : undefined;
  return afterId === undefined || isPattern(afterId) ? pairOf(path) : `${pairOf(path)}//${afterId}`;
}

function pairOf(path: string): string {
  const segments = path.split('/', 4);
  return segments[1] === 'api' ? `/api/v4/${segments[3] ?? ''}` : `/${segments[1] ?? ''}/${segments[2] ?? ''}`;
}

function firstSegment(path: string): string {
  return `/${path.split('/', 2)[1] ?? ''}`;
}
