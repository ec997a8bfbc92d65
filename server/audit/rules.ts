import type {
  AccountChange,
  AttributeChange,
  Change,
  ChangedApplication,
  TrackedErrorChange,
  UserStateAction,
} from '../changes.ts';
import { roleName } from '../projects/projects.ts';
import type { EventName } from './eventTypes.ts';

/** What an event is about, or happened in. */
export interface AuditEntity {
  readonly type: 'User' | 'Group' | 'Project' | 'Gitlab::Audit::InstanceScope';
  readonly id: number;
  readonly name: string;
  readonly path: string;
}

export const wholeInstance: AuditEntity = {
  type: 'Gitlab::Audit::InstanceScope',
  id: 1,
  name: 'gitlab_instance',
  path: 'gitlab_instance',
};

/** How places are called now. */
export interface Places {
  user(id: number): AuditEntity;
  group(id: number): AuditEntity;
  project(id: number): AuditEntity;
}

export interface Target {
  readonly type: string;
  readonly id: number;
  readonly details: string;
}

/** The forms that the members of `details` come in, beside those that all have. */
export type Action =
  | Readonly<Record<never, never>>
  | { readonly add: string; readonly as?: string }
  | { readonly remove: string; readonly system_event?: true; readonly reason?: string }
  | { readonly change: string; readonly from: string; readonly to: string }
  | { readonly failed_login: string };

/** One event that is to be written. */
export interface Draft {
  readonly name: EventName;
  readonly message: string;
  readonly entity: AuditEntity;
  readonly target: Target;
  readonly action: Action;
  /** Left out: whoever sent the request; null: nobody, as when something expires. */
  readonly authorId?: number | null;
}

/** What is audited of a change; nothing of most. */
export function draftsOf(change: Change, places: Places): readonly Draft[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most changes are not audited
  switch (change.kind) {
    case 'projectCreated':
      return [
        { ...ofPlace('project_created', 'Added project', places.project(change.projectId), { add: 'project' }), ...by(change) },
      ];
    case 'groupCreated':
      return [{ ...ofPlace('group_created', 'Added group', places.group(change.groupId), { add: 'group' }), ...by(change) }];
    case 'projectRemoved': {
      // The group that held it, because nobody finds events of what is gone.
      const entity = change.groupId === null ? wholeInstance : places.group(change.groupId);
      const { id, fullPath: details } = change.project;
      const target = { type: 'Project', id, details };
      return [{ name: 'project_destroyed', message: 'Project destroyed', entity, target, action: { remove: 'project' } }];
    }
    case 'groupRemoved': {
      const { id, name, fullPath: path } = change.group;
      return [ofPlace('group_destroyed', 'Group destroyed', { type: 'Group', id, name, path }, { remove: 'group' })];
    }
    case 'projectChanged':
      return change.attributes.flatMap((attribute) =>
        ofAttribute(projectAttributes, attribute, places.project(change.projectId)),
      );
    case 'groupChanged':
      return change.attributes.flatMap((attribute) => ofAttribute(groupAttributes, attribute, places.group(change.groupId)));
    case 'memberJoined':
    case 'groupMemberJoined': {
      const action = { add: 'user_access', as: roleName(change.level) };
      return [{ ...ofMember('member_created', 'Membership created', change, places, action), ...by(change) }];
    }
    case 'memberChanged':
    case 'groupMemberChanged': {
      const [from, to] = [roleName(change.from.level), roleName(change.to.level)];
      const message = from === to ? 'Changed the end of the membership' : `Changed access level from ${from} to ${to}`;
      return [ofMember('member_updated', message, change, places, { change: 'access_level', from, to })];
    }
    case 'memberLeft':
    case 'groupMemberLeft':
      return [ofMember('member_destroyed', 'Membership destroyed', change, places, { remove: 'user_access' })];
    case 'memberExpired':
    case 'groupMemberExpired': {
      const action = { remove: 'user_access', system_event: true, reason: 'access expired' } as const;
      return [{ ...ofMember('member_destroyed', 'Membership destroyed', change, places, action), authorId: null }];
    }
    case 'errorTrackingSet': {
      const { active, integrated } = change;
      const message = `Set error tracking to active ${active} and integrated ${integrated}`;
      const action = { add: 'error_tracking_setting' };
      return [ofPlace('error_tracking_setting_created', message, places.project(change.projectId), action)];
    }
    case 'errorTrackingChanged':
      return change.attributes.flatMap((attribute) =>
        ofAttribute(errorTrackingAttributes, attribute, places.project(change.projectId)),
      );
    case 'errorStatusChanged': {
      const { from, to } = change;
      const message = `Changed status from ${from} to ${to}`;
      return [ofError('error_tracking_error_status_updated', message, change, places, { change: 'status', from, to })];
    }
    case 'errorsMerged':
      return [ofError('error_tracking_error_merged', `Merged with the errors ${change.merged.join(', ')}`, change, places)];
    case 'errorSplit':
      return [ofError('error_tracking_error_split', `Split off the error ${change.from}`, change, places)];
    case 'clientKeyMade':
      return [ofClientKey('error_tracking_client_key_created', 'Created', change, places, { add: 'client_key' })];
    case 'clientKeyRemoved':
      return [ofClientKey('error_tracking_client_key_destroyed', 'Removed', change, places, { remove: 'client_key' })];
    case 'sourceMapUploaded':
      return [ofSourceMap('error_tracking_source_map_created', 'Uploaded', change, places, { add: 'source_map' })];
    case 'sourceMapRemoved':
      return [ofSourceMap('error_tracking_source_map_destroyed', 'Removed', change, places, { remove: 'source_map' })];
    default:
      return isOfAccounts(change) ? draftsOfAccount(change, places) : [];
  }
}

