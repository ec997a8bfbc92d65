import { describeRoutes } from './oddParameters.ts';

// The values are random; the soak test uses many more.
describeRoutes({ only: 'others', cases: 2, casesWithPrograms: 1, betweenWithPrograms: false });
