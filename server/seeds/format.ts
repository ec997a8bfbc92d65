import * as z from 'zod';
import { notificationEvents, notificationLevels } from '../../src/contract/notifications.ts';
import { accessLevels, type ProjectRole, visibilities } from '../features/abilities/abilities.ts';
import { issueTypes } from '../features/issues/issues.ts';
import { packageStatuses, packageTypes } from '../features/packages/packages.ts';
import { failureReasons, sources, statuses } from '../features/pipelines/pipelines.ts';
import { dayPattern, timePattern } from './times.ts';

// Format of seed files. The build derives a JSON Schema from it, with which editors complete and validate such files.

/** Text that can be stored: no unpaired surrogates, and no null character, at which other programs would truncate it. */
const text = () =>
  z.string().refine((value) => value.isWellFormed() && !value.includes('\0'), 'contains a character that cannot be stored');
const name = (message: string) => text().min(1).describe(message);
const person = (text: string) => name(`${text}. Username of a user in this file or on the server`);
const moment = (text: string) =>
  z
    .string()
    .regex(timePattern, 'must be a time such as 2026-05-01, 2026-05-01T12:00:00Z or 3 days ago')
    .describe(`${text}. A date, a date and time, or a relative time such as "3 days ago" or "2 hours 5 minutes ago"`);
const day = (text: string) =>
  z
    .string()
    .regex(dayPattern, 'must be a date such as 2026-05-01, today, in 2 weeks or 3 days ago')
    .describe(`${text}. A date, "today", or a number of days or weeks from today such as "in 2 weeks" or "3 days ago"`);
const visibility = () =>
  z
    .enum(visibilities)
    .describe('Visible to members only (private, the default), to signed-in users (internal) or to everyone (public)');
const createdAt = (text = 'Time of creation') =>
  moment(text)
    .optional()
    .describe(
      `${text}. A date and time, or a relative time such as "3 days ago". Default: now, or just before the first entry that needs it`,
    );

const roles = Object.keys(accessLevels).filter((role): role is ProjectRole => role in accessLevels);

const member = () =>
  z.strictObject({
    user: person('Member'),
    access_level: z.enum(roles).describe('Role of the member'),
    expires_at: day('Day on which the membership expires').optional(),
    created_at: createdAt('Time of joining'),
  });

const email = () =>
  z.strictObject({
    email: name('Address, which no other user has'),
    confirmed: z
      .boolean()
      .describe('false for an address that its user has not confirmed yet, which cannot receive notifications. Default: true')
      .optional(),
    created_at: createdAt('Time when the address was added'),
  });

const user = () =>
  z.strictObject({
    username: name('Username, which is used to sign in and to refer to the user'),
    name: name('Display name. Default: the username').optional(),
    email: name('Email address. Default: USERNAME@signalbox.example').optional(),
    emails: z.array(email()).describe('Additional email addresses').optional(),
    password: z
      .union([text(), z.null()])
      .describe('Password. Default: a random password, shown once. null: the user cannot sign in with a password')
      .optional(),
    admin: z.boolean().describe('true for an administrator').optional(),
    external: z
      .boolean()
      .describe('true for an external user, who can access only public projects and projects with a membership')
      .optional(),
    private_profile: z.boolean().describe('true to hide the profile from other users').optional(),
    bio: text().describe('Biography on the profile').optional(),
    created_at: createdAt('Time when the account was created'),
  });

const label = () =>
  z.strictObject({
    name: name('Name, which issues and merge requests refer to'),
    color: name('Color as #rrggbb or CSS color name. Default: blue').optional(),
    description: text().optional(),
    created_at: createdAt(),
  });

const milestone = () =>
  z.strictObject({
    title: name('Title, which issues, merge requests and releases refer to'),
    description: text().optional(),
    author: person('Author. Default: the creator of the project or group').optional(),
    start_date: day('First day').optional(),
    due_date: day('Last day').optional(),
    created_at: createdAt(),
    state: z.enum(['active', 'closed']).describe('Default: active').optional(),
    closed_at: createdAt('Time of closing'),
  });

