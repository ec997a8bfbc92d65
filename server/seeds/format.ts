import * as z from 'zod';
import { accessLevels, type ProjectRole, visibilities } from '../projects/projects.ts';
import { issueTypes } from '../issues/rules.ts';
import { packageStatuses, packageTypes } from '../packages/rules.ts';
import { failureReasons, sources, statuses } from '../pipelines/rules.ts';
import { dayPattern, timePattern } from './times.ts';

// What a seed file may hold. The build makes a JSON Schema of it, from which editors complete and check such files.

/** A text as it can be kept: no half of a character, and no zero, at which other programs would cut it off. */
const text = () =>
  z.string().refine((value) => value.isWellFormed() && !value.includes('\0'), 'holds a character that cannot be kept');
const name = (message: string) => text().min(1).describe(message);
const person = (text: string) => name(`${text}: the username of somebody in this file or on the server`);
const moment = (text: string) =>
  z
    .string()
    .regex(timePattern, 'must be a time such as 2026-05-01, 2026-05-01T12:00:00Z or 3 days ago')
    .describe(`${text}: a date, a date and time, or how long ago, such as "3 days ago" or "2 hours 5 minutes ago"`);
const day = (text: string) =>
  z
    .string()
    .regex(dayPattern, 'must be a day such as 2026-05-01, today, in 2 weeks or 3 days ago')
    .describe(`${text}: a date, "today", or a number of days or weeks from today, such as "in 2 weeks"`);
const visibility = () =>
  z.enum(visibilities).describe('Who sees it besides members: nobody (default), everybody signed in, or everybody');
const createdAt = (text = 'When it was made') =>
  moment(text)
    .optional()
    .describe(`${text}: a date and time or "3 days ago". Left out: now, or just before the first thing that needs it`);

const roles = Object.keys(accessLevels).filter((role): role is ProjectRole => role in accessLevels);

const member = () =>
  z.strictObject({
    user: person('Who'),
    access_level: z.enum(roles).describe('The role'),
    expires_at: day('The day on which the membership ends').optional(),
    created_at: createdAt('When they joined'),
  });

const user = () =>
  z.strictObject({
    username: name('By which the person signs in and is referred to'),
    name: name('The name that is shown; the username when it is left out').optional(),
    email: name('USERNAME@signalbox.example when it is left out').optional(),
    password: z
      .union([text(), z.null()])
      .describe('Left out: a random one is made and shown once. null: nobody signs in with a password')
      .optional(),
    admin: z.boolean().describe('Whether the person is an administrator').optional(),
    external: z.boolean().describe('Whether the person sees only public projects and those that they are a member of').optional(),
    private_profile: z.boolean().describe('Whether the profile is hidden from others').optional(),
    bio: text().describe('What the profile says').optional(),
    created_at: createdAt('When the account was made'),
  });

const label = () =>
  z.strictObject({
    name: name('By which issues carry it'),
    color: name('#rrggbb, or a name of CSS; blue when it is left out').optional(),
    description: text().optional(),
    created_at: createdAt(),
  });

const milestone = () =>
  z.strictObject({
    title: name('By which issues and releases name it'),
    description: text().optional(),
    author: person('Who makes it; the creator of the project or group when it is left out').optional(),
    start_date: day('The first day').optional(),
    due_date: day('The last day').optional(),
    created_at: createdAt(),
    state: z.enum(['active', 'closed']).describe('active when it is left out').optional(),
    closed_at: createdAt('When it was closed'),
  });

const epic = () =>
  z.strictObject({
    title: name('By which issues name it'),
    description: text().describe('In Markdown').optional(),
    author: person('Who opens it; the creator of the group when it is left out').optional(),
    labels: z.array(name('A label')).optional(),
    confidential: z.boolean().describe('Whether only reporters and higher roles see it').optional(),
    start_date: day('The first day').optional(),
    due_date: day('The last day').optional(),
    created_at: createdAt('When it was opened'),
    state: z.enum(['opened', 'closed']).describe('opened when it is left out').optional(),
    closed_at: createdAt('When it was closed'),
  });

