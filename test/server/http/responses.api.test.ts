import { describeResponses } from './everyResponse.ts';

describeResponses({ sample: 40 });
