import * as z from 'zod';
import { named } from '../http/responses.ts';
import { notFound } from '../core/errors.ts';
import { openRoute, RawResponse, type Route } from '../http/route.ts';
import type { Core } from '../core/core.ts';
import { lazy } from '../support/lazy.ts';
import type { OwnRequests } from '../http/ownRequests.ts';
import type { PageContent } from '../web/layout.ts';
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

const metadata = { specRef: 'OpenAPI document', status: 'local' } as const;
const endpointPage = { ...metadata, path: '/help/api/endpoints/:operation' } as const;

/** Routes of the API reference: the OpenAPI document, the page `/help/api`, and a page for each endpoint on which it can be tried out. */
export function openApiRoutes(core: OpenApiCore): Route[] {
  const document = lazy(() => readDocument(core));
  const response = lazy(() => documentResponse(document()));
  return [
    openRoute({ ...metadata, method: 'GET', path: '/api/v4/openapi.json', body: openApiDocument }, response),
    pageRoute({ ...metadata, method: 'GET', path: '/help/api' }, (request) => showReference(document(), request)),
    pageRoute({ ...endpointPage, method: 'GET' }, (request) => showEndpoint(document(), request)),
    pageRoute({ ...endpointPage, method: 'POST', response: 200 }, (request) => tryEndpoint(core, document(), request)),
  ];
}

/** Throws 404 if the server runs from source. */
function readDocument(core: OpenApiCore): Document {
  const made = core.openApi();
  if (made === undefined)
    throw notFound('Document', 'the OpenAPI document is created by the build, and this server runs from source');
  return documentFor(made, core.profile);
}

function documentResponse(document: Document): RawResponse {
  return new RawResponse({ status: 200, type: 'application/json', body: JSON.stringify(document) });
}

function showReference(document: Document, { query }: PageRequest): PageContent {
  return documentPage(document, { method: query.get('method') ?? '', text: query.get('q') ?? '' });
}

function showEndpoint(document: Document, request: PageRequest) {
  return tryOutContent(mustFindEndpoint(document, request), request);
}

function tryEndpoint(core: OpenApiCore, document: Document, request: PageRequest) {
  return sendTryOut(mustFindEndpoint(document, request), request, core.ownRequests);
}

function mustFindEndpoint(document: Document, { pathParameters }: PageRequest): Endpoint {
  const found = endpointsOf(document).find(({ operation }) => operation.operationId === pathParameters['operation']);
  if (found === undefined) throw notFound('Endpoint');
  return found;
}