const group = () =>
  z.strictObject({
    path: name('The full path; a group in another one has the path of that in front: harbour/crew'),
    name: name('The name that is shown; the last part of the path when it is left out').optional(),
    description: text().optional(),
    visibility: visibility().optional(),
    creator: person('Who makes the group and is its first owner; root when it is left out').optional(),
    project_creation_level: z.enum(['noone', 'maintainer', 'developer']).describe('Who creates projects in it').optional(),
    subgroup_creation_level: z.enum(['owner', 'maintainer']).describe('Who creates groups in it').optional(),
    created_at: createdAt(),
    members: z.array(member()).describe('Members beside the creator').optional(),
    labels: z.array(label()).describe('For the group and all projects in it').optional(),
    milestones: z.array(milestone()).describe('For the group and all projects in it').optional(),
    epics: z.array(epic()).describe('Shown by the tiers premium and ultimate').optional(),
  });

const file = () =>
  z.union([
    text().describe('The whole content'),
    z.null().describe('The file is deleted'),
    z.strictObject({
      content: text().describe('The whole content'),
      encoding: z.enum(['text', 'base64']).describe('How the content is written here; text when it is left out').optional(),
      executable: z.boolean().optional(),
    }),
  ]);

const commit = () =>
  z.strictObject({
    message: name('The message; its first line is the title'),
    author: person('Who commits and pushes; the creator of the project when it is left out').optional(),
    branch: name('The branch; the default branch when it is left out').optional(),
    start_branch: name('Where a new branch begins; the default branch when it is left out').optional(),
    created_at: createdAt('When it was committed and pushed'),
    files: z.record(z.string(), file()).describe('What is written, by path'),
  });

const tag = () =>
  z.strictObject({
    name: name('The name of the tag'),
    branch: name('The branch whose newest commit it names at that time; the default branch when it is left out').optional(),
    message: text().describe('Makes it an annotated tag').optional(),
    author: person('Who tags; the creator of the project when it is left out').optional(),
    created_at: createdAt(),
  });

const reply = () =>
  z.strictObject({
    body: name('The answer, in Markdown'),
    author: person('Who answers; the author of what is commented on when it is left out').optional(),
    created_at: createdAt('When it was written'),
  });

const note = () =>
  z.strictObject({
    body: name('The comment, in Markdown'),
    author: person('Who comments; the author of what is commented on when it is left out').optional(),
    internal: z.boolean().describe('Whether only reporters and higher roles see it').optional(),
    created_at: createdAt('When it was written'),
    replies: z.array(reply()).describe('Answers, with which it is a thread').optional(),
  });

const issue = () =>
  z.strictObject({
    title: name('The title'),
    description: text().describe('In Markdown').optional(),
    author: person('Who opens it; the creator of the project when it is left out').optional(),
    labels: z.array(name('A label')).optional(),
    assignees: z.array(person('Whom it is assigned to')).optional(),
    milestone: name('The title of a milestone of the project or a group around it').optional(),
    epic: name(
      'The title of an epic of a group around the project, in this file; whoever opened that adds the issue to it',
    ).optional(),
    due_date: day('The day on which it is due').optional(),
    weight: z.int().min(0).describe('How much work it is').optional(),
    issue_type: z.enum(issueTypes).describe('issue when it is left out').optional(),
    confidential: z.boolean().describe('Whether only reporters and higher roles, its author and assignees see it').optional(),
    created_at: createdAt('When it was opened'),
    state: z.enum(['opened', 'closed']).describe('opened when it is left out').optional(),
    closed_by: person('Who closes it; its author when it is left out').optional(),
    closed_at: createdAt('When it was closed'),
    notes: z.array(note()).describe('Comments').optional(),
  });