const epic = () =>
  z.strictObject({
    title: name('Title, which issues refer to'),
    description: text().describe('Description in Markdown').optional(),
    author: person('Author. Default: the creator of the group').optional(),
    labels: z.array(name('Label')).optional(),
    confidential: z.boolean().describe('true to show it only to members with the Reporter role or higher').optional(),
    start_date: day('First day').optional(),
    due_date: day('Last day').optional(),
    created_at: createdAt('Time of opening'),
    state: z.enum(['opened', 'closed']).describe('Default: opened').optional(),
    closed_at: createdAt('Time of closing'),
  });

const group = () =>
  z.strictObject({
    path: name('Full path. The path of a subgroup begins with that of its parent group: harbour/crew'),
    name: name('Display name. Default: the last part of the path').optional(),
    description: text().optional(),
    visibility: visibility().optional(),
    creator: person('Creator and first owner. Default: root').optional(),
    project_creation_level: z
      .enum(['noone', 'maintainer', 'developer'])
      .describe('Lowest role that can create projects in the group')
      .optional(),
    subgroup_creation_level: z.enum(['owner', 'maintainer']).describe('Lowest role that can create subgroups').optional(),
    created_at: createdAt(),
    members: z.array(member()).describe('Members, in addition to the creator').optional(),
    labels: z.array(label()).describe('Available in the group and all its projects').optional(),
    milestones: z.array(milestone()).describe('Available in the group and all its projects').optional(),
    epics: z.array(epic()).describe('Available in the tiers premium and ultimate').optional(),
  });

const file = () =>
  z.union([
    text().describe('Complete content'),
    z.null().describe('Deletes the file'),
    z.strictObject({
      content: text().describe('Complete content'),
      encoding: z.enum(['text', 'base64']).describe('Encoding of the content in this file. Default: text').optional(),
      executable: z.boolean().optional(),
    }),
  ]);

const commit = () =>
  z.strictObject({
    message: name('Commit message. Its first line is the title'),
    author: person('Author, who also pushes. Default: the creator of the project').optional(),
    branch: name('Branch. Default: the default branch').optional(),
    start_branch: name('Branch that a new branch starts from. Default: the default branch').optional(),
    created_at: createdAt('Time of commit and push'),
    files: z.record(z.string(), file()).describe('Changed files by path'),
  });

const tag = () =>
  z.strictObject({
    name: name('Name of the tag'),
    branch: name('Branch whose latest commit at that time is tagged. Default: the default branch').optional(),
    message: text().describe('Message, which makes it an annotated tag').optional(),
    author: person('Author. Default: the creator of the project').optional(),
    created_at: createdAt(),
  });

const reply = () =>
  z.strictObject({
    body: name('Reply in Markdown'),
    author: person('Author. Default: the author of the issue or merge request').optional(),
    created_at: createdAt('Time of writing'),
  });

const note = () =>
  z.strictObject({
    body: name('Comment in Markdown'),
    author: person('Author. Default: the author of the issue or merge request').optional(),
    internal: z.boolean().describe('true to show it only to members with the Reporter role or higher').optional(),
    created_at: createdAt('Time of writing'),
    replies: z.array(reply()).describe('Replies, which make the comment a thread').optional(),
  });

const issue = () =>
  z.strictObject({
    title: name('Title'),
    description: text().describe('Description in Markdown').optional(),
    author: person('Author. Default: the creator of the project').optional(),
    labels: z.array(name('Label')).optional(),
    assignees: z.array(person('Assignee')).optional(),
    milestone: name('Title of a milestone of the project or one of its parent groups').optional(),
    epic: name(
      'Title of an epic in this file, of a parent group of the project. The author of the epic adds the issue to it',
    ).optional(),
    due_date: day('Due date').optional(),
    weight: z.int().min(0).describe('Weight: an estimate of the effort').optional(),
    issue_type: z.enum(issueTypes).describe('Default: issue').optional(),
    confidential: z
      .boolean()
      .describe('true to show it only to its author, its assignees and members with the Reporter role or higher')
      .optional(),
    created_at: createdAt('Time of opening'),
    state: z.enum(['opened', 'closed']).describe('Default: opened').optional(),
    closed_by: person('User who closes it. Default: its author').optional(),
    closed_at: createdAt('Time of closing'),
    notes: z.array(note()).describe('Comments').optional(),
  });

