import * as z from 'zod';
import { fallback, integer, oneOf, required } from '../../http/params.ts';
import { count, named, type ResponseOf } from '../../http/responses.ts';
import { administratorRoute, type RequestOf, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { mapValues } from '../../support/mapValues.ts';
import { allPlanLimits, changePlanLimits, planLimits } from '../settings/settings.ts';

/** The only plan of an instance that sells none. */
const plans = ['default'] as const;

const body = named('PlanLimits', () => z.strictObject(mapValues(planLimits, count)));

const showParameters = () => ({ plan_name: fallback<(typeof plans)[number]>('default', oneOf(plans)) });

const changeParameters = () => ({ plan_name: required(oneOf(plans)), ...mapValues(planLimits, () => integer()) });

/** Returns the routes of the limits that apply to all projects, for administrators. */
export function planLimitRoutes(core: Core): Route[] {
  const metadata = { path: '/api/v4/application/plan_limits', specRef: 'Instance settings', status: 'inferred', body } as const;
  return [
    administratorRoute({ ...metadata, method: 'GET', params: showParameters }, () => allPlanLimits(core)),
    administratorRoute({ ...metadata, method: 'PUT', params: changeParameters }, (request) => change(core, request)),
  ];
}

function change(core: Core, { params }: RequestOf<typeof changeParameters>): ResponseOf<typeof body> {
  changePlanLimits(core, params);
  return allPlanLimits(core);
}
