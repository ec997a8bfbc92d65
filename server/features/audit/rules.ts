import type { AttributeChange, Change, ChangeOf } from '../../core/changes.ts';
import { roleName } from '../abilities/abilities.ts';
import type { EventName } from './eventTypes.ts';

/** User, group or project to which an event belongs, or the whole instance. */
export interface AuditEntity {
  readonly type: 'User' | 'Group' | 'Project' | 'Gitlab::Audit::InstanceScope';
  readonly id: number;
  readonly name: string;
  readonly path: string;
}

export const wholeInstance = {
  type: 'Gitlab::Audit::InstanceScope',
  id: 1,
  name: 'gitlab_instance',
  path: 'gitlab_instance',
} as const satisfies AuditEntity;

/** Looks up entities by ID, with their current names. */
export interface AuditEntities {
  user(id: number): AuditEntity;
  group(id: number): AuditEntity;
  project(id: number): AuditEntity;
}

export interface Target {
  readonly type: string;
  readonly id: number;
  readonly details: string;
}

/** Members of `details` that depend on the action. */
export type Action =
  | Readonly<Record<never, never>>
  | { readonly add: string; readonly as?: string }
  | { readonly remove: string; readonly system_event?: true; readonly reason?: string }
  | { readonly change: string; readonly from: string; readonly to: string }
  | { readonly failed_login: string };

/** An event to be written. */
export interface Draft {
  readonly name: EventName;
  readonly message: string;
  readonly entity: AuditEntity;
  readonly target: Target;
  readonly action: Action;
  /** User who caused the event: the sender of the request if omitted, nobody if null, for example when a membership expires. */
  readonly authorId?: number | null;
}

