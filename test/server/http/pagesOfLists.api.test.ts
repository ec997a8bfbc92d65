import assert from 'node:assert/strict';
import type * as z from 'zod';
import { routeDefinitions } from '../../../server/app.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { createTestPlatform } from '../../support/server.ts';

const reader = createTestPlatform();
const reads = routeDefinitions(reader).filter(({ area, method }) => area === 'api' && method === 'GET');
endPlatform(reader);

/** Returns true if a response is or can be a list. */
function isList(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod;
  if (def.type === 'array') return true;
  return def.type === 'union' && 'options' in def && Array.isArray(def.options) && def.options.some(isList);
}

describe('lists of the REST API', () => {
  for (const { method, path, body, schema, pages } of reads) {
    const isPaged = schema?.().shape['per_page'] !== undefined;
    if (!isPaged && pages === undefined && (body === undefined || !isList(body()))) continue;
    it(`${method} ${path} is paged, or its definition says why not`, () => {
      if (pages === undefined) {
        assert.ok(isPaged, 'use offsetResponse and pageParameters, or state the reason as `pages` of the definition');
        assert.ok(schema?.().shape['page'] !== undefined, 'pages have numbers, or `pages` states the reason');
      } else {
        assert.notEqual(pages.because, '');
        assert.equal(schema?.().shape['page'], undefined, '`pages` is stated for a list whose pages have numbers');
        if (pages.by === 'none') assert.ok(!isPaged, 'a list with `per_page` has pages');
      }
    });
  }
});
