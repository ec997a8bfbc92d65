import { html } from 'hono/html';
import { isoDate } from '../../core/clock.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { membersPage } from '../members/members.ts';
import { accessOf, projectsOfGroup, viewerId } from '../projectAccess/projectAccess.ts';
import type { Markup, PageContent } from '../../web/layout.ts';
import { type PageRequest, pageRoute, type Redirection, signInPath } from '../../web/route.ts';
import { findGroup, findMovedGroup } from './access.ts';
import { containerOf } from './members.ts';
import { type GroupPageRequest, groupPageRoute } from './page.ts';
import { listNamespaces, visibleGroupsSql } from './store.ts';
import { groupTabs } from './tabs.ts';

const MAX_SUBGROUPS_SHOWN = 100;

/** Returns the routes of the members of a group, and of its own page, which the `web_url` of a group opens. Former paths of a group redirect to it. */
export function groupPages(core: Core): Route[] {
  return [
    groupPageRoute(
      { method: 'GET', path: '/groups/*full_path/-/group_members', specRef: 'Web addresses', status: 'local' },
      (request) => membersOfGroup(core, request),
    ),
    pageRoute({ method: 'GET', path: '/groups/*full_path', specRef: 'Web addresses', status: 'local' }, (request) =>
      showGroup(core, request),
    ),
  ];
}

function membersOfGroup(core: Core, request: GroupPageRequest): PageContent | Redirection {
  const { group, caller, context } = request;
  if (caller === undefined) return { redirectTo: signInPath(context) };
  const address = `/groups/${group.full_path}/-/group_members`;
  return membersPage(core, request, { container: containerOf(group), name: group.name, address });
}

function showGroup(core: Core, { pathParameters, caller }: PageRequest): PageContent | Redirection {
  const content = groupContent(core, pathParameters['full_path'] ?? '', caller);
  if (content !== undefined) return content;
  const moved = findMovedGroup(core, pathParameters['full_path'] ?? '', caller);
  if (moved === undefined) throw notFound('Group');
  return { redirectTo: `/groups/${moved.group.full_path}` };
}

/** Returns the content of a group page; undefined if the group does not exist or is not visible to the caller. */
export function groupContent(core: Core, path: string, caller: Caller | undefined): PageContent | undefined {
  const found = /^\d+$/.test(path) ? undefined : findGroup(core, path, caller);
  if (found === undefined) return undefined;
  const { group } = found;
  const parent = group.full_path.split('/').slice(0, -1);
  const subgroups = listNamespaces(
    core.store,
    {
      viewer: viewerId(caller),
      where: ["g.kind = 'group'", visibleGroupsSql(accessOf(caller))],
      parentId: group.id,
    },
    { order: 'name', sort: 'asc', limit: MAX_SUBGROUPS_SHOWN },
  );
  const projects = projectsOfGroup(core, group.id, caller).map(({ project }) => project);
  return {
    title: group.name,
    width: 'wide',
    tabs: groupTabs(core, group, caller, ''),
    body: html`<div class="card">
${group.description === '' ? '' : html`<p class="typed">${group.description}</p>`}
<p class="marks"><span class="badge">${group.visibility}</span></p>
<dl class="facts">
${parent.length === 0 ? '' : html`<dt>Parent group</dt><dd><a href="/groups/${parent.join('/')}">${parent.join(' / ')}</a></dd>`}
<dt>Group ID</dt><dd>${group.id}</dd>
<dt>Created</dt><dd>${isoDate(group.created_at)}</dd>
</dl>
</div>
${section('subgroups', 'Subgroups', subgroups, 'groups/')}
${section('projects', 'Projects', projects, '')}`,
  };
}

interface Listed {
  readonly name: string;
  readonly full_path: string;
  readonly visibility: string;
  readonly description: string | null;
}

function section(id: string, heading: string, entries: readonly Listed[], prefix: string): Markup {
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${
  entries.length === 0
    ? html`<p class="muted">No ${heading.toLowerCase()}.</p>`
    : html`<ul class="rows">${entries.map(
        (entry) => html`<li><a href="/${prefix}${entry.full_path}">${entry.name}</a>
<span class="badge">${entry.visibility}</span>
${entry.description === null || entry.description === '' ? '' : html`<p class="muted small">${entry.description}</p>`}</li>`,
      )}</ul>`
}
</section>`;
}
