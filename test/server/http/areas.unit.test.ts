import assert from 'node:assert/strict';
import { pathTableOf, createPathAreas, type PathAreas } from '../../../server/http/areas.ts';
import type { Area, Route } from '../../../server/http/route.ts';

describe('areas of paths', () => {
  const cases: readonly (readonly [
    name: string,
    routes: Readonly<Record<string, Area>>,
    areas: Readonly<Record<string, Area>>,
  ])[] = [
    [
      'unknown paths have the area of the routes that begin like them',
      { '/v2': 'registry', '/.well-known/webfinger': 'oauth' },
      { '/v2/crew/tags': 'registry', '/.well-known/other': 'oauth', '/v2x': 'page' },
    ],
    [
      'unknown paths are pages if routes that begin like them have several areas',
      { '/oauth/token': 'oauth', '/oauth/authorize': 'page' },
      { '/oauth/token/other': 'oauth', '/oauth/authorize/other': 'page', '/oauth/other': 'page', '/oauth': 'page' },
    ],
    [
      'unknown paths below /api and /_local are those of the REST and control APIs',
      { '/api/v4/user': 'api', '/api/graphql': 'graphql', '/_local/oauth/flows': 'control', '/_local/oauth/:id': 'page' },
      {
        '/api/other': 'api',
        '/api/graphql': 'graphql',
        '/api/graphql/other': 'api',
        '/api': 'page',
        '/_local/other': 'control',
        '/_local/oauth/flows': 'control',
        '/_local/oauth/7': 'page',
        '/_local/oauth/7/other': 'control',
      },
    ],
    [
      'paths of events are only those of their routes, with and without a slash at the end',
      { '/api/:project_id/envelope': 'ingest', '/errortracking/api/:project_id/store': 'ingest' },
      {
        '/api/1/envelope': 'ingest',
        '/api/1/envelope/': 'ingest',
        '/api/1/2/envelope': 'api',
        '/api/1/store': 'api',
        '/errortracking/api/1/store': 'ingest',
        '/errortracking/other': 'page',
      },
    ],
    [
      'paths that git requests are not those of pages of files with such names',
      { '/help/api': 'page' },
      { '/crew/ship.git/info/refs': 'git', '/help/ship.git/HEAD': 'git', '/crew/ship/-/blob/main/a.git/HEAD': 'page' },
    ],
  ];
  for (const [name, routes, areas] of cases) {
    it(name, () => {
      const { areaOf } = areasOf(routes);
      assert.deepEqual(Object.fromEntries(Object.keys(areas).map((path) => [path, areaOf(path)])), areas);
    });
  }

  it('a path of events that can be turned off is a page', () => {
    const { areaOf } = createPathAreas(pathTableOf([{ ...routeOf('/stream', 'ingest'), isOn: () => true }]));
    assert.equal(areaOf('/stream'), 'page');
  });
});

function areasOf(routes: Readonly<Record<string, Area>>): PathAreas {
  return createPathAreas(pathTableOf(Object.entries(routes).map(([path, area]) => routeOf(path, area))));
}

function routeOf(path: string, area: Area): Route {
  return {
    area,
    method: 'GET',
    path,
    specRef: 'Projects',
    status: 'local',
    scopes: [],
    role: 'anyone',
    successStatus: 200,
    handle: () => Promise.reject(new Error('no route is called')),
  };
}
