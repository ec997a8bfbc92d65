import * as z from 'zod';
import { named } from '../http/responses.ts';
import { notFound } from '../core/errors.ts';
import { openRoute, RawResponse, type Route } from '../http/route.ts';
import type { Core } from '../core/core.ts';
import type { OwnRequests } from '../http/ownRequests.ts';
import { type PageRequest, pageRoute } from '../web/route.ts';
import { type Document, documentFor } from './document.ts';
import { type Endpoint, endpointsOf } from './endpoints.ts';
import { documentPage } from './page.ts';
import { sendTryOut, tryOutContent } from './tryOutPage.ts';

/** An OpenAPI document; its full structure is defined by the OpenAPI specification. */
const openApiDocument = named('OpenApiDocument', () => z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }));

interface OpenApiCore extends Core {
  readonly openApi: () => unknown;
  readonly ownRequests: OwnRequests;
}

/** Routes of the API reference: the OpenAPI document, the page `/help/api`, and a page for each endpoint on which it can be tried out. */
export function openApiRoutes(core: OpenApiCore): Route[] {
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
  const endpointOf = ({ pathParameters }: PageRequest): Endpoint => {
    const found = endpointsOf(read()).find(({ operation }) => operation.operationId === pathParameters['operation']);
    if (found === undefined) throw notFound('Endpoint');
    return found;
  };
  const tryOut = { path: '/help/api/endpoints/:operation', specRef: 'OpenAPI document', status: 'local' } as const;

  return [
    openRoute(
      { method: 'GET', path: '/api/v4/openapi.json', specRef: 'OpenAPI document', status: 'local', body: openApiDocument },
      () => {
        text ??= JSON.stringify(read());
        return new RawResponse({ status: 200, type: 'application/json', body: text });
      },
    ),
    pageRoute({ method: 'GET', path: '/help/api', specRef: 'OpenAPI document', status: 'local' }, ({ query }) =>
      documentPage(read(), { method: query.get('method') ?? '', text: query.get('q') ?? '' }),
    ),
    pageRoute({ ...tryOut, method: 'GET' }, (request) => tryOutContent(endpointOf(request), request)),
    pageRoute({ ...tryOut, method: 'POST', response: 200 }, (request) =>
      sendTryOut(endpointOf(request), request, core.ownRequests),
    ),
  ];
}
