// Ids of all contributions in package.json. A check compares both files.

/** Type of the panels with errors, which VS Code restores after a reload of the window. */
export const ERROR_PANEL = 'signalbox.error';

/** Type of the debug sessions that replay an error. */
export const DEBUG_TYPE = 'signalbox';

export const commands = {
  signIn: 'signalbox.auth.signIn',
  signInAgain: 'signalbox.auth.signInAgain',
  signOut: 'signalbox.auth.signOut',
  instanceSelect: 'signalbox.instances.select',
  instanceRemove: 'signalbox.instances.remove',
  instanceOpenTerminal: 'signalbox.instances.openTerminal',
  localStart: 'signalbox.local.start',
  localStop: 'signalbox.local.stop',
  localRestart: 'signalbox.local.restart',
  localUseAs: 'signalbox.local.useAs',
  localConnect: 'signalbox.local.connect',
  localDisconnect: 'signalbox.local.disconnect',
  localReset: 'signalbox.local.reset',
  localRestoreSnapshot: 'signalbox.local.restoreSnapshot',
  localTakeSnapshot: 'signalbox.local.takeSnapshot',
  localSetClock: 'signalbox.local.setClock',
  localApplySeedFile: 'signalbox.local.applySeedFile',
  localCopyAddress: 'signalbox.local.copyAddress',
  localOpenHomePageAs: 'signalbox.local.openHomePageAs',
  localSelectProfile: 'signalbox.local.selectProfile',
  localOpenDataFolder: 'signalbox.local.openDataFolder',
  localShowLog: 'signalbox.local.showLog',
  localShowMenu: 'signalbox.local.showMenu',
  localEmulateRelease: 'signalbox.local.emulateRelease',
  localEmulateTier: 'signalbox.local.emulateTier',
  localEmulateOffering: 'signalbox.local.emulateOffering',
  localEmulateDialect: 'signalbox.local.emulateDialect',
  activityRefresh: 'signalbox.activity.refresh',
  activityLoadMore: 'signalbox.activity.loadMore',
  activityOpenInBrowser: 'signalbox.activity.openInBrowser',
  activitySelectProject: 'signalbox.activity.selectProject',
  activityPinProject: 'signalbox.activity.pinProject',
  activityUnpinProject: 'signalbox.activity.unpinProject',
  activityShowMine: 'signalbox.activity.showMine',
  activityShowAll: 'signalbox.activity.showAll',
  activitySelectPerson: 'signalbox.activity.selectPerson',
  activityFilter: 'signalbox.activity.filter',
  activityFilterLikeThis: 'signalbox.activity.filterLikeThis',
  activityClearFilter: 'signalbox.activity.clearFilter',
  activityCopyLink: 'signalbox.activity.copyLink',
  activityCopyDeepLink: 'signalbox.activity.copyDeepLink',
  activityOpen: 'signalbox.activity.open',
  activityOpenChanges: 'signalbox.activity.openChanges',
  activityRefreshDocument: 'signalbox.activity.refreshDocument',
  activityOpenSource: 'signalbox.activity.openSource',
  activityMarkAllRead: 'signalbox.activity.markAllRead',
  projectsOpenInBrowser: 'signalbox.projects.openInBrowser',
  cloneProject: 'signalbox.cloneProject',
  groupsOpenInBrowser: 'signalbox.groups.openInBrowser',
  clientKeysCreate: 'signalbox.clientKeys.create',
  clientKeysCopyDsn: 'signalbox.clientKeys.copyDsn',
  clientKeysDelete: 'signalbox.clientKeys.delete',
  clientKeysRotate: 'signalbox.clientKeys.rotate',
  clientKeysSendTestError: 'signalbox.clientKeys.sendTestError',
  clientKeysOpenTerminal: 'signalbox.clientKeys.openTerminal',
  errorTrackingEnable: 'signalbox.errorTracking.enable',
  errorTrackingDisable: 'signalbox.errorTracking.disable',
  errorTrackingRefresh: 'signalbox.errorTracking.refresh',
  errorTrackingLoadMore: 'signalbox.errorTracking.loadMore',
  errorTrackingSort: 'signalbox.errorTracking.sort',
  errorTrackingFilter: 'signalbox.errorTracking.filter',
  errorTrackingMarkAllRead: 'signalbox.errorTracking.markAllRead',
  errorTrackingShow: 'signalbox.errorTracking.show',
  errorTrackingOpenFrame: 'signalbox.errorTracking.openFrame',
  errorTrackingOpenInBrowser: 'signalbox.errorTracking.openInBrowser',
  errorTrackingResolve: 'signalbox.errorTracking.resolve',
  errorTrackingIgnore: 'signalbox.errorTracking.ignore',
  errorTrackingReopen: 'signalbox.errorTracking.reopen',
  errorTrackingResolveInNextRelease: 'signalbox.errorTracking.resolveInNextRelease',
  errorTrackingAssign: 'signalbox.errorTracking.assign',
  errorTrackingMerge: 'signalbox.errorTracking.merge',
  errorTrackingSplit: 'signalbox.errorTracking.split',
  errorTrackingCreateIssue: 'signalbox.errorTracking.createIssue',
  errorTrackingLinkIssue: 'signalbox.errorTracking.linkIssue',
  errorTrackingOpenIssue: 'signalbox.errorTracking.openIssue',
  errorTrackingSearch: 'signalbox.errorTracking.search',
  errorTrackingSelectProjects: 'signalbox.errorTracking.selectProjects',
  errorTrackingUndo: 'signalbox.errorTracking.undo',
  errorReplayStart: 'signalbox.errorReplay.start',
  errorMarksNext: 'signalbox.errorMarks.next',
  errorMarksPrevious: 'signalbox.errorMarks.previous',
  errorMarksForgetFolders: 'signalbox.errorMarks.forgetFolders',
  notificationsRefresh: 'signalbox.notifications.refresh',
  notificationsLoadMore: 'signalbox.notifications.loadMore',
  notificationsSearch: 'signalbox.notifications.search',
  notificationsClearSearch: 'signalbox.notifications.clearSearch',
  notificationsSetLevel: 'signalbox.notifications.setLevel',
  notificationsSelectEvents: 'signalbox.notifications.selectEvents',
  notificationsResetEvent: 'signalbox.notifications.resetEvent',
  notificationsToggleEvent: 'signalbox.notifications.toggleEvent',
  notificationsInherit: 'signalbox.notifications.inherit',
  notificationsSetEmail: 'signalbox.notifications.setEmail',
  notificationsUndo: 'signalbox.notifications.undo',
  notificationsPin: 'signalbox.notifications.pin',
  notificationsUnpin: 'signalbox.notifications.unpin',
  notificationsOpenInBrowser: 'signalbox.notifications.openInBrowser',
  notificationsCopy: 'signalbox.notifications.copy',
  notificationsStartProfile: 'signalbox.notifications.startProfile',
  notificationsEndProfile: 'signalbox.notifications.endProfile',
  notificationsSaveProfile: 'signalbox.notifications.saveProfile',
  notificationsDeleteProfile: 'signalbox.notifications.deleteProfile',
  oauthFlowsRefresh: 'signalbox.oauthFlows.refresh',
  oauthFlowsOpenInBrowser: 'signalbox.oauthFlows.openInBrowser',
  oauthFlowsCopy: 'signalbox.oauthFlows.copy',
  deprecationsRefresh: 'signalbox.deprecations.refresh',
  deprecationsSelectRelease: 'signalbox.deprecations.selectRelease',
  deprecationsOpenInBrowser: 'signalbox.deprecations.openInBrowser',
  deprecationsCopyReplacement: 'signalbox.deprecations.copyReplacement',
  storagesRefresh: 'signalbox.storages.refresh',
  storagesMoveProject: 'signalbox.storages.moveProject',
  storagesMoveAll: 'signalbox.storages.moveAll',
  storagesRetry: 'signalbox.storages.retry',
  storagesCheck: 'signalbox.storages.check',
  mailboxRefresh: 'signalbox.mailbox.refresh',
  mailboxLoadMore: 'signalbox.mailbox.loadMore',
  mailboxSearch: 'signalbox.mailbox.search',
  mailboxShowUnread: 'signalbox.mailbox.showUnread',
  mailboxClearFilter: 'signalbox.mailbox.clearFilter',
  mailboxMarkAllRead: 'signalbox.mailbox.markAllRead',
  mailboxOpen: 'signalbox.mailbox.open',
  mailboxShowMessage: 'signalbox.mailbox.showMessage',
  mailboxShowSource: 'signalbox.mailbox.showSource',
  mailboxOpenInBrowser: 'signalbox.mailbox.openInBrowser',
  mailboxMarkRead: 'signalbox.mailbox.markRead',
  mailboxMarkUnread: 'signalbox.mailbox.markUnread',
  mailboxDelete: 'signalbox.mailbox.delete',
  whyMailedExplain: 'signalbox.whyMailed.explain',
  whyMailedExplainMail: 'signalbox.whyMailed.explainMail',
  whyMailedChange: 'signalbox.whyMailed.change',
  logShow: 'signalbox.log.show',
  diagnosticsCopy: 'signalbox.diagnostics.copy',
  walkthroughOpen: 'signalbox.walkthrough.open',
} as const;

