import { html } from 'hono/html';
import { isoDate } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import type { Route } from '../../http/route.ts';
import { ago, type Markup, type PageContent } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import { type PageRequest, signInPath } from '../../web/route.ts';
import { findUser } from '../users/users.ts';
import { roleName } from '../abilities/abilities.ts';
import { containerOf } from './projectMembers.ts';
import { listMembers, type MemberContainer, type MemberRow } from './store.ts';
import { type ProjectPageRequest, projectPageRoute } from '../projectAccess/projectAccess.ts';

const MEMBERS_OF_PAGE = 50;

/** Returns the route of the page with the members of a project, for signed-in users, like the endpoint. */
export function projectMemberPages(core: Core): Route[] {
  return [
    projectPageRoute(
      { method: 'GET', path: '/*full_path/-/project_members', specRef: 'Web addresses', status: 'local' },
      (request) => (request.caller === undefined ? { redirectTo: signInPath(request.context) } : membersContent(core, request)),
    ),
  ];
}

function membersContent(core: Core, request: ProjectPageRequest): PageContent {
  const { project } = request;
  const address = `/${project.full_path}/-/project_members`;
  return membersPage(core, request, { container: containerOf(project), name: project.name, address });
}

/** A project or group whose members a page lists. */
export interface MembersOfPage {
  readonly container: MemberContainer;
  readonly name: string;
  readonly address: string;
}

/** Returns the page with the members of a project or group, including those of the groups above it. */
export function membersPage(core: Core, request: PageRequest, { container, name, address }: MembersOfPage): PageContent {
  const { now } = request;
  const page = pageNumber(request);
  const filter = { container, withInherited: true };
  const rows = listMembers(core.store, filter, MEMBERS_OF_PAGE + 1, (page - 1) * MEMBERS_OF_PAGE);
  return {
    title: `Members · ${name}`,
    heading: 'Members',
    width: 'wide',
    body: html`<div class="card">
${
  rows.length === 0
    ? html`<p class="muted">No members.</p>`
    : html`<ul class="rows">${rows.slice(0, MEMBERS_OF_PAGE).map((row) => memberRow(core, row, now))}</ul>`
}
${pager(address, page, rows.length > MEMBERS_OF_PAGE)}
</div>`,
  };
}

function memberRow(core: Core, row: MemberRow, now: number): Markup | string {
  const user = findUser(core, row.user_id);
  if (user === undefined) return '';
  return html`<li><a href="/${user.username}">${user.name}</a> <span class="muted">@${user.username}</span>
<span class="badge">${roleName(row.access_level)}</span>
<p class="muted small">Member since ${ago(row.created_at, now)}${row.expires_at === null ? '' : html`, until ${isoDate(row.expires_at)}`}</p></li>`;
}