const mergeRequest = () =>
  z.strictObject({
    title: name('The title; one that begins with "Draft:" is a draft'),
    description: text()
      .describe('In Markdown; "Closes #1" closes that issue when it is merged into the default branch')
      .optional(),
    author: person('Who opens it; the creator of the project that has the branch when it is left out').optional(),
    source_project: name(
      'The full path of the fork in this file that has the branch; the project itself when it is left out. What comes from a fork is not merged by a seed file',
    ).optional(),
    source_branch: name('The branch that is to be merged'),
    target_branch: name('The branch to merge into; the default branch when it is left out').optional(),
    labels: z.array(name('A label')).optional(),
    assignees: z.array(person('Whom it is assigned to')).optional(),
    reviewers: z.array(person('Who is asked to review it')).optional(),
    milestone: name('The title of a milestone of the project or a group around it').optional(),
    created_at: createdAt('When it was opened'),
    state: z.enum(['opened', 'merged', 'closed']).describe('opened when it is left out').optional(),
    approvals: z.array(z.strictObject({ user: person('Who approves'), created_at: createdAt('When they approved') })).optional(),
    merged_by: person('Who merges it; the creator of the project when it is left out').optional(),
    merged_at: createdAt('When it was merged; the two branches must have changed different files'),
    closed_by: person('Who closes it; its author when it is left out').optional(),
    closed_at: createdAt('When it was closed'),
    notes: z.array(note()).describe('Comments').optional(),
  });

const snippet = () =>
  z.strictObject({
    title: name('The title'),
    description: text().describe('In Markdown').optional(),
    author: person('Who makes it; the creator of the project, or root, when it is left out').optional(),
    visibility: visibility().optional(),
    files: z
      .record(z.string(), text())
      .refine((files) => Object.keys(files).length > 0, 'is empty')
      .describe('The text of each file, by path; ten at most'),
    created_at: createdAt(),
  });

const release = () =>
  z.strictObject({
    tag: name('The name of a tag of the project in this file'),
    name: name('The tag when it is left out').optional(),
    description: text().describe('In Markdown').optional(),
    author: person('Who releases; the creator of the project when it is left out').optional(),
    milestones: z.array(name('The title of a milestone')).optional(),
    links: z.array(z.strictObject({ name: name('What it is'), url: name('Where it is') })).optional(),
    created_at: createdAt('When it was released'),
  });

const job = () =>
  z.strictObject({
    name: name('What it is called'),
    stage: name('test when it is left out').optional(),
    status: z.enum(statuses).describe('success when it is left out').optional(),
    allow_failure: z.boolean().optional(),
    failure_reason: z.enum(failureReasons).optional(),
    coverage: z.number().min(0).max(100).optional(),
    tags: z.array(name('A tag of runners')).optional(),
  });

const pipeline = () =>
  z.strictObject({
    name: name('By which packages name it').optional(),
    ref: name('A branch or tag; the default branch when it is left out').optional(),
    sha: z
      .string()
      .regex(/^[0-9a-f]{40}$/, 'must have 40 hexadecimal digits')
      .describe('The commit; that of the ref at that time when it is left out')
      .optional(),
    source: z.enum(sources).describe('What made it; push when it is left out').optional(),
    status: z.enum(statuses).describe('Of a pipeline without jobs; otherwise it follows from them').optional(),
    author: person('Whose pipeline it is; the creator of the project when it is left out').optional(),
    jobs: z.array(job()).optional(),
    created_at: createdAt(),
  });

