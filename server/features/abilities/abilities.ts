/** Access levels of members, as in the API. */
export const accessLevels = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const;

export type ProjectRole = keyof typeof accessLevels;

export type AccessLevel = (typeof accessLevels)[ProjectRole];

export function isAccessLevel(level: number): level is AccessLevel {
  return Object.values(accessLevels).some((known) => known === level);
}

export type Visibility = 'private' | 'internal' | 'public';
export const visibilities: readonly Visibility[] = ['private', 'internal', 'public'];

/** `private` limits a feature to members, `enabled` opens it to everyone who can see the project. */
export type FeatureAccess = 'disabled' | 'private' | 'enabled';
export const featureAccesses: readonly FeatureAccess[] = ['disabled', 'private', 'enabled'];

/** Returns true if a visibility is less restrictive than another. */
export function isMoreVisible(visibility: Visibility, than: Visibility): boolean {
  return visibilities.indexOf(visibility) > visibilities.indexOf(than);
}

/** Returns the visibilities that are less restrictive than this one. */
export function visibilitiesBeyond(visibility: Visibility): Visibility[] {
  return visibilities.filter((one) => isMoreVisible(one, visibility));
}

/** The relation of a user to a project or group. */
export interface Access {
  readonly isSignedIn: boolean;
  /** External users see internal projects only as members. */
  readonly isExternal: boolean;
  /** Administrators can see and do everything. */
  readonly isAdministrator: boolean;
  /** Highest access level in the container and its ancestor groups, including inherited memberships; 0 without a membership. */
  readonly level: number;
}

/** The attributes of a project that determine permissions. */
export interface Guarded {
  readonly visibility: Visibility;
  readonly issues_access: FeatureAccess;
  readonly archived: 0 | 1;
}

export interface Abilities {
  readonly readProject: boolean;
  readonly readIssues: boolean;
  /** Covers the repository, pushes and comments on commits. Requires the reporter role in private projects. */
  readonly readCode: boolean;
  readonly readMergeRequests: boolean;
  /** True if issues or merge requests are visible. */
  readonly readMilestones: boolean;
  /** Covers confidential issues of others and internal notes. Requires the reporter role. */
  readonly readConfidential: boolean;
  readonly readInternalSnippets: boolean;
  readonly readPrivateSnippets: boolean;
  /** Covers creating issues and comments. False for everyone in an archived project. */
  readonly writeIssues: boolean;
}

/** Returns true if the user has the role, or a higher one, in a project or group. */
export function holdsRole(access: Access, role: ProjectRole): boolean {
  return access.isAdministrator || access.level >= accessLevels[role];
}

/** Returns true if visibility alone, without a membership, gives the user access. */
export function isOpenTo(project: Pick<Guarded, 'visibility'>, access: Omit<Access, 'level'>): boolean {
  return project.visibility === 'public' || (project.visibility === 'internal' && access.isSignedIn && !access.isExternal);
}

export function abilitiesOf(project: Guarded, access: Access): Abilities {
  const isInside = holdsRole(access, 'guest');
  const isOpen = isOpenTo(project, access);
  const readProject = isInside || isOpen;
  const readIssues = readProject && (project.issues_access === 'enabled' || (project.issues_access === 'private' && isInside));
  const readCode = isOpen || holdsRole(access, 'reporter');
  return {
    readProject,
    readIssues,
    readCode,
    readMergeRequests: readCode,
    readMilestones: readIssues || readCode,
    readConfidential: readIssues && holdsRole(access, 'reporter'),
    readInternalSnippets: readProject && (isInside || (access.isSignedIn && !access.isExternal)),
    readPrivateSnippets: isInside,
    writeIssues: readIssues && access.isSignedIn && project.archived === 0,
  };
}

/**
 * Returns the same rule as an SQL condition for lists: the visible projects among `p`, joined with the user's row `m` of
 * `project_access`. The unit tests of the abilities compare both.
 */
export function visibleProjectsSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return 'true';
  if (!access.isSignedIn) return "p.visibility = 'public'";
  const open = access.isExternal ? "p.visibility = 'public'" : "p.visibility <> 'private'";
  return `(${open} OR m.access_level >= ${accessLevels.guest})`;
}

/** Returns the SQL condition for projects whose code the user can read, which also covers merge requests, packages and images. */
export function readableCodeSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return 'true';
  if (!access.isSignedIn) return "p.visibility = 'public'";
  const open = access.isExternal ? "p.visibility = 'public'" : "p.visibility <> 'private'";
  return `(${open} OR m.access_level >= ${accessLevels.reporter})`;
}

/**
 * Returns the SQL condition for the issues `i` of the projects `p` that the user can see; `m` is the membership and `$viewer` the
 * user id, or 0.
 */
export function readableIssuesSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return "p.issues_access <> 'disabled'";
  if (!access.isSignedIn) return `${visibleProjectsSql(access)} AND p.issues_access = 'enabled' AND i.confidential = 0`;
  return `${visibleProjectsSql(access)}
    AND (p.issues_access = 'enabled' OR (p.issues_access = 'private' AND m.access_level >= ${accessLevels.guest}))
    AND (i.confidential = 0 OR m.access_level >= ${accessLevels.reporter} OR i.author_id = $viewer
      OR EXISTS (SELECT 1 FROM issue_assignees_view a WHERE a.issue_id = i.id AND a.user_id = $viewer))`;
}

/** Returns the SQL condition for projects whose milestones the user can read: those whose issues or merge requests are visible. */
export function readableMilestonesSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return 'true';
  const isInside = `m.access_level >= ${accessLevels.guest}`;
  const issues = `p.issues_access = 'enabled' OR (p.issues_access = 'private' AND ${isInside})`;
  return `(${readableCodeSql(access)} OR (${visibleProjectsSql(access)} AND (${issues})))`;
}

/** Returns the SQL condition for the internal notes `n` that the user can read; `$viewer` is the user id, or 0. */
export function readableInternalNotesSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return 'true';
  if (!access.isSignedIn) return 'false';
  return `EXISTS (SELECT 1 FROM project_access_view m
    WHERE m.project_id = n.project_id AND m.user_id = $viewer AND m.access_level >= ${accessLevels.reporter})`;
}

/** Returns the display name of an access level. */
export function roleName(level: number): string {
  const [role] = Object.entries(accessLevels).find(([, known]) => known === level) ?? ['no access'];
  return role.charAt(0).toUpperCase() + role.slice(1);
}

/**
 * Returns true if a user can create projects in a group. The group sets the minimum role; some groups do not allow new projects
 * at all.
 */
export function mayCreateProjects(
  group: { readonly project_creation_level: 'noone' | 'maintainer' | 'developer' },
  access: Access,
): boolean {
  return group.project_creation_level !== 'noone' && holdsRole(access, group.project_creation_level);
}
