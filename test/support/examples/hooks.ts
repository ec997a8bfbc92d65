import { createHook } from '../../../server/features/hooks/manageHooks.ts';
import type { HookContainer } from '../../../server/features/hooks/store.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { addSentDelivery, type HookReceiver, startHookReceiver } from '../hookReceiver.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, freshGroup, freshProject, inGroup, inProject } from './fixture.ts';

let receiver: Promise<HookReceiver> | undefined;
/** Returns the URL of a receiver that all examples share. The process can end while it listens. */
async function receiverUrl(): Promise<string> {
  receiver ??= startHookReceiver({ isShared: true });
  return (await receiver).url;
}

type Path = NonNullable<Example['path']>;
type Container = { readonly path: Path; readonly container: HookContainer };

function projectOf(fixture: Fixture): Container {
  const found = freshProject(fixture);
  createIssue(fixture.server.platform, found, fixture.root, { title: 'Lamp 7 stays dark' });
  return { path: inProject(found), container: { projectId: found.project.id } };
}

function groupOf(fixture: Fixture): Container {
  const found = freshGroup(fixture);
  const { platform } = fixture.server;
  const inside = createProject(platform, fixture.root, { name: fixture.fresh('project'), namespaceId: found.group.id });
  createIssue(platform, inside, fixture.root, { title: 'Lamp 7 stays dark' });
  return { path: inGroup(found), container: { groupId: found.group.id } };
}

/** A project or group with a hook. */
async function withHook(
  fixture: Fixture,
  { path, container }: Container,
  more: Path = {},
  params: Example['params'] = {},
): Promise<Example> {
  const url = `${await receiverUrl()}/{key}`;
  const hook = createHook(fixture.server.platform, container, {
    url,
    name: 'Receiver',
    description: 'On this machine',
    urlVariables: { key: 'x', more: 'y' },
    customHeaders: { 'X-Lamp': 'x' },
    events: {},
  });
  return { token: admin, path: { ...path, hook_id: String(hook.id), ...more }, params };
}

/** The same with a delivery. */
async function withDelivery(fixture: Fixture, container: Container, params: Example['params'] = {}): Promise<Example> {
  const example = await withHook(fixture, container, {}, params);
  const hookId = Number(example.path?.['hook_id']);
  const id = addSentDelivery(fixture.server.platform, hookId, `${await receiverUrl()}/{key}`);
  return { ...example, path: { ...example.path, hook_event_id: String(id) } };
}

const values = {
  name: 'Receiver',
  description: 'On this machine',
  push_events: true,
  issues_events: true,
  wiki_page_events: false,
  push_events_branch_filter: 'release-*',
  branch_filter_strategy: 'wildcard',
  enable_ssl_verification: false,
  token: 'a token of an example',
  url_variables: [{ key: 'key', value: 'x' }],
  custom_headers: [{ key: 'X-Lamp', value: 'x' }],
};

export const hookExamples: Examples = Object.fromEntries(
  (
    [
      ['/api/v4/projects/:id/hooks', projectOf],
      ['/api/v4/groups/:id/hooks', groupOf],
    ] as const
  ).flatMap(([all, containerOf]): [string, Examples[string]][] => {
    const one = `${all}/:hook_id`;
    const pair = (kind: string, key: string): [string, Examples[string]][] => [
      [`PUT ${one}/${kind}/:key`, (fixture) => withHook(fixture, containerOf(fixture), { key }, { value: 'z' })],
      [`DELETE ${one}/${kind}/:key`, (fixture) => withHook(fixture, containerOf(fixture), { key })],
    ];
    return [
      [`GET ${all}`, (fixture) => withHook(fixture, containerOf(fixture))],
      [
        `POST ${all}`,
        async (fixture) => ({
          token: admin,
          path: containerOf(fixture).path,
          params: { url: `${await receiverUrl()}/{key}`, ...values },
        }),
      ],
      [`GET ${one}`, (fixture) => withHook(fixture, containerOf(fixture))],
      [
        `PUT ${one}`,
        async (fixture) => withHook(fixture, containerOf(fixture), {}, { url: `${await receiverUrl()}/{key}`, ...values }),
      ],
      [`DELETE ${one}`, (fixture) => withHook(fixture, containerOf(fixture))],
      ...pair('url_variables', 'more'),
      ...pair('custom_headers', 'X-Lamp'),
      [`POST ${one}/test/:trigger`, (fixture) => withHook(fixture, containerOf(fixture), { trigger: 'issues_events' })],
      [`GET ${one}/events`, (fixture) => withDelivery(fixture, containerOf(fixture), { status: 'successful' })],
      [`POST ${one}/events/:hook_event_id/resend`, (fixture) => withDelivery(fixture, containerOf(fixture))],
    ];
  }),
);
