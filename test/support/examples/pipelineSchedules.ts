import {
  addScheduleVariable,
  createSchedule,
  runSchedule,
  type Schedule,
} from '../../../server/features/pipelineSchedules/schedules.ts';
import { changePlanLimits } from '../../../server/features/settings/settings.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, inProject } from './fixture.ts';
import { codeProject } from './repositories.ts';

const input = { description: 'Nightly', ref: 'main', cron: '0 1 * * *' };
const KEY = 'DEPLOY_TARGET';

async function scheduleOf(fixture: Fixture): Promise<readonly [FoundProject, Schedule]> {
  const { server, root } = fixture;
  changePlanLimits(server.platform, { ci_pipeline_schedules: 0 });
  const found = await codeProject(fixture);
  const schedule = createSchedule(server.platform, found, root, input);
  addScheduleVariable(server.platform, schedule, { key: KEY, value: 'lamp-house', type: 'env_var' });
  return [found, schedule];
}

async function ofSchedule(fixture: Fixture, params: Example['params'] = {}, more: Example['path'] = {}): Promise<Example> {
  const [found, schedule] = await scheduleOf(fixture);
  return { token: admin, path: { ...inProject(found, { pipeline_schedule_id: schedule.id }), ...more }, params };
}

const schedules = '/api/v4/projects/:id/pipeline_schedules';
const one = `${schedules}/:pipeline_schedule_id`;

export const pipelineScheduleExamples: Examples = {
  [`GET ${schedules}`]: (fixture) => ofSchedule(fixture, { scope: 'active' }),
  [`POST ${schedules}`]: (fixture) => ofSchedule(fixture, { ...input, cron_timezone: 'Europe/Berlin', active: false }),
  [`GET ${one}`]: async (fixture) => {
    const [found, schedule] = await scheduleOf(fixture);
    runSchedule(fixture.server.platform, found, schedule, fixture.root);
    return { token: admin, path: inProject(found, { pipeline_schedule_id: schedule.id }) };
  },
  [`PUT ${one}`]: (fixture) => ofSchedule(fixture, { cron: '*/5 * * * *' }),
  [`DELETE ${one}`]: (fixture) => ofSchedule(fixture),
  [`POST ${one}/take_ownership`]: (fixture) => ofSchedule(fixture),
  [`POST ${one}/play`]: (fixture) => ofSchedule(fixture),
  [`GET ${one}/pipelines`]: async (fixture) => {
    const [found, schedule] = await scheduleOf(fixture);
    runSchedule(fixture.server.platform, found, schedule, fixture.root);
    return { token: admin, path: inProject(found, { pipeline_schedule_id: schedule.id }) };
  },
  [`POST ${one}/variables`]: (fixture) => ofSchedule(fixture, { key: 'OTHER', value: 'signal-box', variable_type: 'file' }),
  [`PUT ${one}/variables/:key`]: (fixture) => ofSchedule(fixture, { value: 'signal-box' }, { key: KEY }),
  [`DELETE ${one}/variables/:key`]: (fixture) => ofSchedule(fixture, {}, { key: KEY }),
};
