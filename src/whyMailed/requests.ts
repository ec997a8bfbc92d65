import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { failureOfError } from '../api/failures.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import { readIssue, readNote } from '../contract/issues.ts';
import { isJsonObject, stringMember } from '../contract/json.ts';
import { readMergeRequest } from '../contract/mergeRequests.ts';
import {
  type NotificationEventBasic,
  readNotificationEvent,
  readRecipientDecision,
  type RecipientDecision,
  type Remedy,
} from '../contract/notificationDecisions.ts';
import { isNotificationEvent, readNotificationSettings, type ScopedSetting } from '../contract/notifications.ts';
import type { NotificationApi } from '../notifications/api.ts';
import type { PlannedChange } from '../notifications/changes.ts';
import {
  chainOf,
  globalScope,
  groupScope,
  type NotificationScope,
  readProjectScope,
  settingsPath,
} from '../notifications/scopes.ts';
import type { SettingChain } from './explanation.ts';
import type { MailQuestion, Thread } from './question.ts';

/** Issue or merge request with what it says about the user. */
export interface LoadedThread {
  readonly title: string;
  readonly web_url: string;
  readonly relations: RecipientDecision['relations'];
}

/** Project with its place in the chain of settings. */
export interface LoadedProject {
  readonly scope: NotificationScope;
  readonly web_url: string;
}

/** Number of comments in which a comment of the user is looked for. */
const COMMENTS = 100;

/** Returns an event that happened. Rejects with an `ApiFailure`, like all functions of this file. */
export function getEvent(client: Client, id: number): Promise<NotificationEventBasic> {
  return client.get(apiPath`/notification_events/${id}`, readNotificationEvent);
}

/** Returns the decision about a user; undefined if the event has not been decided yet. */
export async function getDecision(client: Client, eventId: number, userId: number): Promise<RecipientDecision | undefined> {
  const path = apiPath`/notification_events/${eventId}/decisions`;
  return (await client.list(path, readRecipientDecision, { user_id: userId })).items[0];
}

/** Maximum difference in milliseconds between an activity event and its notification event. They have the same cause. */
const SAME_TIME = 2_000;

/** Returns the ID of the notification event of an activity event; undefined if there is none or the instance does not record them. */
export async function findNotificationEvent(
  client: Client,
  {
    event,
    project,
    thread,
    activity,
  }: { readonly event: string; readonly project: number; readonly thread: Thread; readonly activity: ActivityEvent },
): Promise<number | undefined> {
  const query = { event, project_id: project, target_type: thread.type, target_iid: thread.iid, per_page: 100 };
  try {
    const { items } = await client.list('/notification_events', readNotificationEvent, query);
    const at = Date.parse(activity.created_at);
    return items.find(
      ({ created_at, actor }) =>
        Math.abs(Date.parse(created_at) - at) <= SAME_TIME && (actor === null || actor.id === activity.author?.id),
    )?.id;
  } catch (error) {
    if (failureOfError(error)?.kind === 'notFound') return undefined;
    throw error;
  }
}

/** Returns what would be decided about a user if the event happened now; undefined if the instance does not explain its mails. */
export async function getPossibleDecision(
  client: Client,
  { event, thread }: MailQuestion & { readonly kind: 'possible' },
  projectId: number,
  userId: number,
): Promise<RecipientDecision | undefined> {
  const target = thread === undefined ? {} : { target_type: thread.type, target_iid: thread.iid };
  const query = { event, project_id: projectId, user_id: userId, ...target };
  try {
    return (await client.list('/notification_decisions', readRecipientDecision, query)).items[0];
  } catch (error) {
    // The project was read before, so it is the resource that is missing.
    if (failureOfError(error)?.kind === 'notFound') return undefined;
    throw error;
  }
}

export function getProject(client: Client, project: number | string): Promise<LoadedProject> {
  return client.get(apiPath`/projects/${project}`, (value) => {
    const scope = readProjectScope(value);
    return scope && { scope, web_url: isJsonObject(value) ? (stringMember(value, 'web_url') ?? '') : '' };
  });
}

