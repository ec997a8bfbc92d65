import { describeLedger } from './oddParameters.ts';

// Other values each time; many more of them in the long run.
describeLedger({ only: 'reading', cases: 2, casesWithPrograms: 1, betweenWithPrograms: false });
