import { recordNotFound, unprocessable } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, oneOf, required, string } from '../../http/params.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { RawResponse, type RequestOf, type Route } from '../../http/route.ts';
import { deliverTest, resend } from './deliveries.ts';
import { countDeliveries, listDeliveries, sentDelivery } from './deliveryStore.ts';
import { deliveredEventNames, eventNames } from './events.ts';
import type { HookCore } from './hookCore.ts';
import type { HooksOf } from './hooksOf.ts';
import { mustFindHook } from './manageHooks.ts';
import { statusParameter, statusPattern } from './parameters.ts';
import { presentDelivery } from './present.ts';
import { hookEvents, resent, triggered } from './responses.ts';
import { sampleOf } from './samples.ts';
import type { HookContainer } from './store.ts';

const oneParameters = () => ({ id: required(string), hook_id: required(integer) });

const testParameters = () => ({ ...oneParameters(), trigger: required(oneOf(eventNames)) });

const listParameters = () => ({ ...oneParameters(), status: statusParameter(), ...pageParameters() });

const resendParameters = () => ({ ...oneParameters(), hook_event_id: required(integer) });

/** Returns the routes of tests of hooks and of their deliveries. */
export function deliveryRoutes<Found>(core: HookCore, hooksOf: HooksOf<Found>): Route[] {
  const { path, route, role, containerOf, availability } = hooksOf;
  const metadata = { specRef: 'Hooks', status: 'inferred', key: 'id', ...availability } as const;
  const one = `${path}/:hook_id`;
  return [
    route(
      {
        ...metadata,
        addedIn: '16.11',
        method: 'POST',
        path: `${one}/test/:trigger`,
        body: triggered,
        params: testParameters,
      },
      role,
      (request) => testHook(core, request, hooksOf),
    ),
    route(
      {
        ...metadata,
        addedIn: '17.3',
        method: 'GET',
        path: `${one}/events`,
        body: hookEvents,
        params: listParameters,
      },
      role,
      (request) => list(core, request, containerOf(request)),
    ),
    route(
      {
        ...metadata,
        addedIn: '17.4',
        method: 'POST',
        path: `${one}/events/:hook_event_id/resend`,
        body: resent,
        params: resendParameters,
      },
      role,
      (request) => resendDelivery(core, request, containerOf(request)),
    ),
  ];
}

async function testHook<Found>(
  core: HookCore,
  request: RequestOf<typeof testParameters> & Found,
  { containerOf, projectsOf }: HooksOf<Found>,
): Promise<ResponseOf<typeof triggered>> {
  const { hook_id: id, trigger } = request.params;
  const hook = mustFindHook(core, containerOf(request), id);
  const event = deliveredEventNames.find((name) => name === trigger);
  if (event === undefined) {
    throw unprocessable('Testing not available for this hook', 'the event never happens on this server', 'hook.test');
  }
  const sample = await sampleOf(core, event, projectsOf(request), request.caller.user.id);
  await deliverTest(core, hook, event, sample);
  return { message: '201 Created' };
}

function list(core: HookCore, request: RequestOf<typeof listParameters>, container: HookContainer): RawResponse {
  const { params } = request;
  const hook = mustFindHook(core, container, params.hook_id);
  const statuses = params.status === undefined ? undefined : [statusPattern(params.status)];
  const filter = { hookId: hook.id, statuses };
  const pages = {
    count: (cap: number) => countDeliveries(core.store, filter, cap),
    rows: (limit: number, offset: number) => listDeliveries(core.store, filter, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, presentDelivery));
}

async function resendDelivery(
  core: HookCore,
  { params }: RequestOf<typeof resendParameters>,
  container: HookContainer,
): Promise<ResponseOf<typeof resent>> {
  const hook = mustFindHook(core, container, params.hook_id);
  const delivery = sentDelivery(core.store, hook.id, params.hook_event_id);
  if (delivery === undefined) throw recordNotFound('the hook has no such delivery');
  return { response_status: await resend(core, hook, delivery) };
}
