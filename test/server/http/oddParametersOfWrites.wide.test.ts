// Wide: Every parameter of every other route and page gets unusual values.
import { describeRoutes } from './oddParameters.ts';

describeRoutes({ only: 'others', cases: 2, casesWithPrograms: 1, betweenWithPrograms: false });
