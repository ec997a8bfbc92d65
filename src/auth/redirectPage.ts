// Page that the browser shows after a sign-in. It looks like the pages of the local server.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PRODUCT } from '../contract/product.ts';

export interface RedirectPage {
  readonly heading: string;
  readonly text: string;
  /** Kind of the message, as in the style sheet. */
  readonly kind: 'success' | 'error' | 'info';
}

/** Style sheet and logo of the pages. */
export interface PageLook {
  readonly style: string;
  readonly logo: string;
}

/** Reads the look of the pages from a folder. Without its files, pages are plain. */
export function readPageLook(folder: string): PageLook {
  try {
    return {
      style: readFileSync(path.join(folder, 'page.css'), 'utf8'),
      logo: readFileSync(path.join(folder, 'logo.svg'), 'utf8'),
    };
  } catch {
    return { style: '', logo: '' };
  }
}

/** Returns the content security policy of the page: its own style and picture, and nothing else. */
export function redirectPolicy({ style }: PageLook): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** Returns the complete page. It loads nothing, because the program that serves it ends at once. */
export function redirectPage({ heading, text, kind }: RedirectPage, language: string, { style, logo }: PageLook): string {
  const picture = `data:image/svg+xml;base64,${Buffer.from(logo).toString('base64')}`;
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(heading)} · ${PRODUCT}</title>
<link rel="icon" type="image/svg+xml" href="${picture}">
<style>${style}</style>
</head>
<body>
<header class="bar">
<div class="brand"><img src="${picture}" alt="" width="28" height="28"><span>${PRODUCT}</span></div>
</header>
<main class="narrow">
<h1>${escaped(heading)}</h1>
<div class="card"><div class="notice ${kind}" role="status"><p>${escaped(text)}</p></div></div>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
