import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import type { Release } from '../../../src/contract/releases.ts';
import { type EventName, eventTypes, isAudited } from '../../../server/features/audit/eventTypes.ts';
import { DAY } from '../../../server/core/clock.ts';
import type { User } from '../../../server/core/caller.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { defaultProfile } from '../../../server/core/profile.ts';
import { codeClient, decideOn, requestOf } from '../oauth/codes.ts';
import { decide, deviceCodes } from '../oauth/support.ts';
import { fullEvent, reportError } from '../errorTracking/reports.ts';
import { PageClient } from '../../support/pages.ts';
import { cheapHash } from '../../support/passwords.ts';
import { freshPublicKey } from '../../support/publicKeys.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const password = 'a long pass phrase';

interface Event {
  readonly author_id: number;
  readonly entity_type: string;
  readonly entity_id: number;
  readonly event_name: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A server with a user, and requests of root that must succeed. */
interface Stage {
  readonly server: TestServer;
  readonly ada: User;
  /** Returns the ID of the created resource. */
  send(method: string, path: string, json?: unknown): Promise<number>;
  signIn(secret: string, client?: PageClient): Promise<TestResponse>;
  /** Creates a project or group with ada as a member. */
  project(): Promise<number>;
  group(): Promise<number>;
}

interface Scenario {
  readonly names: readonly EventName[];
  /** Members of the last event with the first of these names. */
  readonly has: object;
  run(stage: Stage): Promise<unknown>;
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'a project is created, changed and deleted': {
    names: [
      'project_created',
      'project_name_updated',
      'project_path_updated',
      'project_namespace_updated',
      'project_visibility_level_updated',
      'project_description_updated',
      'project_feature_issues_access_level_updated',
      'project_archived',
      'project_unarchived',
      'project_destroyed',
    ],
    has: {
      author_id: 1,
      entity_type: 'Project',
      entity_id: 1,
      details: { add: 'project', entity_path: 'root/lamps', ip_address: '127.0.0.1' },
    },
    run: async ({ send }) => {
      const id = await send('POST', '/projects', { name: 'Lamps' });
      const changes = {
        name: 'Lights',
        path: 'lights',
        visibility: 'public',
        description: 'Red',
        issues_access_level: 'private',
      };
      await send('PUT', `/projects/${id}`, changes);
      await send('POST', `/projects/${id}/archive`);
      await send('POST', `/projects/${id}/unarchive`);
      const group = await send('POST', '/groups', { name: 'Signals', path: 'signals', visibility: 'public' });
      await send('PUT', `/projects/${id}/transfer`, { namespace: group });
      await send('DELETE', `/projects/${id}`);
    },
  },
  'a group is created, changed and deleted': {
    names: [
      'group_created',
      'group_name_updated',
      'group_path_updated',
      'group_visibility_level_updated',
      'group_description_updated',
      'group_project_creation_level_updated',
      'group_destroyed',
    ],
    has: { author_id: 1, entity_type: 'Group', details: { add: 'group', target_type: 'Group' } },
    run: async ({ send }) => {
      const id = await send('POST', '/groups', { name: 'Signals', path: 'signals' });
      const changes = {
        name: 'Lights',
        path: 'lights',
        visibility: 'public',
        description: 'Red',
        project_creation_level: 'noone',
      };
      await send('PUT', `/groups/${id}`, changes);
      await send('DELETE', `/groups/${id}`);
    },
  },
  'a project member is added, changed and removed': {
    names: ['member_created', 'member_updated', 'member_destroyed'],
    has: { author_id: 1, entity_type: 'Project', details: { add: 'user_access', as: 'Developer', target_type: 'User' } },
    run: async ({ send, project, ada }) => {
      const id = await project();
      await send('PUT', `/projects/${id}/members/${ada.id}`, { access_level: 40 });
      await send('DELETE', `/projects/${id}/members/${ada.id}`);
    },
  },
  'a group member is added, changed and removed': {
    names: ['member_created', 'member_updated', 'member_destroyed'],
    has: { author_id: 1, entity_type: 'Group', details: { add: 'user_access', as: 'Developer' } },
    run: async ({ send, group, ada }) => {
      const id = await group();
      await send('PUT', `/groups/${id}/members/${ada.id}`, { access_level: 40 });
      await send('DELETE', `/groups/${id}/members/${ada.id}`);
    },
  },
  'memberships expire': {
    names: ['member_destroyed'],
    has: { author_id: -1, details: { remove: 'user_access', system_event: true, reason: 'access expired', ip_address: null } },
    run: async ({ server, send, project, group, ada }) => {
      const expires_at = new Date(server.platform.clock.now() + 3 * DAY).toISOString().slice(0, 10);
      await send('PUT', `/projects/${await project()}/members/${ada.id}`, { access_level: 30, expires_at });
      await send('PUT', `/groups/${await group()}/members/${ada.id}`, { access_level: 30, expires_at });
      server.platform.clock.advance(4 * DAY);
      server.platform.schedule.runDue();
    },
  },
  'a user is created and changed': {
    names: [
      'user_created',
      'user_name_updated',
      'user_email_address_updated',
      'user_admin_status_updated',
      'user_external_status_updated',
      'user_profile_visibility_updated',
      'user_username_updated',
    ],
    has: { author_id: 1, entity_type: 'User', details: { add: 'user', entity_path: 'bob' } },
    run: async ({ send }) => {
      const person = { username: 'bob', name: 'Bob', email: 'bob@example.com', force_random_password: true };
      const id = await send('POST', '/users', person);
      const changes = { name: 'Robert', email: 'robert@example.com', admin: true, external: true, private_profile: true };
      await send('PUT', `/users/${id}`, { ...changes, username: 'robert' });
    },
  },
  'a user is deleted': {
    names: ['user_destroyed', 'project_destroyed'],
    has: { author_id: 1, entity_type: 'User', details: { remove: 'user', target_details: 'Ada', entity_path: 'ada' } },
    run: async ({ server, send, ada }) => {
      createProject(server.platform, ada, { name: 'Lamps' });
      await send('DELETE', `/users/${ada.id}`);
    },
  },
  'the state of a user changes': {
    names: ['user_blocked', 'unblock_user', 'ban_user', 'unban_user', 'user_deactivate', 'user_activate'],
    has: { author_id: 1, entity_type: 'User', details: { custom_message: 'Blocked user', target_details: 'Ada' } },
    run: async ({ send, ada }) => {
      for (const action of ['block', 'unblock', 'ban', 'unban', 'deactivate', 'activate']) {
        await send('POST', `/users/${ada.id}/${action}`);
      }
    },
  },
  'a user signs in and changes the password': {
    names: ['authenticated_with_password', 'user_password_updated'],
    has: { entity_type: 'User', details: { author_name: 'Ada', entity_path: 'ada' } },
    run: async ({ server, signIn }) => {
      assert.equal((await signIn(password)).status, 303);
      const client = new PageClient(server);
      await client.signIn('ada');
      const page = '/user_settings/password';
      const changed = { current_password: password, password: `${password}!`, password_confirmation: `${password}!` };
      assert.equal((await client.submit(await client.open(page), page, changed)).status, 303);
    },
  },
  'wrong passwords lock an account, and an administrator unlocks it': {
    names: ['login_failed_with_standard_authentication', 'user_access_locked', 'user_access_unlocked'],
    has: {
      author_id: -1,
      entity_type: 'Gitlab::Audit::InstanceScope',
      target_details: 'ada',
      details: { failed_login: 'STANDARD', ip_address: '127.0.0.1' },
    },
    run: async ({ signIn, send, ada }) => {
      for (let index = 0; index < 10; index += 1) await signIn(`wrong number ${index}`);
      await send('POST', `/users/${ada.id}/unlock`);
    },
  },
  'personal access tokens are created, rotated and revoked': {
    names: ['personal_access_token_created', 'personal_access_token_revoked'],
    has: { author_id: 1, entity_type: 'User', details: { target_type: 'PersonalAccessToken', entity_path: 'ada' } },
    run: async ({ send, ada }) => {
      const id = await send('POST', `/users/${ada.id}/personal_access_tokens`, { name: 'one', scopes: ['api'] });
      const next = await send('POST', `/personal_access_tokens/${id}/rotate`);
      await send('DELETE', `/personal_access_tokens/${next}`);
    },
  },
  'an application is registered, gets a new secret and is deleted': {
    names: ['oauth_application_created', 'oauth_application_secret_renewed', 'oauth_application_destroyed'],
    has: { author_id: 1, details: { target_type: 'Authn::OauthApplication', target_details: 'Lamp control' } },
    run: async ({ send }) => {
      const input = { name: 'Lamp control', redirect_uri: 'http://localhost/', scopes: 'api' };
      const id = await send('POST', '/applications', input);
      await send('POST', `/applications/${id}/renew-secret`);
      await send('DELETE', `/applications/${id}`);
    },
  },
  'instance settings change': {
    names: ['application_setting_updated'],
    has: {
      entity_type: 'Gitlab::Audit::InstanceScope',
      event_type: 'application_setting_updated',
      details: { change: 'offset_pagination_limit', from: '50000', to: '700', entity_path: 'gitlab_instance' },
    },
    run: ({ send }) => send('PUT', '/application/settings', { offset_pagination_limit: 700 }),
  },
  'a user signs in with a second factor, after a wrong code': {
    names: [
      'user_enable_two_factor',
      'login_failed_with_otp_authentication',
      'authenticated_with_two_factor',
      'user_disable_two_factor',
    ],
    has: { entity_type: 'User', details: { author_name: 'Ada', entity_path: 'ada' } },
    run: async ({ server, signIn, send, ada }) => {
      const browser = new PageClient(server);
      await browser.signIn('ada');
      const settings = '/user_settings/two_factor_auth';
      const page = await browser.open(settings);
      const secret = (/<dd class="mono">([A-Z2-7 ]+)<\/dd>/.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
      const app = new TOTP({ secret: Secret.fromBase32(secret) });
      const code = () => app.generate({ timestamp: server.platform.clock.now() });
      assert.equal((await browser.submit(page, settings, { current_password: password, code: code() })).status, 200);
      server.platform.clock.advance(60_000);
      const codePage = '/users/sign_in/two_factor';
      const other = new PageClient(server);
      assert.equal((await signIn(password, other)).status, 303);
      assert.equal((await other.submit(await other.open(codePage), codePage, { code: 'abcdef' })).status, 422);
      assert.equal((await other.submit(await other.open(codePage), codePage, { code: code() })).status, 303);
      await send('PATCH', `/users/${ada.id}/disable_two_factor`);
    },
  },
  'a user authorizes an application, by redirect and on a device': {
    names: ['user_authorized_oauth_application'],
    has: { author_id: 2, entity_type: 'User', entity_id: 2, details: { target_type: 'Authn::OauthApplication' } },
    run: async ({ server }) => {
      const browser = new PageClient(server);
      await browser.signIn('ada');
      await decideOn(browser, requestOf(codeClient(server)));
      await decide(server, await deviceCodes(server), 'approve', 'ada');
    },
  },
  'error tracking, client keys and source maps are created, changed and deleted': {
    names: [
      'error_tracking_setting_created',
      'error_tracking_setting_updated',
      'error_tracking_client_key_created',
      'error_tracking_client_key_destroyed',
      'error_tracking_source_map_created',
      'error_tracking_source_map_destroyed',
    ],
    has: {
      author_id: 1,
      entity_type: 'Project',
      entity_id: 1,
      details: {
        add: 'error_tracking_setting',
        custom_message: 'Set error tracking to active false and integrated true',
        target_type: 'Project',
      },
    },
    run: async ({ send }) => {
      const at = `/projects/${await send('POST', '/projects', { name: 'Lamps' })}/error_tracking`;
      await send('PUT', `${at}/settings`, { active: false, integrated: true });
      await send('PATCH', `${at}/settings`, { active: true });
      await send('DELETE', `${at}/client_keys/${await send('POST', `${at}/client_keys`)}`);
      const map = { name: 'app.js', file: '{"version":3,"sources":[],"mappings":""}' };
      await send('DELETE', `${at}/source_maps/${await send('POST', `${at}/source_maps`, map)}`);
    },
  },
  'deploy keys are added and removed': {
    names: ['deploy_key_added', 'deploy_key_removed'],
    has: {
      author_id: 1,
      entity_type: 'Project',
      entity_id: 1,
      details: { add: 'deploy_key', custom_message: 'Added deploy key', target_type: 'DeployKey', target_details: 'CI' },
    },
    run: async ({ send }) => {
      const at = `/projects/${await send('POST', '/projects', { name: 'Lamps' })}/deploy_keys`;
      await send('DELETE', `${at}/${await send('POST', at, { title: 'CI', key: freshPublicKey() })}`);
    },
  },
  'deploy tokens are created and deleted': {
    names: ['deploy_token_created', 'deploy_token_destroyed', 'group_deploy_token_created', 'group_deploy_token_destroyed'],
    has: {
      author_id: 1,
      entity_type: 'Project',
      entity_id: 1,
      details: {
        custom_message:
          'Created project deploy token with name: CI with token_id: 1 with scopes: ["read_repository", "read_registry"].',
        target_type: 'DeployToken',
        target_details: 'CI',
      },
    },
    run: async ({ send }) => {
      const token = { name: 'CI', scopes: ['read_repository', 'read_registry'] };
      const inProject = `/projects/${await send('POST', '/projects', { name: 'Lamps' })}/deploy_tokens`;
      await send('DELETE', `${inProject}/${await send('POST', inProject, token)}`);
      const inGroup = `/groups/${await send('POST', '/groups', { name: 'Crew', path: 'crew' })}/deploy_tokens`;
      await send('DELETE', `${inGroup}/${await send('POST', inGroup, token)}`);
    },
  },
  'branches and tags are protected and unprotected': {
    names: [
      'protected_branch_created',
      'protected_branch_updated',
      'protected_branch_removed',
      'protected_tag_created',
      'protected_tag_removed',
    ],
    has: {
      author_id: 1,
      entity_type: 'Project',
      entity_id: 1,
      details: {
        add: 'protected_branch',
        custom_message:
          'Added protected branch with [allowed to push: ["Maintainers"], allowed to merge: ["Maintainers"], allow force push: false, code owner approval required: false]',
        target_type: 'ProtectedBranch',
        target_details: 'stable',
      },
    },
    run: async ({ send }) => {
      const at = `/projects/${await send('POST', '/projects', { name: 'Lamps' })}`;
      await send('POST', `${at}/protected_branches`, { name: 'stable' });
      await send('PATCH', `${at}/protected_branches/stable`, { allow_force_push: true });
      await send('PATCH', `${at}/protected_branches/stable`, { allow_force_push: true });
      await send('DELETE', `${at}/protected_branches/stable`);
      await send('POST', `${at}/protected_tags`, { name: 'v*' });
      await send('DELETE', `${at}/protected_tags/v*`);
    },
  },
  'errors are ignored, assigned, linked with an issue, merged and split': {
    names: [
      'error_tracking_error_status_updated',
      'error_tracking_error_assigned',
      'error_tracking_error_issue_updated',
      'error_tracking_error_merged',
      'error_tracking_error_split',
    ],
    has: {
      author_id: 1,
      entity_type: 'Project',
      entity_id: 1,
      details: {
        change: 'status',
        from: 'unresolved',
        to: 'ignored (occurrences)',
        custom_message: 'Changed status from unresolved to ignored (occurrences)',
        target_type: 'ErrorTracking::Error',
        target_details: 'ValueError: cannot sail',
      },
    },
    run: async ({ server, send }) => {
      const id = await send('POST', '/projects', { name: 'Lamps' });
      await send('PUT', `/projects/${id}/error_tracking/settings`, { active: true, integrated: true });
      const [one, other] = ['sail', 'anchor'].map((fails) => reportError(server.platform, id, fullEvent(fails)));
      const at = `/projects/${id}/error_tracking/errors/${one?.fingerprint}`;
      await send('PUT', at, { status: 'ignored', ignored_until: 'occurrences', ignored_count: 3 });
      await send('POST', `/projects/${id}/issues`, { title: 'Sails tear' });
      await send('PUT', at, { assignee_id: 1, issue_iid: 1 });
      await send('POST', `${at}/merge`, { fingerprints: [other?.fingerprint] });
      const hash = server.platform.store.get<{ readonly hash: Buffer }>(
        'SELECT hash FROM tracked_groupings WHERE event_count > 0 ORDER BY id DESC',
      );
      await send('POST', `${at}/split`, { hash: hash?.hash.toString('hex') });
    },
  },
};

describe('names of audit events', () => {
  it('every event name is covered by a scenario', () => {
    const shown = new Set<string>(Object.values(scenarios).flatMap(({ names }) => names));
    const known = Object.keys(eventTypes).filter((name) => isEventName(name) && isAudited(name, defaultProfile));
    assert.deepEqual([...shown].toSorted(), known.toSorted());
  });
});

describe('recording of audit events', function () {
  let hash: string;
  let server: TestServer;
  let ada: User;
  before(() => {
    hash = cheapHash(password);
  });
  afterEach(() => server.close());

  async function start(release: Release = '18.11', log?: () => void): Promise<Stage> {
    server = await startTestServer({ profile: { release }, ...(log === undefined ? {} : { log }) });
    const { platform } = server;
    const made = createUser(platform, { username: 'ada', name: 'Ada', email: 'ada@example.com', passwordHash: hash });
    assert.ok(typeof made === 'object');
    ada = made;
    const send = async (method: string, path: string, json: unknown = {}): Promise<number> => {
      const response = await server.request(method, `/api/v4${path}`, { token: server.adminToken, json });
      assert.ok(response.status < 300, `${method} ${path}: ${response.text}`);
      return response.text === '' ? 0 : Number(Object(response.json()).id);
    };
    return {
      server,
      ada,
      send,
      signIn: async (secret, client = new PageClient(server)) =>
        client.submit(await client.open('/users/sign_in'), '/users/sign_in', { login: 'ada', password: secret }),
      project: async () => {
        const id = await send('POST', '/projects', { name: 'Lamps' });
        await send('POST', `/projects/${id}/members`, { user_id: ada.id, access_level: 30 });
        return id;
      },
      group: async () => {
        const id = await send('POST', '/groups', { name: 'Signals', path: 'signals' });
        await send('POST', `/groups/${id}/members`, { user_id: ada.id, access_level: 30 });
        return id;
      },
    };
  }

  /** Returns all audit events, oldest first. */
  async function written(): Promise<Event[]> {
    const response = await server.request('GET', '/api/v4/audit_events?per_page=100', { token: server.adminToken });
    const events = response.json();
    assert.ok(Array.isArray(events));
    return events.toReversed();
  }

  for (const [name, { names, has, run }] of Object.entries(scenarios)) {
    it(name, async () => {
      const stage = await start();
      await run(stage);
      const events = await written();
      for (const wanted of names)
        assert.ok(
          events.some(({ event_name }) => event_name === wanted),
          wanted,
        );
      assert.partialDeepStrictEqual(
        events.findLast(({ event_name }) => event_name === names[0]),
        has,
      );
      for (const { event_name, details } of events) assert.equal(details['event_name'], event_name);
    });
  }

  it('the misspelled event name is used before release 18.6, and never both names', async () => {
    for (const [release, wanted] of [
      ['18.5', 'user_profile_visiblity_updated'],
      ['18.6', 'user_profile_visibility_updated'],
    ] as const) {
      const { send } = await start(release);
      await send('PUT', `/users/${ada.id}`, { private_profile: true });
      const reported = (await written()).map(({ event_name }) => event_name).filter((name) => name.startsWith('user_profile'));
      assert.deepEqual(reported, [wanted]);
      await server.close();
    }
  });

  it('events of later releases are not recorded in an earlier release', async () => {
    const { signIn, send } = await start('17.4');
    assert.equal((await signIn(password)).status, 303);
    await send('PUT', `/users/${ada.id}`, { name: 'Adele', admin: true });
    const reported = (await written()).map(({ event_name }) => event_name);
    assert.ok(reported.includes('user_admin_status_updated'));
    assert.ok(!reported.includes('user_name_updated') && !reported.includes('authenticated_with_password'), reported.join());
  });

  it('the name of an unknown user is not recorded, because it may be a password', async () => {
    const { signIn } = await start();
    const client = new PageClient(server);
    const form = { login: 'correct horse battery', password: 'ada' };
    await client.submit(await client.open('/users/sign_in'), '/users/sign_in', form);
    await signIn('wrong');
    const failed = (await written()).filter(({ event_name }) => event_name.startsWith('login_failed'));
    assert.deepEqual(
      failed.map(({ details }) => [details['target_details'], details['author_name']]),
      [
        ['unknown', '(System)'],
        ['ada', '(System)'],
      ],
    );
  });

  it('refused, rolled back and ineffective changes are not recorded', async () => {
    const { send } = await start('18.11', () => undefined);
    const id = await send('POST', '/projects', { name: 'Lamps' });
    const before = (await written()).length;
    await send('PUT', `/projects/${id}`, { name: 'Lamps', visibility: 'private' });
    const refused = await server.request('PUT', `/api/v4/projects/${id}`, {
      token: server.adminToken,
      json: { name: 'Lights', path: '-' },
    });
    assert.equal(refused.status, 400);
    server.platform.changes.subscribe((change) => {
      if (change.kind === 'projectChanged') throw new Error('rolled back');
    });
    const failed = await server.request('PUT', `/api/v4/projects/${id}`, { token: server.adminToken, json: { name: 'Lights' } });
    assert.equal(failed.status, 500);
    assert.equal((await written()).length, before);
  });

  it('concurrent requests are recorded with their own users', async () => {
    const { send } = await start();
    const { token } = issuePersonalToken(server.platform, ada, { name: 'own', scopes: ['api'], expiresAt: null });
    const own = (name: string) => server.request('POST', '/api/v4/projects', { token, json: { name } });
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2 === 0 ? own(`own${index}`) : send('POST', '/projects', { name: `r${index}` }),
      ),
    );
    const made = (await written()).filter(({ event_name }) => event_name === 'project_created');
    assert.equal(made.length, 6);
    for (const { author_id, details } of made) {
      assert.equal(details['entity_path']?.toString().startsWith(author_id === ada.id ? 'ada/' : 'root/'), true);
    }
  });
});

function isEventName(text: string): text is EventName {
  return Object.hasOwn(eventTypes, text);
}
