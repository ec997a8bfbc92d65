import { describeRoutes } from './oddParameters.ts';

// Other values each time; many more of them in the long run.
describeRoutes({ only: 'reading', cases: 2, casesWithPrograms: 1, betweenWithPrograms: false });
