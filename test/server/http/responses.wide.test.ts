// Wide: The response to every example is changed in every position.
import { describeResponses } from './everyResponse.ts';

describeResponses();