const packageOf = () =>
  z.strictObject({
    name: name('What it is called'),
    version: name('Its version').optional(),
    type: z.enum(packageTypes).describe('generic when it is left out').optional(),
    status: z.enum(packageStatuses).optional(),
    tags: z.array(name('A tag of the package')).optional(),
    pipelines: z.array(name('The name of a pipeline of the project from which it comes')).optional(),
    files: z
      .array(
        z.strictObject({
          name: name('Name of the file; its content is not kept'),
          size: z.int().min(0).describe('Bytes'),
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
    name: text().describe('The name below that of the project; the one of the project itself when it is left out').optional(),
    tags: z
      .array(
        z.strictObject({
          name: name('Name of the tag'),
          digest: text().describe('sha256: and 64 hexadecimal digits; a random one when it is left out').optional(),
          size: z.int().min(0).describe('Bytes').optional(),
          created_at: createdAt('When it was pushed'),
        }),
      )
      .optional(),
    created_at: createdAt(),
  });

const clientKey = () =>
  z.strictObject({
    public_key: z
      .string()
      .regex(/^glet_[0-9a-f]{32}$/, 'must be glet_ and 32 lower-case hexadecimal digits')
      .describe('What the DSN holds, for programs that are set up already; a random one when it is left out')
      .optional(),
    active: z.boolean().describe('Whether SDKs may send with it; true when it is left out').optional(),
    created_at: createdAt(),
  });

const errorTracking = () =>
  z.strictObject({
    active: z.boolean().describe('Whether errors are tracked; true when it is left out').optional(),
    created_at: createdAt('When it was set'),
    client_keys: z.array(clientKey()).describe('With which SDKs send errors; the API tells the DSN of each').optional(),
  });

const project = () =>
  z.strictObject({
    path: name('The full path: the username of a person or the full path of a group, and the path in it: harbour/berths'),
    name: name('The name that is shown; the last part of the path when it is left out').optional(),
    description: text().optional(),
    visibility: visibility().optional(),
    creator: person('Who makes it; the person whose namespace it is in, or the creator of its group').optional(),
    forked_from: name(
      'The full path of the project in this file that it is forked from, with the code that this has at that time. Description, visibility, default branch and who has issues are those of that project when they are left out',
    ).optional(),
    default_branch: name('main when it is left out').optional(),
    issues_access_level: z.enum(['disabled', 'private', 'enabled']).describe('Who has issues').optional(),
    topics: z.array(name('A topic')).optional(),
    starred_by: z.array(person('Who stars it')).optional(),
    archived: z.boolean().describe('Whether it is put into the archive at the end, so that nobody writes to it').optional(),
    created_at: createdAt(),
    members: z.array(member()).describe('Members beside the owner of the namespace').optional(),
    commits: z.array(commit()).describe('Each is one push. In the order of their times, else in that of the file').optional(),
    tags: z.array(tag()).optional(),
    labels: z.array(label()).optional(),
    milestones: z.array(milestone()).optional(),
    releases: z.array(release()).optional(),
    pipelines: z.array(pipeline()).optional(),
    packages: z.array(packageOf()).optional(),
    container_repositories: z.array(containerRepository()).optional(),
    error_tracking: errorTracking().describe('Left out: nobody has set it').optional(),
    snippets: z.array(snippet()).optional(),
    issues: z.array(issue()).describe('Numbered in the order of their times, else in that of the file').optional(),
    merge_requests: z.array(mergeRequest()).describe('Numbered in the order of their times, else in that of the file').optional(),
  });

const token = () =>
  z.strictObject({
    user: person('Whose token it is'),
    name: name('What it is called'),
    description: text().optional(),
    scopes: z.array(name('A scope, such as api or read_api')).min(1),
    token: z
      .string()
      .regex(/^[A-Za-z0-9._-]{20,255}$/, 'must have 20 to 255 letters, digits, dots, dashes and underscores')
      .describe('A value of your choice for experiments on your own machine. Left out: a random one is made and shown once')
      .optional(),
    expires_at: z
      .union([day('The last day'), z.null()])
      .describe('The day on which it ends; null or left out: never')
      .optional(),
    created_at: createdAt(),
  });

const application = () =>
  z.strictObject({
    name: name('What people read when they are asked'),
    redirect_uris: z.array(name('An address')),
    scopes: z.array(name('A scope, such as api or openid')),
    confidential: z
      .boolean()
      .describe('Whether it can keep a secret, which is made and shown once; true when it is left out')
      .optional(),
    trusted: z.boolean().describe('Whether people are not asked before it gets tokens').optional(),
    owner: person('Who registers it; the whole instance when it is left out').optional(),
    created_at: createdAt(),
  });

export const seedFormat = () =>
  z.strictObject({
    $schema: z.string().describe('For editors; the server does not read it').optional(),
    version: z.literal(1).describe('The version of this format').optional(),
    users: z.array(user()).max(1000).describe('People besides root, who is there already').optional(),
    groups: z.array(group()).optional(),
    projects: z.array(project()).optional(),
    snippets: z.array(snippet()).describe('Snippets of people').optional(),
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
export type SeedEpic = NonNullable<SeedGroup['epics']>[number];
export type SeedMergeRequest = NonNullable<SeedProject['merge_requests']>[number];
export type SeedIssue = NonNullable<SeedProject['issues']>[number];
export type SeedNote = NonNullable<SeedIssue['notes']>[number];

/** The format as a JSON Schema, in the draft that editors know best. */
export function seedJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(seedFormat(), { io: 'input', target: 'draft-7' }),
    title: 'A seed file of Signalbox',
    description: 'What a local server begins with, or gets added',
  };
}
