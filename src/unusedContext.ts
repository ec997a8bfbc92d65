import { contextKeys } from './ids.ts';

/** Context keys for a window in which the local server never ran and no account ever signed in. */
export const contextOfUnusedWindow: Readonly<Record<string, string | boolean>> = {
  [contextKeys.state]: 'serverStopped',
  [contextKeys.instanceKind]: 'local',
  [contextKeys.hasLocalServer]: false,
  [contextKeys.serverState]: 'stopped',
  [contextKeys.activityMine]: 'idle',
  [contextKeys.activityProject]: 'idle',
  [contextKeys.activityWhose]: 'mine',
  [contextKeys.activityIsFiltered]: false,
  [contextKeys.activityProjectPin]: 'none',
  [contextKeys.errorTrackingState]: 'idle',
  [contextKeys.notificationsState]: 'idle',
};
