import { html } from 'hono/html';
import type { Markup, PageContent } from '../web/layout.ts';
import { type Document, type Operation, ownParameters, type Shape } from './document.ts';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Returns the API reference page: every endpoint with its parameters, responses, access and source. */
export function documentPage(document: Document): PageContent {
  const endpoints = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation })),
  );
  const groups = Map.groupBy(endpoints, ({ operation }) => operation.tags[0] ?? '');
  return {
    title: 'API reference',
    width: 'wide',
    body: html`<div class="card">
<p>${endpoints.length} endpoints are available in this release, tier and offering. The reference is also available as an
<a href="/api/v4/openapi.json">OpenAPI document</a>. <a href="/help/deprecations">Deprecations</a> lists what ends with which release,
and what your clients use of it.</p>
<p class="muted">Each endpoint is <strong>stated</strong> by the documented interface, <strong>inferred</strong> from the behavior of GitLab, or <strong>local</strong> to this server. Its source is a section of <code>docs/interface.md</code> in the Signalbox repository. Parameters
and members without a release exist in every release. Administrators
can act as another user on every endpoint below <code>/api/v4</code> with the header <code>Sudo</code> and a token that has the scope <code>sudo</code>.</p>
<nav aria-label="Sections"><p>${[...groups.keys()].map((group) => html`<a href="#${anchor('group', group)}">${group}</a> `)}<a href="#schemas">Schemas</a></p></nav>
</div>
${[...groups].map(([group, members]) => groupCard(group, members))}
<section class="card" aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
<dl class="shapes">${Object.entries(document.components.schemas).map(
      ([name, shape]) => html`<dt id="${anchor('schema', name)}">${name}</dt><dd>${formatShape(shape)}</dd>`,
    )}</dl>
</section>`,
  };
}

function groupCard(group: string, endpoints: readonly Endpoint[]): Markup {
  const id = anchor('group', group);
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${group}</h2>
${endpoints.map(endpointDetails)}
</section>`;
}

function endpointDetails({ method, path, operation }: Endpoint): Markup {
  return html`<details class="endpoint">
<summary><code>${method} ${path}</code> <span class="badge">${operation['x-status']}</span>${operation.deprecated === true ? html` <span class="badge waiting">deprecated</span>` : ''}</summary>
<dl class="facts">
<dt>Source</dt><dd>${operation['x-clause']}</dd>
<dt>Access</dt><dd>${operation['x-role']}</dd>
${operation['x-scopes'].length === 0 ? '' : html`<dt>Scopes</dt><dd>${operation['x-scopes'].join(', ')}</dd>`}
<dt>Availability</dt><dd>${availabilityOf(operation).join('; ')}</dd>
${operation.deprecated === true ? html`<dt>Deprecation</dt><dd>${deprecationLink(operation)}</dd>` : ''}
${operation['x-key'] === undefined ? '' : html`<dt>ID in the path</dt><dd>${operation['x-key']}</dd>`}
<dt>Parameters</dt><dd>${parameterList(operation)}</dd>
<dt>Responses</dt><dd>${formatResponses(operation)}</dd>
</dl>
</details>`;
}

/** Marks of an operation, a parameter or a member. */
type Marks = Pick<Shape, 'deprecated' | 'x-deprecation' | 'x-deprecated-in' | 'x-removed-in' | 'x-availability'>;

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
function noteOf(marks: Marks): Markup | string {
  const limits = availabilityOf(marks);
  if (limits.length === 1 && marks['x-availability']?.first === undefined && marks.deprecated !== true) return '';
  return html` <span class="muted small">${limits.join('; ')}${marks.deprecated === true ? html`; ${deprecationLink(marks)}` : ''}</span>`;
}

function parameterList(operation: Operation): Markup | string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const all = [
    ...ownParameters(operation).map((parameter) => ({
      name: parameter.name,
      location: parameter.in,
      required: parameter.required === true,
      schema: parameter.schema,
      marks: parameter,
    })),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
      name,
      location: 'body',
      required: body?.required?.includes(name) === true,
      schema,
      marks: schema,
    })),
  ];
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
