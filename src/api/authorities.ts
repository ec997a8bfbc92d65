import { readFileSync, statSync } from 'node:fs';
import * as l10n from '@vscode/l10n';
import { messageOf } from '../support/log.ts';
import type { Proxy } from './proxy.ts';
import { type Send, TransportFailure } from './transport.ts';

/**
 * Returns a function that finds the sender for a URL whose instance has its own certificate file, and undefined for other URLs. There is
 * one sender per certificate file and proxy, created by `load`. A changed file is read again.
 */
export function createAuthorities(
  fileOf: (url: string) => string | undefined,
  proxyOf: (url: string) => Proxy | undefined,
  load: (certificates: string, proxy: Proxy | undefined) => Promise<Send>,
): (url: string) => Promise<Send> | undefined {
  const loaded = new Map<string, { readonly changedAt: number; readonly send: Promise<Send> }>();

  async function sendBy(url: string, file: string): Promise<Send> {
    const proxy = proxyOf(url);
    const key = JSON.stringify([file, proxy]);
    try {
      const changedAt = statSync(file).mtimeMs;
      const cached = loaded.get(key);
      if (cached?.changedAt === changedAt) return await cached.send;
      const send = load(certificatesOf(file), proxy);
      loaded.set(key, { changedAt, send });
      return await send;
    } catch (error) {
      loaded.delete(key);
      const { host } = new URL(url);
      const text = l10n.t('{0} cannot be reached: the certificate file {1} cannot be used: {2}', host, file, messageOf(error));
      throw new TransportFailure('unreachable', text, error);
    }
  }

  return (url) => {
    // Certificates matter for TLS only.
    const file = url.startsWith('https:') ? fileOf(url) : undefined;
    return file === undefined ? undefined : sendBy(url, file);
  };
}

function certificatesOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error(l10n.t('It contains no PEM certificate'));
  return text;
}