/** Returns the audit events of a change. Most changes have none. */
export function draftsOf(change: Change, entities: AuditEntities): readonly Draft[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most changes are not audited
  switch (change.kind) {
    case 'projectCreated':
      return [
        {
          ...entityDraft('project_created', 'Added project', entities.project(change.projectId), { add: 'project' }),
          authorId: change.authorId,
        },
      ];
    case 'groupCreated':
      return [
        {
          ...entityDraft('group_created', 'Added group', entities.group(change.groupId), { add: 'group' }),
          authorId: change.authorId,
        },
      ];
    case 'projectRemoved': {
      // The event belongs to the group of the project, because events of a deleted project cannot be found.
      const entity = change.groupId === null ? wholeInstance : entities.group(change.groupId);
      const { id, fullPath: details } = change.project;
      const target = { type: 'Project', id, details };
      return [{ name: 'project_destroyed', message: 'Project destroyed', entity, target, action: { remove: 'project' } }];
    }
    case 'groupRemoved': {
      const { id, name, fullPath: path } = change.group;
      return [entityDraft('group_destroyed', 'Group destroyed', { type: 'Group', id, name, path }, { remove: 'group' })];
    }
    case 'projectChanged':
      return change.attributes.flatMap((attribute) =>
        attributeDrafts(projectAttributes, attribute, entities.project(change.projectId)),
      );
    case 'groupChanged':
      return change.attributes.flatMap((attribute) =>
        attributeDrafts(groupAttributes, attribute, entities.group(change.groupId)),
      );
    case 'memberJoined':
    case 'groupMemberJoined': {
      const action = { add: 'user_access', as: roleName(change.level) };
      return [{ ...memberDraft('member_created', 'Membership created', change, entities, action), authorId: change.authorId }];
    }
    case 'memberChanged':
    case 'groupMemberChanged': {
      const [from, to] = [roleName(change.from.level), roleName(change.to.level)];
      const message = from === to ? 'Changed the end of the membership' : `Changed access level from ${from} to ${to}`;
      return [memberDraft('member_updated', message, change, entities, { change: 'access_level', from, to })];
    }
    case 'memberLeft':
    case 'groupMemberLeft':
      return [memberDraft('member_destroyed', 'Membership destroyed', change, entities, { remove: 'user_access' })];
    case 'memberExpired':
    case 'groupMemberExpired': {
      const action = { remove: 'user_access', system_event: true, reason: 'access expired' } as const;
      return [{ ...memberDraft('member_destroyed', 'Membership destroyed', change, entities, action), authorId: null }];
    }
    case 'errorTrackingSet': {
      const { active, integrated } = change;
      const message = `Set error tracking to active ${active} and integrated ${integrated}`;
      const action = { add: 'error_tracking_setting' };
      return [entityDraft('error_tracking_setting_created', message, entities.project(change.projectId), action)];
    }
    case 'errorTrackingChanged':
      return change.attributes.flatMap((attribute) =>
        attributeDrafts(errorTrackingAttributes, attribute, entities.project(change.projectId)),
      );
    case 'errorStatusChanged': {
      const { from, to } = change;
      const message = `Changed status from ${from} to ${to}`;
      return [errorDraft('error_tracking_error_status_updated', message, change, entities, { change: 'status', from, to })];
    }
    case 'errorsMerged':
      return [errorDraft('error_tracking_error_merged', `Merged with the errors ${change.merged.join(', ')}`, change, entities)];
    case 'errorSplit':
      return [errorDraft('error_tracking_error_split', `Split off the error ${change.from}`, change, entities)];
    case 'errorAssigned': {
      const message = change.assignee === undefined ? 'Unassigned' : `Assigned to ${change.assignee}`;
      return [errorDraft('error_tracking_error_assigned', message, change, entities)];
    }
    case 'errorIssueChanged': {
      const message = change.issueIid === undefined ? 'Removed the issue' : `Linked with the issue #${change.issueIid}`;
      return [errorDraft('error_tracking_error_issue_updated', message, change, entities)];
    }
    case 'protectionCreated': {
      const [name, action] =
        change.refKind === 'branch'
          ? (['protected_branch_created', { add: 'protected_branch' }] as const)
          : (['protected_tag_created', { add: 'protected_tag' }] as const);
      return [protectionDraft(name, `Added protected ${change.refKind} with [${change.description}]`, change, entities, action)];
    }
    case 'protectionChanged': {
      const { from, to } = change;
      const message = `Changed protected branch from [${from}] to [${to}]`;
      return [protectionDraft('protected_branch_updated', message, change, entities, { change: 'protected_branch', from, to })];
    }
    case 'protectionRemoved': {
      const [name, action] =
        change.refKind === 'branch'
          ? (['protected_branch_removed', { remove: 'protected_branch' }] as const)
          : (['protected_tag_removed', { remove: 'protected_tag' }] as const);
      return [protectionDraft(name, `Unprotected ${change.refKind}`, change, entities, action)];
    }
    case 'deployTokenCreated':
    case 'deployTokenRemoved':
      return [deployTokenDraft(change, entities)];
    case 'deployKeyAdded':
      return [deployKeyDraft('deploy_key_added', 'Added deploy key', change, entities, { add: 'deploy_key' })];
    case 'deployKeyRemoved':
      return [deployKeyDraft('deploy_key_removed', 'Removed deploy key', change, entities, { remove: 'deploy_key' })];
    case 'clientKeyMade':
      return [clientKeyDraft('error_tracking_client_key_created', 'Created', change, entities, { add: 'client_key' })];
    case 'clientKeyRemoved':
      return [clientKeyDraft('error_tracking_client_key_destroyed', 'Removed', change, entities, { remove: 'client_key' })];
    case 'sourceMapUploaded':
      return [sourceMapDraft('error_tracking_source_map_created', 'Uploaded', change, entities, { add: 'source_map' })];
    case 'sourceMapRemoved':
      return [sourceMapDraft('error_tracking_source_map_destroyed', 'Removed', change, entities, { remove: 'source_map' })];
    default:
      return accountDrafts(change, entities);
  }
}