const accountKinds = new Set<Change['kind']>([
  'userCreated',
  'passwordChanged',
  'accountLocked',
  'accountUnlocked',
  'userChanged',
  'userStateChanged',
  'secondFactorChanged',
  'signInFailed',
  'signedIn',
  'personalTokenMade',
  'personalTokenRevoked',
  'applicationMade',
  'applicationSecretRenewed',
  'applicationRemoved',
  'applicationAuthorized',
  'settingsChanged',
] satisfies AccountChange['kind'][]);

function isOfAccounts(change: Change): change is AccountChange {
  return accountKinds.has(change.kind);
}

function draftsOfAccount(change: AccountChange, places: Places): readonly Draft[] {
  switch (change.kind) {
    case 'userCreated':
      return [ofPlace('user_created', 'User created', places.user(change.userId), { add: 'user' })];
    case 'userChanged':
      return change.attributes.flatMap((attribute) => ofAttribute(userAttributes, attribute, places.user(change.userId)));
    case 'userStateChanged': {
      const [name, message] = stateEvents[change.action];
      return [ofPlace(name, message, places.user(change.userId))];
    }
    case 'passwordChanged':
      return [ofPlace('user_password_updated', 'Changed password', places.user(change.userId))];
    case 'accountLocked':
      return [{ ...ofPlace('user_access_locked', 'User access locked', places.user(change.userId)), authorId: null }];
    case 'accountUnlocked':
      return [ofPlace('user_access_unlocked', 'User access unlocked', places.user(change.userId))];
    case 'secondFactorChanged':
      return [
        change.enabled
          ? ofPlace('user_enable_two_factor', 'Enabled two-factor authentication', places.user(change.userId))
          : ofPlace('user_disable_two_factor', 'Disabled two-factor authentication', places.user(change.userId)),
      ];
    case 'signInFailed':
      return [ofFailedSignIn(change.by, change.userId === null ? undefined : places.user(change.userId))];
    case 'signedIn': {
      const { userId: authorId } = change;
      const draft =
        change.by === 'password'
          ? ofPlace('authenticated_with_password', 'User signed in with a password', places.user(authorId))
          : ofPlace('authenticated_with_two_factor', 'User signed in with two-factor authentication', places.user(authorId));
      return [{ ...draft, authorId }];
    }
    case 'personalTokenMade':
      return [ofToken('personal_access_token_created', 'Created', change, places)];
    case 'personalTokenRevoked':
      return [ofToken('personal_access_token_revoked', 'Revoked', change, places)];
    case 'applicationMade':
      return [ofApplication('oauth_application_created', 'OAuth application added', change.application, places)];
    case 'applicationSecretRenewed':
      return [ofApplication('oauth_application_secret_renewed', 'OAuth application secret renewed', change.application, places)];
    case 'applicationRemoved':
      return [ofApplication('oauth_application_destroyed', 'OAuth application removed', change.application, places)];
    case 'applicationAuthorized': {
      const { application, userId, scopes } = change;
      const entity = places.user(userId);
      const message = `User authorized an OAuth application with the scopes ${scopes}`;
      const target = applicationTarget(application);
      return [{ name: 'user_authorized_oauth_application', message, entity, target, action: {}, authorId: userId }];
    }
    case 'settingsChanged':
      return change.attributes.map(({ attribute, from, to }) =>
        ofPlace('application_setting_updated', `Changed ${attribute} from ${from} to ${to}`, wholeInstance, {
          change: attribute,
          from,
          to,
        }),
      );
  }
}

