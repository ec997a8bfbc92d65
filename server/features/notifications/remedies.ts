import type { Remedy } from '../../../src/contract/notificationDecisions.ts';
import {
  type NotificationLevel,
  relationWithoutThread,
  type ScopedSetting,
  type SettingScope,
} from '../../../src/contract/notifications.ts';
import type { RecipientDetails, Role } from './candidates.ts';
import { decide } from './rules.ts';

/** A possible remedy with the details as they would be after it. */
interface Trial {
  readonly remedy: Remedy;
  readonly details: RecipientDetails;
}

/** Levels that let less and less through, and more and more. The first that reverses a decision changes least. */
const quieter: readonly NotificationLevel[] = ['participating', 'mention', 'disabled'];
const louder: readonly NotificationLevel[] = ['mention', 'participating', 'watch'];

/** Returns what alone would reverse the decision about a user. Each remedy was tried with the rules. */
export function remediesFor(details: RecipientDetails): readonly Remedy[] {
  const { mailed } = decide(details);
  const reverses = (trial: Trial): boolean => decide(trial.details).mailed !== mailed;
  const levels = (mailed ? levelTrials(details, quieter) : [...levelTrials(details, louder), ...customTrials(details)]).find(
    reverses,
  );
  const others = [...switchTrials(details, !mailed), ...(mailed ? stoppingTrials(details) : startingTrials(details))];
  return [...(levels === undefined ? [] : [levels]), ...others.filter(reverses)].map(({ remedy }) => remedy);
}

/** Returns the details with another setting of one scope. */
function withSetting(details: RecipientDetails, scope: SettingScope, change: Partial<ScopedSetting>): RecipientDetails {
  const settings = details.settings.map((one) => (one.scope === scope ? { ...one, ...change } : one));
  const [last] = settings.slice(-1);
  return last === undefined ? details : { ...details, settings: [...settings.slice(0, -1), last] };
}

/** Changes the level of the project or group itself, or the global one of things that belong to neither. */
function levelTrials(details: RecipientDetails, levels: readonly NotificationLevel[]): Trial[] {
  const [own] = details.settings;
  const { scope } = own;
  return levels
    .filter((level) => level !== own.level)
    .map((level) => ({
      remedy: { kind: 'set_level', scope, level, text: `Set the level of ${nameOf(scope)} to ${level}.` },
      details: withSetting(details, scope, { level }),
    }));
}

/** Selects the event for the project or group itself, if another level applies. */
function customTrials(details: RecipientDetails): Trial[] {
  const { event } = details;
  const [{ scope, level, switches }] = details.settings;
  if (level === 'custom') return [];
  const text = `Set the level of ${nameOf(scope)} to custom, and switch ${event} on.`;
  return [
    {
      remedy: { kind: 'set_level', scope, level: 'custom', event, text },
      details: withSetting(details, scope, { level: 'custom', switches: { ...switches, [event]: true } }),
    },
  ];
}

/** Switches the event where level `custom` applies. */
function switchTrials(details: RecipientDetails, value: boolean): Trial[] {
  const { event } = details;
  const { level, scope, switches } = decide(details).setting;
  if (level !== 'custom') return [];
  const text = `Switch ${event} ${value ? 'on' : 'off'} for ${nameOf(scope)}.`;
  return [
    {
      remedy: { kind: 'set_event', scope, event, value, text },
      details: withSetting(details, scope, { switches: { ...switches, [event]: value } }),
    },
  ];
}

/** Returns true for targets that users can subscribe to and unsubscribe from. */
function hasSubscriptions({ target: { type } }: RecipientDetails): boolean {
  return type === 'Issue' || type === 'MergeRequest' || type === 'Epic';
}

function startingTrials(details: RecipientDetails): Trial[] {
  const { event, roles, access } = details;
  const hasThread = relationWithoutThread[event] === undefined;
  const trials: Trial[] = [];
  if (hasThread && hasSubscriptions(details)) {
    trials.push({ remedy: { kind: 'subscribe', text: 'Subscribe to the thread.' }, details: { ...details, subscribed: true } });
  }
  if (hasThread) {
    const role: Role = 'commenter';
    trials.push({
      remedy: { kind: 'take_part', text: 'Take part in the thread, for example by a comment.' },
      details: { ...details, roles: [...roles, role] },
    });
  }
  trials.push(
    {
      remedy: { kind: 'own_activity', text: 'Choose to be notified of your own activity.' },
      details: { ...details, ownActivity: true },
    },
    {
      remedy: { kind: 'gain_access', text: 'Become a developer of the project or group.' },
      details: { ...details, access: { ...access, level: Math.max(access.level, 30), isRelated: true } },
    },
    { remedy: { kind: 'unblock', text: 'An administrator activates the account.' }, details: { ...details, isActive: true } },
  );
  return trials;
}

function stoppingTrials(details: RecipientDetails): Trial[] {
  return [
    ...(hasSubscriptions(details)
      ? [
          {
            remedy: { kind: 'unsubscribe', text: 'Unsubscribe from the thread.' },
            details: { ...details, subscribed: false },
          } as const,
        ]
      : []),
    {
      remedy: { kind: 'own_activity', text: 'Choose not to be notified of your own activity.' },
      details: { ...details, ownActivity: false },
    },
  ];
}

function nameOf({ kind, path }: SettingScope): string {
  return kind === 'global' ? 'the global settings' : `the ${kind} ${path}`;
}