const mergeRequest = () =>
  z.strictObject({
    title: name('Title. The prefix "Draft:" makes it a draft'),
    description: text()
      .describe('Description in Markdown. "Closes #1" closes that issue when it is merged into the default branch')
      .optional(),
    author: person('Author. Default: the creator of the source project').optional(),
    source_project: name(
      'Full path of a fork in this file with the source branch. Default: the project itself. A merge request from a fork cannot be merged by a seed file',
    ).optional(),
    source_branch: name('Branch to merge'),
    target_branch: name('Branch to merge into. Default: the default branch').optional(),
    labels: z.array(name('Label')).optional(),
    assignees: z.array(person('Assignee')).optional(),
    reviewers: z.array(person('Reviewer')).optional(),
    milestone: name('Title of a milestone of the project or one of its parent groups').optional(),
    created_at: createdAt('Time of opening'),
    state: z.enum(['opened', 'merged', 'closed']).describe('Default: opened').optional(),
    approvals: z.array(z.strictObject({ user: person('Approver'), created_at: createdAt('Time of approval') })).optional(),
    merged_by: person('User who merges it. Default: the creator of the project').optional(),
    merged_at: createdAt('Time of merge. The two branches must have changed different files'),
    closed_by: person('User who closes it. Default: its author').optional(),
    closed_at: createdAt('Time of closing'),
    notes: z.array(note()).describe('Comments').optional(),
  });

const snippet = () =>
  z.strictObject({
    title: name('Title'),
    description: text().describe('Description in Markdown').optional(),
    author: person('Author. Default: the creator of the project, or root').optional(),
    visibility: visibility().optional(),
    files: z
      .record(z.string(), text())
      .refine((files) => Object.keys(files).length > 0, 'is empty')
      .describe('Content of each file by path, at most 10 files'),
    created_at: createdAt(),
  });

const release = () =>
  z.strictObject({
    tag: name('Name of a tag of the project in this file'),
    name: name('Name. Default: the tag').optional(),
    description: text().describe('Description in Markdown').optional(),
    author: person('Author. Default: the creator of the project').optional(),
    milestones: z.array(name('Title of a milestone')).optional(),
    links: z.array(z.strictObject({ name: name('Name of the link'), url: name('URL of the link') })).optional(),
    created_at: createdAt('Time of release'),
  });

const job = () =>
  z.strictObject({
    name: name('Name'),
    stage: name('Stage. Default: test').optional(),
    status: z.enum(statuses).describe('Default: success').optional(),
    allow_failure: z.boolean().optional(),
    failure_reason: z.enum(failureReasons).optional(),
    coverage: z.number().min(0).max(100).optional(),
    tags: z.array(name('Runner tag')).optional(),
  });

const pipeline = () =>
  z.strictObject({
    name: name('Name, which packages refer to').optional(),
    ref: name('Branch or tag. Default: the default branch').optional(),
    sha: z
      .string()
      .regex(/^[0-9a-f]{40}$/, 'must have 40 hexadecimal digits')
      .describe('Commit SHA. Default: the commit of the ref at that time')
      .optional(),
    source: z.enum(sources).describe('Source of the pipeline. Default: push').optional(),
    status: z.enum(statuses).describe('Status of a pipeline without jobs. With jobs, it follows from their statuses').optional(),
    author: person('User of the pipeline. Default: the creator of the project').optional(),
    jobs: z.array(job()).optional(),
    created_at: createdAt(),
  });

