import { html } from 'hono/html';
import type { Markup, PageContent } from '../web/layout.ts';
import { type Document, type Operation, type Shape, usedSchemas } from './document.ts';
import { type Endpoint, type EndpointFilter, endpointsOf, filteredEndpoints, type Marks, parametersOf } from './endpoints.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Address of the API reference. */
export const REFERENCE_PATH = '/help/api';

/** Returns the API reference page: every endpoint that a search finds, with its parameters, responses, access and source. */
export function documentPage(document: Document, filter: EndpointFilter = { method: '', text: '' }): PageContent {
  const all = endpointsOf(document);
  const endpoints = filteredEndpoints(all, filter);
  const groups = Map.groupBy(endpoints, ({ operation }) => operation.tags[0] ?? '');
  const isWhole = endpoints.length === all.length;
  const used = isWhole ? undefined : usedSchemas(endpoints, document.components.schemas);
  const schemas = Object.entries(document.components.schemas).filter(([name]) => used?.has(name) ?? true);
  return {
    title: 'API reference',
    width: 'wide',
    body: html`<div class="card">
<p>${all.length} endpoints are available in this release, tier and offering. The reference is also available as an
<a href="/api/v4/openapi.json">OpenAPI document</a>. <a href="/help/deprecations">Deprecations</a> lists what ends with which release,
and what your clients use of it.</p>
<p class="muted">Each endpoint is <strong>stated</strong> by the documented interface, <strong>inferred</strong> from the behavior of GitLab, or <strong>local</strong> to this server. Its source is a section of <code>docs/interface.md</code> in the Signalbox repository. Parameters
and members without a release exist in every release. Administrators
can act as another user on every endpoint below <code>/api/v4</code> with the header <code>Sudo</code> and a token that has the scope <code>sudo</code>.</p>
${searchForm(filter)}
${isWhole ? '' : html`<p role="status">${endpoints.length === 1 ? '1 endpoint' : `${endpoints.length} endpoints`} found. <a href="${REFERENCE_PATH}">Show all</a></p>`}
<nav aria-label="Sections"><p>${[...groups.keys()].map((group) => html`<a href="#${anchor('group', group)}">${group}</a> `)}${schemas.length === 0 ? '' : html`<a href="#schemas">Schemas</a>`}</p></nav>
</div>
${[...groups].map(([group, members]) => groupCard(group, members))}
${
  schemas.length === 0
    ? ''
    : html`<section class="card" aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
<dl class="shapes">${schemas.map(([name, shape]) => html`<dt id="${anchor('schema', name)}">${name}</dt><dd>${formatShape(shape)}</dd>`)}</dl>
</section>`
}`,
  };
}

function searchForm({ method, text }: EndpointFilter): Markup {
  return html`<form class="filters" method="get" action="${REFERENCE_PATH}" role="search">
<div class="field">
<label for="q">Search</label>
<input id="q" name="q" type="text" value="${text}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="q-hint">
</div>
<div class="field">
<label for="method">Method</label>
<select id="method" name="method"><option value="">All</option>
${METHODS.map((known) => html`<option value="${known}" ${known === method ? html`selected` : ''}>${known}</option>`)}</select>
</div>
<div class="actions start"><button type="submit">Search</button></div>
<p class="hint" id="q-hint">Words of a path, section, source, scope or parameter, such as <code>issues confidential</code>.</p>
</form>`;
}

