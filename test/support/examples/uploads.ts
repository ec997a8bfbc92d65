import { createUpload, type Upload } from '../../../server/features/uploads/files.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, inProject } from './fixture.ts';

function uploadIn({ server, root, project, fresh }: Fixture): Upload {
  const file = { name: `${fresh('lamp')}.txt`, bytes: Buffer.from('A lamp\n') };
  return createUpload(server.platform, project.project, root, file);
}

function byId(fixture: Fixture): Example {
  return { token: admin, path: inProject(fixture.project, { upload_id: uploadIn(fixture).id }) };
}

function bySecret(fixture: Fixture): Example {
  const { secret, filename } = uploadIn(fixture);
  return { token: admin, path: { ...inProject(fixture.project), secret, filename } };
}

export const uploadExamples: Examples = {
  'POST /api/v4/projects/:id/uploads': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: { file: 'A lamp\n' },
  }),
  'GET /api/v4/projects/:id/uploads': (fixture) => {
    uploadIn(fixture);
    return { token: admin, path: inProject(fixture.project) };
  },
  'GET /api/v4/projects/:id/uploads/:upload_id': byId,
  'DELETE /api/v4/projects/:id/uploads/:upload_id': byId,
  'GET /api/v4/projects/:id/uploads/:secret/:filename': bySecret,
  'DELETE /api/v4/projects/:id/uploads/:secret/:filename': bySecret,
  'GET /-/project/:id/uploads/:secret/:filename': bySecret,
};