const packageOf = () =>
  z.strictObject({
    name: name('Name'),
    version: name('Version').optional(),
    type: z.enum(packageTypes).describe('Default: generic').optional(),
    status: z.enum(packageStatuses).optional(),
    tags: z.array(name('Package tag')).optional(),
    pipelines: z.array(name('Name of a pipeline of the project that built the package')).optional(),
    files: z
      .array(
        z.strictObject({
          name: name('File name. The content of package files is not stored'),
          size: z.int().min(0).describe('Size in bytes'),
          md5: text().optional(),
          sha1: text().optional(),
          sha256: text().optional(),
        }),
      )
      .optional(),
    created_at: createdAt(),
  });

const containerRepository = () =>
  z.strictObject({
    name: text().describe('Name relative to the project. Default: the repository of the project itself').optional(),
    tags: z
      .array(
        z.strictObject({
          name: name('Name of the tag'),
          digest: text().describe('sha256: followed by 64 hexadecimal digits. Default: a random digest').optional(),
          size: z.int().min(0).describe('Size in bytes').optional(),
          created_at: createdAt('Time of push'),
        }),
      )
      .optional(),
    created_at: createdAt(),
  });

const clientKey = () =>
  z.strictObject({
    public_key: z
      .string()
      .regex(/^glet_[0-9a-f]{32}$/, 'must be glet_ followed by 32 lower-case hexadecimal digits')
      .describe('Public key in the DSN, for programs that are already configured. Default: a random key')
      .optional(),
    active: z.boolean().describe('false to refuse events that use this key. Default: true').optional(),
    created_at: createdAt(),
  });

const errorTracking = () =>
  z.strictObject({
    active: z.boolean().describe('false to turn error tracking off. Default: true').optional(),
    created_at: createdAt('Time of the change'),
    client_keys: z
      .array(clientKey())
      .describe('Client keys, with which SDKs send errors. The API returns the DSN of each key')
      .optional(),
  });

const project = () =>
  z.strictObject({
    path: name(
      'Full path: the username of a user or the full path of a group, followed by the path of the project: harbour/berths',
    ),
    name: name('Display name. Default: the last part of the path').optional(),
    description: text().optional(),
    visibility: visibility().optional(),
    creator: person('Creator. Default: the owner of the personal namespace, or the creator of the group').optional(),
    forked_from: name(
      'Full path of the project in this file that is forked, with its code at that time. Description and visibility default to those of that project. Default branch, topics and access to issues are always inherited',
    ).optional(),
    default_branch: name('Default: main').optional(),
    issues_access_level: z.enum(['disabled', 'private', 'enabled']).describe('Access to issues').optional(),
    topics: z.array(name('Topic')).optional(),
    starred_by: z.array(person('User who stars the project')).optional(),
    archived: z.boolean().describe('true to archive the project after everything else, so that it is read-only').optional(),
    created_at: createdAt(),
    members: z.array(member()).describe('Members, in addition to the owner of the namespace').optional(),
    commits: z
      .array(commit())
      .describe('Commits, each with a separate push. Ordered by time, otherwise as in the file')
      .optional(),
    tags: z.array(tag()).optional(),
    labels: z.array(label()).optional(),
    milestones: z.array(milestone()).optional(),
    releases: z.array(release()).optional(),
    pipelines: z.array(pipeline()).optional(),
    packages: z.array(packageOf()).optional(),
    container_repositories: z.array(containerRepository()).optional(),
    error_tracking: errorTracking().describe('Settings of error tracking. Default: not configured').optional(),
    snippets: z.array(snippet()).optional(),
    issues: z.array(issue()).describe('Numbered by time, otherwise as in the file').optional(),
    merge_requests: z.array(mergeRequest()).describe('Numbered by time, otherwise as in the file').optional(),
  });

