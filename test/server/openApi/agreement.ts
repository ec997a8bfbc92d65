import assert from 'node:assert/strict';
import * as z from 'zod';
import { archive, content, eventStream, message } from '../../../server/http/responses.ts';
import { isDescribed } from '../../../server/http/route.ts';
import { type Document, documentFor, ownParameters } from '../../../server/openApi/document.ts';
import { examples, makeFixture, sendExample } from '../../support/examples.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';
import { isRaw } from '../../support/responses.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { availableRoutes } from '../http/everyRoute.ts';

const jsonSchema = z.custom<Parameters<typeof z.fromJSONSchema>[0]>((value) => typeof value === 'object');

/** Declares a test that sends the example of every route in the document, or of `sample` routes that the seed determines. */
export function describeAgreement({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('answers and the document', function () {
    it('agree: what a row answers fits its schema there, and what it takes is declared', async () => {
      const folder = temporaryFolder();
      try {
        await using server = await startTestServer({ dataFolder: folder.path, storages: emptyStorage });
        const fixture = makeFixture(server);
        const read = documentFor((await server.request('GET', '/api/v4/openapi.json')).json(), server.platform.profile);
        const text = JSON.stringify(read).replaceAll('#/components/schemas/', '#/$defs/');
        const document = JSON.parse(text) as Document;
        for (const route of sampleOf('responses and the document', availableRoutes().filter(isDescribed), sample)) {
          const name = `${route.method} ${route.path}`;
          const operation = document.paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
          const example = await examples[name]?.(fixture);
          assert.ok(operation !== undefined && example !== undefined, name);
          const response = await sendExample(server, route, example);
          const kinds = operation.responses[response.status]?.content ?? {};
          if (route.body === content) assert.deepEqual(Object.keys(kinds), ['text/plain', 'application/octet-stream'], name);
          if (route.body === message) assert.deepEqual(Object.keys(kinds), ['message/rfc822'], name);
          if (route.body === archive)
            assert.deepEqual(Object.keys(kinds), ['application/gzip', 'application/zip', 'application/x-tar'], name);
          if (route.body === eventStream) assert.deepEqual(Object.keys(kinds), ['text/event-stream'], name);
          const schema = kinds['application/json']?.schema;
          assert.equal(schema === undefined, response.text === '' || isRaw(route.body), name);
          if (schema !== undefined) {
            const read = z
              .fromJSONSchema(jsonSchema.parse({ $defs: document.components.schemas, ...schema }))
              .safeParse(response.json());
            assert.ok(read.success, `${name}: ${read.error?.message}`);
          }
          const inBody = operation.requestBody?.content['application/json']?.schema.properties ?? {};
          const declared = new Set([
            ...ownParameters(operation).map((parameter) => parameter.name.replace('[]', '')),
            ...Object.keys(inBody),
          ]);
          for (const sent of Object.keys(example.params ?? {})) assert.ok(declared.has(sent), `${name} takes ${sent}`);
        }
      } finally {
        folder[Symbol.dispose]();
      }
    });
  });
}
