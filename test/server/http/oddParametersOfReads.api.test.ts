import { describeRoutes } from './oddParameters.ts';

describeRoutes({ only: 'reading', sample: 60, cases: 2, casesWithPrograms: 1, betweenWithPrograms: false });
