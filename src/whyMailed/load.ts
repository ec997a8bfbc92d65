import type { Client } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import { relationWithoutThread } from '../contract/notifications.ts';
import { decisionDocument, pendingDocument, settingsDocument, type Subject, type WhyDocument } from './document.ts';
import { explainSettings } from './explanation.ts';
import { type MailQuestion, type Thread, threadOf } from './question.ts';
import {
  getDecision,
  getEvent,
  getPossibleDecision,
  getProject,
  getSettingChain,
  getThread,
  type LoadedProject,
} from './requests.ts';

/** Response to a question, with what is needed to apply its remedies and to open its page. */
export interface Explanation extends WhyDocument {
  /** Undefined for events of groups. */
  readonly project: number | string | undefined;
  readonly thread: Thread | undefined;
  readonly page: string | undefined;
}

/** Explains why the user was mailed or would be. Rejects with an `ApiFailure`. */
export function explain(client: Client, question: MailQuestion, userId: number, locale: string): Promise<Explanation> {
  return question.kind === 'happened'
    ? explainEvent(client, question.id, userId, locale)
    : explainPossible(client, question, userId, locale);
}

async function explainEvent(client: Client, id: number, userId: number, locale: string): Promise<Explanation> {
  const [event, decision] = await Promise.all([getEvent(client, id), getDecision(client, id, userId)]);
  const thread = threadOf(event.target_type, event.target_iid);
  const page = event.web_url === '' ? undefined : event.web_url;
  const target = { project: event.project_id ?? undefined, thread, page };
  if (decision === undefined || event.status === 'pending') return { ...pendingDocument(), ...target };
  const project = event.project_id === null ? undefined : await visibleProject(client, event.project_id);
  const subject = { path: project?.scope.path ?? '', thread, title: event.target_title ?? '', page };
  return { ...decisionDocument(decision, subject, event, locale), ...target };
}

/** Returns the project, or undefined if it was deleted or hidden since the event. */
async function visibleProject(client: Client, id: number): Promise<LoadedProject | undefined> {
  try {
    return await getProject(client, id);
  } catch (error) {
    if (failureOfError(error)?.kind !== 'notFound') throw error;
    return undefined;
  }
}

async function explainPossible(
  client: Client,
  question: MailQuestion & { readonly kind: 'possible' },
  userId: number,
  locale: string,
): Promise<Explanation> {
  const { event, thread } = question;
  const project = await getProject(client, question.project);
  const id = project.scope.id ?? question.project;
  const [loaded, decision] = await Promise.all([
    thread === undefined ? undefined : getThread(client, id, thread),
    typeof id === 'number' ? getPossibleDecision(client, question, id, userId) : undefined,
  ]);
  const page = loaded?.web_url ?? project.web_url;
  const subject: Subject = { path: project.scope.path, thread, title: loaded?.title ?? '', page };
  const target = { project: id, thread, page };
  if (decision !== undefined) return { ...decisionDocument(decision, subject, undefined, locale), ...target };
  const needsThread = thread !== undefined && relationWithoutThread[event] === undefined;
  const [chain, related] = await Promise.all([
    getSettingChain(client, project.scope),
    needsThread ? getThread(client, id, thread, userId) : undefined,
  ]);
  return { ...settingsDocument(explainSettings(event, chain, related?.relations ?? []), subject), ...target };
}
