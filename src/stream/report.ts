import type { ServerEvent } from '../api/eventStream.ts';
import { integerMember, isJsonObject, parseJson } from '../contract/json.ts';
import { throttled } from '../support/throttled.ts';
import { ANYTHING, type ErrorChange } from './errorChanges.ts';

/** Called with what the stream reports. */
export interface StreamListeners {
  readonly activity: () => void;
  readonly mail: () => void;
  readonly error: (changes: readonly ErrorChange[]) => void;
}

/** Minimum milliseconds between two calls of the listeners. */
const PAUSE = 1_000;

/** Returns a function that reports events of the stream to the listeners: the first one at once, and those of each following second together. */
export function createReport(listeners: StreamListeners, after?: Parameters<typeof throttled>[2]) {
  let [hasActivity, hasMail] = [false, false];
  let changes = new Map<string, ErrorChange>();
  const call = throttled(
    () => {
      const [due, isActivityDue, isMailDue] = [[...changes.values()], hasActivity, hasMail];
      changes = new Map();
      [hasActivity, hasMail] = [false, false];
      if (isActivityDue) listeners.activity();
      if (isMailDue) listeners.mail();
      if (due.length > 0) listeners.error(due);
    },
    PAUSE,
    after,
  );
  return {
    report: ({ event, data }: Pick<ServerEvent, 'event' | 'data'>): void => {
      // Events were missed.
      const isReset = event === 'reset';
      const happened = isReset ? ANYTHING : errorChangesOf(event, data);
      for (const change of happened) changes.set(JSON.stringify(change), change);
      hasActivity ||= isReset || event === 'activity';
      hasMail ||= isReset || event === 'mail';
      if (changes.size > 0 || hasActivity || hasMail) call();
    },
    dispose: call.dispose,
  };
}

function errorChangesOf(event: string | undefined, data: string): readonly ErrorChange[] {
  if (event !== 'error' && event !== 'count' && event !== 'key') return [];
  const value = parseJson(data);
  if (!isJsonObject(value)) return [];
  const projectId = integerMember(value, 'project_id');
  const id = integerMember(value, event === 'key' ? 'key_id' : 'fingerprint');
  return projectId === undefined || id === undefined ? [] : [{ kind: event, projectId, id }];
}
