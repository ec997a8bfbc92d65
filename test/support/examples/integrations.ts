import { setIntegration } from '../../../server/features/integrations/manageIntegrations.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, freshProject, inProject } from './fixture.ts';

/** A project with an external wiki. */
function withWiki(fixture: Fixture, path: Readonly<Record<string, string>> = {}): Example {
  const found = freshProject(fixture);
  setIntegration(fixture.server.platform, found.project, 'external-wiki', { external_wiki_url: 'https://wiki.example' });
  return { token: admin, path: { ...inProject(found), ...path } };
}

const chat = { webhook: 'https://chat.example/hooks/1', username: 'lamps', channel: 'alerts', push_events: false };
const settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'emails-on-push': { recipients: 'ada@example.com', disable_diffs: true },
  'external-wiki': { external_wiki_url: 'https://wiki.example' },
  jira: { url: 'https://jira.example', username: 'ada', password: 'a password of an example' },
  mattermost: chat,
  slack: chat,
};

export const integrationExamples: Examples = Object.fromEntries(
  ['integrations', 'services'].flatMap((folder): [string, Examples[string]][] => {
    const all = `/api/v4/projects/:id/${folder}`;
    return [
      [`GET ${all}`, (fixture) => withWiki(fixture)],
      [`GET ${all}/:slug`, (fixture) => withWiki(fixture, { slug: 'external-wiki' })],
      [`DELETE ${all}/:slug`, (fixture) => withWiki(fixture, { slug: 'external-wiki' })],
      ...Object.entries(settings).map(([slug, params]): [string, Examples[string]] => [
        `PUT ${all}/${slug}`,
        (fixture) => ({ token: admin, path: inProject(freshProject(fixture)), params }),
      ]),
    ];
  }),
);
