// The page with the QR code for a second device: a bundle of its own, loaded when somebody asks for it.
import { renderSVG } from 'uqr';

export interface QrPage {
  /** What the code holds: an address. */
  readonly address: string;
  readonly language: string;
  readonly title: string;
  /** What to do, before the code. */
  readonly text: string;
  /** For people who cannot scan it. */
  readonly alternative: string;
}

/** A whole HTML page that runs nothing and loads nothing. `nonce` is new for each page. */
export function qrPage({ address, language, title, text, alternative }: QrPage, nonce: string): string {
  // Black on white whatever the theme: readers of such codes need that. Four modules of white around it (ISO/IEC 18004).
  const svg = renderSVG(address, { border: 4, blackColor: 'black', whiteColor: 'white' }).replace(
    '<svg ',
    '<svg aria-hidden="true" ',
  );
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${escaped(title)}</title>
<style nonce="${nonce}">
main { max-width: 40rem; margin: 2rem auto; text-align: center; }
figure { margin: 1.5rem auto; width: min(20rem, 80vw); }
figcaption { margin-top: 1rem; overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
<figure>
<div role="img" aria-label="${escaped(address)}">${svg}</div>
<figcaption>${escaped(alternative)}</figcaption>
</figure>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
