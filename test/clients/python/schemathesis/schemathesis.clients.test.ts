import path from 'node:path';
import { clientTest, pythonWith } from '../../../support/clientSuite.ts';
import { sampleOf } from '../../../support/sample.ts';
import { runSchemathesis } from '../../../support/schemathesis.ts';

clientTest(
  'schemathesis finds no server error and no response that differs from the OpenAPI document in some operations',
  () => pythonWith(path.join(import.meta.dirname, 'requirements.txt')),
  (python) =>
    runSchemathesis(python, {
      examples: 6,
      phases: ['fuzzing'],
      seed: 1,
      fromResponses: false,
      choose: (routes) => sampleOf('operations for schemathesis', routes, 20),
      milliseconds: 200_000,
    }),
);
