import assert from 'node:assert/strict';
import { isRaw } from '../../support/responses.ts';
import type * as z from 'zod';
import { isDescribed, type Route } from '../../../server/http/route.ts';
import { examples, makeFixture, sendExample } from '../../support/examples.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { availableRoutes } from './everyRoute.ts';

const nameOf = (route: Route): string => `${route.method} ${route.path}`;

/** Members that not every response has; all others are always present. */
const OPTIONAL = [
  'add',
  'as',
  'ci_job_token_scope_enabled',
  'client_id',
  'closed_issues_count',
  'commit',
  'commit_id',
  'commit_path',
  'created_by',
  'delete_api_path',
  'description_html',
  'device_authorization_endpoint',
  'disable_password_authentication_for_enterprise_users',
  'diverged_commits_count',
  'enterprise_group_associated_at',
  'enterprise_group_id',
  'events',
  'exp',
  'failure_reason',
  'forked_from_project',
  'group_id',
  'https://gitlab.org/claims/groups/owner',
  'inherited',
  'is_admin',
  'members_count_with_descendants',
  'milestones',
  'mr_default_target_self',
  'new_epic',
  'offset_pagination_limit',
  'open_issues_count',
  'open_merge_requests_count',
  'owner',
  'permissions',
  'pipeline',
  'position',
  'pre_receive_secret_detection_enabled',
  'project_id',
  'rebase_in_progress',
  'refresh_token',
  'remove',
  'repository_storage',
  'resolved',
  'resolved_at',
  'resolved_by',
  'ropc_without_client_credentials',
  'runners_token',
  'secret_push_protection_enabled',
  'scan_execution_policies_action_limit',
  'size',
  'sources',
  'stats',
  'subscribed',
  'tag_path',
  'tags',
  'tags_count',
  'user_id',
  'variables',
  'weight',
];
/** Routes whose response format is defined elsewhere. */
const OPEN = [
  'GET /api/v4/openapi.json',
  'POST /api/graphql',
  // Deliveries contain what was sent.
  'GET /api/v4/projects/:id/hooks/:hook_id/events',
  'GET /api/v4/groups/:id/hooks/:hook_id/events',
];
/** Objects with any number of members, whose names are data. */
const MAPS = ['languages', 'repository_storages_weighted'];
/** Numbers that may have a fraction. */
const FRACTIONS = ['coverage', 'duration', 'duration_p50', 'milliseconds', 'offset_seconds', 'queued_duration'];

/**
 * Declares tests that send the example of every route. The responses of `sample` routes that the seed determines, or of all, are also changed
 * in every position, which the schemas must refuse.
 */
export function describeResponses({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('response schemas', function () {
    let server: TestServer;
    let folder: ReturnType<typeof temporaryFolder>;

    const all = availableRoutes();
    const programs = all.filter(isDescribed);
    const seenAbsent = new Set<string>();

    before(async () => {
      folder = temporaryFolder();
      server = await startTestServer({ dataFolder: folder.path, storages: emptyStorage });
    });
    after(async () => {
      await server.close();
      folder[Symbol.dispose]();
    });

    it('response schemas exist for every route with a body', () => {
      for (const route of programs) assert.equal(route.body !== undefined, route.successStatus !== 204, nameOf(route));
    });

    it('response schemas accept the response to every example, and reject missing members, other types and additional members', async () => {
      const fixture = makeFixture(server);
      const responses: { readonly name: string; readonly schema: z.ZodType; readonly body: unknown }[] = [];
      for (const route of programs) {
        const schema = route.body?.();
        const make = examples[nameOf(route)];
        if (make === undefined) continue;
        const example = await make(fixture);
        const response = await sendExample(server, route, example);
        assert.equal(response.status, example.status ?? route.successStatus, `${nameOf(route)}: ${response.text}`);
        if (schema === undefined || isRaw(route.body) || OPEN.includes(nameOf(route))) continue;
        const body = response.json();
        assert.ok(schema.safeParse(body).success, nameOf(route));
        assert.ok(!Array.isArray(body) || body.length > 0, `${nameOf(route)} returned an empty list`);
        responses.push({ name: nameOf(route), schema, body: shortened(body) });
      }
      // Done at the end, because this long computation would hide that the server closes idle connections.
      for (const { name, schema, body } of sampleOf('changed responses', responses, sample)) refuseMutants(name, schema, body);
      if (sample >= responses.length) assert.deepEqual([...seenAbsent].toSorted(), OPTIONAL.toSorted());
    });

    function refuseMutants(name: string, schema: z.ZodType, body: unknown): void {
      const whole = name.endsWith('/languages') ? 'languages' : 'the whole value';
      for (const { mutant, member, how } of mutantsOf(body, (changed) => changed, whole)) {
        const isFine = schema.safeParse(mutant).success;
        // An envelope without an event has no id.
        if (isFine && how === 'dropped' && member === 'id' && /\/api\/:project_id\/\w+$/.test(name)) continue;
        if (isFine && how === 'dropped' && OPTIONAL.includes(member)) seenAbsent.add(member);
        else assert.ok(!isFine, `${name} accepts ${member} ${how}`);
      }
    }
  });
}

/** Number of changed items per list, limited because each change is validated with the whole response, and all items have one schema. */
const ITEMS = 3;

/** Returns a value with shortened lists. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, ITEMS).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortened(part)]));
}

interface Mutant {
  readonly mutant: unknown;
  readonly member: string;
  readonly how: string;
}

/** Yields all values that differ from a value in one position. `around` puts a changed part back into the whole. */
function* mutantsOf(value: unknown, around: (changed: unknown) => unknown, member: string): Generator<Mutant> {
  for (const changed of otherTypes(value, member)) {
    yield { mutant: around(changed), member, how: `as ${JSON.stringify(changed)}` };
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* mutantsOf(item, (changed) => around(value.with(index, changed)), member);
    }
  } else if (typeof value === 'object' && value !== null) {
    const isMap = MAPS.includes(member);
    if (!isMap) yield { mutant: around({ ...value, unheard_of: 1 }), member, how: 'with an additional member' };
    for (const [name, part] of Object.entries(value)) {
      const { [name]: _, ...others }: Record<string, unknown> = { ...value };
      if (!isMap) yield { mutant: around(others), member: name, how: 'dropped' };
      yield* mutantsOf(part, (changed) => around({ ...value, [name]: changed }), name);
    }
  }
}

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function otherTypes(value: unknown, member: string): readonly unknown[] {
  if (typeof value === 'string') return [7, true, ['x'], ...(MOMENT.test(value) ? ['yesterday', value.slice(0, 10)] : [])];
  if (typeof value === 'number') return ['7', true, {}, ...(FRACTIONS.includes(member) ? [] : [value + 0.5])];
  if (typeof value === 'boolean') return ['true', 1];
  return value === null ? [{}, ['x']] : ['x', 7];
}
