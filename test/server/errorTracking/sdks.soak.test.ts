import { quickSdks, sdkTests } from '../../clients/sdks.ts';

describe('errors, messages, sessions and crashes, from more SDKs', () => {
  sdkTests((name) => !quickSdks.includes(name));
});
