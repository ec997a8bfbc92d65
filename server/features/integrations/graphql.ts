import { listOfRows, pageOfList } from '../../graphql/positionPages.ts';
import {
  type Arguments,
  globalId,
  type GraphqlPart,
  type QueryRequest,
  textArgument,
  connectionArguments,
} from '../../graphql/parts.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectFields } from '../projects/projects.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { enumName, integrationSlugs, kindOf, serviceName } from './catalog.ts';
import type { Integration } from './manageIntegrations.ts';
import { integrationsOf } from './store.ts';

const sdl = /* GraphQL */ `
  "Integrations, by their former names."
  enum ServiceType {
    ${integrationSlugs.map((slug) => `${enumName(slug)}_SERVICE`).join('\n    ')}
  }

  "Integrations of this server."
  enum IntegrationType {
    ${integrationSlugs.map(enumName).join('\n    ')}
  }

  interface Service {
    "Indicates if the integration is active."
    active: Boolean
    "Type of the integration."
    serviceType: ServiceType
    "Class name of the integration."
    type: String
  }

  type BaseService implements Service {
    active: Boolean
    serviceType: ServiceType
    type: String
  }

  "The connection type for Service."
  type ServiceConnection {
    edges: [ServiceEdge]
    nodes: [Service]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type ServiceEdge {
    cursor: String!
    node: Service
  }

  "Integration of a project with another program."
  type Integration {
    "Indicates if the integration is active."
    active: Boolean!
    "ID of the integration."
    id: ID!
    "Name of the integration."
    name: String!
    "Type of the integration."
    type: IntegrationType!
  }

  "The connection type for Integration."
  type IntegrationConnection {
    edges: [IntegrationEdge]
    nodes: [Integration]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type IntegrationEdge {
    cursor: String!
    node: Integration
  }

  extend type Project {
    "Integrations of the project. Null without the Maintainer role."
    integrations(
      "Indicates if the integration is active."
      active: Boolean${connectionArguments}
      "Type of integration."
      type: IntegrationType
    ): IntegrationConnection
    "Project services."
    services(
      "Indicates if the integration is active."
      active: Boolean${connectionArguments}
      "Type of integration."
      type: ServiceType
    ): ServiceConnection @deprecation(id: "project-services")
  }
`;

export const integrationsGraphql: GraphqlPart = { sdl, query: {} };

/** Number of lists of integrations that one request can ask for. */
const MAX_LISTS = 20;

type Present = (integration: Integration) => Readonly<Record<string, unknown>>;

/** Returns the fields of projects about their integrations. */
export function integrationsFieldsOf(core: Core): ProjectFields {
  return ({ project, access }) => {
    const list = (suffix: string, present: Present) => (args: Arguments, request: QueryRequest) => {
      if (!holdsRole(access, 'maintainer')) return null;
      request.spend('integrations', MAX_LISTS);
      const type = textArgument(args['type']);
      const rows = integrationsOf(core.store, project.id)
        .filter(({ slug }) => type === undefined || type === `${enumName(slug)}${suffix}`)
        .filter(({ active }) => typeof args['active'] !== 'boolean' || args['active'] === (active === 1));
      return pageOfList(args, listOfRows(rows), present);
    };
    return {
      integrations: list('', (integration) => ({
        active: integration.active === 1,
        id: globalId('Integration', integration.id),
        name: kindOf(integration.slug).title,
        type: enumName(integration.slug),
      })),
      services: list('_SERVICE', ({ active, slug }) => ({
        __typename: 'BaseService',
        active: active === 1,
        serviceType: `${enumName(slug)}_SERVICE`,
        type: serviceName(slug),
      })),
    };
  };
}
