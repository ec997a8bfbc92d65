import assert from 'node:assert/strict';
import { additions, type DeprecationId, deprecationOf } from '../../../src/contract/deprecations.ts';
import type { Release } from '../../../src/contract/releases.ts';
import { routeDefinitions } from '../../../server/app.ts';
import type { Route } from '../../../server/http/route.ts';
import { enterprisePasswords } from '../../../server/features/users/enterprise.ts';
import { type Availability, defaultProfile, isAvailable } from '../../../server/core/profile.ts';
import { numbers, switches } from '../../../server/features/settings/settings.ts';
import { type Example, examples, makeFixture, sendExample } from '../../support/examples.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Releases before and after changes of the documented interface. */
const compared: readonly Release[] = ['15.1', '16.4', '16.5', '17.0', '17.1', '18.2', '18.3', '18.11', '19.0', '20.0'];

/** A read whose response depends on the release although its route exists in each of them. */
interface Change {
  /** Names of the reads. */
  readonly reads: readonly string[] | RegExp;
  /** Lines of the shape that may differ. */
  readonly lines: RegExp;
  /** Availability of what differs: that of a definition, or of a row of the registry. */
  readonly of: Availability;
}

const since = (id: keyof typeof additions): Availability => ({ addedIn: additions[id].addedIn });
const until = (id: DeprecationId): Availability => ({ removedIn: deprecationOf(id).removedIn });
const announced = (id: DeprecationId): Availability => ({ addedIn: deprecationOf(id).announcedIn });

const auditEvents = ['GET /api/v4/audit_events', 'GET /api/v4/groups/:id/audit_events', 'GET /api/v4/projects/:id/audit_events'];
const pages = /^rel="(?:first|last|next)"$/;

const changes: readonly Change[] = [
  { reads: ['GET /api/v4/users'], lines: pages, of: since('users-keyset') },
  { reads: ['GET /api/v4/projects/:id/repository/tree?pagination=keyset'], lines: pages, of: since('tree-keyset') },
  { reads: ['GET /api/v4/projects/:id/issues?pagination=keyset'], lines: pages, of: since('issues-keyset') },
  { reads: auditEvents, lines: pages, of: until('audit-event-offsets') },
  { reads: auditEvents, lines: /^rel="deprecation"$/, of: announced('audit-event-offsets') },
  {
    reads: ['GET /api/v4/user', 'GET /api/v4/users', 'GET /api/v4/users/:id', 'GET /api/v4/keys', 'GET /api/v4/keys/:id'],
    lines: /\.enterprise_group(?:_associated_at|_id)$/,
    of: enterprisePasswords,
  },
  {
    reads: ['GET /api/v4/groups/:id'],
    lines: /^\.disable_password_authentication_for_enterprise_users$/,
    of: enterprisePasswords,
  },
  {
    reads: /^GET \/api\/v4\/(?:.+\/)?(?:projects|projects\/:id|groups\/:id|starred_projects|forks)$/,
    lines: /\.ci_job_token_scope_enabled$/,
    of: until('ci-job-token-scope-enabled'),
  },
  {
    reads: ['GET /api/v4/projects/:id', 'GET /api/v4/groups/:id'],
    lines: /^\.runners_token$/,
    of: until('runner-registration'),
  },
  { reads: ['GET /api/v4/job'], lines: /^rel="deprecation"$/, of: announced('text-job-tokens') },
  // The token of the example has the text format, which ends one major release after its deprecation (docs/interface.md#job-tokens).
  { reads: ['GET /api/v4/job'], lines: /^(?!rel)/, of: { removedIn: '20.0' } },
  ...Object.entries({ ...switches, ...numbers }).map(
    ([name, setting]): Change => ({
      reads: ['GET /api/v4/application/settings'],
      lines: new RegExp(`^\\.${name}$`),
      of: {
        addedIn: 'addedIn' in setting ? setting.addedIn : undefined,
        removedIn: 'removedIn' in setting ? setting.removedIn : undefined,
      },
    }),
  ),
];

/** Reads whose responses describe the release, or what was requested before. */
const unstable = ['GET /api/v4/openapi.json', 'GET /api/v4/deprecated_calls'];