/** Reads an issue or merge request. Without the ID of a user, its relations are empty. */
export async function getThread(
  client: Client,
  project: number | string,
  { type, iid }: Thread,
  userId?: number,
): Promise<LoadedThread> {
  const path = pathOfThread(project, { type, iid });
  const read = (value: unknown): (LoadedThread & { readonly isParticipant: boolean }) | undefined => {
    const thread = type === 'Issue' ? readIssue(value) : readMergeRequest(value);
    if (thread === undefined) return undefined;
    const is = (people: readonly { readonly id: number }[]): boolean => people.some(({ id }) => id === userId);
    const isReviewer = 'reviewers' in thread && Array.isArray(thread.reviewers) && is(thread.reviewers);
    const isParticipant = thread.author?.id === userId || is(thread.assignees) || isReviewer;
    const isSubscribed = isJsonObject(value) && value.subscribed === true;
    const { title, web_url } = thread;
    return { title, web_url, isParticipant, relations: isSubscribed ? [{ type: 'subscription', reason: 'subscribed' }] : [] };
  };
  const { isParticipant, ...thread } = await client.get(path, read);
  if (userId === undefined) return { ...thread, relations: [] };
  const takesPart = isParticipant || (await hasCommented(client, path, userId));
  return takesPart ? { ...thread, relations: [{ type: 'participating', reason: null }, ...thread.relations] } : thread;
}

async function hasCommented(client: Client, path: string, userId: number): Promise<boolean> {
  const { items } = await client.list(`${path}/notes`, readNote, { per_page: COMMENTS });
  return items.some(({ author, system }) => !system && author?.id === userId);
}

/** Returns the settings of a project and of everything it inherits from. */
export async function getSettingChain(client: Client, project: NotificationScope): Promise<SettingChain> {
  const [, ...around] = chainOf(project);
  const above = around.slice(0, -1);
  const last = around.at(-1) ?? project;
  const [own, ofGroups, ofAccount] = await Promise.all([
    getSetting(client, project),
    Promise.all(above.map((scope) => getSettingOfGroup(client, scope))),
    getSetting(client, last),
  ]);
  return [own, ...ofGroups.filter((one) => one !== undefined), ofAccount];
}

async function getSetting(client: Client, scope: NotificationScope): Promise<ScopedSetting> {
  const { level, events = {} } = await client.get(settingsPath(scope), readNotificationSettings);
  const switches = Object.fromEntries(
    Object.entries(events).flatMap(([event, value]) => (isNotificationEvent(event) && value !== null ? [[event, value]] : [])),
  );
  return { level, switches, scope: { kind: scope.kind, id: scope.id ?? 0, path: scope.path } };
}

/** A group above may be hidden; it then has no settings of the user. */
async function getSettingOfGroup(client: Client, scope: NotificationScope): Promise<ScopedSetting | undefined> {
  try {
    return await getSetting(client, scope);
  } catch (error) {
    if (failureOfError(error)?.kind !== 'notFound') throw error;
    return undefined;
  }
}

/** Remedy that changes notification settings. */
export type SettingRemedy = Extract<Remedy, { readonly kind: 'set_level' | 'set_event' }>;

/** Returns true if the extension can apply the remedy. Others are up to the user. */
export function isApplicable({ kind }: Remedy, thread: Thread | undefined): boolean {
  if (kind === 'subscribe' || kind === 'unsubscribe') return thread !== undefined;
  return kind === 'set_level' || kind === 'set_event';
}

/** Returns the change of settings that a remedy stands for, with the settings before it. */
export async function planRemedy(client: Client, api: NotificationApi, remedy: SettingRemedy): Promise<PlannedChange> {
  const { kind, id, path } = remedy.scope;
  const scope = kind === 'global' ? globalScope : kind === 'group' ? groupScope(path, id) : (await getProject(client, id)).scope;
  const change =
    remedy.kind === 'set_level'
      ? { level: remedy.level, ...(remedy.event === undefined ? {} : { switches: { [remedy.event]: true } }) }
      : { switches: { [remedy.event]: remedy.value } };
  return { scope, before: await api.read(scope), change };
}

export async function changeSubscription(
  client: Client,
  kind: 'subscribe' | 'unsubscribe',
  project: number | string,
  thread: Thread,
): Promise<void> {
  await client.change({ method: 'POST', path: `${pathOfThread(project, thread)}/${kind}` }, () => true);
}

function pathOfThread(project: number | string, { type, iid }: Thread): string {
  return type === 'Issue' ? apiPath`/projects/${project}/issues/${iid}` : apiPath`/projects/${project}/merge_requests/${iid}`;
}
