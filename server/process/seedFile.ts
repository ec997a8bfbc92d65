import { readFileSync, statSync } from 'node:fs';
import type { SeedCore } from '../seeds/seedCore.ts';
import { MAX_SEED_BYTES, type AppliedSeed, type Progress, applySeed, SeedRefused, textOf } from '../seeds/seeds.ts';
import { Fatal } from '../core/fatal.ts';

/** Returns the text of a seed file. Throws Fatal if it is missing, too large or not UTF-8. */
export function readSeedFile(file: string, write: (text: string) => void): string {
  try {
    if (statSync(file).size > MAX_SEED_BYTES)
      throw refusedSeed([`${file}: the file is larger than ${MAX_SEED_BYTES / 1024 / 1024} MiB`], write);
    return textOf(file, readFileSync(file));
  } catch (error) {
    if (error instanceof SeedRefused) throw refusedSeed(error.validationErrors, write);
    if (error instanceof Fatal) throw error;
    const cause = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Fatal('seed_missing', `The seed file ${file} is not readable (${cause}).`, 'Check the path of the file.');
  }
}

/** Applies a seed file. The server must not serve requests yet. Throws Fatal. */
export async function apply(
  core: SeedCore,
  file: string,
  text: string,
  write: (text: string) => void,
  progress: Progress,
): Promise<AppliedSeed> {
  try {
    return await applySeed(core, file, text, progress);
  } catch (error) {
    if (error instanceof SeedRefused) throw refusedSeed(error.validationErrors, write);
    throw error;
  }
}

/** Writes each validation error as a line of standard error. Returns the failure with all of them. */
export function refusedSeed(validationErrors: readonly string[], write: (text: string) => void): Fatal {
  write(`${validationErrors.join('\n')}\n`);
  return new Fatal('seed_refused', validationErrors.join('\n'), 'Nothing was written. Correct the file and try again.');
}
