import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { createLink, createRelease, findRelease, type Release } from '../../../server/features/releases/manageReleases.ts';
import type { Examples } from './example.ts';
import type { Fixture } from './fixture.ts';
import { codePage, codeProject, codeRequest } from './repositories.ts';

/** Creates the release of the tag `v1` with one link. */
async function released(fixture: Fixture): Promise<Release> {
  const found = await codeProject(fixture);
  return findRelease(fixture.server.platform, found.project.id, 'v1') ?? releaseTag(fixture, 'v1');
}

async function releaseTag(fixture: Fixture, tag: string): Promise<Release> {
  return createRelease(fixture.server.platform, await codeProject(fixture), fixture.root, {
    tag,
    ref: 'main',
    description: 'The *first* one',
    links: [linkInput(fixture)],
    milestones: { titles: [await releaseMilestone(fixture)] },
  });
}

async function releaseMilestone(fixture: Fixture): Promise<string> {
  const { server, root, fresh } = fixture;
  const container = { kind: 'project', id: (await codeProject(fixture)).project.id } as const;
  return createMilestone(server.platform, container, root, { title: fresh('release milestone') }).title;
}

function linkInput({ fresh }: Fixture): { name: string; url: string } {
  const name = fresh('asset');
  return { name, url: `https://files.example/${name}` };
}

async function linkPath(fixture: Fixture): Promise<{ tag_name: string; link_id: string }> {
  const release = await released(fixture);
  return { tag_name: release.tag, link_id: String(createLink(fixture.server.platform, release, linkInput(fixture)).id) };
}

export const releaseExamples: Examples = {
  'GET /api/v4/projects/:id/releases': async (fixture) => {
    await released(fixture);
    return codeRequest(fixture, {}, { order_by: 'created_at', include_html_description: true });
  },
  'GET /api/v4/projects/:id/releases/:tag_name': async (fixture) =>
    codeRequest(fixture, { tag_name: (await released(fixture)).tag }),
  'GET /api/v4/projects/:id/releases/permalink/latest': async (fixture) => {
    await released(fixture);
    return codeRequest(fixture);
  },
  'POST /api/v4/projects/:id/releases': async (fixture) =>
    codeRequest(
      fixture,
      {},
      {
        tag_name: fixture.fresh('new/'),
        ref: 'main',
        assets: { links: [linkInput(fixture)] },
        milestones: [await releaseMilestone(fixture)],
      },
    ),
  'PUT /api/v4/projects/:id/releases/:tag_name': async (fixture) =>
    codeRequest(fixture, { tag_name: (await released(fixture)).tag }, { name: 'Another' }),
  'DELETE /api/v4/projects/:id/releases/:tag_name': async (fixture) =>
    codeRequest(fixture, { tag_name: (await releaseTag(fixture, fixture.fresh('gone/'))).tag }),
  'GET /api/v4/projects/:id/releases/:tag_name/assets/links': async (fixture) =>
    codeRequest(fixture, { tag_name: (await released(fixture)).tag }),
  'GET /api/v4/projects/:id/releases/:tag_name/assets/links/:link_id': async (fixture) =>
    codeRequest(fixture, await linkPath(fixture)),
  'POST /api/v4/projects/:id/releases/:tag_name/assets/links': async (fixture) =>
    codeRequest(fixture, { tag_name: (await released(fixture)).tag }, { ...linkInput(fixture), link_type: 'package' }),
  'PUT /api/v4/projects/:id/releases/:tag_name/assets/links/:link_id': async (fixture) =>
    codeRequest(fixture, await linkPath(fixture), linkInput(fixture)),
  'DELETE /api/v4/projects/:id/releases/:tag_name/assets/links/:link_id': async (fixture) =>
    codeRequest(fixture, await linkPath(fixture)),
  'GET /*full_path/-/releases': (fixture) => codePage(fixture),
  'GET /*full_path/-/releases/*rest': async (fixture) => codePage(fixture, { rest: (await released(fixture)).tag }),
};
