import { recordNotFound, unprocessable } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { integer, oneOf, required, string } from '../../http/params.ts';
import { RawResponse, type Route } from '../../http/route.ts';
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

/** Returns the routes of tests of hooks and of their deliveries. */
export function deliveryRoutes<Found>(core: HookCore, hooksOf: HooksOf<Found>): Route[] {
  const { path, route, role, containerOf, projectsOf, availability } = hooksOf;
  const metadata = { specRef: 'Hooks', status: 'inferred', key: 'id', ...availability } as const;
  const oneParameters = () => ({ id: required(string), hook_id: required(integer) });
  const one = `${path}/:hook_id`;
  return [
    route(
      {
        ...metadata,
        addedIn: '16.11',
        method: 'POST',
        path: `${one}/test/:trigger`,
        body: triggered,
        params: () => ({ ...oneParameters(), trigger: required(oneOf(eventNames)) }),
      },
      role,
      async (request) => {
        const { hook_id: id, trigger } = request.params;
        const hook = mustFindHook(core, containerOf(request), id);
        const event = deliveredEventNames.find((name) => name === trigger);
        if (event === undefined) {
          throw unprocessable('Testing not available for this hook', 'the event never happens on this server', 'hook.test');
        }
        const sample = await sampleOf(core, event, projectsOf(request), request.caller.user.id);
        await deliverTest(core, hook, event, sample);
        return { message: '201 Created' };
      },
    ),
    route(
      {
        ...metadata,
        addedIn: '17.3',
        method: 'GET',
        path: `${one}/events`,
        body: hookEvents,
        params: () => ({ ...oneParameters(), status: statusParameter(), ...pageParameters() }),
      },
      role,
      (request) => {
        const { params } = request;
        const hook = mustFindHook(core, containerOf(request), params.hook_id);
        const statuses = params.status === undefined ? undefined : [statusPattern(params.status)];
        const filter = { hookId: hook.id, statuses };
        const list = {
          count: (cap: number) => countDeliveries(core.store, filter, cap),
          rows: (limit: number, offset: number) => listDeliveries(core.store, filter, limit, offset),
        };
        return new RawResponse(offsetResponse(request, params, list, presentDelivery));
      },
    ),
    route(
      {
        ...metadata,
        addedIn: '17.4',
        method: 'POST',
        path: `${one}/events/:hook_event_id/resend`,
        body: resent,
        params: () => ({ ...oneParameters(), hook_event_id: required(integer) }),
      },
      role,
      async (request) => {
        const { hook_id: id, hook_event_id: deliveryId } = request.params;
        const hook = mustFindHook(core, containerOf(request), id);
        const delivery = sentDelivery(core.store, hook.id, deliveryId);
        if (delivery === undefined) throw recordNotFound('the hook has no such delivery');
        return { response_status: await resend(core, hook, delivery) };
      },
    ),
  ];
}
