import * as z from 'zod';
import { named } from '../http/responses.ts';
import { notFound } from '../core/errors.ts';
import { openRoute, RawResponse, type Route } from '../http/route.ts';
import type { Core } from '../core/core.ts';
import { pageRoute } from '../web/route.ts';
import { type Document, documentFor } from './document.ts';
import { documentPage } from './page.ts';

/** An OpenAPI document; its full structure is defined by the OpenAPI specification. */
const openApiDocument = named('OpenApiDocument', () => z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }));

/** Routes of the API reference: the OpenAPI document and the page `/help/api`. */
export function openApiRoutes(core: Core & { readonly openApi: () => unknown }): Route[] {
  let document: Document | undefined;
  let text: string | undefined;
  const read = (): Document => {
    if (document === undefined) {
      const made = core.openApi();
      if (made === undefined)
        throw notFound('Document', 'the OpenAPI document is created by the build, and this server runs from source');
      document = documentFor(made, core.profile);
    }
    return document;
  };

  return [
    openRoute(
      { method: 'GET', path: '/api/v4/openapi.json', specRef: 'OpenAPI document', status: 'local', body: openApiDocument },
      () => {
        text ??= JSON.stringify(read());
        return new RawResponse({ status: 200, type: 'application/json', body: text });
      },
    ),
    pageRoute({ method: 'GET', path: '/help/api', specRef: 'OpenAPI document', status: 'local' }, () => documentPage(read())),
  ];
}
