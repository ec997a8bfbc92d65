import assert from 'node:assert/strict';
import { routeDefinitions } from '../../../server/app.ts';
import { isDescribed } from '../../../server/http/route.ts';
import { isAvailable, type Profile } from '../../../server/core/profile.ts';
import { type Document, documentFor, ownParameters } from '../../../server/openApi/document.ts';
import { startTestServer } from '../../support/server.ts';
import { describeAgreement } from './agreement.ts';

interface Served {
  readonly document: Document;
  readonly page: string;
  /** Rows of programs that this profile has. */
  readonly expected: readonly string[];
  readonly sources: readonly string[];
}

async function serve(profile: Partial<Profile> = {}): Promise<Served> {
  await using server = await startTestServer({ profile });
  const response = await server.request('GET', '/api/v4/openapi.json');
  assert.equal(response.status, 200, response.text.slice(0, 500));
  const page = await server.request('GET', '/help/api');
  assert.equal(page.status, 200);
  const routes = routeDefinitions(server.platform).filter(
    (route) => isDescribed(route) && isAvailable(route, server.platform.profile),
  );
  return {
    document: documentFor(response.json(), server.platform.profile),
    page: page.text,
    expected: routes.map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`).toSorted(),
    sources: [...new Set(routes.map((route) => route.specRef))],
  };
}

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
  );

describe('the OpenAPI document', () => {
  let served: Served;
  before(async () => {
    served = await serve();
  });

  it('has every endpoint that programs call, and no other', () => {
    const names = operationsOf(served.document).map(({ name }) => name);
    assert.deepEqual(names.toSorted(), served.expected);
  });

  it('leads nowhere in vain: every reference is there, every definition is used', () => {
    const text = JSON.stringify(served.document);
    const used = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, target = '']) => target));
    for (const target of used) {
      let location: unknown = served.document;
      for (const name of target.split('/')) location = memberOf(location, name);
      assert.ok(location !== undefined, target);
    }
    const unused = Object.keys(served.document.components.schemas).filter((name) => !used.has(`components/schemas/${name}`));
    assert.deepEqual(unused, []);
  });

  it('declares every parameter of a path, names every operation once, and knows the schemes it asks for', () => {
    const operations = operationsOf(served.document);
    const schemes = memberOf(served.document.components, 'securitySchemes');
    assert.equal(new Set(operations.map(({ operation }) => operation['operationId'])).size, operations.length);
    for (const { name, path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const declared = ownParameters(operation).filter((parameter) => parameter.in === 'path');
      assert.deepEqual(
        declared.map((parameter) => parameter.name),
        inPath,
        name,
      );
      assert.equal(
        new Set(ownParameters(operation).map((parameter) => parameter.name)).size,
        ownParameters(operation).length,
        name,
      );
      const { security } = operation;
      assert.ok(Array.isArray(security) && security.length > 0, name);
      for (const way of security) for (const scheme of Object.keys(way)) assert.ok(memberOf(schemes, scheme), scheme);
    }
  });

  it('tells what is answered and how it is refused', () => {
    for (const { name, operation } of operationsOf(served.document)) {
      const statuses = Object.keys(operation.responses);
      // A comment of quick actions only is not made but done, and what is the latest is told by where it leads.
      const isLead = name.endsWith('/permalink/latest');
      const successes = isLead ? ['302'] : /^POST .*\/(?:notes|discussions)$/.test(name) ? ['201', '202'] : [statuses[0]];
      assert.deepEqual(
        statuses.filter((status) => status.startsWith('2') || (isLead && status === '302')),
        successes,
        name,
      );
      assert.ok(statuses.includes('default') && statuses.includes('404'), name);
    }
    const issues = served.document.paths['/api/v4/projects/{id}/issues'];
    assert.deepEqual(issues?.['get']?.responses['200']?.content?.['application/json']?.schema, {
      type: 'array',
      items: { anyOf: [{ $ref: '#/components/schemas/Issue' }, { $ref: '#/components/schemas/IssueWithLabels' }] },
    });
    assert.ok(issues?.['get']);
    const listed = ownParameters(issues['get']);
    assert.ok(JSON.stringify(issues['get'].parameters).includes('#/components/parameters/Sudo'));
    const { title } = issues?.['post']?.requestBody?.content['application/json']?.schema.properties ?? {};
    assert.deepEqual(title, { type: 'string' });
    assert.deepEqual(issues?.['post']?.requestBody?.content['application/json']?.schema.required, ['title']);
    assert.deepEqual(listed.find(({ name }) => name === 'state')?.schema, {
      type: 'string',
      enum: ['opened', 'closed', 'all'],
      default: 'all',
    });
    assert.ok(listed.some(({ name }) => name === 'labels[]'));
  });

  it('lacks what the release lacks', async () => {
    const old = await serve({ release: '15.1' });
    const names = operationsOf(old.document).map(({ name }) => name);
    assert.deepEqual(names.toSorted(), old.expected);
    assert.ok(!names.includes('POST /oauth/authorize_device') && served.expected.includes('POST /oauth/authorize_device'));
    assert.ok(!old.page.includes('/oauth/authorize_device') && served.page.includes('POST /oauth/authorize_device'));
  });

  it('is a page for people with every endpoint, its source and its status, and links that lead somewhere', () => {
    const shown = [...served.page.matchAll(/<summary><code>([^<]+)<\/code>/g)].map(([, name]) => name);
    assert.deepEqual(shown.toSorted(), served.expected);
    for (const source of served.sources) assert.ok(served.page.includes(`<dt>Source</dt><dd>${source}</dd>`), source);
    const places = new Set([...served.page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of served.page.matchAll(/href="#([^"]+)"/g)) assert.ok(places.has(target), target);
    assert.match(served.page, /<dt>Scopes<\/dt><dd>api, read_api<\/dd>/);
  });
});

describeAgreement({ sample: 40 });

describe('a server that runs from its sources without a build', () => {
  it('says that it has no description', async () => {
    await using server = await startTestServer({ withoutDescription: true });
    assert.equal((await server.request('GET', '/api/v4/openapi.json')).status, 404);
    assert.equal((await server.request('GET', '/help/api')).status, 404);
  });
});

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
