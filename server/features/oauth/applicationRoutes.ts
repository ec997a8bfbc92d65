import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { badRequest, forbidden, invalidRecord, notFound } from '../../core/errors.ts';
import { type LinkSource, offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, type ParameterSet, type ParametersOf, required, string } from '../../http/params.ts';
import { administratorRoute, RawResponse, type Route } from '../../http/route.ts';
import {
  type Application,
  applicationById,
  createApplication,
  deleteApplication,
  listApplications,
  setApplicationSecret,
} from './applications.ts';
import type { Core } from '../../core/core.ts';
import { application, newApplication, renewedApplication } from './responses.ts';
import { applicationErrors, redirectUrisOf } from './applicationRules.ts';

const metadata = { specRef: 'OAuth applications', status: 'inferred' } as const;

const newParameters = () => ({
  name: required(string),
  redirect_uri: required(string),
  scopes: filled(),
  confidential: fallback(true, boolean),
});
const idParameters = () => ({ id: required(integer) });

type Sent<Declare extends () => ParameterSet> = { readonly params: ParametersOf<Declare> };

/** Returns the routes with which administrators manage all OAuth applications (docs/interface.md#oauth-applications). */
export function applicationRoutes(core: Core): Route[] {
  const path = '/api/v4/applications';
  return [
    administratorRoute({ method: 'POST', path, body: newApplication, ...metadata, params: newParameters }, (request) =>
      register(core, request),
    ),
    administratorRoute({ method: 'GET', path, body: listOf(application), ...metadata, params: pageParameters }, (request) =>
      list(core, request),
    ),
    administratorRoute({ method: 'DELETE', path: `${path}/:id`, ...metadata, key: 'id', params: idParameters }, (request) =>
      remove(core, request),
    ),
    administratorRoute(
      {
        method: 'POST',
        path: `${path}/:id/renew-secret`,
        body: renewedApplication,
        ...metadata,
        key: 'id',
        params: idParameters,
      },
      (request) => renewSecret(core, request),
    ),
  ];
}

function register(core: Core, { params }: Sent<typeof newParameters>) {
  const { name, confidential } = params;
  const scopes = [...new Set(params.scopes.split(/\s+/).filter((scope) => scope !== ''))];
  const redirectUris = redirectUrisOf(params.redirect_uri);
  const validationErrors = applicationErrors({ name, redirectUris, scopes });
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
  const { application: created, secret } = createApplication(core, { name, redirectUris, scopes, confidential });
  return { ...present(created), secret: secret ?? null };
}

function list(core: Core, request: Sent<typeof pageParameters> & LinkSource): RawResponse {
  const all = listApplications(core);
  const rows = (limit: number, offset: number): readonly Application[] => all.slice(offset, offset + limit);
  return new RawResponse(offsetResponse(request, request.params, { count: () => all.length, rows }, present));
}

function remove(core: Core, { params }: Sent<typeof idParameters>): void {
  const found = mustFind(core, params.id);
  if (found.uid === EXTENSION_CLIENT_ID) {
    throw forbidden(
      undefined,
      'the application of the extension is built in; without it, signing in from the editor would not work',
    );
  }
  deleteApplication(core, found);
}

function renewSecret(core: Core, { params }: Sent<typeof idParameters>) {
  const found = mustFind(core, params.id);
  if (found.confidential === 0) throw badRequest('A public application has no secret');
  return { ...present(found), secret: setApplicationSecret(core, found) };
}

function mustFind(core: Core, id: number): Application {
  const found = applicationById(core, id);
  if (found === undefined) throw notFound('Application');
  return found;
}

function present({ id, uid, name, redirect_uris, confidential }: Application): ResponseOf<typeof application> {
  return {
    id,
    application_id: uid,
    application_name: name,
    callback_url: redirect_uris,
    confidential: confidential === 1,
  };
}
