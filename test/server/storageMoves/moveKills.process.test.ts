import { sampleOf } from '../../support/sample.ts';
import { describeMoveKills, movePoints } from './moveKills.ts';

describeMoveKills(sampleOf('steps of a move', movePoints, 2));
