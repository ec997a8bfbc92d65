import { addEmail, notificationAddress } from '../features/emails/emails.ts';
import { type SettingInput, type SettingKey, updateSetting } from '../features/notificationSettings/notificationSettings.ts';
import { findGroup } from '../features/groups/groups.ts';
import type { User } from '../core/caller.ts';
import type { Core } from '../core/core.ts';
import type { Path } from './document.ts';
import type { SeedNotificationSetting } from './format.ts';
import type { PlannedGroup, PlannedProject } from './namespaces.ts';
import { type Person, type Plan, projectOf, stepsOf, userOf } from './plan.ts';
import { type Step, StepRefused } from './timeline.ts';

type ContainerSetting = NonNullable<SeedNotificationSetting['groups']>[number];

/** Plans the additional email addresses of users, and notification settings. */
export function planNotifications(plan: Plan, groups: readonly PlannedGroup[], projects: readonly PlannedProject[]): void {
  const addresses = planEmails(plan);
  const steps = new Map<string, Step>([
    ...groups.map(({ group, step }) => [`group ${group.path.toLowerCase()}`, step] as const),
    ...projects.map(({ project, step }) => [`project ${project.path.toLowerCase()}`, step] as const),
  ]);

  const planContainer = (path: Path, person: Person, kind: 'group' | 'project', setting: ContainerSetting): void => {
    const created = steps.get(`${kind} ${setting.path.toLowerCase()}`);
    plan.add({
      path,
      at: undefined,
      early: true,
      needs: [...stepsOf(person), ...(created === undefined ? [] : [created])],
      follows: plan.membershipsOf(setting.path, person.username),
      run: (core) => {
        const user = userOf(core, path, person);
        update(core, user, keyOf(core, path, user, kind, setting.path), setting);
      },
    });
  };

  for (const [index, setting] of (plan.seed.notification_settings ?? []).entries()) {
    const path: Path = ['notification_settings', index];
    const person = plan.person([...path, 'user'], setting.user);
    if (person === undefined) continue;
    const { notification_email: address, own_activity: ownActivity } = setting;
    const added = address === undefined ? undefined : addresses.get(addressKey(person, address));
    plan.add({
      path,
      at: undefined,
      early: true,
      needs: [...stepsOf(person), ...(added === undefined ? [] : [added])],
      follows: [],
      run: (core) => {
        const user = userOf(core, path, person);
        const email = address === undefined ? undefined : notificationAddress(core, user, address);
        if (address !== undefined && email === undefined)
          throw new StepRefused([...path, 'notification_email'], 'must be a confirmed address of the user');
        update(core, user, { kind: 'global' }, { ...setting, more: { email, ownActivity } });
      },
    });
    for (const [at, group] of (setting.groups ?? []).entries()) planContainer([...path, 'groups', at], person, 'group', group);
    for (const [at, project] of (setting.projects ?? []).entries())
      planContainer([...path, 'projects', at], person, 'project', project);
  }
}

function addressKey({ username }: Pick<Person, 'username'>, address: string): string {
  return `${username} ${address}`.toLowerCase();
}

/** Plans additional addresses. Returns their steps by {@link addressKey}. */
function planEmails(plan: Plan): ReadonlyMap<string, Step> {
  const steps = new Map<string, Step>();
  for (const [index, { username, emails = [] }] of (plan.seed.users ?? []).entries()) {
    for (const [at, { email, confirmed: isConfirmed = true, created_at: createdAt }] of emails.entries()) {
      const path: Path = ['users', index, 'emails', at];
      const person = plan.person(path, username);
      if (person === undefined) continue;
      const step = plan.add({
        path,
        at: plan.time([...path, 'created_at'], createdAt),
        early: true,
        needs: stepsOf(person),
        follows: [],
        run: (core) => {
          const user = userOf(core, path, person);
          const added = addEmail(core, user, { address: email, isConfirmed, isMailed: plan.seed.send_mail === true });
          if (!('id' in added)) throw new StepRefused([...path, 'email'], added.join(', '));
        },
      });
      steps.set(addressKey(person, email), step);
    }
  }
  return steps;
}

function update(
  core: Core,
  user: User,
  key: SettingKey,
  { level, events, more = {} }: Pick<ContainerSetting, 'level' | 'events'> & { readonly more?: SettingInput },
): void {
  updateSetting(core, user, key, { level, switches: events, ...more });
}

function keyOf(core: Core, path: Path, user: User, kind: 'group' | 'project', fullPath: string): SettingKey {
  if (kind === 'project') return { kind, id: projectOf(core, path, fullPath, user).project.id };
  const found = findGroup(core, fullPath, { user });
  if (found === undefined) throw new StepRefused(path, `is not possible: ${user.username} cannot see the group`);
  return { kind, id: found.group.id };
}
