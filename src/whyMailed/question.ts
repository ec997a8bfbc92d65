import { isNotificationEvent, type NotificationEvent } from '../contract/notifications.ts';

/** Issue or merge request of a project. */
export interface Thread {
  readonly type: 'Issue' | 'MergeRequest';
  readonly iid: number;
}

/** The question of a user: why they were mailed about an event or not, or whether they would be. */
export type MailQuestion =
  | { readonly kind: 'happened' /** ID of the notification event. */; readonly id: number }
  | {
      readonly kind: 'possible';
      readonly event: NotificationEvent;
      /** ID or full path. */
      readonly project: number | string;
      /** Undefined for events of the project, and for a thread that the user has nothing to do with. */
      readonly thread: Thread | undefined;
    };

/** Returns the question as parameters of a document. */
export function parametersOf(question: MailQuestion): Readonly<Record<string, string>> {
  if (question.kind === 'happened') return { id: String(question.id) };
  const { event, project, thread } = question;
  return {
    event,
    project: String(project),
    ...(thread === undefined ? {} : { type: thread.type, iid: String(thread.iid) }),
  };
}

/** Reads the parameters of a document. */
export function readQuestion(parameters: URLSearchParams): MailQuestion | undefined {
  const id = numberOf(parameters.get('id'));
  if (id !== undefined) return { kind: 'happened', id };
  const event = parameters.get('event');
  const project = parameters.get('project') ?? '';
  if (!isNotificationEvent(event) || project === '') return undefined;
  const type = parameters.get('type');
  const iid = numberOf(parameters.get('iid'));
  const thread = iid === undefined ? undefined : threadOf(type, iid);
  return { kind: 'possible', event, project: numberOf(project) ?? project, thread };
}

/** Returns the thread of a target, or undefined for other targets. */
export function threadOf(type: string | null, iid: number | null): Thread | undefined {
  return (type === 'Issue' || type === 'MergeRequest') && iid !== null ? { type, iid } : undefined;
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
