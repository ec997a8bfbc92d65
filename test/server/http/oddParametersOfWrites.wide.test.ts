// Wide: Every parameter of every other route and page gets unusual values.
import { describeRoutes } from './oddParameters.ts';

describeRoutes({ only: 'others', cases: 3, casesWithPrograms: 2, betweenWithPrograms: false });
