import { compareReleases } from '../../src/contract/releases.ts';
import { isAvailable, type Profile } from '../core/profile.ts';
import { lazy } from '../support/lazy.ts';
import type { Route } from './route.ts';
import { createRouteIndex, type RouteGroup, type RouteIndex, type RouteMatch, type RouteTable } from './routeIndex.ts';

/** Maximum number of cached route matches, and maximum length of their paths. */
const MAX_MATCHES = 1000;
const MAX_MATCH_LENGTH = 200;

/** The routes of one profile. */
export interface ProfileRoutes {
  /** Returns the route of a path that can be turned off, if it is turned on. */
  switchedOn(method: string, path: string): Route | undefined;
  /** Finds a route like `RouteIndex.find`. The latest matches are cached, because clients request the same paths again and again. */
  find: RouteIndex['find'];
  /** Returns the route that another release has. */
  findRemoved(path: string, method: string): Route | undefined;
}

export function createProfileRoutes(profile: Profile, groups: readonly RouteGroup[], table: RouteTable): ProfileRoutes {
  const available = groups.map((group) => lazy(() => group().filter((route) => isAvailable(route, profile))));
  const index = createRouteIndex(
    available.map((group) => lazy(() => group().filter((route) => route.isOn === undefined))),
    table,
  );
  const removed = lazy(() =>
    createRouteIndex(
      groups.map((group) => lazy(() => group().filter((route) => wasRemoved(route, profile)))),
      table,
    ),
  );
  const switchable = new Map(Object.entries(table.switchable));
  const matches = new Map<string, RouteMatch>();
  return {
    switchedOn: (method, path) => {
      const group = switchable.get(path);
      if (group === undefined) return undefined;
      return available[group]?.().find((route) => route.path === path && route.method === method && route.isOn?.() === true);
    },
    find: (path, method, isPage) => {
      if (isPage) return index.find(path, method, true);
      const key = `${method} ${path}`;
      const known = matches.get(key);
      if (known !== undefined) return known;
      const found = index.find(path, method, false);
      // Paths with secrets are not held in memory.
      if (found?.route !== undefined && found.route.secrets === undefined && path.length <= MAX_MATCH_LENGTH) {
        if (matches.size >= MAX_MATCHES) matches.clear();
        matches.set(key, found);
      }
      return found;
    },
    findRemoved: (path, method) => removed().find(path, method, false)?.route,
  };
}

/** Returns true for a route that earlier releases have, but not the emulated one. */
function wasRemoved({ removedIn }: Route, { release }: Profile): boolean {
  return removedIn !== undefined && compareReleases(release, removedIn) >= 0;
}
