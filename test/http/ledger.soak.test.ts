import { describeLedger } from './oddParameters.ts';

describeLedger({ cases: 200, casesWithPrograms: 20, betweenWithPrograms: true });
