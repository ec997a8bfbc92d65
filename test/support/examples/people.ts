import { insertFollow } from '../../../server/features/users/follows.ts';
import { setStatus } from '../../../server/features/identity/status.ts';
import { confidentialIdFor } from './applications.ts';
import type { Examples } from './example.ts';
import { admin, person, tokenIdOf, tokenOf } from './fixture.ts';
import { switchSecondFactorOn } from './secondFactors.ts';

export const personExamples: Examples = {
  'GET /api/v4/user': () => ({ token: admin }),
  'GET /api/v4/users': () => ({ token: admin, params: { search: 'a', order_by: 'name', sort: 'asc' } }),
  'GET /api/v4/users/:id': () => ({ token: admin, path: { id: '1' } }),
  'POST /api/v4/users': ({ fresh }) => {
    const username = fresh('person');
    return { token: admin, params: { email: `${username}@example.com`, name: username, username, force_random_password: true } };
  },
  'DELETE /api/v4/users/:id': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('deleted')).id) },
    params: { hard_delete: true },
  }),
  'PUT /api/v4/users/:id': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('changed')).id) },
    params: { private_profile: true },
  }),
  'POST /api/v4/users/:id/block': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('blocked')).id) },
  }),
  'POST /api/v4/users/:id/unblock': ({ ada }) => ({ token: admin, path: { id: String(ada.id) } }),
  'POST /api/v4/users/:id/ban': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('banned')).id) },
  }),
  'POST /api/v4/users/:id/unban': ({ server, fresh }) => {
    const { id } = person(server, fresh('banned'));
    server.platform.store.run("UPDATE users SET state = 'banned' WHERE id = $id", { id });
    return { token: admin, path: { id: String(id) } };
  },
  'POST /api/v4/users/:id/deactivate': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('dormant')).id) },
  }),
  'POST /api/v4/users/:id/activate': ({ ada }) => ({ token: admin, path: { id: String(ada.id) } }),
  'POST /api/v4/users/:id/unlock': ({ ada }) => ({ token: admin, path: { id: String(ada.id) } }),
  'PATCH /api/v4/users/:id/disable_two_factor': async (fixture) => {
    await switchSecondFactorOn(fixture, fixture.ada);
    return { token: admin, path: { id: String(fixture.ada.id) } };
  },
  'POST /api/v4/users/:id/follow': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('followed')).id) },
  }),
  'POST /api/v4/users/:id/unfollow': ({ server, root, fresh }) => {
    const { id } = person(server, fresh('followed'));
    insertFollow(server.platform.store, root.id, id);
    return { token: admin, path: { id: String(id) } };
  },
  'GET /api/v4/users/:id/followers': ({ server, root, ada }) => {
    insertFollow(server.platform.store, ada.id, root.id);
    return { token: admin, path: { id: String(root.id) } };
  },
  'GET /api/v4/users/:id/following': ({ server, root, ada }) => {
    insertFollow(server.platform.store, root.id, ada.id);
    return { token: admin, path: { id: String(root.id) } };
  },
  'GET /api/v4/users/:user_id/memberships': () => ({ token: admin, path: { user_id: '1' } }),
  'GET /api/v4/users/:user_id/status': () => ({ token: admin, path: { user_id: 'root' } }),
  'GET /api/v4/user/status': ({ server, ada, adaToken }) => {
    setStatus(server.platform, ada.id, { message: 'Repairs lamps', clearAfter: '1_day' });
    return { token: adaToken };
  },
  'PUT /api/v4/user/status': ({ adaToken }) => ({
    token: adaToken,
    params: { emoji: 'bulb', message: 'Repairs lamps', availability: 'busy', clear_status_after: '3_hours' },
  }),
  'PATCH /api/v4/user/status': ({ adaToken }) => ({ token: adaToken, params: { message: 'Repairs more lamps' } }),
  'GET /api/v4/personal_access_tokens': () => ({ token: admin, params: { state: 'active', sort: 'name_asc' } }),
  'GET /api/v4/personal_access_tokens/:id': ({ server, ada }) => ({ token: admin, path: { id: tokenIdOf(server, ada) } }),
  'DELETE /api/v4/personal_access_tokens/:id': ({ server, ada }) => ({
    token: tokenOf(server, ada),
    path: { id: tokenIdOf(server, ada) },
  }),
  'POST /api/v4/personal_access_tokens/:id/rotate': ({ server, ada }) => ({
    token: tokenOf(server, ada),
    path: { id: tokenIdOf(server, ada) },
  }),
  'POST /api/v4/personal_access_tokens/self/rotate': ({ server, ada }) => ({ token: tokenOf(server, ada) }),
  'POST /api/v4/user/personal_access_tokens': ({ adaToken }) => ({
    token: adaToken,
    params: { name: 'cluster', scopes: ['k8s_proxy'] },
  }),
  'GET /api/v4/personal_access_tokens/self': ({ adaToken }) => ({ token: adaToken }),
  'DELETE /api/v4/personal_access_tokens/self': ({ server, ada }) => ({ token: tokenOf(server, ada) }),
  'GET /api/v4/personal_access_tokens/self/associations': ({ adaToken }) => ({
    token: adaToken,
    params: { min_access_level: '20' },
  }),
  'POST /api/v4/users/:id/personal_access_tokens': ({ ada }) => ({
    token: admin,
    path: { id: String(ada.id) },
    params: { name: 'robot', scopes: ['read_user'] },
  }),
  'GET /api/v4/applications': () => ({ token: admin }),
  'POST /api/v4/applications': ({ fresh }) => ({
    token: admin,
    params: { name: fresh('app'), redirect_uri: 'https://lamps.example/callback', scopes: 'api read_user' },
  }),
  'DELETE /api/v4/applications/:id': ({ server, fresh }) => ({
    token: admin,
    path: { id: confidentialIdFor(server, fresh('app')) },
  }),
  'POST /api/v4/applications/:id/renew-secret': ({ server, fresh }) => ({
    token: admin,
    path: { id: confidentialIdFor(server, fresh('app')) },
  }),
  'GET /:username': () => ({ path: { username: 'root' } }),
};
