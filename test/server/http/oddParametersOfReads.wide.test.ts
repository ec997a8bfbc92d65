// Wide: Every parameter of every reading route of the REST API gets unusual values.
import { describeRoutes } from './oddParameters.ts';

describeRoutes({ only: 'reading', cases: 4, casesWithPrograms: 2, betweenWithPrograms: false });
