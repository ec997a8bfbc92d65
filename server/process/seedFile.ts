import { readFileSync, statSync } from 'node:fs';
import type { Platform } from '../platform.ts';
import { LARGEST_SEED, type Planted, type Progress, plantSeed, SeedRefused, textOf } from '../seeds/seeds.ts';
import { Fatal } from './fatal.ts';

/** The text of a seed file. Throws Fatal when it is not there or no text. */
export function readSeedFile(file: string, write: (text: string) => void): string {
  try {
    if (statSync(file).size > LARGEST_SEED)
      throw refusedSeed([`${file}: the file is larger than ${LARGEST_SEED / 1024 / 1024} MiB`], write);
    return textOf(file, readFileSync(file));
  } catch (error) {
    if (error instanceof SeedRefused) throw refusedSeed(error.complaints, write);
    if (error instanceof Fatal) throw error;
    const cause = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Fatal('seed_missing', `The seed file ${file} cannot be read (${cause}).`, 'Give the name of a file that is there.');
  }
}

/** Plants a seed on a platform of this process that serves nobody yet. Throws Fatal. */
export async function plant(
  platform: Platform,
  file: string,
  text: string,
  write: (text: string) => void,
  progress: Progress,
): Promise<Planted> {
  try {
    return await plantSeed(platform, file, text, progress);
  } catch (error) {
    if (error instanceof SeedRefused) throw refusedSeed(error.complaints, write);
    throw error;
  }
}

/** The complaints, each on a line of standard error, and as one text for programs. */
export function refusedSeed(complaints: readonly string[], write: (text: string) => void): Fatal {
  write(`${complaints.join('\n')}\n`);
  return new Fatal('seed_refused', complaints.join('\n'), 'Nothing was written. Correct the file and try again.');
}
