import { type ActivityEvent, readActivityEvent } from '../../../src/contract/activity.ts';

const author = {
  id: 7,
  username: 'ana',
  name: 'Ana Novak',
  state: 'active',
  avatar_url: null,
  web_url: 'https://gitlab.example.com/ana',
};

/** Event as in a response, with changed members. */
export function wireEvent(changes: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    id: 1,
    title: null,
    project_id: 42,
    action_name: 'opened',
    target_id: 900,
    target_iid: 12,
    target_type: 'Issue',
    author_id: 7,
    target_title: 'Relay flickers',
    created_at: '2026-11-20T10:15:00.000Z',
    author,
    imported: false,
    imported_from: 'none',
    author_username: 'ana',
    ...changes,
  };
}

export function event(changes: Readonly<Record<string, unknown>> = {}): ActivityEvent {
  const read = readActivityEvent(wireEvent(changes));
  if (read === undefined) throw new Error('this is no event');
  return read;
}

const noTarget = { target_id: null, target_iid: null, target_type: null, target_title: null };

export function pushEvent(actionName: string, push: Readonly<Record<string, unknown>>): ActivityEvent {
  const data = {
    commit_count: 1,
    action: 'pushed',
    ref_type: 'branch',
    commit_from: '1111111111111111111111111111111111111111',
    commit_to: '2222222222222222222222222222222222222222',
    ref: 'main',
    commit_title: 'Tighten the relay',
    ref_count: null,
  };
  return event({ ...noTarget, action_name: actionName, push_data: { ...data, ...push } });
}

export function noteEvent(
  note: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>> = {},
): ActivityEvent {
  const body = { id: 77, body: 'Looks right.', attachment: null, author, created_at: '2026-11-20T10:15:00.000Z', system: false };
  return event({
    action_name: 'commented on',
    target_type: 'Note',
    target_id: 77,
    target_iid: 77,
    note: { ...body, noteable_id: 900, noteable_type: 'Issue', noteable_iid: 12, ...note },
    ...changes,
  });
}

export function plainEvent(actionName: string): ActivityEvent {
  return event({ ...noTarget, action_name: actionName });
}
