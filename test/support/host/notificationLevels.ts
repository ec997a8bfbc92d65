// Notification levels of the demo user.
import { DEMO_USER, type RunningPlatform } from './platform.ts';

/** Sets the global level to `participating`, which the group Tidemark and two projects inherit. */
export async function inheritLevels(platform: RunningPlatform): Promise<void> {
  for (const [scope, level] of [
    ['', 'participating'],
    ['/groups/tidemark', 'global'],
    [`/projects/${encodeURIComponent('tidemark/season-plan')}`, 'global'],
    [`/projects/${encodeURIComponent('amara/berth-api')}`, 'global'],
  ])
    await platform.putAs(DEMO_USER.username, `/api/v4${scope}/notification_settings`, { level });
}
