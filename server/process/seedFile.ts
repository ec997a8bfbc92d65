import { readFileSync, statSync } from 'node:fs';
import type { Platform } from '../platform.ts';
import { MAX_SEED_BYTES, type AppliedSeed, type Progress, applySeed, SeedRefused, textOf } from '../seeds/seeds.ts';
import { Fatal } from './fatal.ts';

/** The text of a seed file. Throws Fatal when it is not there or no text. */
export function readSeedFile(file: string, write: (text: string) => void): string {
  try {
    if (statSync(file).size > MAX_SEED_BYTES)
      throw refusedSeed([`${file}: the file is larger than ${MAX_SEED_BYTES / 1024 / 1024} MiB`], write);
    return textOf(file, readFileSync(file));
  } catch (error) {
    if (error instanceof SeedRefused) throw refusedSeed(error.validationErrors, write);
    if (error instanceof Fatal) throw error;
    const cause = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Fatal('seed_missing', `The seed file ${file} cannot be read (${cause}).`, 'Give the name of a file that is there.');
  }
}

/** Plants a seed on a platform of this process that serves nobody yet. Throws Fatal. */
export async function apply(
  platform: Platform,
  file: string,
  text: string,
  write: (text: string) => void,
  progress: Progress,
): Promise<AppliedSeed> {
  try {
    return await applySeed(platform, file, text, progress);
  } catch (error) {
    if (error instanceof SeedRefused) throw refusedSeed(error.validationErrors, write);
    throw error;
  }
}

/** The complaints, each on a line of standard error, and as one text for programs. */
export function refusedSeed(validationErrors: readonly string[], write: (text: string) => void): Fatal {
  write(`${validationErrors.join('\n')}\n`);
  return new Fatal('seed_refused', validationErrors.join('\n'), 'Nothing was written. Correct the file and try again.');
}
