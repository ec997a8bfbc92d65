import { describeHostileDocuments } from './hostileDocuments.ts';

describeHostileDocuments({ runs: 60 });
