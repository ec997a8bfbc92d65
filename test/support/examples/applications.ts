import type { User } from '../../../server/core/caller.ts';
import { createApplication } from '../../../server/features/oauth/oauth.ts';
import type { TestServer } from '../server.ts';

export function confidentialIdFor(server: TestServer, name: string, owner?: User): string {
  const input = { name, scopes: ['api'], confidential: true, ...(owner === undefined ? {} : { owner }) };
  return String(createApplication(server.platform, input).application.id);
}

export function registerFor(server: TestServer, name: string): string {
  return createApplication(server.platform, { name, scopes: ['api', 'read_user'], confidential: false }).application.uid;
}
