import assert from 'node:assert/strict';
import { ApiFailure, type FailureKind } from '../../../src/api/failures.ts';
import type { ConnectionState } from '../../../src/instances/connection.ts';
import { localInstance } from '../../../src/instances/instances.ts';
import { formatNotificationFailure, notificationsAppearance } from '../../../src/notifications/appearance.ts';
import type { NotificationApi } from '../../../src/notifications/api.ts';
import { createNotificationsModel, type NotificationsModel } from '../../../src/notifications/model.ts';
import { globalScope } from '../../../src/notifications/scopes.ts';

const signedIn: ConnectionState = {
  ...{ kind: 'signedIn', instance: localInstance('data'), sessionId: '1' },
  account: { id: 1, username: 'amara', name: 'Amara' },
};

/** Returns a model whose requests have failed in this way. */
async function failedModel(failure: ApiFailure): Promise<NotificationsModel> {
  const model = createNotificationsModel();
  const fail = (): Promise<never> => Promise.reject(failure);
  const api: NotificationApi = { read: fail, write: fail, list: fail, follow: fail, emails: fail };
  model.setSource({ key: 'test#1', api: () => api, pins: () => [] });
  await model.resolve(globalScope);
  return model;
}

describe('the state of the notifications view', () => {
  for (const kind of ['notFound', 'forbidden', 'signedOut', 'unreachable', 'rateLimited'] satisfies FailureKind[])
    it(`is ${kind} after such a failure, with its message next to the title`, async () => {
      const model = await failedModel(new ApiFailure(kind, 'what happened'));
      assert.deepEqual(notificationsAppearance(signedIn, model), { state: kind, description: 'what happened' });
    });

  it('is ready with the account and the search next to the title', () => {
    const model = createNotificationsModel();
    model.put(globalScope, { level: 'watch', switches: {} });
    assert.deepEqual(notificationsAppearance(signedIn, model), { state: 'ready', description: '@amara' });
    model.setSearch('berth');
    assert.equal(notificationsAppearance(signedIn, model).description, '@amara · “berth”');
  });

  it('is idle while nobody is signed in', () => {
    const state: ConnectionState = { kind: 'signedOut', instance: localInstance('data') };
    assert.equal(notificationsAppearance(state, createNotificationsModel()).state, 'idle');
  });

  it('a missing scope is named, and other failures keep their message', () => {
    const scope = new ApiFailure('forbidden', 'no', { serverMessage: 'insufficient_scope' });
    assert.match(formatNotificationFailure(scope), /with the scope api/);
    assert.equal(formatNotificationFailure(new ApiFailure('forbidden', 'no')), 'no');
  });
});
