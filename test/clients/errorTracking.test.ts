import { quickSdks, sdkTests, spotlightTest } from './sdks.ts';

describe('errors, messages, sessions and crashes', () => {
  sdkTests((name) => quickSdks.includes(name));
  spotlightTest();
});
