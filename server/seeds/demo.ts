import type { Platform } from '../platform.ts';

export function seedDemo(_platform: Platform): Promise<readonly { username: string; password: string }[] | undefined> {
  return Promise.resolve(undefined);
}
