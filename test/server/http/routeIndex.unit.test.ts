import assert from 'node:assert/strict';
import type { Method, Route } from '../../../server/http/route.ts';
import { createRouteIndex, type RouteGroup, type RouteIndex, routeTableOf } from '../../../server/http/routeIndex.ts';

describe('finding the route of a request', () => {
  const find = (paths: readonly string[], path: string, method = 'GET', isPage = true): unknown => {
    const found = indexOf(paths.map(routeOf)).find(path, method, isPage);
    return found === undefined
      ? undefined
      : { path: found.route?.path, parameters: { ...found.parameters }, methods: found.methods };
  };

  it('the route index finds a literal path', () => {
    assert.deepEqual(find(['GET /api/v4/version'], '/api/v4/version'), {
      path: '/api/v4/version',
      parameters: {},
      methods: ['HEAD', 'GET'],
    });
  });

  it('the route index decodes the parameters of a path', () => {
    assert.deepEqual(find(['GET /api/v4/projects/:id/issues/:iid'], '/api/v4/projects/crew%2Fship/issues/7'), {
      path: '/api/v4/projects/:id/issues/:iid',
      parameters: { id: 'crew/ship', iid: '7' },
      methods: ['HEAD', 'GET'],
    });
  });

  it('the route index takes the first of several matching routes', () => {
    const [literal, parameter] = ['GET /api/v4/projects/:id/labels/all', 'GET /api/v4/projects/:id/labels/:name'];
    const path = '/api/v4/projects/1/labels/all';
    assert.equal(pathOf(find([literal, parameter], path)), '/api/v4/projects/:id/labels/all');
    assert.equal(pathOf(find([parameter, literal], path)), '/api/v4/projects/:id/labels/:name');
  });

  it('the route index finds the route of the method among routes with the same path', () => {
    const routes = ['GET /api/v4/projects/:id', 'PUT /api/v4/projects/:name', 'DELETE /api/v4/projects/:id'];
    assert.deepEqual(find(routes, '/api/v4/projects/3', 'PUT'), {
      path: '/api/v4/projects/:name',
      parameters: { name: '3' },
      methods: ['PUT'],
    });
  });

  it('the route index lists the methods of a path without the requested one', () => {
    const routes = ['GET /api/v4/projects/:id', 'PUT /api/v4/projects/:id', 'POST /api/v4/projects'];
    assert.deepEqual(find(routes, '/api/v4/projects/3', 'DELETE'), {
      path: undefined,
      parameters: {},
      methods: ['HEAD', 'GET', 'PUT'],
    });
  });

  it('the route index is case-sensitive', () => {
    assert.equal(pathOf(find(['GET /api/v4/projects/:id/issues'], '/api/v4/projects/1/Issues')), undefined);
  });

  it('the route index finds a parameter that is only part of a segment', () => {
    assert.deepEqual(find(['PUT /*full_path/-/errors/:id.json'], '/crew/ship/-/errors/4.json', 'PUT'), {
      path: '/*full_path/-/errors/:id.json',
      parameters: { full_path: 'crew/ship', id: '4' },
      methods: ['PUT'],
    });
    assert.equal(pathOf(find(['PUT /*full_path/-/errors/:id.json'], '/crew/ship/-/errors/4', 'PUT')), undefined);
  });

  it('the route index finds wildcards of several segments, in the order of the routes', () => {
    const routes = ['GET /*full_path/-/tree/*rest', 'GET /*full_path/-/tags', 'GET /:username', 'GET /*full_path'];
    const found = (path: string): unknown => pathOf(find(routes, path));
    assert.deepEqual(['/a/b/-/tree/main/docs', '/a/b/-/tags', '/ana', '/a/b', '/a/b/-/none'].map(found), [
      '/*full_path/-/tree/*rest',
      '/*full_path/-/tags',
      '/:username',
      '/*full_path',
      '/*full_path',
    ]);
  });

  it('the route index searches routes that begin with a pattern only for pages', () => {
    assert.equal(find(['GET /*full_path'], '/api/v4/nothing', 'GET', false), undefined);
    assert.equal(pathOf(find(['GET /*full_path'], '/crew/ship', 'GET', true)), '/*full_path');
  });

  it('the route index searches a path only among the routes with its leading segments', () => {
    const routes = ['GET /users/sign_in', 'GET /*full_path'];
    assert.equal(pathOf(find(routes, '/users/sign_in/more')), undefined);
    assert.equal(pathOf(find(routes, '/users/other/more')), '/*full_path');
  });

  it('the route index tests only the routes with the literal segments of the path', () => {
    const names = Array.from({ length: 300 }, (_, index) => `thing${index}`);
    let read = 0;
    const routes = names.map((name) => {
      const route = routeOf(`GET /api/v4/projects/:id/repository/${name}/:key`);
      return Object.defineProperty({ ...route }, 'method', { get: () => (read += 1) && route.method, enumerable: true });
    });
    const index = indexOf(routes);
    const found = index.find('/api/v4/projects/1/repository/thing299/key', 'GET', false);
    assert.equal(found?.route, routes[299]);
    assert.ok(read <= 4, `the methods of ${read} routes were read`);
  });

  it('the route index creates only the groups that have routes with the leading segments of the path', () => {
    const made: string[] = [];
    const groupOf = (name: string, ...routes: readonly string[]): RouteGroup => {
      return () => {
        made.push(name);
        return routes.map(routeOf);
      };
    };
    const groups = [
      groupOf('labels', 'GET /api/v4/projects/:id/labels', 'GET /api/v4/groups/:id/labels'),
      groupOf('issues', 'GET /api/v4/projects/:id/issues', 'GET /api/v4/projects/:id/labels/:name/issues'),
      groupOf('users', 'GET /api/v4/user'),
    ];
    const table = routeTableOf(groups);
    made.length = 0;
    const index = createRouteIndex(groups, table);
    assert.deepEqual(made, []);
    const find = (path: string): unknown => index.find(path, 'GET', false)?.route?.path;
    assert.equal(find('/api/v4/projects/1/labels'), '/api/v4/projects/:id/labels');
    assert.equal(find('/api/v4/projects/1/labels/bug/issues'), '/api/v4/projects/:id/labels/:name/issues');
    assert.deepEqual(made, ['labels', 'issues']);
  });

  it('the route index falls back to fewer leading segments if no route with more is available', () => {
    const table = routeTableOf([() => ['GET /api/v4/projects/:id/labels', 'GET /api/v4/projects/:id/:thing'].map(routeOf)]);
    const index = createRouteIndex([() => [routeOf('GET /api/v4/projects/:id/:thing')]], table);
    assert.equal(index.find('/api/v4/projects/1/labels', 'GET', false)?.route?.path, '/api/v4/projects/:id/:thing');
  });
});

function indexOf(routes: readonly Route[]): RouteIndex {
  const groups = [() => routes];
  return createRouteIndex(groups, routeTableOf(groups));
}

function pathOf(found: unknown): unknown {
  return typeof found === 'object' && found !== null && 'path' in found ? found.path : undefined;
}

function routeOf(text: string): Route {
  const [method = '', path = ''] = text.split(' ');
  return {
    area: 'api',
    method: method as Method,
    path,
    specRef: 'Projects',
    status: 'local',
    scopes: [],
    role: 'anyone',
    successStatus: 200,
    handle: () => Promise.reject(new Error('not called')),
  };
}