/** Declares a test of all reads, or of `sample` reads that the seed determines. */
export function describeReleases({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('the same reads in several releases', () => {
    it('differ by what the registry of deprecations and the definitions of routes and settings say, and by nothing else', async () => {
      await using server = await startTestServer({ storages: emptyStorage });
      const reads = await readsOf(server, sample);
      const shapes = new Map<string, readonly string[]>();
      const unexplained: string[] = [];
      const seen = new Set<Change>();
      for (const [index, release] of compared.entries()) {
        await emulate(server, release);
        for (const { name, route, example } of reads) {
          const shape = await shapeOf(server, route, example);
          const before = shapes.get(name);
          shapes.set(name, shape);
          const previous = compared[index - 1];
          if (before === undefined || previous === undefined || before.join() === shape.join()) continue;
          if (hasChanged(route, previous, release)) continue;
          const differences = [
            ...before.filter((line) => !shape.includes(line)),
            ...shape.filter((line) => !before.includes(line)),
          ];
          for (const line of differences) {
            const change = changes.find(
              (one) => isOf(one, name) && one.lines.test(line) && hasChanged(one.of, previous, release),
            );
            if (change === undefined) unexplained.push(`${previous} to ${release}: ${name}: ${line}`);
            else seen.add(change);
          }
        }
      }
      assert.deepEqual(unexplained, []);
      if (sample !== Number.POSITIVE_INFINITY) return;
      const superfluous = changes.filter((change) => isBetween(change.of) && !seen.has(change));
      assert.deepEqual(superfluous, [], 'changes that no read shows');
    });
  });
}

function isOf({ reads }: Change, name: string): boolean {
  return reads instanceof RegExp ? reads.test(name) : reads.includes(name);
}

/** Returns true if one of the compared releases has something that another does not. */
function isBetween(of: Availability): boolean {
  return compared.some((release, index) => index > 0 && hasChanged(of, compared[index - 1] ?? release, release));
}

function hasChanged(of: Availability, before: Release, after: Release): boolean {
  const [was, is] = [before, after].map((release) => isAvailable(of, { ...defaultProfile, release }));
  return was !== is;
}

interface Read {
  readonly name: string;
  readonly route: Pick<Route, 'method' | 'path'> & Availability;
  readonly example: Example;
}

async function readsOf(server: TestServer, sample: number): Promise<readonly Read[]> {
  const fixture = makeFixture(server);
  const reads: Read[] = [];
  const routes = routeDefinitions(server.platform).filter(
    ({ area, method, path, offerings }) =>
      area === 'api' &&
      method === 'GET' &&
      !unstable.includes(`${method} ${path}`) &&
      (offerings === undefined || offerings.includes(defaultProfile.offering)),
  );
  for (const route of sampleOf('reads in several releases', routes, sample)) {
    const name = `${route.method} ${route.path}`;
    const make = examples[name];
    assert.ok(make, name);
    const example = await make(fixture);
    reads.push({ name, route, example });
    if (/\/(?:repository\/tree|projects\/:id\/issues)$/.test(route.path)) {
      reads.push({
        name: `${name}?pagination=keyset`,
        route,
        example: { ...example, params: { ...example.params, pagination: 'keyset' } },
      });
    }
  }
  return reads;
}

async function emulate(server: TestServer, release: Release): Promise<void> {
  const response = await server.request('PUT', '/_local/profile', { token: server.adminToken, json: { release } });
  assert.equal(response.status, 200);
}

/** Returns the status, the members of the body and the relations of the links of a response. */
async function shapeOf(server: TestServer, route: Read['route'], example: Example): Promise<readonly string[]> {
  const { status, text, headers } = await sendExample(server, route, example);
  const isJson = headers.get('content-type') === 'application/json' && status < 400;
  const members = isJson ? [...new Set(membersOf(JSON.parse(text), ''))].toSorted() : [];
  return [`status ${status}`, ...members, ...(headers.get('link')?.match(/rel="\w+"/g) ?? [])];
}

function membersOf(value: unknown, place: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => membersOf(one, `${place}[]`));
  if (typeof value !== 'object' || value === null) return [place];
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, `${place}.${name}`));
}
