import { sampleOf } from '../../support/sample.ts';
import { goSuites } from './goSuites.ts';

for (const declare of sampleOf('suites of Go clients', goSuites, 1)) declare();
