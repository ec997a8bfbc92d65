// test/support/schema40/state.json is what the extension stored in the build with schema 40.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createChoices } from '../../../src/activity/choices.ts';
import { createPins, createProjectChoice } from '../../../src/activity/chosenProject.ts';
import { createUnread } from '../../../src/activity/unread.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import { createInstances } from '../../../src/instances/instances.ts';
import { createDataProfiles } from '../../../src/local/profiles.ts';
import { createMask } from '../../../src/support/log.ts';
import { fakeClock, fakeLog, fakeMemento, fakeSecrets } from '../../support/extension/fakes.ts';

const FILE = path.join(import.meta.dirname, '../../support/schema40/state.json');
const REMOTE = 'https://gitlab.example.com';
const DATA = 'f0278436-daaa-43c5-8a5f-280e4fe17bdd';
const LOCAL = `local/${DATA}`;
const BO = `${LOCAL}#4`;

interface StoredState {
  readonly globalState: Readonly<Record<string, unknown>>;
  readonly workspaceState: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
}

async function world() {
  const state = JSON.parse(readFileSync(FILE, 'utf8')) as StoredState;
  const [memory, window, secrets] = [fakeMemento(state.globalState), fakeMemento(state.workspaceState), fakeSecrets()];
  for (const [key, value] of Object.entries(state.secrets)) await secrets.store(key, value);
  const mask = createMask();
  const log = fakeLog();
  const sessions = createSessions({ secrets, memory, window, mask, log, sleep: fakeClock().sleep });
  await sessions.load();
  const profiles = createDataProfiles({ root: '/data', chosen: () => undefined, memory, secrets, mask, log });
  return { memory, window, secrets, sessions, profiles };
}

describe('the state of an earlier build', () => {
  it('the state of an earlier build has the accounts with their sessions, and which of them is in use', async () => {
    const { sessions } = await world();
    assert.partialDeepStrictEqual(sessions.current(LOCAL), {
      credential: 'persona',
      account: { id: 4, username: 'bo', name: 'Bo Lindgren' },
      accessToken: 'bo-local-experiments-0001',
    });
    const remote = sessions.current(REMOTE);
    assert.partialDeepStrictEqual(remote, {
      credential: 'oauth',
      clientId: 'client-of-ana',
      account: { id: 7, username: 'ana' },
      scopes: ['api', 'read_user'],
      expiry: { at: 1_795_694_400_000, lifetime: 7_200_000 },
    });
    assert.match(remote?.refreshToken ?? '', /^[0-9a-f]{32}$/);
    assert.equal(sessions.all().length, 2);
  });

  it('the state of an earlier build has the selected instance, and the data, port and admin token of the local server', async () => {
    const { memory, profiles, secrets } = await world();
    const profile = profiles.current();
    const instances = createInstances(() => [{ url: REMOTE, clientId: 'client-of-ana' }], memory, profile.data.get);
    assert.equal(instances.current().key, REMOTE);
    assert.equal(instances.local().key, LOCAL);
    assert.deepEqual([profile.name, profile.lastPort.get(), profile.data.get()], ['default', 40123, DATA]);
    assert.equal(await profile.adminToken(), await secrets.get('local/adminToken//data/default'));
    assert.deepEqual([...secrets.values.keys()].filter((key) => key.startsWith('local/')).length, 1, 'no other token was made');
  });

  it('the state of an earlier build has what was selected, pinned and read in the activity', async () => {
    const { memory, window } = await world();
    const project = { id: 1, path: 'harbour/berths' };
    assert.deepEqual(createPins(memory).list(BO), [project]);
    assert.deepEqual(createProjectChoice(window).get(LOCAL), project);
    assert.deepEqual(createChoices(memory).scope(BO), { kind: 'all' });
    assert.equal(createUnread({ ...memory, setKeysForSync: () => {} }).readMarker(BO), 41);
  });
});