const token = () =>
  z.strictObject({
    user: person('User of the token'),
    name: name('Name'),
    description: text().optional(),
    scopes: z.array(name('Scope, such as api or read_api')).min(1),
    token: z
      .string()
      .regex(/^[A-Za-z0-9._-]{20,255}$/, 'must consist of 20 to 255 letters, digits, dots, dashes or underscores')
      .describe('Fixed value, for experiments on your machine. Default: a random token, shown once')
      .optional(),
    expires_at: z
      .union([day('Last day'), z.null()])
      .describe('Expiry date. Default: null, which means never')
      .optional(),
    created_at: createdAt(),
  });

const application = () =>
  z.strictObject({
    name: name('Name on the consent page'),
    redirect_uris: z.array(name('Redirect URI')),
    scopes: z.array(name('Scope, such as api or openid')),
    confidential: z
      .boolean()
      .describe('true for a confidential application, whose secret is generated and shown once. Default: true')
      .optional(),
    trusted: z.boolean().describe('true to skip the consent page').optional(),
    owner: person('Owner. Default: none, for an application of the instance').optional(),
    created_at: createdAt(),
  });

const level = () => z.enum(notificationLevels).describe('Notification level').optional();
const eventSwitches = () =>
  z
    .partialRecord(z.enum(notificationEvents), z.boolean())
    .describe('Events that are mailed (true) or not (false) with the level custom. Others use their default')
    .optional();
const containerSetting = () =>
  z.strictObject({
    path: name('Full path of a group or project that the user can see'),
    level: level(),
    events: eventSwitches(),
  });

const notificationSetting = () =>
  z.strictObject({
    user: person('User of the settings'),
    level: level(),
    notification_email: name(
      'Address that notifications are sent to: the email address of the user, or a confirmed additional one',
    ).optional(),
    own_activity: z.boolean().describe('true to notify the user of what they do themselves. Default: false').optional(),
    events: eventSwitches(),
    groups: z.array(containerSetting()).describe('Settings of groups').optional(),
    projects: z.array(containerSetting()).describe('Settings of projects').optional(),
  });

export const seedFormat = () =>
  z.strictObject({
    $schema: z.string().describe('JSON Schema for editors. The server ignores it').optional(),
    version: z.literal(1).describe('Version of this format').optional(),
    users: z.array(user()).max(1000).describe('Users, in addition to root, who always exists').optional(),
    groups: z.array(group()).optional(),
    projects: z.array(project()).optional(),
    snippets: z.array(snippet()).describe('Personal snippets').optional(),
    notification_settings: z
      .array(notificationSetting())
      .describe('Notification settings, which apply from the moment when the user can see the group or project')
      .optional(),
    send_mail: z
      .boolean()
      .describe('true to mail people about what happens in this file, to the local mailbox. Default: false')
      .optional(),
    personal_access_tokens: z.array(token()).optional(),
    applications: z.array(application()).describe('OAuth applications').optional(),
  });

export type Seed = z.output<ReturnType<typeof seedFormat>>;
export type SeedGroup = NonNullable<Seed['groups']>[number];
export type SeedProject = NonNullable<Seed['projects']>[number];
export type SeedMember = NonNullable<SeedProject['members']>[number];
export type SeedCommit = NonNullable<SeedProject['commits']>[number];
export type SeedTag = NonNullable<SeedProject['tags']>[number];
export type SeedLabel = NonNullable<SeedProject['labels']>[number];
export type SeedMilestone = NonNullable<SeedProject['milestones']>[number];
export type SeedSnippet = NonNullable<SeedProject['snippets']>[number];
export type SeedNotificationSetting = NonNullable<Seed['notification_settings']>[number];
export type SeedEpic = NonNullable<SeedGroup['epics']>[number];
export type SeedMergeRequest = NonNullable<SeedProject['merge_requests']>[number];
export type SeedIssue = NonNullable<SeedProject['issues']>[number];
export type SeedNote = NonNullable<SeedIssue['notes']>[number];

/** Returns the format as a JSON Schema, in the draft with the best editor support. */
export function seedJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(seedFormat(), { io: 'input', target: 'draft-7' }),
    title: 'Signalbox seed file',
    description: 'Data to add to a local server',
  };
}