const stateEvents: Readonly<Record<UserStateAction, readonly [EventName, string]>> = {
  block: ['user_blocked', 'Blocked user'],
  unblock: ['unblock_user', 'Unblocked user'],
  ban: ['ban_user', 'Banned user'],
  unban: ['unban_user', 'Unbanned user'],
  deactivate: ['user_deactivate', 'Deactivated user'],
  activate: ['user_activate', 'Activated user'],
};

interface AuditedAttribute {
  readonly names: readonly EventName[];
  /** The value of `change`. */
  readonly change: string;
  readonly text?: (value: string) => string;
}

const capitalised = (value: string): string => `${value.charAt(0).toUpperCase()}${value.slice(1)}`;
/** Of a switch as it is stored. */
const truth = (value: string): string => String(value === '1');

const projectAttributes: Readonly<Record<string, AuditedAttribute>> = {
  name: { names: ['project_name_updated'], change: 'name' },
  path: { names: ['project_path_updated'], change: 'path' },
  namespace: { names: ['project_namespace_updated'], change: 'namespace' },
  visibility: { names: ['project_visibility_level_updated'], change: 'visibility_level', text: capitalised },
  description: { names: ['project_description_updated'], change: 'description' },
  issues_access_level: { names: ['project_feature_issues_access_level_updated'], change: 'issues_access_level' },
};

const errorTrackingAttributes: Readonly<Record<string, AuditedAttribute>> = {
  active: { names: ['error_tracking_setting_updated'], change: 'error tracking active' },
  integrated: { names: ['error_tracking_setting_updated'], change: 'error tracking integrated' },
  scrub_data: { names: ['error_tracking_setting_updated'], change: 'error tracking scrubbing' },
};

const groupAttributes: Readonly<Record<string, AuditedAttribute>> = {
  name: { names: ['group_name_updated'], change: 'name' },
  path: { names: ['group_path_updated'], change: 'path' },
  visibility: { names: ['group_visibility_level_updated'], change: 'visibility_level', text: capitalised },
  description: { names: ['group_description_updated'], change: 'description' },
  project_creation_level: { names: ['group_project_creation_level_updated'], change: 'project_creation_level' },
};

const userAttributes: Readonly<Record<string, AuditedAttribute>> = {
  name: { names: ['user_name_updated'], change: 'name' },
  email: { names: ['user_email_address_updated'], change: 'email address' },
  admin: { names: ['user_admin_status_updated'], change: 'admin status', text: truth },
  external: { names: ['user_external_status_updated'], change: 'external status', text: truth },
  private_profile: {
    // Of the two the emulated release has one.
    names: ['user_profile_visiblity_updated', 'user_profile_visibility_updated'],
    change: 'user_profile_visibility',
    text: truth,
  },
};

