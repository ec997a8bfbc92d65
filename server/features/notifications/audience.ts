import { findUser } from '../../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import { findProject } from '../../projects/projects.ts';
import type { RecordedEvent } from './event.ts';
import type { RecipientFacts } from './rules.ts';
import { settingsIn } from './settings/settings.ts';

/** A user who may have to be mailed about an event. */
export interface Candidate {
  readonly userId: number;
  /** Address that mails are sent to. */
  readonly address: string;
  readonly facts: RecipientFacts;
}

/** Returns the next candidates of an event in the order of their IDs, after a given ID; fewer than `limit` if there are no more. */
export function candidatesAfter(platform: Platform, event: RecordedEvent, after: number, limit: number): readonly Candidate[] {
  const { projectId } = event;
  if (projectId === null) return [];
  const ids = platform.store
    .all<{ user_id: number }>(
      'SELECT user_id FROM project_access WHERE project_id = $projectId AND user_id > $after ORDER BY user_id LIMIT $limit',
      { projectId, after, limit },
    )
    .map((row) => row.user_id);
  const project = findProject(platform, projectId, { user: findUser(platform, 1) as never })?.project;
  if (project === undefined) return [];
  const settings = settingsIn(
    platform,
    { kind: 'project', id: projectId, path: project.full_path, namespaceId: project.namespace_id },
    ids,
  );
  return ids.flatMap((userId) => {
    const user = findUser(platform, userId);
    const own = settings.get(userId);
    if (user === undefined || own === undefined) return [];
    return [
      {
        userId,
        address: own.email ?? user.email,
        facts: {
          event: event.event,
          candidacies: [{ type: 'participating', reason: null }],
          isActor: event.actorId === userId,
          ownActivity: own.ownActivity,
          isActive: user.state === 'active',
          canRead: findProject(platform, projectId, { user }) !== undefined,
          subscribed: null,
          settings: own.chain,
        },
      },
    ];
  });
}
