import { describeRoutes } from './oddParameters.ts';

describeRoutes({ cases: 200, casesWithPrograms: 20, betweenWithPrograms: true });
