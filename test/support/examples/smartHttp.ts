import { TEST_ADMIN_TOKEN } from '../server.ts';
import type { Example, Examples } from './example.ts';
import type { Fixture } from './fixture.ts';
import { codeProject } from './repositories.ts';

/** The admin token as the password of any username. */
const BASIC = { Authorization: `Basic ${Buffer.from(`oauth2:${TEST_ADMIN_TOKEN}`).toString('base64')}` };

/** Returns a request of git for a repository. */
export async function gitRequest(fixture: Fixture, more: Omit<Example, 'headers'> = {}): Promise<Example> {
  const { project } = await codeProject(fixture);
  return { ...more, headers: BASIC, path: { repository: project.full_path, ...more.path } };
}

export const smartHttpExamples: Examples = {
  'GET /*repository.git/info/refs': (fixture) => gitRequest(fixture, { params: { service: 'git-upload-pack' } }),
  'GET /*repository/info/refs': (fixture) => gitRequest(fixture, { params: { service: 'git-upload-pack' }, status: 301 }),
  // Examples send JSON, which is no request of git.
  'POST /*repository.git/git-receive-pack': (fixture) => gitRequest(fixture, { status: 415 }),
  'POST /*repository.git/git-upload-pack': (fixture) => gitRequest(fixture, { status: 415 }),
  'GET /*repository.git/HEAD': (fixture) => gitRequest(fixture, { status: 403 }),
  'GET /*repository.git/objects/*rest': (fixture) => gitRequest(fixture, { path: { rest: 'info/packs' }, status: 403 }),
  'GET /*repository.git/info/lfs/*rest': lfsRequest,
  'POST /*repository.git/info/lfs/*rest': lfsRequest,
  'PUT /*repository.git/info/lfs/*rest': lfsRequest,
  'DELETE /*repository.git/info/lfs/*rest': lfsRequest,
};

function lfsRequest(fixture: Fixture): Promise<Example> {
  return gitRequest(fixture, { path: { rest: 'objects/batch' }, status: 501 });
}
