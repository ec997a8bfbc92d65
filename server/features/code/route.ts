import type { GitCore } from '../../repositories/repositories.ts';
import type * as z from 'zod';
import { forbidden, refusedChange } from '../../core/errors.ts';
import { COUNT_CAP, keysetSize, type LinkSource, offsetResponse, type OffsetRequest } from '../../http/pagination.ts';
import type { Parameter, ParameterSet } from '../../http/params.ts';
import { type ApiRequest, RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, openProjectRoute, projectRoute } from '../projectAccess/projectAccess.ts';
import { mayPush, mayPushTo, pushRefusal, type RefChange } from '../pushes/pushes.ts';
import { openRepository } from '../git/git.ts';
import type { RepositoryDir } from '../../repositories/objects.ts';

/** Parameters of all routes here: the project is always `:id`. */
type Named = { readonly id: Parameter<string> };
type Row<Shape extends ParameterSet> = Omit<Parameters<typeof openProjectRoute>[0], 'params'> & { readonly params: () => Shape };
type Output<Shape extends ParameterSet> = z.output<z.ZodObject<Shape>>;

/** The repository of a request; undefined for an empty repository. */
interface InRepository {
  readonly repository: RepositoryDir | undefined;
}

/** Request of a caller who can read the code of the project. */
export type ReadRequest<Params> = ApiRequest<Params> & FoundProject & InRepository;

/** Request of a user who can push to the project. */
export type PushRequest<Params> = SignedInRequest<Params> & FoundProject & InRepository;

/** A route for callers who can read the code of the project. */
export function readRoute<Shape extends ParameterSet & Named>(
  core: GitCore,
  row: Row<Shape>,
  handle: (request: ReadRequest<Output<Shape>>) => unknown,
): Route {
  return openProjectRoute(row, async (request) => {
    if (!request.can.readCode)
      throw forbidden(undefined, 'viewing the code of a private project requires at least the reporter role', 'ability.readCode');
    return handle({ ...request, repository: await openRepository(core, request.project) });
  });
}

/** A route for callers who can push to the project; `demandPushTo` checks the branch. */
export function pushRoute<Shape extends ParameterSet & Named>(
  core: GitCore,
  row: Row<Shape>,
  handle: (request: PushRequest<Output<Shape>>) => unknown,
): Route {
  return projectRoute(row, 'developer', async (request) => {
    if (!mayPush(request)) throw forbidden(undefined, 'the project is archived and read-only', 'ability.push');
    return handle({ ...request, repository: await openRepository(core, request.project) });
  });
}

/** Throws `Forbidden` if the user cannot push to the branch. */
export function demandPushTo(core: Core, found: FoundProject, branch: string): void {
  if (mayPushTo(core, found, branch)) return;
  throw forbidden(
    'You are not allowed to push into this branch',
    'the branch is protected, and its rules do not permit the caller to push',
  );
}

/** Throws `Refused` if the user cannot make a change of a branch or tag. */
export function demandChange(core: Core, found: FoundProject, change: RefChange): void {
  const refusal = pushRefusal(core, found, change);
  if (refusal !== undefined) throw refusedChange(refusal.text, refusal.remedy);
}

/** Responds with a page of a list whose items are read from git. */
export async function pageResponse(
  source: LinkSource,
  request: OffsetRequest,
  list: { count(cap: number): number | Promise<number>; items(limit: number, offset: number): Promise<readonly unknown[]> },
): Promise<RawResponse> {
  const size = keysetSize(request.per_page);
  const offset = (Math.max(request.page, 1) - 1) * size;
  const total = source.withoutTotals === true ? Number.POSITIVE_INFINITY : await list.count(COUNT_CAP + 1);
  const isBehind = total <= COUNT_CAP && offset >= total;
  const items = isBehind ? [] : await list.items(size + 1, offset);
  return new RawResponse(offsetResponse(source, request, { count: () => total, rows: () => items }, (item) => item));
}
