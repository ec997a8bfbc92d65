// Wide: Errors, messages, sessions and crashes are received from every SDK.
import { goIdsTest, sdkTests, springTest } from './sdks.ts';

describe('events from all error tracking SDKs', () => {
  sdkTests(() => true);
  springTest();
  goIdsTest();
});
