import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { listOf } from '../../http/responses.ts';
import { badRequest, forbidden, invalidRecord, notFound } from '../../http/failures.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, required, string } from '../../http/params.ts';
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

/** Returns the routes with which administrators manage all OAuth applications (docs/interface.md#oauth-applications). */
export function applicationRoutes(core: Core): Route[] {
  const mustFind = (id: number): Application => {
    const application = applicationById(core, id);
    if (application === undefined) throw notFound('Application');
    return application;
  };

  return [
    administratorRoute(
      {
        method: 'POST',
        path: '/api/v4/applications',
        body: newApplication,
        ...metadata,
        params: () => ({
          name: required(string),
          redirect_uri: required(string),
          scopes: filled(),
          confidential: fallback(true, boolean),
        }),
      },
      ({ params }) => {
        const { name, confidential } = params;
        const scopes = [...new Set(params.scopes.split(/\s+/).filter((scope) => scope !== ''))];
        const redirectUris = redirectUrisOf(params.redirect_uri);
        const validationErrors = applicationErrors({ name, redirectUris, scopes });
        if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
        const { application, secret } = createApplication(core, { name, redirectUris, scopes, confidential });
        return { ...present(application), secret: secret ?? null };
      },
    ),
    administratorRoute(
      { method: 'GET', path: '/api/v4/applications', body: listOf(application), ...metadata, params: pageParameters },
      (request) => {
        const all = listApplications(core);
        return new RawResponse(
          offsetResponse(
            request,
            request.params,
            { count: () => all.length, rows: (limit, offset) => all.slice(offset, offset + limit) },
            present,
          ),
        );
      },
    ),
    administratorRoute(
      {
        method: 'DELETE',
        path: '/api/v4/applications/:id',
        ...metadata,
        key: 'id',
        params: () => ({ id: required(integer) }),
      },
      ({ params }) => {
        const application = mustFind(params.id);
        if (application.uid === EXTENSION_CLIENT_ID) {
          throw forbidden(
            undefined,
            'the application of the extension is built in; without it, signing in from the editor would not work',
          );
        }
        deleteApplication(core, application);
      },
    ),
    administratorRoute(
      {
        method: 'POST',
        path: '/api/v4/applications/:id/renew-secret',
        body: renewedApplication,
        ...metadata,
        key: 'id',
        params: () => ({ id: required(integer) }),
      },
      ({ params }) => {
        const application = mustFind(params.id);
        if (application.confidential === 0) throw badRequest('A public application has no secret');
        return { ...present(application), secret: setApplicationSecret(core, application) };
      },
    ),
  ];
}

function present(application: Application): Record<string, unknown> {
  return {
    id: application.id,
    application_id: application.uid,
    application_name: application.name,
    callback_url: application.redirect_uris,
    confidential: application.confidential === 1,
  };
}