function groupCard(group: string, endpoints: readonly Endpoint[]): Markup {
  const id = anchor('group', group);
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${group}</h2>
${endpoints.map(endpointDetails)}
</section>`;
}

function endpointDetails(endpoint: Endpoint): Markup {
  const { method, path, operation } = endpoint;
  return html`<details class="endpoint" id="${operation.operationId}">
<summary><code>${method} ${path}</code> <span class="badge">${operation['x-status']}</span>${operation.deprecated === true ? html` <span class="badge waiting">deprecated</span>` : ''}</summary>
<dl class="facts">
${accessMetadata(operation)}
<dt>Parameters</dt><dd>${parameterList(operation)}</dd>
<dt>Responses</dt><dd>${formatResponses(operation)}</dd>
</dl>
<p><a href="${tryOutPath(endpoint)}">Try it<span class="hidden">: ${method} ${path}</span></a></p>
</details>`;
}

/** Returns the address of the page on which an endpoint can be tried out. */
export function tryOutPath({ operation }: Endpoint): string {
  return `${REFERENCE_PATH}/endpoints/${operation.operationId}`;
}

/** Returns the rows about the source of an endpoint, and about who may call it in which releases. */
export function accessMetadata(operation: Operation): Markup {
  return html`<dt>Source</dt><dd>${operation['x-clause']}</dd>
<dt>Access</dt><dd>${operation['x-role']}</dd>
${operation['x-scopes'].length === 0 ? '' : html`<dt>Scopes</dt><dd>${operation['x-scopes'].join(', ')}</dd>`}
<dt>Availability</dt><dd>${availabilityOf(operation).join('; ')}</dd>
${operation.deprecated === true ? html`<dt>Deprecation</dt><dd>${deprecationLink(operation)}</dd>` : ''}
${operation['x-key'] === undefined ? '' : html`<dt>ID in the path</dt><dd>${operation['x-key']}</dd>`}`;
}

/** Returns the releases, tiers and offerings that have an element. */
function availabilityOf({ 'x-availability': limits = {}, 'x-removed-in': removedIn }: Marks): readonly string[] {
  const { first, last = removedIn, tiers, offerings } = limits;
  return [
    `since release ${first ?? '15.1'}`,
    ...(last === undefined ? [] : [`removed in ${last}`]),
    ...(tiers === undefined ? [] : [`tiers ${tiers.join(', ')}`]),
    ...(offerings === undefined ? [] : [`offerings ${offerings.join(', ')}`]),
  ];
}

function deprecationLink({ 'x-deprecation': id, 'x-deprecated-in': release }: Marks): Markup {
  return html`<a href="/help/deprecations/${id}">deprecated since ${release}</a>`;
}

/** Returns what is special about a parameter or member: the limits of its availability, and its deprecation. */
export function noteOf(marks: Marks): Markup | string {
  const limits = availabilityOf(marks);
  if (limits.length === 1 && marks['x-availability']?.first === undefined && marks.deprecated !== true) return '';
  return html` <span class="muted small">${limits.join('; ')}${marks.deprecated === true ? html`; ${deprecationLink(marks)}` : ''}</span>`;
}

function parameterList(operation: Operation): Markup | string {
  const all = parametersOf(operation);
  if (all.length === 0) return 'None';
  return html`<ul class="members">${all.map(
    ({ name, location, required, schema, marks }) =>
      html`<li><code>${name}</code> ${formatShape(schema)} <span class="muted small">${location}${required ? ', required' : ''}${
        schema.default === undefined ? '' : `, default: ${String(schema.default)}`
      }</span>${noteOf(marks)}</li>`,
  )}</ul>`;
}

function formatResponses({ responses }: Operation): Markup[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => {
      const shape = content?.['application/json']?.schema;
      return html`${status}${shape === undefined ? ' (no body)' : html` ${formatShape(shape)}`}`;
    });
}

/** Returns the description of a schema; a named schema becomes a link to its entry on the page. */
function formatShape(shape: Shape): Markup | string {
  const name = shape.$ref?.split('/').at(-1);
  if (name !== undefined) return html`<a href="#${anchor('schema', name)}">${name}</a>`;
  if (shape.const !== undefined) return html`<code>${String(shape.const)}</code>`;
  if (shape.enum !== undefined)
    return html`${separated(
      shape.enum.map((value) => html`<code>${value}</code>`),
      ', ',
    )}`;
  if (shape.anyOf !== undefined) return html`${separated(shape.anyOf.map(formatShape), ' or ')}`;
  const [first] = shape.prefixItems ?? [];
  if (first !== undefined) return html`list of ${formatShape(first)}`;
  if (shape.items !== undefined && shape.items !== false) return html`list of ${formatShape(shape.items)}`;
  if (shape.properties === undefined) return formatPlain(shape);
  const members = Object.entries(shape.properties);
  if (members.length === 0) return 'an empty object';
  return html`<ul class="members">${members.map(
    ([member, part]) =>
      html`<li><code>${member}</code> ${formatShape(part)}${shape.required?.includes(member) === true ? '' : html` <span class="muted small">optional</span>`}${noteOf(part)}</li>`,
  )}</ul>`;
}

/** Returns the types of a schema without members, such as `string or null`. */
function formatPlain({ type, format }: Shape): Markup {
  const types = typeof type === 'string' ? [type] : (type ?? ['nothing']);
  const text = types.map((name) => (name === 'null' ? html`<code>null</code>` : name === 'string' ? (format ?? name) : name));
  return html`${separated(text, ' or ')}`;
}

function separated(parts: readonly (Markup | string)[], separator: string): (Markup | string)[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

function anchor(kind: 'group' | 'schema', name: string): string {
  return `${kind}-${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
}