export const viewsContainers = {
  signalbox: 'signalbox',
} as const;

export const views = {
  activityMine: 'signalbox.activity.mine',
  activityProject: 'signalbox.activity.project',
  errorTracking: 'signalbox.errorTracking',
  mailbox: 'signalbox.mailbox',
  notifications: 'signalbox.notifications',
  oauthFlows: 'signalbox.oauthFlows',
  deprecations: 'signalbox.deprecations',
  storages: 'signalbox.storages',
} as const;

export const settings = {
  instances: 'signalbox.instances',
  gitHosts: 'signalbox.gitHosts',
  localSeed: 'signalbox.local.seed',
  localStorages: 'signalbox.local.storages',
  activityPollSeconds: 'signalbox.activity.pollSeconds',
  errorTrackingNewErrors: 'signalbox.errorTracking.newErrors',
  errorTrackingNewErrorLevels: 'signalbox.errorTracking.newErrorLevels',
  errorTrackingNewErrorEnvironments: 'signalbox.errorTracking.newErrorEnvironments',
  errorMarksGutter: 'signalbox.errorMarks.gutter',
  errorMarksText: 'signalbox.errorMarks.text',
  dsnDiagnostics: 'signalbox.dsn.diagnostics',
  errorMarksExplorer: 'signalbox.errorMarks.explorer',
  errorMarksCodeLens: 'signalbox.errorMarks.codeLens',
  localProfile: 'signalbox.local.profile',
  localRelease: 'signalbox.local.release',
  localTier: 'signalbox.local.tier',
  localOffering: 'signalbox.local.offering',
  localDialect: 'signalbox.local.dialect',
} as const;