function ofAttribute(
  table: Readonly<Record<string, AuditedAttribute>>,
  { attribute, from, to }: AttributeChange,
  location: AuditEntity,
): readonly Draft[] {
  if (attribute === 'archived') {
    return [
      to === '1'
        ? ofPlace('project_archived', 'Project archived', location)
        : ofPlace('project_unarchived', 'Project unarchived', location),
    ];
  }
  const known = table[attribute];
  if (known === undefined) return [];
  const { change, text = (value: string) => value } = known;
  const action = { change, from: text(from), to: text(to) };
  const message = `Changed ${change} from ${action.from} to ${action.to}`;
  return known.names.map((name) => ofPlace(name, message, location, action));
}

function by({ authorId }: { readonly authorId: number }): Pick<Draft, 'authorId'> {
  return { authorId };
}

/** An event about the place in which it happened. */
function ofPlace(name: EventName, message: string, location: AuditEntity, action: Action = {}): Draft {
  const details = location.type === 'User' ? location.name : location.path;
  return { name, message, entity: location, target: { type: location.type, id: location.id, details }, action };
}

function ofMember(
  name: EventName,
  message: string,
  change: { readonly userId: number } & ({ readonly projectId: number } | { readonly groupId: number }),
  places: Places,
  action: Action,
): Draft {
  const entity = 'projectId' in change ? places.project(change.projectId) : places.group(change.groupId);
  return { name, message, entity, target: { type: 'User', id: change.userId, details: places.user(change.userId).name }, action };
}

function ofToken(
  name: EventName,
  done: string,
  { tokenId, userId }: { readonly tokenId: number; readonly userId: number },
  places: Places,
): Draft {
  const entity = places.user(userId);
  const target = { type: 'PersonalAccessToken', id: tokenId, details: entity.name };
  return { name, message: `${done} personal access token with id ${tokenId}`, entity, target, action: {} };
}

function ofClientKey(
  name: EventName,
  done: string,
  {
    projectId,
    keyId: id,
    publicKey: details,
  }: { readonly projectId: number; readonly keyId: number; readonly publicKey: string },
  places: Places,
  action: Action,
): Draft {
  const target = { type: 'ErrorTracking::ClientKey', id, details };
  return { name, message: `${done} client key with id ${id}`, entity: places.project(projectId), target, action };
}

/** Titles are what programs send, and as long as they like. */
function ofError(
  name: EventName,
  message: string,
  { projectId, fingerprint: id, title }: TrackedErrorChange,
  places: Places,
  action: Action = {},
): Draft {
  const target = { type: 'ErrorTracking::Error', id, details: title.slice(0, 255).toWellFormed() };
  return { name, message, entity: places.project(projectId), target, action };
}

function ofSourceMap(
  name: EventName,
  done: string,
  { projectId, mapId: id, file }: { readonly projectId: number; readonly mapId: number; readonly file: string },
  places: Places,
  action: Action,
): Draft {
  const target = { type: 'ErrorTracking::SourceMap', id, details: file };
  return { name, message: `${done} source map with id ${id}`, entity: places.project(projectId), target, action };
}

function applicationTarget({ id, name }: ChangedApplication): Target {
  return { type: 'Authn::OauthApplication', id, details: name };
}

function ofApplication(name: EventName, message: string, application: ChangedApplication, places: Places): Draft {
  const entity = application.ownerId === null ? wholeInstance : places.user(application.ownerId);
  return { name, message, entity, target: applicationTarget(application), action: {} };
}

function ofFailedSignIn(way: 'password' | 'code', user: AuditEntity | undefined): Draft {
  const isCode = way === 'code' && user !== undefined;
  const method = isCode ? 'OTP' : 'STANDARD';
  return {
    name: isCode ? 'login_failed_with_otp_authentication' : 'login_failed_with_standard_authentication',
    message: `Failed to sign in with ${method} authentication`,
    entity: isCode ? user : wholeInstance,
    target: { type: 'User', id: user?.id ?? -1, details: user?.path ?? 'unknown' },
    action: { failed_login: method },
    authorId: null,
  };
}
