// Wide: The response to every example agrees with the OpenAPI document.
import { describeAgreement } from './agreement.ts';

describeAgreement();
