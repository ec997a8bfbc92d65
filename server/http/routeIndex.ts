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

/**
 * An index of routes by the literal segments of their paths, so that the time for finding a route does not grow with their number.
 *
 * @koa/router compiles a regular expression for each route and tests them one by one. Here it only sees the routes that may match: those
 * with the same literal segments at the same places. Its regular expression for a route is compiled when a path first reaches it.
 */
export function createRouteIndex(routes: readonly Route[]): RouteIndex {
  const shards = new Map<string, Shard>();
  for (const route of routes) {
    const key = isPattern(shardOf(route.path)) ? firstSegment(route.path) : shardOf(route.path);
    const name = isPattern(key) ? '' : key;
    const shard = shards.get(name);
    if (shard === undefined) shards.set(name, { routes: [route], root: undefined });
    else shard.routes.push(route);
  }
  return {
    find: (path, method, isPage) => {
      const general = isPage ? shards.get('') : undefined;
      const shard = shards.get(shardOf(path)) ?? shards.get(pairOf(path)) ?? shards.get(firstSegment(path)) ?? general;
      return shard === undefined ? undefined : findIn(shard, path, method);
    },
  };
}

/** The routes that begin with the same literal segments. */
interface Shard {
  readonly routes: Route[];
  /** Made for the first request of the shard. */
  root: Node | undefined;
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

function findIn(shard: Shard, path: string, method: string): RouteMatch {
  shard.root ??= treeOf(shard.routes);
  const candidates: Candidate[] = [];
  collect(shard.root, path.split('/'), 1, path, candidates);
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
