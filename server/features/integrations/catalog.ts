/** Value of a property. A secret is a text that is never shown. */
type PropertyKind = 'text' | 'flag' | 'secret' | 'branches';

export interface Property {
  readonly kind: PropertyKind;
  readonly required?: true;
}

export interface IntegrationKind {
  readonly title: string;
  readonly properties: Readonly<Record<string, Property>>;
  /** Events that can be switched off. */
  readonly events: readonly EventName[];
}

/** Events of integrations, as members of responses. */
export type EventName =
  | 'commit_events'
  | 'push_events'
  | 'issues_events'
  | 'confidential_issues_events'
  | 'merge_requests_events'
  | 'tag_push_events'
  | 'note_events'
  | 'confidential_note_events'
  | 'pipeline_events'
  | 'wiki_page_events'
  | 'job_events'
  | 'comment_on_event_enabled';

/** Values of `branches_to_be_notified`. */
export const notifiedBranches = ['all', 'default', 'protected', 'default_and_protected'] as const;

const chat = {
  properties: {
    webhook: { kind: 'secret', required: true },
    username: { kind: 'text' },
    channel: { kind: 'text' },
    notify_only_broken_pipelines: { kind: 'flag' },
    branches_to_be_notified: { kind: 'branches' },
  },
  events: [
    'push_events',
    'issues_events',
    'confidential_issues_events',
    'merge_requests_events',
    'tag_push_events',
    'note_events',
    'confidential_note_events',
    'pipeline_events',
    'wiki_page_events',
  ],
} as const;

/** The integrations of this server by their slugs on GitLab. */
export const integrationKinds = {
  'emails-on-push': {
    title: 'Emails on push',
    properties: {
      recipients: { kind: 'text', required: true },
      disable_diffs: { kind: 'flag' },
      send_from_committer_email: { kind: 'flag' },
      branches_to_be_notified: { kind: 'branches' },
    },
    events: ['push_events', 'tag_push_events'],
  },
  'external-wiki': {
    title: 'External wiki',
    properties: { external_wiki_url: { kind: 'text', required: true } },
    events: [],
  },
  jira: {
    title: 'Jira',
    properties: {
      url: { kind: 'text', required: true },
      api_url: { kind: 'text' },
      username: { kind: 'text' },
      password: { kind: 'secret', required: true },
    },
    events: ['commit_events', 'merge_requests_events', 'comment_on_event_enabled'],
  },
  mattermost: { title: 'Mattermost notifications', ...chat },
  slack: { title: 'Slack notifications', ...chat },
} as const satisfies Readonly<Record<string, IntegrationKind>>;

export type IntegrationSlug = keyof typeof integrationKinds;

export const integrationSlugs: readonly IntegrationSlug[] = ['emails-on-push', 'external-wiki', 'jira', 'mattermost', 'slack'];

export function kindOf(slug: IntegrationSlug): IntegrationKind {
  return integrationKinds[slug];
}

/** Returns the name of an integration in enums of GraphQL, such as `EMAILS_ON_PUSH`. */
export function enumName(slug: IntegrationSlug): string {
  return slug.toUpperCase().replaceAll('-', '_');
}

/** Returns the name of the class of an integration, such as `EmailsOnPushService`. */
export function serviceName(slug: IntegrationSlug): string {
  return `${slug.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Service`;
}
