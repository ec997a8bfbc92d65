import type { LiveCore } from './core/live.ts';
import { activity } from './features/activity/activity.ts';
import { audit } from './features/audit/audit.ts';
import type { TrackingCore } from './features/errorTracking/errorTracking.ts';
import { projectRepository } from './features/pushes/pushes.ts';
import { issues } from './features/issues/issues.ts';
import { members } from './features/members/members.ts';
import { mergeRequests } from './features/mergeRequests/mergeRequests.ts';
import { projects } from './features/projects/projects.ts';
import { releases } from './features/releases/releases.ts';
import { followLive } from './features/stream/stream.ts';
import type { Feature } from './http/feature.ts';
import type { GitCore } from './repositories/repositories.ts';

/** The core with what recording needs. */
type RecordingCore = GitCore & LiveCore & TrackingCore;

/** Features that record what happens. Past activity is recorded by them only. */
const recording: readonly Feature<RecordingCore>[] = [
  activity,
  audit,
  mergeRequests,
  { subscribe: followLive },
  projects(projectRepository),
  members,
  issues,
  releases,
];

/** Attaches the subscribers and jobs that record what happens, without those that notify anybody. */
export function attachSubscribers(core: RecordingCore): void {
  for (const { subscribe } of recording) subscribe?.(core);
  for (const { start } of recording) start?.(core);
}
