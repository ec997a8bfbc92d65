import type { RecipientDecision, Remedy } from '../contract/notificationDecisions.ts';
import {
  effectiveSetting,
  type EventReach,
  type NotificationEvent,
  type NotificationLevel,
  type NotificationSetting,
  passesLevel,
  reachOf,
  type RecipientType,
  relationWithoutThread,
  type ScopedSetting,
} from '../contract/notifications.ts';

/** Settings of the project itself, of the groups above it, nearest first, and the global ones. */
export type SettingChain = readonly [...ScopedSetting[], ScopedSetting];

/** The known parts of an explanation without the rules of the server: the settings, and details of the thread. */
export interface SettingsExplanation {
  readonly event: NotificationEvent;
  readonly chain: SettingChain;
  /** The setting that applies. */
  readonly setting: ScopedSetting;
  /** Known relations of the user to the thread. */
  readonly relations: RecipientDecision['relations'];
  /** True if a known relation lets the event through, or if everybody with this setting is mailed. */
  readonly mailed: boolean;
  readonly reach: EventReach;
  readonly remedies: readonly Remedy[];
}

const quieter: readonly NotificationLevel[] = ['participating', 'mention', 'disabled'];
const louder: readonly NotificationLevel[] = ['mention', 'participating', 'watch'];

export function explainSettings(
  event: NotificationEvent,
  chain: SettingChain,
  relations: SettingsExplanation['relations'],
): SettingsExplanation {
  const setting = effectiveSetting(chain);
  const types = relations.map(({ type }) => type);
  const mailed = isMailed(setting, event, types);
  return {
    event,
    chain,
    setting,
    relations,
    mailed,
    reach: reachOf(setting, event),
    remedies: remediesFor(event, chain, types, mailed),
  };
}

function isMailed(setting: NotificationSetting, event: NotificationEvent, types: readonly RecipientType[]): boolean {
  const relation = relationWithoutThread[event];
  if (relation !== undefined) return passesLevel(setting, relation, event);
  return reachOf(setting, event) === 'always' || types.some((type) => passesLevel(setting, type, event));
}

/** Returns the level of the first setting, and the switch of the one that applies, that would reverse the result. */
function remediesFor(
  event: NotificationEvent,
  chain: SettingChain,
  types: readonly RecipientType[],
  mailed: boolean,
): readonly Remedy[] {
  const [own] = chain;
  const setting = effectiveSetting(chain);
  const reverses = (changed: NotificationSetting): boolean => isMailed(changed, event, types) !== mailed;
  const { switches } = own;
  const level = (mailed ? quieter : louder).find((one) => one !== own.level && reverses({ level: one, switches }));
  const isSwitch =
    setting.level === 'custom' && reverses({ level: 'custom', switches: { ...setting.switches, [event]: !mailed } });
  const hasThread = relationWithoutThread[event] === undefined;
  return [
    ...(level === undefined ? [] : [{ kind: 'set_level', scope: own.scope, level, text: '' } as const]),
    ...(isSwitch ? [{ kind: 'set_event', scope: setting.scope, event, value: !mailed, text: '' } as const] : []),
    ...(hasThread && !mailed ? [{ kind: 'subscribe', text: '' } as const] : []),
  ];
}
