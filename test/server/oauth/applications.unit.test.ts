import assert from 'node:assert/strict';
import { endPlatform } from '../../../server/createPlatform.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import {
  applicationById,
  createApplication,
  deleteApplication,
  listApplications,
  setApplicationSecret,
} from '../../../server/features/oauth/applications.ts';
import { hashSecret } from '../../../server/core/secrets.ts';
import { createTestPlatform } from '../../support/server.ts';

describe('registered OAuth applications', () => {
  let platform: ReturnType<typeof createTestPlatform>;
  beforeEach(() => {
    platform = createTestPlatform();
  });
  afterEach(() => endPlatform(platform));

  it('a registered application keeps its settings, and its secret only as a hash', () => {
    const { application, secret = '' } = createApplication(platform, {
      name: 'Lamp board',
      scopes: ['api', 'read_user'],
      confidential: true,
      redirectUris: ['https://lamps.example/callback', 'http://127.0.0.1/callback'],
      trusted: true,
    });
    assert.match(application.uid, /^[0-9a-f]{64}$/);
    assert.match(secret, /^gloas-[0-9a-f]{64}$/);
    const { id, uid, created_at, ...rest } = applicationById(platform, application.id) ?? application;
    assert.equal(id, application.id);
    assert.equal(uid, application.uid);
    assert.ok(created_at <= platform.clock.now());
    assert.deepEqual(rest, {
      name: 'Lamp board',
      owner_id: null,
      secret_hash: hashSecret(secret),
      redirect_uris: 'https://lamps.example/callback\nhttp://127.0.0.1/callback',
      scopes: 'api read_user',
      confidential: 1,
      trusted: 1,
    });
  });

  it('applications are listed by owner, in order of registration', () => {
    const ada = createUser(platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    assert.ok(typeof ada === 'object');
    const input = { scopes: ['api'], confidential: false };
    const [first, second, own] = [
      createApplication(platform, { ...input, name: 'Of the instance' }),
      createApplication(platform, { ...input, name: 'Another' }),
      createApplication(platform, { ...input, name: 'Own', owner: ada }),
    ].map(({ application }) => application.id);
    assert.deepEqual(
      listApplications(platform).map(({ id }) => id),
      [first, second, own],
    );
    assert.deepEqual(
      listApplications(platform, ada).map(({ id }) => id),
      [own],
    );
  });

  it('a confidential application gets a new secret that replaces the old one', () => {
    const { application, secret } = createApplication(platform, { name: 'Board', scopes: ['api'], confidential: true });
    const renewed = setApplicationSecret(platform, application);
    assert.notEqual(renewed, secret);
    assert.equal(applicationById(platform, application.id)?.secret_hash, hashSecret(renewed));
    const open = createApplication(platform, { name: 'Command line', scopes: ['api'], confidential: false });
    assert.equal(open.secret, undefined);
    assert.throws(() => setApplicationSecret(platform, open.application));
  });

  it('an application can be deleted only once', () => {
    const { application } = createApplication(platform, { name: 'Board', scopes: ['api'], confidential: true });
    assert.equal(deleteApplication(platform, application), true);
    assert.equal(applicationById(platform, application.id), undefined);
    assert.equal(deleteApplication(platform, application), false);
  });
});
