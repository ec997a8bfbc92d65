import Router from '@koa/router';
import type { Route } from './route.ts';

export interface RouteMatch {
  /** Undefined when no route of the path has the method. */
  readonly route: Route | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  /** Methods of the route, or of all routes of the path when none has the method of the request. */
  readonly methods: readonly string[];
}

/** Finds the route of a request. */
export interface RouteIndex {
  /** Undefined when no route begins like the path. `isPage`: whether routes that begin with a pattern are looked at, too. */
  find(path: string, method: string, isPage: boolean): RouteMatch | undefined;
}

/** Routes that are made together, when a request first needs one of them. Returns the same ones each time. */
export type RouteGroup = () => readonly Route[];

/**
 * What must be known about the routes before they are made. Groups are named by their place in the list. The build writes it into the
 * server, so that a start need not make hundreds of routes of which it needs few.
 */
export interface RouteTable {
  /** The groups with routes that begin with the same literal segments, by the name of the shard. */
  readonly shards: Readonly<Record<string, readonly number[]>>;
  /** The groups with routes that can be switched off, by their path. */
  readonly switchable: Readonly<Record<string, number>>;
  /** The beginnings of the paths that end with a secret. */
  readonly secretPrefixes: readonly string[];
}

/** Makes all routes. */
export function routeTableOf(groups: readonly RouteGroup[]): RouteTable {
  const shards: Record<string, number[]> = {};
  const switchable: Record<string, number> = {};
  const secretPrefixes: string[] = [];
  for (const [location, group] of groups.entries()) {
    for (const { path, isOn } of group()) {
      const shard = (shards[shardOfRoute(path)] ??= []);
      if (!shard.includes(location)) shard.push(location);
      if (isOn !== undefined) switchable[path] = location;
      if (path.endsWith('/:secret')) secretPrefixes.push(path.replace(':secret', ''));
    }
  }
  return { shards, switchable, secretPrefixes };
}

/**
 * An index of routes by the literal segments of their paths, so that the time for finding a route does not grow with their number.
 *
 * @koa/router compiles a regular expression for each route and tests them one by one. Here it only sees the routes that may match: those
 * with the same literal segments at the same places. Its regular expression for a route is compiled when a path first reaches it.
 */
export function createRouteIndex(groups: readonly RouteGroup[], { shards }: Pick<RouteTable, 'shards'>): RouteIndex {
  const places = new Map(Object.entries(shards));
  /** The trees of the shards that a request has reached; undefined for a shard without routes. */
  const trees = new Map<string, Node | undefined>();
  const treeNamed = (name: string): Node | undefined => {
    const inShard = places.get(name);
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

/** A place in the tree of path segments. */
interface Node {
  readonly literals: Map<string, Node>;
  /** Behind any one segment. */
  any: Node | undefined;
  /** Routes whose path ends here. */
  readonly ends: Candidate[];
  /** Routes whose rest may have any number of segments. */
  readonly wildcards: Candidate[];
}

/** A route that may match. */
interface Candidate {
  /** Its place among the routes of the shard: the first that matches is taken. */
  readonly order: number;
  readonly route: Route;
  /** The longest literal part behind the first wildcard; a path without it cannot match. */
  readonly literal: string;
  /** Holds this one route; made for the first path that may match it. */
  router: Router | undefined;
}

function findIn(tree: Node, path: string, method: string): RouteMatch {
  const candidates: Candidate[] = [];
  collect(tree, path.split('/'), 1, path, candidates);
  if (candidates.length > 1) candidates.sort((a, b) => a.order - b.order);
  const methods = new Set<string>();
  for (const candidate of candidates) {
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

/** Whether a path has `:name` for a segment or `*name` for several. */
function isPattern(path: string): boolean {
  return path.includes(':') || path.includes('*');
}

/** Name of the shard of a route: empty when its path begins with a pattern. */
function shardOfRoute(path: string): string {
  const name = isPattern(shardOf(path)) ? firstSegment(path) : shardOf(path);
  return isPattern(name) ? '' : name;
}

/** Two leading segments; three under /api/v4, where the first two say nothing, and the one behind an id where that is a word. */
function shardOf(path: string): string {
  const behind = path.startsWith('/api/') ? path.split('/', 6)[5] : undefined;
  return behind === undefined || isPattern(behind) ? pairOf(path) : `${pairOf(path)}//${behind}`;
}

function pairOf(path: string): string {
  const segments = path.split('/', 4);
  return segments[1] === 'api' ? `/api/v4/${segments[3] ?? ''}` : `/${segments[1] ?? ''}/${segments[2] ?? ''}`;
}

function firstSegment(path: string): string {
  return `/${path.split('/', 2)[1] ?? ''}`;
}
