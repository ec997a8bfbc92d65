import { readFileSync, statSync } from 'node:fs';
import * as l10n from '@vscode/l10n';
import { wordsOf } from '../support/log.ts';
import { type Send, TransportFailure } from './transport.ts';

/**
 * One way to send for each file of certificates, read again when the file has changed. `fileOf` names the file for a URL; `load` makes
 * the way from its text.
 */
export function createAuthorities(
  fileOf: (url: string) => string | undefined,
  load: (certificates: string) => Promise<Send>,
): (url: string) => Promise<Send> | undefined {
  const loaded = new Map<string, { readonly changedAt: number; readonly send: Promise<Send> }>();

  async function sendBy(url: string, file: string): Promise<Send> {
    try {
      const changedAt = statSync(file).mtimeMs;
      const known = loaded.get(file);
      if (known?.changedAt === changedAt) return await known.send;
      const send = load(certificatesOf(file));
      loaded.set(file, { changedAt, send });
      return await send;
    } catch (error) {
      loaded.delete(file);
      const { host } = new URL(url);
      const words = l10n.t(
        '{0} cannot be reached: the certificates of its authority ({1}) cannot be used: {2}',
        host,
        file,
        wordsOf(error),
      );
      throw new TransportFailure('unreachable', words, error);
    }
  }

  return (url) => {
    const file = fileOf(url);
    return file === undefined ? undefined : sendBy(url, file);
  };
}

function certificatesOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error(l10n.t('It holds no certificate in PEM form'));
  return text;
}
