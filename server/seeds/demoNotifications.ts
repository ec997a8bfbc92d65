import type { MailCore } from '../features/mail/mail.ts';
import type { EventSwitches, NotificationLevel } from '../../src/contract/notifications.ts';
import { addEmail } from '../features/emails/emails.ts';
import { type SettingKey, updateSetting } from '../features/notificationSettings/notificationSettings.ts';
import { findGroup } from '../features/groups/groups.ts';
import type { User } from '../core/caller.ts';
import type { Core } from '../core/core.ts';
import { findProject } from '../features/projectAccess/projectAccess.ts';

interface DemoSetting {
  readonly username: string;
  readonly group?: string;
  readonly project?: string;
  readonly level: NotificationLevel;
  readonly switches?: EventSwitches;
  readonly ownActivity?: boolean;
}

/** Notification settings that differ from the defaults. Without a group and project they are the global ones. */
const settings: readonly DemoSetting[] = [
  { username: 'root', project: 'tidemark/season-plan', level: 'watch' },
  { username: 'root', group: 'tidemark/operations', level: 'watch' },
  { username: 'amara', group: 'tidemark', level: 'watch' },
  { username: 'amara', project: 'tidemark/season-plan', level: 'custom', switches: { new_issue: true, new_note: true } },
  { username: 'amara', project: 'leila/tide-data', level: 'disabled' },
  { username: 'rafael', level: 'watch', ownActivity: true },
  { username: 'rafael', group: 'open-harbour', level: 'disabled' },
  { username: 'mei', level: 'mention' },
  { username: 'mei', project: 'mei/skipper-app', level: 'watch' },
  {
    username: 'priya',
    group: 'tidemark',
    level: 'custom',
    switches: { new_epic: true, new_release: true, new_merge_request: true, merge_merge_request: true },
  },
  { username: 'tomasz', group: 'open-harbour', level: 'watch' },
  { username: 'jonas', level: 'disabled' },
];

/** Additional addresses, the first of which receives the notifications of its user. */
const addresses = [
  { username: 'rafael', address: 'oncall@tidemark.example', isConfirmed: true, receives: true },
  { username: 'amara', address: 'amara@harbour.example', isConfirmed: true, receives: false },
] as const;

/** Adds the email addresses and notification settings of the company. */
export function chooseNotifications(core: MailCore, named: (username: string) => User): void {
  for (const { username, address, isConfirmed, receives } of addresses) {
    const user = named(username);
    const added = addEmail(core, user, { address, isConfirmed });
    if (!('id' in added)) throw new Error(`${address} ${added.join(', ')}`);
    if (receives) updateSetting(core, user, { kind: 'global' }, { email: added.email });
  }
  for (const setting of settings) {
    const { level, switches, ownActivity } = setting;
    const user = named(setting.username);
    updateSetting(core, user, keyOf(core, user, setting), { level, switches, ownActivity });
  }
}

function keyOf(core: Core, user: User, { group, project }: DemoSetting): SettingKey {
  if (group !== undefined) {
    const found = findGroup(core, group, { user });
    if (found === undefined) throw new Error(`${user.username} cannot see ${group}`);
    return { kind: 'group', id: found.group.id };
  }
  if (project === undefined) return { kind: 'global' };
  const found = findProject(core, project, { user });
  if (found === undefined) throw new Error(`${user.username} cannot see ${project}`);
  return { kind: 'project', id: found.project.id };
}
