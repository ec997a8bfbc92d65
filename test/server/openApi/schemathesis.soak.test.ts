import path from 'node:path';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { runSchemathesis } from '../../support/schemathesis.ts';

const seed = Math.floor(Math.random() * 2 ** 31);

clientTest(
  `schemathesis finds nothing with 200 examples an operation in all its phases either (seed ${seed})`,
  () => pythonWith(path.join(import.meta.dirname, '../../clients/python/schemathesis/requirements.txt')),
  (python) =>
    runSchemathesis(python, {
      examples: 200,
      phases: ['examples', 'coverage', 'fuzzing', 'stateful'],
      seed,
      fromResponses: true,
      milliseconds: 10_700_000,
    }),
);
