// Wide: schemathesis generates requests for every operation.
import path from 'node:path';
import { clientTest, pythonWith } from '../../../support/clientSuite.ts';
import { runSchemathesis } from '../../../support/schemathesis.ts';

clientTest(
  'schemathesis finds no server error and no response that differs from the OpenAPI document',
  () => pythonWith(path.join(import.meta.dirname, 'requirements.txt')),
  (python) => runSchemathesis(python, { examples: 6, phases: ['fuzzing'], seed: 1, fromResponses: false, milliseconds: 600_000 }),
  620_000,
);
