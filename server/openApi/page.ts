import { html } from 'hono/html';
import type { Markup, PageContent } from '../web/layout.ts';
import { type Document, type Operation, ownParameters, type Shape } from './document.ts';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Every endpoint with what it takes and answers, who may call it, and its source. */
export function documentPage(document: Document): PageContent {
  const endpoints = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation })),
  );
  const groups = Map.groupBy(endpoints, ({ operation }) => operation.tags[0] ?? '');
  return {
    title: 'Endpoints',
    width: 'wide',
    body: html`<div class="card">
<p>All ${endpoints.length} endpoints that programs call, as this release, tier and offering have them. The same for programs:
<a href="/api/v4/openapi.json">OpenAPI document</a>.</p>
<p class="muted">An endpoint is <strong>stated</strong> by the documented interface, <strong>inferred</strong> from what the real
platform does, or <strong>local</strong> to this server. Its source is a heading of <code>docs/interface.md</code>, a page of the project. Administrators act as somebody else on all of <code>/api/v4</code> with the
header <code>Sudo</code> and a token of the scope <code>sudo</code>.</p>
<nav aria-label="Groups"><p>${[...groups.keys()].map((group) => html`<a href="#${anchor('group', group)}">${group}</a> `)}<a href="#answers">Answers</a></p></nav>
</div>
${[...groups].map(([group, members]) => groupCard(group, members))}
<section class="card" aria-labelledby="answers">
<h2 id="answers">Answers</h2>
<dl class="shapes">${Object.entries(document.components.schemas).map(
      ([name, shape]) => html`<dt id="${anchor('answer', name)}">${name}</dt><dd>${formatShape(shape)}</dd>`,
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
<summary><code>${method} ${path}</code> <span class="badge">${operation['x-status']}</span></summary>
<dl class="facts">
<dt>Source</dt><dd>${operation['x-clause']}</dd>
<dt>Who</dt><dd>${operation['x-role']}</dd>
${operation['x-scopes'].length === 0 ? '' : html`<dt>Scopes</dt><dd>${operation['x-scopes'].join(', ')}</dd>`}
<dt>Exists</dt><dd>${existence(operation)}</dd>
${operation['x-key'] === undefined ? '' : html`<dt>Number in the path</dt><dd>${operation['x-key']}</dd>`}
<dt>Takes</dt><dd>${parameterList(operation)}</dd>
<dt>Answers</dt><dd>${formatResponses(operation)}</dd>
</dl>
</details>`;
}

function existence({ 'x-availability': { first, last, tiers, offerings } }: Operation): string {
  const text = [
    `from release ${first ?? '15.1'} on`,
    ...(last === undefined ? [] : [`until ${last}`]),
    ...(tiers === undefined ? [] : [`tiers ${tiers.join(', ')}`]),
    ...(offerings === undefined ? [] : [`offerings ${offerings.join(', ')}`]),
  ];
  return text.join('; ');
}

function parameterList(operation: Operation): Markup | string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const all = [
    ...ownParameters(operation).map(({ name, in: location, required, schema }) => ({
      name,
      location: location,
      required: required === true,
      schema,
    })),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
      name,
      location: 'body',
      required: body?.required?.includes(name) === true,
      schema,
    })),
  ];
  if (all.length === 0) return 'nothing';
  return html`<ul class="members">${all.map(
    ({ name, location, required, schema }) =>
      html`<li><code>${name}</code> ${formatShape(schema)} <span class="muted small">${location}${required ? ', must be sent' : ''}${
        schema.default === undefined ? '' : `, ${String(schema.default)} when left out`
      }</span></li>`,
  )}</ul>`;
}

function formatResponses({ responses }: Operation): Markup[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => {
      const shape = content?.['application/json']?.schema;
      return html`${status}${shape === undefined ? ' without a body' : html` ${formatShape(shape)}`}`;
    });
}

/** A shape in words; named ones lead to their place on the page. */
function formatShape(shape: Shape): Markup | string {
  const name = shape.$ref?.split('/').at(-1);
  if (name !== undefined) return html`<a href="#${anchor('answer', name)}">${name}</a>`;
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
      html`<li><code>${member}</code> ${formatShape(part)}${shape.required?.includes(member) === true ? '' : html` <span class="muted small">sometimes</span>`}</li>`,
  )}</ul>`;
}

/** `string or null` */
function formatPlain({ type, format }: Shape): Markup {
  const types = typeof type === 'string' ? [type] : (type ?? ['nothing']);
  const text = types.map((name) => (name === 'null' ? html`<code>null</code>` : name === 'string' ? (format ?? name) : name));
  return html`${separated(text, ' or ')}`;
}

function separated(parts: readonly (Markup | string)[], separator: string): (Markup | string)[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

function anchor(kind: 'group' | 'answer', name: string): string {
  return `${kind}-${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
}
