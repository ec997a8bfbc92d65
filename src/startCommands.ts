import type { commands } from './ids.ts';

/**
 * Commands that activation registers. They can be run in a window that has not loaded app.ts, also from the walkthrough. The
 * others are registered when app.ts is loaded, because each registration takes time while VS Code waits.
 * The IDs are repeated here because the object `commands` would not fit into the bundle that activation waits for.
 */
export const startCommands = {
  signIn: 'signalbox.auth.signIn',
  signOut: 'signalbox.auth.signOut',
  instanceSelect: 'signalbox.instances.select',
  instanceRemove: 'signalbox.instances.remove',
  instanceOpenTerminal: 'signalbox.instances.openTerminal',
  localStart: 'signalbox.local.start',
  localUseAs: 'signalbox.local.useAs',
  localConnect: 'signalbox.local.connect',
  localReset: 'signalbox.local.reset',
  localRestoreSnapshot: 'signalbox.local.restoreSnapshot',
  localSelectProfile: 'signalbox.local.selectProfile',
  localOpenDataFolder: 'signalbox.local.openDataFolder',
  localShowLog: 'signalbox.local.showLog',
  localShowMenu: 'signalbox.local.showMenu',
  activityShowMine: 'signalbox.activity.showMine',
  activityFilter: 'signalbox.activity.filter',
  logShow: 'signalbox.log.show',
  diagnosticsCopy: 'signalbox.diagnostics.copy',
  walkthroughOpen: 'signalbox.walkthrough.open',
} as const satisfies Partial<typeof commands>;
