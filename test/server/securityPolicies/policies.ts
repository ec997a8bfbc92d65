import assert from 'node:assert/strict';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Actor } from '../projects/cast.ts';
import { ask } from '../graphql/queries.ts';
import type { TestServer } from '../../support/server.ts';

/** Returns the text of a scan execution policy for all branches. */
export function scanPolicy(name: string, scans: readonly string[], rule = '{ type: pipeline, branches: ["*"] }'): string {
  const actions = scans.map((scan) => `    - scan: ${scan}\n`).join('');
  return `  - name: ${name}\n    description: Scans\n    enabled: true\n    rules:\n    - ${rule}\n    actions:\n${actions}`;
}

/** Writes the policy file of a project, or replaces it. */
export async function writePolicies(
  server: TestServer,
  actor: Actor,
  { project }: FoundProject,
  content: string,
  method: 'POST' | 'PUT' = 'POST',
): Promise<void> {
  const file = encodeURIComponent('.gitlab/security-policies/policy.yml');
  const json = { branch: 'main', commit_message: 'Write policies', content };
  const path = `/api/v4/projects/${project.id}/repository/files/${file}`;
  const response = await server.request(method, path, { token: actor.token, json });
  assert.equal(response.status, method === 'POST' ? 201 : 200, response.text);
}

/** Assigns a policy project to a project or group, and returns the errors. */
export async function assign(
  server: TestServer,
  token: string,
  fullPath: string,
  policies: FoundProject,
): Promise<readonly string[]> {
  const input = `{ fullPath: "${fullPath}", securityPolicyProjectId: "gid://gitlab/Project/${policies.project.id}" }`;
  const { errors } = await ask(server, token, `mutation { securityPolicyProjectAssign(input: ${input}) { errors } }`);
  return errors;
}

/** Creates a pipeline, and returns the response and the names of its jobs. */
export async function run(server: TestServer, token: string, { project }: FoundProject, ref = 'main') {
  const response = await server.request('POST', `/api/v4/projects/${project.id}/pipeline`, { token, json: { ref } });
  assert.equal(response.status, 201, response.text);
  const pipeline = response.json() as { id: number; status: string };
  const path = `/api/v4/projects/${project.id}/pipelines/${pipeline.id}/jobs?per_page=100`;
  const jobs = (await server.request('GET', path, { token })).json() as { name: string; stage: string; allow_failure: boolean }[];
  return { response, pipeline, jobs, names: jobs.map(({ name }) => name).toReversed() };
}