/** Returns the audit events of a change of users, credentials, applications or settings. */
function accountDrafts(change: Change, entities: AuditEntities): readonly Draft[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most changes are not audited
  switch (change.kind) {
    case 'userCreated':
      return [entityDraft('user_created', 'User created', entities.user(change.userId), { add: 'user' })];
    case 'userRemoved': {
      const { id, name, username: path } = change.user;
      return [entityDraft('user_destroyed', 'Removed user', { type: 'User', id, name, path }, { remove: 'user' })];
    }
    case 'userChanged':
      return change.attributes.flatMap((attribute) => attributeDrafts(userAttributes, attribute, entities.user(change.userId)));
    case 'userStateChanged': {
      const [name, message] = stateEvents[change.action];
      return [entityDraft(name, message, entities.user(change.userId))];
    }
    case 'passwordChanged':
      return [entityDraft('user_password_updated', 'Changed password', entities.user(change.userId))];
    case 'accountLocked':
      return [{ ...entityDraft('user_access_locked', 'User access locked', entities.user(change.userId)), authorId: null }];
    case 'accountUnlocked':
      return [entityDraft('user_access_unlocked', 'User access unlocked', entities.user(change.userId))];
    case 'secondFactorChanged':
      return [
        change.enabled
          ? entityDraft('user_enable_two_factor', 'Enabled two-factor authentication', entities.user(change.userId))
          : entityDraft('user_disable_two_factor', 'Disabled two-factor authentication', entities.user(change.userId)),
      ];
    case 'signInFailed':
      return [failedSignInDraft(change.by, change.userId === null ? undefined : entities.user(change.userId))];
    case 'signedIn': {
      const { userId: authorId } = change;
      const draft =
        change.by === 'password'
          ? entityDraft('authenticated_with_password', 'User signed in with a password', entities.user(authorId))
          : entityDraft(
              'authenticated_with_two_factor',
              'User signed in with two-factor authentication',
              entities.user(authorId),
            );
      return [{ ...draft, authorId }];
    }
    case 'personalTokenMade':
      return [tokenDraft('personal_access_token_created', 'Created', change, entities)];
    case 'personalTokenRevoked':
      return [tokenDraft('personal_access_token_revoked', 'Revoked', change, entities)];
    case 'applicationMade':
      return [applicationDraft('oauth_application_created', 'OAuth application added', change.application, entities)];
    case 'applicationSecretRenewed':
      return [
        applicationDraft('oauth_application_secret_renewed', 'OAuth application secret renewed', change.application, entities),
      ];
    case 'applicationRemoved':
      return [applicationDraft('oauth_application_destroyed', 'OAuth application removed', change.application, entities)];
    case 'applicationAuthorized': {
      const { application, userId, scopes } = change;
      const entity = entities.user(userId);
      const message = `User authorized an OAuth application with the scopes ${scopes}`;
      const target = applicationTarget(application);
      return [{ name: 'user_authorized_oauth_application', message, entity, target, action: {}, authorId: userId }];
    }
    case 'settingsChanged':
      return change.attributes.map(({ attribute, from, to }) =>
        entityDraft('application_setting_updated', `Changed ${attribute} from ${from} to ${to}`, wholeInstance, {
          change: attribute,
          from,
          to,
        }),
      );
    default:
      return [];
  }
}

