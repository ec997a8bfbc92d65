import type { FoundGroup } from '../../../server/features/groups/access.ts';
import { addCacheEntry, createRegistry, createUpstream } from '../../../server/features/virtualRegistries/manageUpstreams.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, inGroup } from './fixture.ts';

/** Creates two Maven virtual registries in a group, each with an upstream; the first one has a cached file. */
function mavenOf({ server: { platform }, fresh }: Fixture, group: FoundGroup) {
  const behind = () => {
    const registry = createRegistry(platform, group, { name: fresh('maven') });
    return { registry, ...createUpstream(platform, registry, { url: `https://maven.example/${fresh('path')}` }) };
  };
  const [one, other] = [behind(), behind()];
  const path = 'org/lamps/lamps-1.0.pom';
  addCacheEntry(platform, one.upstream, { path, sha1: 'a'.repeat(40), md5: 'b'.repeat(32), size: 7, etag: '"7"' });
  return { ...one, other, entry: Buffer.from(`${one.upstream.id} ${path}`).toString('base64') };
}

/** Returns a request for a registry, upstream or link by its id. */
function mavenRequest(fixture: Fixture, kind: 'registry' | 'upstream' | 'link', params: Example['params'] = {}): Example {
  return { token: admin, path: { id: String(mavenOf(fixture, fixture.group)[kind].id) }, params };
}

export const virtualRegistryExamples: Examples = {
  'GET /api/v4/groups/:id/-/virtual_registries/packages/maven/registries': (fixture) => {
    mavenOf(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group) };
  },
  'POST /api/v4/groups/:id/-/virtual_registries/packages/maven/registries': ({ group, fresh }) => ({
    token: admin,
    path: inGroup(group),
    params: { name: fresh('maven'), description: 'Of the signals' },
  }),
  'GET /api/v4/groups/:id/-/virtual_registries/packages/maven/upstreams': (fixture) => {
    mavenOf(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group) };
  },
  'GET /api/v4/virtual_registries/packages/maven/registries/:id': (fixture) => mavenRequest(fixture, 'registry'),
  'PATCH /api/v4/virtual_registries/packages/maven/registries/:id': (fixture) =>
    mavenRequest(fixture, 'registry', { name: fixture.fresh('maven') }),
  'DELETE /api/v4/virtual_registries/packages/maven/registries/:id': (fixture) => mavenRequest(fixture, 'registry'),
  'DELETE /api/v4/virtual_registries/packages/maven/registries/:id/cache': (fixture) => mavenRequest(fixture, 'registry'),
  'GET /api/v4/virtual_registries/packages/maven/registries/:id/upstreams': (fixture) => mavenRequest(fixture, 'registry'),
  'POST /api/v4/virtual_registries/packages/maven/registries/:id/upstreams': (fixture) =>
    mavenRequest(fixture, 'registry', {
      url: `https://maven.example/${fixture.fresh('path')}`,
      name: 'Example',
      username: 'lamplighter',
      password: 'a password of an upstream',
    }),
  'GET /api/v4/virtual_registries/packages/maven/upstreams/:id': (fixture) => mavenRequest(fixture, 'upstream'),
  'PATCH /api/v4/virtual_registries/packages/maven/upstreams/:id': (fixture) =>
    mavenRequest(fixture, 'upstream', { cache_validity_hours: 48 }),
  'DELETE /api/v4/virtual_registries/packages/maven/upstreams/:id': (fixture) => mavenRequest(fixture, 'upstream'),
  'DELETE /api/v4/virtual_registries/packages/maven/upstreams/:id/cache': (fixture) => mavenRequest(fixture, 'upstream'),
  'POST /api/v4/virtual_registries/packages/maven/registry_upstreams': (fixture) => {
    const { registry, other } = mavenOf(fixture, fixture.group);
    return { token: admin, params: { registry_id: registry.id, upstream_id: other.upstream.id } };
  },
  'PATCH /api/v4/virtual_registries/packages/maven/registry_upstreams/:id': (fixture) =>
    mavenRequest(fixture, 'link', { position: 1 }),
  'DELETE /api/v4/virtual_registries/packages/maven/registry_upstreams/:id': (fixture) => mavenRequest(fixture, 'link'),
  'GET /api/v4/virtual_registries/packages/maven/upstreams/:id/cache_entries': (fixture) =>
    mavenRequest(fixture, 'upstream', { search: 'lamps' }),
  'POST /api/v4/virtual_registries/packages/maven/upstreams/:id/cache_entries': (fixture) =>
    mavenRequest(fixture, 'upstream', { relative_path: 'org/lamps/lamps-1.0.jar', file_sha1: 'c'.repeat(40), size: 12 }),
  'DELETE /api/v4/virtual_registries/packages/maven/cache_entries/:id': (fixture) => ({
    token: admin,
    path: { id: mavenOf(fixture, fixture.group).entry },
  }),
};
