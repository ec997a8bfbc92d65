import { Gitlab } from '@gitbeaker/rest';
import { comparePrediction } from '../deprecations.ts';

describe('@gitbeaker/rest', () => {
  it('the calls of @gitbeaker/rest that release 20.0 breaks are those that the report of deprecated calls predicts', () =>
    comparePrediction('node', async (host, token, name) => {
      const client = new Gitlab({ host, token });
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        'POST /api/v4/runners/reset_registration_token': () => client.Runners.resetRegistrationToken({ token: 'unused' }),
        'POST /api/v4/runners': async () => {
          const reset: unknown = await client.Runners.resetRegistrationToken({ token: 'unused' });
          return client.Runners.register((reset as { token: string }).token, { description: 'lamp', tagList: ['lamps'] });
        },
        'PUT /api/v4/projects/:id': async () => {
          const { id } = await client.Projects.create({ name });
          // The types of the client do not have the deprecated parameter.
          const deprecated = { ciJobTokenScopeEnabled: true };
          await client.Projects.edit(id, { description: 'Lamps', ...deprecated });
          const { ci_job_token_scope_enabled: isEnabled } = await client.Projects.show(id);
          if (isEnabled !== true) throw new Error('the member is missing');
        },
        'GET /api/v4/audit_events': () => client.AuditEvents.all({ page: 2, maxPages: 1 }),
        'GET /api/v4/projects': () => client.Projects.all({ maxPages: 1 }),
        'GET /api/v4/issues': () => client.Issues.all({ maxPages: 1 }),
        'GET /api/v4/users': () => client.Users.all({ maxPages: 1 }),
        'GET /api/v4/runners': () => client.Runners.all({ owned: true, maxPages: 1 }),
      };
      const failed: string[] = [];
      for (const [request, call] of Object.entries(calls)) {
        await call().catch(() => failed.push(request));
      }
      return failed;
    }));
});
