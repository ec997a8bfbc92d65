import assert from 'node:assert/strict';
import { ApiFailure, type FailureKind } from '../../../src/api/failures.ts';
import type { ConnectionState } from '../../../src/instances/connection.ts';
import { localInstance } from '../../../src/instances/instances.ts';
import { notificationsAppearance } from '../../../src/notifications/appearance.ts';
import type { NotificationApi } from '../../../src/notifications/api.ts';
import { createNotificationsModel, type NotificationsModel } from '../../../src/notifications/model.ts';
import { globalScope } from '../../../src/notifications/scopes.ts';

const signedIn = {
  ...{ kind: 'signedIn', instance: localInstance('data'), sessionId: '1' },
  account: { id: 1, username: 'amara', name: 'Amara' },
} as const satisfies ConnectionState;

const moment = { now: 0, locale: 'en' };

/** Returns a model whose requests have failed in this way, before or after the global settings were loaded. */
async function failedModel(failure: ApiFailure, isLoaded = false): Promise<NotificationsModel> {
  const model = createNotificationsModel(() => 0);
  const fail = (): Promise<never> => Promise.reject(failure);
  const api: NotificationApi = { read: fail, write: fail, list: fail, follow: fail, emails: fail };
  model.setSource({ key: 'test#1', api: () => api, pins: () => [] });
  if (isLoaded) model.put(globalScope, { level: 'watch', switches: {} });
  await (isLoaded ? model.refresh() : model.resolve(globalScope));
  return model;
}

describe('the state of the notifications view', () => {
  for (const kind of ['notFound', 'forbidden', 'signedOut', 'unreachable', 'rateLimited'] satisfies FailureKind[])
    it(`is ${kind} after such a failure, with its message next to the title`, async () => {
      const model = await failedModel(new ApiFailure(kind, 'what happened'));
      assert.deepEqual(notificationsAppearance(signedIn, model, moment), {
        state: kind,
        description: 'what happened',
        message: '',
      });
    });

  it('is ready with the account and the search next to the title', () => {
    const model = createNotificationsModel();
    model.put(globalScope, { level: 'watch', switches: {} });
    assert.deepEqual(notificationsAppearance(signedIn, model, moment), { state: 'ready', description: '@amara', message: '' });
    model.setSearch('berth');
    assert.equal(notificationsAppearance(signedIn, model, moment).description, '@amara · “berth”');
  });

  for (const kind of [
    'signedOut',
    'unreachable',
    'timedOut',
    'rateLimited',
    'unavailable',
    'moved',
    'unintelligible',
  ] satisfies FailureKind[])
    it(`stays ready with its age after a failure of the kind ${kind}`, async () => {
      const model = await failedModel(new ApiFailure(kind, 'What happened'), true);
      const appearance = notificationsAppearance(signedIn, model, { now: 5 * 60_000, locale: 'en' });
      const message = 'Last updated 5 minutes ago. What happened';
      assert.deepEqual(appearance, { state: 'ready', description: '@amara', message });
    });

  for (const kind of ['forbidden', 'notFound'] satisfies FailureKind[])
    it(`is ${kind} when settings that were loaded can no longer be read`, async () => {
      const model = await failedModel(new ApiFailure(kind, 'What happened'), true);
      assert.equal(notificationsAppearance(signedIn, model, moment).state, kind);
    });

  it('says with its age that the instance has ended the session', async () => {
    const model = await failedModel(new ApiFailure('signedOut', 'What happened'), true);
    const state: ConnectionState = { kind: 'signedOut', instance: localInstance('data'), ended: signedIn.account };
    assert.equal(
      notificationsAppearance(state, model, { now: 60_000, locale: 'en' }).message,
      'Last updated 1 minute ago. Managed server no longer accepts the sign-in of @amara. Sign in again.',
    );
  });

  it('is idle while nobody is signed in', () => {
    const state: ConnectionState = { kind: 'signedOut', instance: localInstance('data') };
    assert.equal(notificationsAppearance(state, createNotificationsModel(), moment).state, 'idle');
  });
});
