import { describeLedger } from './oddParameters.ts';

// Other values each time; many more of them in the long run.
describeLedger({ cases: 10, casesWithPrograms: 3 });
