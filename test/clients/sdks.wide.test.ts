// Wide: Errors, messages, sessions and crashes are received from every SDK.
import { sdkTests } from './sdks.ts';

describe('events from all error tracking SDKs', () => sdkTests(() => true));
