import { sampleOf } from '../../support/sample.ts';
import { describePushKills, pushPoints } from './pushKills.ts';

describePushKills(
  [false, true].flatMap((wanted) => {
    const points = pushPoints.filter(([, , isVisible]) => isVisible === wanted);
    return sampleOf(`steps of a push, ${wanted ? 'complete' : 'invisible'}`, points, 1);
  }),
);