export const contextKeys = {
  /** State of the current instance: the kind of a `ConnectionState`, or `ended` if it has ended the session. */
  state: 'signalbox.connectionState',
  /** Kind of the current instance. */
  instanceKind: 'signalbox.instanceKind',
  /** True if the current instance is a running local server of the extension, or a connected one. */
  hasLocalServer: 'signalbox.hasLocalServer',
  /** True if the current instance is a connected server. */
  isConnected: 'signalbox.isConnected',
  /** True if a server that another program runs is connected. */
  hasConnectedServer: 'signalbox.hasConnectedServer',
  /** True if the emulating server has a data folder. */
  hasDataFolder: 'signalbox.hasDataFolder',
  /** Kind of the state of the local server. */
  serverState: 'signalbox.serverState',
  /** Failure code of the local server while it is in the state `failed`. */
  serverFailure: 'signalbox.serverFailure',
  /** Release that the local or connected server emulates; undefined unless this window has its admin token. */
  emulatedRelease: 'signalbox.emulatedRelease',
  /** State of each activity view: a `FeedViewState`. */
  activityMine: 'signalbox.activity.mine.state',
  activityProject: 'signalbox.activity.project.state',
  /** Scope of the first activity view: the kind of an `ActivityScope`. */
  activityWhose: 'signalbox.activity.whose',
  activityIsFiltered: 'signalbox.activity.isFiltered',
  /** Set once an event was opened in this window. Walkthroughs are not notified of the commands of tree items. */
  activityHasOpened: 'signalbox.activity.hasOpened',
  /** Pin state of the shown project: `pinned` or `unpinned`; `none` without a project. */
  activityProjectPin: 'signalbox.activity.project.pin',
  /** State of the error tracking view: an `ErrorListViewState`. */
  errorTrackingState: 'signalbox.errorTracking.state',
  /** True while lines of the active editor are marked as lines of errors. */
  errorMarksAreInEditor: 'signalbox.errorMarks.areInEditor',
  /** State of the OAuth flows view: the kind of a `FlowListState`, or `empty`. */
  oauthFlowsState: 'signalbox.oauthFlows.state',
  /** State of the Deprecations view: the kind of a `CallListState`, or `empty`. */
  deprecationsState: 'signalbox.deprecations.state',
  /** True if the account administers an instance that moves repositories between storages. */
  storagesAreShown: 'signalbox.storages.areShown',
  /** State of the notifications view: a `NotificationsViewState`. */
  notificationsState: 'signalbox.notifications.state',
  /** True while the notifications view lists the results of a search. */
  notificationsIsSearching: 'signalbox.notifications.isSearching',
  /** True while a timed notification profile is on. */
  notificationsHasProfile: 'signalbox.notifications.hasProfile',
  /** State of the Mailbox view: the kind of a `MailboxState`, `signedOut`, `insufficientScope`, `empty`, or `emptyFiltered`. */
  mailboxState: 'signalbox.mailbox.state',
  mailboxIsFiltered: 'signalbox.mailbox.isFiltered',
} as const;

export const authenticationProviders = {
  signalbox: 'signalbox',
} as const;

/** Names of language model tools, in the form that VS Code suggests: extension and verb. */
export const languageModelTools = {
  listErrors: 'signalbox_listErrors',
  showError: 'signalbox_showError',
  explainGrouping: 'signalbox_explainGrouping',
  listActivity: 'signalbox_listActivity',
} as const;

export type LanguageModelToolName = (typeof languageModelTools)[keyof typeof languageModelTools];

export const customEditors = {
  document: 'signalbox.document',
} as const;

export const walkthroughs = {
  start: 'start',
} as const;
