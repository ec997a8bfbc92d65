import { describeHostileNames } from './hostile.ts';

describeHostileNames({ sample: 12 });
