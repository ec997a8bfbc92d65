/** Access levels of members, as the wire has them. */
export const accessLevels = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const;

export type ProjectRole = keyof typeof accessLevels;

export type AccessLevel = (typeof accessLevels)[ProjectRole];

export function isAccessLevel(level: number): level is AccessLevel {
  return Object.values(accessLevels).some((known) => known === level);
}

export type Visibility = 'private' | 'internal' | 'public';
export const visibilities: readonly Visibility[] = ['private', 'internal', 'public'];

/** `private` leaves a feature to members, `enabled` to everybody who sees the project. */
export type FeatureAccess = 'disabled' | 'private' | 'enabled';
export const featureAccesses: readonly FeatureAccess[] = ['disabled', 'private', 'enabled'];

/** Whether one visibility lets more people in than another. */
export function isMoreVisible(visibility: Visibility, than: Visibility): boolean {
  return visibilities.indexOf(visibility) > visibilities.indexOf(than);
}

/** The visibilities that let more people in than this one. */
export function visibilitiesBeyond(visibility: Visibility): Visibility[] {
  return visibilities.filter((one) => isMoreVisible(one, visibility));
}

/** What a person is to a project or group. */
export interface Access {
  readonly isSignedIn: boolean;
  /** External people see internal projects only as members. */
  readonly isExternal: boolean;
  /** Administrators see and may do everything. */
  readonly isAdministrator: boolean;
  /** Highest access level of the memberships in it and in the groups around it, 0 without one. */
  readonly level: number;
}

/** What of a project decides who may do what. */
export interface Guarded {
  readonly visibility: Visibility;
  readonly issues_access: FeatureAccess;
  readonly archived: 0 | 1;
}

export interface Abilities {
  readonly readProject: boolean;
  readonly readIssues: boolean;
  /** Repository, and so pushes and comments on commits: in private projects from reporter on. */
  readonly readCode: boolean;
  readonly readMergeRequests: boolean;
  /** Of whoever sees what they are for: issues or merge requests. */
  readonly readMilestones: boolean;
  /** Confidential issues of others, and internal notes: from reporter on. */
  readonly readConfidential: boolean;
  readonly readInternalSnippets: boolean;
  readonly readPrivateSnippets: boolean;
  /** Create issues and comments; nobody writes to an archived project. */
  readonly writeIssues: boolean;
}

/** Whether a person has a role in a project or group, or a higher one. */
export function holdsRole(access: Access, role: ProjectRole): boolean {
  return access.isAdministrator || access.level >= accessLevels[role];
}

/** Whether visibility alone, without a membership, lets a person in. */
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
 * The same rule in SQL, for lists: which of the projects `p`, joined with the person's row `m` of `project_access`, they see. The test of
 * abilities compares both.
 */
export function visibleProjectsSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return 'true';
  if (!access.isSignedIn) return "p.visibility = 'public'";
  const open = access.isExternal ? "p.visibility = 'public'" : "p.visibility <> 'private'";
  return `(${open} OR m.access_level >= ${accessLevels.guest})`;
}

/** Of which projects a person reads the code, and so merge requests, packages and images, in SQL. */
export function readableCodeSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return 'true';
  if (!access.isSignedIn) return "p.visibility = 'public'";
  const open = access.isExternal ? "p.visibility = 'public'" : "p.visibility <> 'private'";
  return `(${open} OR m.access_level >= ${accessLevels.reporter})`;
}

/** Which issues `i` of the projects `p` a person sees, in SQL; `m` is their membership and `$viewer` their number or 0. */
export function readableIssuesSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return "p.issues_access <> 'disabled'";
  if (!access.isSignedIn) return `${visibleProjectsSql(access)} AND p.issues_access = 'enabled' AND i.confidential = 0`;
  return `${visibleProjectsSql(access)}
    AND (p.issues_access = 'enabled' OR (p.issues_access = 'private' AND m.access_level >= ${accessLevels.guest}))
    AND (i.confidential = 0 OR m.access_level >= ${accessLevels.reporter} OR i.author_id = $viewer
      OR EXISTS (SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id AND a.user_id = $viewer))`;
}

/** The condition in SQL under which a person reads the internal notes `n` of a project; `$viewer` is their number or 0. */
export function readableInternalNotesSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return 'true';
  if (!access.isSignedIn) return 'false';
  return `EXISTS (SELECT 1 FROM project_access m
    WHERE m.project_id = n.project_id AND m.user_id = $viewer AND m.access_level >= ${accessLevels.reporter})`;
}

/** Words for an access level, as the platform shows them. */
export function roleName(level: number): string {
  const [role] = Object.entries(accessLevels).find(([, known]) => known === level) ?? ['no access'];
  return role.charAt(0).toUpperCase() + role.slice(1);
}

/** Whether somebody may create projects in a group: the group says from which role on, and to some groups nobody adds any. */
export function mayCreateProjects(
  group: { readonly project_creation_level: 'noone' | 'maintainer' | 'developer' },
  access: Access,
): boolean {
  return group.project_creation_level !== 'noone' && holdsRole(access, group.project_creation_level);
}
