import { boolean, filled, oneOf, type Parameter, type ParametersOf, required, string } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { integrationSlugs, type IntegrationSlug, kindOf, notifiedBranches, type Property } from './catalog.ts';
import { disableIntegration, mustFindIntegration, setIntegration } from './manageIntegrations.ts';
import { presentIntegration, presentListed } from './present.ts';
import { integrationResponse, listedIntegration } from './responses.ts';
import { integrationsOf } from './store.ts';

const metadata = { specRef: 'Integrations', status: 'inferred', key: 'id' } as const;
/** GitLab called integrations services, and keeps these paths. */
const folders = ['integrations', 'services'] as const;

const oneParameters = () => ({ id: required(string), slug: required(oneOf(integrationSlugs)) });

/** Returns the routes of the integrations of projects. */
export function integrationRoutes(core: Core): Route[] {
  return folders.flatMap((folder) => {
    const all = `/api/v4/projects/:id/${folder}`;
    return [...readRoutes(core, all), ...integrationSlugs.map((slug) => changeRoute(core, all, slug))];
  });
}

function readRoutes(core: Core, all: string): Route[] {
  const one = `${all}/:slug`;
  return [
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: all,
        body: listOf(listedIntegration),
        params: () => ({ id: required(string) }),
        pages: { by: 'none', because: 'there are few kinds of integrations' },
      },
      'maintainer',
      (request) => list(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: one, body: integrationResponse, params: oneParameters },
      'maintainer',
      (request) => show(core, request),
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: one, params: oneParameters }, 'maintainer', (request) =>
      disable(core, request),
    ),
  ];
}

function list(core: Core, { project }: FoundProject): ResponseOf<typeof listedIntegration>[] {
  return integrationsOf(core.store, project.id)
    .filter(({ active }) => active === 1)
    .map(presentListed);
}

function show(
  core: Core,
  { project, params }: ProjectRequest<ParametersOf<typeof oneParameters>>,
): ResponseOf<typeof integrationResponse> {
  return presentIntegration(mustFindIntegration(core, project, params.slug));
}

function disable(core: Core, { project, params }: ProjectRequest<ParametersOf<typeof oneParameters>>): void {
  disableIntegration(core, project, params.slug);
}

type SettingParameters = Readonly<Record<string, Parameter<string | boolean | undefined>>>;

function settingParameters(slug: IntegrationSlug): SettingParameters {
  const { properties, events } = kindOf(slug);
  return {
    ...Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, parameterOf(property)])),
    ...Object.fromEntries(events.map((name) => [name, boolean()])),
  };
}

const changeParameters = (slug: IntegrationSlug) => ({ id: required(string), ...settingParameters(slug) });

function changeRoute(core: Core, all: string, slug: IntegrationSlug): Route {
  return projectRoute(
    {
      ...metadata,
      method: 'PUT',
      path: `${all}/${slug}`,
      body: integrationResponse,
      params: () => changeParameters(slug),
    },
    'maintainer',
    (request) => change(core, request, slug),
  );
}

function change(
  core: Core,
  { project, params }: ProjectRequest<ParametersOf<typeof changeParameters>>,
  slug: IntegrationSlug,
): ResponseOf<typeof integrationResponse> {
  const { id: _, ...sent } = params;
  return presentIntegration(setIntegration(core, project, slug, sent));
}

function parameterOf({ kind, required: isRequired }: Property): Parameter<string | boolean | undefined> {
  if (kind === 'flag') return boolean();
  if (kind === 'branches') return oneOf(notifiedBranches)();
  return isRequired === true ? filled() : string();
}