const stateEvents: Readonly<Record<ChangeOf<'userStateChanged'>['action'], readonly [EventName, string]>> = {
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

const capitalized = (value: string): string => `${value.charAt(0).toUpperCase()}${value.slice(1)}`;
/** Returns the text of a stored switch: `true` or `false`. */
const booleanText = (value: string): string => String(value === '1');

const projectAttributes: Readonly<Record<string, AuditedAttribute>> = {
  name: { names: ['project_name_updated'], change: 'name' },
  path: { names: ['project_path_updated'], change: 'path' },
  namespace: { names: ['project_namespace_updated'], change: 'namespace' },
  visibility: { names: ['project_visibility_level_updated'], change: 'visibility_level', text: capitalized },
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
  visibility: { names: ['group_visibility_level_updated'], change: 'visibility_level', text: capitalized },
  description: { names: ['group_description_updated'], change: 'description' },
  project_creation_level: { names: ['group_project_creation_level_updated'], change: 'project_creation_level' },
};

const userAttributes: Readonly<Record<string, AuditedAttribute>> = {
  username: { names: ['user_username_updated'], change: 'username' },
  name: { names: ['user_name_updated'], change: 'name' },
  email: { names: ['user_email_address_updated'], change: 'email address' },
  admin: { names: ['user_admin_status_updated'], change: 'admin status', text: booleanText },
  external: { names: ['user_external_status_updated'], change: 'external status', text: booleanText },
  private_profile: {
    // Every release has exactly one of the two.
    names: ['user_profile_visiblity_updated', 'user_profile_visibility_updated'],
    change: 'user_profile_visibility',
    text: booleanText,
  },
};

function attributeDrafts(
  audited: Readonly<Record<string, AuditedAttribute>>,
  { attribute, from, to }: AttributeChange,
  entity: AuditEntity,
): readonly Draft[] {
  if (attribute === 'archived') {
    return [
      to === '1'
        ? entityDraft('project_archived', 'Project archived', entity)
        : entityDraft('project_unarchived', 'Project unarchived', entity),
    ];
  }
  const known = audited[attribute];
  if (known === undefined) return [];
  const { change, text = (value: string) => value } = known;
  const action = { change, from: text(from), to: text(to) };
  const message = `Changed ${change} from ${action.from} to ${action.to}`;
  return known.names.map((name) => entityDraft(name, message, entity, action));
}

/** Returns an event whose target is the entity itself. */
function entityDraft(name: EventName, message: string, entity: AuditEntity, action: Action = {}): Draft {
  const details = entity.type === 'User' ? entity.name : entity.path;
  return { name, message, entity, target: { type: entity.type, id: entity.id, details }, action };
}

function memberDraft(
  name: EventName,
  message: string,
  change: { readonly userId: number } & ({ readonly projectId: number } | { readonly groupId: number }),
  entities: AuditEntities,
  action: Action,
): Draft {
  const entity = 'projectId' in change ? entities.project(change.projectId) : entities.group(change.groupId);
  return {
    name,
    message,
    entity,
    target: { type: 'User', id: change.userId, details: entities.user(change.userId).name },
    action,
  };
}

function tokenDraft(
  name: EventName,
  verb: string,
  { tokenId, userId }: { readonly tokenId: number; readonly userId: number },
  entities: AuditEntities,
): Draft {
  const entity = entities.user(userId);
  const target = { type: 'PersonalAccessToken', id: tokenId, details: entity.name };
  return { name, message: `${verb} personal access token with id ${tokenId}`, entity, target, action: {} };
}

function protectionDraft(
  name: EventName,
  message: string,
  {
    projectId,
    protectionId: id,
    refKind,
    name: details,
  }: ChangeOf<'protectionCreated' | 'protectionChanged' | 'protectionRemoved'>,
  entities: AuditEntities,
  action: Action,
): Draft {
  const target = { type: refKind === 'branch' ? 'ProtectedBranch' : 'ProtectedTag', id, details };
  return { name, message, entity: entities.project(projectId), target, action };
}

function deployTokenDraft(change: ChangeOf<'deployTokenCreated' | 'deployTokenRemoved'>, entities: AuditEntities): Draft {
  const { tokenId: id, name: details, groupId, projectId } = change;
  const isNew = change.kind === 'deployTokenCreated';
  const scopes = JSON.stringify(change.scopes.split(' ')).replaceAll('","', '", "');
  const container = groupId === null ? 'project' : 'group';
  const message = `${isNew ? 'Created' : 'Destroyed'} ${container} deploy token with name: ${details} with token_id: ${id} with scopes: ${scopes}.`;
  const target = { type: 'DeployToken', id, details };
  if (groupId !== null) {
    const name = isNew ? 'group_deploy_token_created' : 'group_deploy_token_destroyed';
    return { name, message, entity: entities.group(groupId), target, action: {} };
  }
  const name = isNew ? 'deploy_token_created' : 'deploy_token_destroyed';
  return { name, message, entity: entities.project(projectId ?? 0), target, action: {} };
}

function deployKeyDraft(
  name: EventName,
  message: string,
  { keyId: id, projectId, title: details }: ChangeOf<'deployKeyAdded' | 'deployKeyRemoved'>,
  entities: AuditEntities,
  action: Action,
): Draft {
  return { name, message, entity: entities.project(projectId), target: { type: 'DeployKey', id, details }, action };
}

function clientKeyDraft(
  name: EventName,
  verb: string,
  {
    projectId,
    keyId: id,
    publicKey: details,
  }: { readonly projectId: number; readonly keyId: number; readonly publicKey: string },
  entities: AuditEntities,
  action: Action,
): Draft {
  const target = { type: 'ErrorTracking::ClientKey', id, details };
  return { name, message: `${verb} client key with id ${id}`, entity: entities.project(projectId), target, action };
}

/** Returns an event about a tracked error. The title is cut, because SDKs send titles of any length. */
function errorDraft(
  name: EventName,
  message: string,
  {
    projectId,
    fingerprint: id,
    title,
  }: ChangeOf<'errorStatusChanged' | 'errorsMerged' | 'errorSplit' | 'errorAssigned' | 'errorIssueChanged'>,
  entities: AuditEntities,
  action: Action = {},
): Draft {
  const target = { type: 'ErrorTracking::Error', id, details: title.slice(0, 255).toWellFormed() };
  return { name, message, entity: entities.project(projectId), target, action };
}

function sourceMapDraft(
  name: EventName,
  verb: string,
  { projectId, mapId: id, file }: { readonly projectId: number; readonly mapId: number; readonly file: string },
  entities: AuditEntities,
  action: Action,
): Draft {
  const target = { type: 'ErrorTracking::SourceMap', id, details: file };
  return { name, message: `${verb} source map with id ${id}`, entity: entities.project(projectId), target, action };
}

type ChangedApplication = ChangeOf<'applicationMade'>['application'];

function applicationTarget({ id, name }: ChangedApplication): Target {
  return { type: 'Authn::OauthApplication', id, details: name };
}

function applicationDraft(name: EventName, message: string, application: ChangedApplication, entities: AuditEntities): Draft {
  const entity = application.ownerId === null ? wholeInstance : entities.user(application.ownerId);
  return { name, message, entity, target: applicationTarget(application), action: {} };
}

function failedSignInDraft(factor: 'password' | 'code', user: AuditEntity | undefined): Draft {
  const isCode = factor === 'code' && user !== undefined;
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
