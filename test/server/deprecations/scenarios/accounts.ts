import assert from 'node:assert/strict';
import { createUser, setPassword } from '../../../../server/features/users/accounts.ts';
import type { Scenarios } from '../stage.ts';

/** Scenarios of sign-in and audit events. */
export const accountScenarios: Scenarios = {
  'password-grant': async ({ server, phase }) => {
    const password = 'lamps and lanterns';
    const ada = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    assert.ok(typeof ada === 'object');
    await setPassword(server.platform, ada, password);
    const response = await server.request('POST', '/oauth/token', {
      form: { grant_type: 'password', username: 'ada', password },
    });
    assert.equal(response.status, phase === 'after' ? 400 : 200, response.text);
    if (phase === 'after') assert.equal((response.json() as { error: string }).error, 'unsupported_grant_type');
    assert.equal(response.headers.get('deprecation') === null, phase === 'before');
  },
  'audit-event-offsets': async ({ server, phase }) => {
    const response = await server.request('GET', '/api/v4/audit_events?page=2', { token: server.adminToken });
    assert.equal(response.status, phase === 'after' ? 405 : 200, response.text);
    assert.equal(response.headers.get('deprecation') === null, phase === 'before');
    const keyset = await server.request('GET', '/api/v4/audit_events?pagination=keyset', { token: server.adminToken });
    assert.equal(keyset.status, 200);
    assert.equal(keyset.headers.get('deprecation'), null);
  },
};
