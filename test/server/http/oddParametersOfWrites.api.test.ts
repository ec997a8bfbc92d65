import { describeRoutes } from './oddParameters.ts';

describeRoutes({ only: 'others', sample: 40, cases: 2, casesWithPrograms: 1, betweenWithPrograms: false });
