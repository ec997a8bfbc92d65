import { demandOneOf } from '../../http/combinations.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { type FoundGroup, groupRoute } from '../groups/groups.ts';
import { forbidden, notFound, recordNotFound } from '../../core/errors.ts';
import { type LinkSource, offsetResponse, type OffsetRequest, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, hash, integer, oneOf, type ParametersOf, required, string } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import { RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import {
  createPipeline,
  demandRef,
  demandWritable,
  findJob,
  findPipeline,
  type Pipeline,
  pipelineResponse,
  presentPipeline,
  startOf,
} from '../pipelines/pipelines.ts';
import { findProject, type FoundProject, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import {
  pipelineVariable,
  presentPipelineVariable,
  recordVariables,
  variablesOfPipeline,
  variablesParameter,
  variableTypes,
} from '../pipelineVariables/pipelineVariables.ts';
import { forwardedVariables } from './forwarding.ts';
import { variable } from './responses.ts';
import { countVariables, deleteVariableRow, listVariables, type VariableContainer } from './store.ts';
import { createVariable, findVariable, updateVariable, type Variable, valueOf } from './variables.ts';

const metadata = { specRef: 'CI/CD variables', status: 'inferred', key: 'id' } as const;

const attributes = () => ({
  protected: boolean(),
  masked: boolean(),
  raw: boolean(),
  variable_type: oneOf(variableTypes)(),
  environment_scope: string(),
  description: string(),
});
const listParameters = () => ({ id: required(string), ...pageParameters() });
const oneParameters = () => ({
  id: required(string),
  key: required(string),
  filter: hash({ environment_scope: string() }),
});
const newParameters = () => ({
  id: required(string),
  key: required(string),
  value: required(string),
  masked_and_hidden: boolean(),
  ...attributes(),
});
const changes = () => ({ value: string(), ...attributes() });
const changeParameters = () => ({ ...oneParameters(), ...changes() });

const inputOf = (params: ParametersOf<typeof attributes>) => ({
  type: params.variable_type,
  protected: params.protected,
  masked: params.masked,
  raw: params.raw,
  environmentScope: params.environment_scope,
  description: params.description,
});

const ofProject = ({ project }: FoundProject): VariableContainer => ({ projectId: project.id });
const ofGroup = ({ group }: FoundGroup): VariableContainer => ({ groupId: group.id });

const inProjects = '/api/v4/projects/:id/variables';

const inGroups = '/api/v4/groups/:id/variables';

const body = variable;

const listOfPipelineParameters = () => ({ id: required(string), pipeline_id: required(integer) });

const createDownstreamPipelineParameters = () => ({
  id: required(string),
  job_id: required(integer),
  target_project_id: integer(),
  ref: string(),
  variables: variablesParameter(),
  forward: hash({ yaml_variables: fallback(true, boolean), pipeline_variables: fallback(false, boolean) }),
});

/** Returns the routes of the variables of projects, groups and pipelines. */
export function ciVariableRoutes(core: GitCore): Route[] {
  return [
    projectRoute(
      { ...metadata, method: 'GET', path: inProjects, body: listOf(variable), params: listParameters },
      'maintainer',
      (request) => list(core, ofProject(request), request),
    ),
    projectRoute({ ...metadata, method: 'POST', path: inProjects, body, params: newParameters }, 'maintainer', (request) =>
      create(core, ofProject(request), request.params),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${inProjects}/:key`, body, params: oneParameters },
      'maintainer',
      (request) => present(core, ofProject(request), find(core, ofProject(request), request.params)),
    ),
    projectRoute(
      { ...metadata, method: 'PUT', path: `${inProjects}/:key`, body, params: changeParameters },
      'maintainer',
      (request) => update(core, ofProject(request), request),
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: `${inProjects}/:key`, params: oneParameters }, 'maintainer', (request) =>
      remove(core, ofProject(request), request.params),
    ),
    groupRoute(
      { ...metadata, method: 'GET', path: inGroups, body: listOf(variable), params: listParameters },
      'owner',
      (request) => list(core, ofGroup(request), request),
    ),
    groupRoute({ ...metadata, method: 'POST', path: inGroups, body, params: newParameters }, 'owner', (request) =>
      create(core, ofGroup(request), request.params),
    ),
    groupRoute({ ...metadata, method: 'GET', path: `${inGroups}/:key`, body, params: oneParameters }, 'owner', (request) =>
      present(core, ofGroup(request), find(core, ofGroup(request), request.params)),
    ),
    groupRoute({ ...metadata, method: 'PUT', path: `${inGroups}/:key`, body, params: changeParameters }, 'owner', (request) =>
      update(core, ofGroup(request), request),
    ),
    groupRoute({ ...metadata, method: 'DELETE', path: `${inGroups}/:key`, params: oneParameters }, 'owner', (request) =>
      remove(core, ofGroup(request), request.params),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id/variables',
        body: listOf(pipelineVariable),
        params: listOfPipelineParameters,
        pages: { by: 'none', because: 'GitLab returns all variables of a pipeline' },
      },
      'developer',
      (request) => listOfPipeline(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        status: 'local',
        method: 'POST',
        path: '/api/v4/projects/:id/jobs/:job_id/downstream_pipelines',
        body: pipelineResponse,
        params: createDownstreamPipelineParameters,
      },
      'developer',
      (request) => createDownstreamPipeline(core, request),
    ),
  ];
}

function listOfPipeline(core: GitCore, request: ProjectRequest<ParametersOf<typeof listOfPipelineParameters>>) {
  const pipeline = findPipeline(core, request, request.params.pipeline_id);
  if (pipeline === undefined) throw recordNotFound('no such pipeline in the project; the path requires the ID, not the IID');
  demandVariables(request, pipeline);
  return variablesOfPipeline(core, pipeline.id).map(presentPipelineVariable);
}

async function createDownstreamPipeline(
  core: GitCore,
  request: ProjectRequest<ParametersOf<typeof createDownstreamPipelineParameters>>,
) {
  const { params, project, caller, baseUrl } = request;
  const job = findJob(core, request, params.job_id);
  const upstream = job === undefined ? undefined : findPipeline(core, request, job.pipeline_id);
  if (upstream === undefined) throw recordNotFound('no such job in the project');
  // Whoever could not start the pipeline of the job does not receive its variables.
  demandRef(core, request, upstream.ref);
  if (params.forward?.pipeline_variables === true) demandVariables(request, upstream);
  const target = findProject(core, params.target_project_id ?? project.id, caller);
  if (target === undefined) throw notFound('Project');
  if (!holdsRole(target.access, 'developer')) {
    throw forbidden(undefined, 'requires at least the developer role in the project of the pipeline', 'role.project.developer');
  }
  demandWritable(target.project);
  const isChild = target.project.id === project.id;
  const sent = params.ref === '' ? undefined : params.ref;
  const ref = sent ?? (isChild ? upstream.ref : target.project.default_branch);
  const start = await startOf(core, target, ref);
  demandRef(core, target, start.ref);
  const { yaml_variables: withJob = true, pipeline_variables: withPipelineVariables = false } = params.forward ?? {};
  const forwarding = {
    from: { project, pipeline: upstream },
    to: target.project,
    variables: withJob ? (params.variables ?? []) : [],
    withPipelineVariables,
  };
  const pipeline = core.store.transaction((): Pipeline => {
    const note = (): void => request.context.noteDeprecated('forwarded-protected-variables');
    const variables = forwardedVariables(core, forwarding, note);
    const source = isChild ? 'parent_pipeline' : 'pipeline';
    const made = createPipeline(core, target, caller.user, { ...start, source });
    recordVariables(core, made.id, variables);
    return made;
  });
  return presentPipeline(core, pipeline, target.project, baseUrl);
}

function present(core: GitCore, container: VariableContainer, row: Variable) {
  return {
    variable_type: row.variable_type,
    key: row.key,
    value: row.hidden === 1 ? null : valueOf(core, container, row),
    protected: row.protected === 1,
    masked: row.masked === 1,
    hidden: row.hidden === 1,
    raw: row.raw === 1,
    environment_scope: row.environment_scope,
    description: row.description,
  };
}

function list(core: GitCore, container: VariableContainer, request: LinkSource & { readonly params: OffsetRequest }) {
  const pages = {
    count: (cap: number) => countVariables(core.store, container, cap),
    rows: (limit: number, offset: number) => listVariables(core.store, container, limit, offset),
  };
  return new RawResponse(offsetResponse(request, request.params, pages, (row) => present(core, container, row)));
}

function find(core: GitCore, container: VariableContainer, { key, filter }: ParametersOf<typeof oneParameters>): Variable {
  return findVariable(core, container, key, filter?.environment_scope);
}

function create(core: GitCore, container: VariableContainer, params: ParametersOf<typeof newParameters>) {
  const { key, value, masked_and_hidden: hidden } = params;
  return present(core, container, createVariable(core, container, { key, value, hidden, ...inputOf(params) }));
}

function update(
  core: GitCore,
  container: VariableContainer,
  { params, hasSent }: SignedInRequest<ParametersOf<typeof changeParameters>>,
) {
  demandOneOf({ hasSent }, Object.keys(changes()));
  const input = { value: params.value, ...inputOf(params) };
  return present(core, container, updateVariable(core, container, find(core, container, params), input));
}

function remove(core: GitCore, container: VariableContainer, params: ParametersOf<typeof oneParameters>): void {
  deleteVariableRow(core.store, find(core, container, params).id);
}

/** @throws {Forbidden} Unless the caller has started the pipeline or is a maintainer. */
function demandVariables({ access, userId }: FoundProject, pipeline: Pipeline): void {
  if (pipeline.user_id === userId || holdsRole(access, 'maintainer')) return;
  throw forbidden(undefined, 'only maintainers see the variables of pipelines of other users', 'pipeline.variables');
}
