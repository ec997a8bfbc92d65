// Wide: Every parameter of every reading route of the REST API gets unusual values.
import { describeRoutes } from './oddParameters.ts';

describeRoutes({ only: 'reading', cases: 2, casesWithPrograms: 1, betweenWithPrograms: false });
