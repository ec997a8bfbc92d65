/** Maximum number of characters of a file name. */
const MAX_NAME = 240;

/** Extensions of files that Markdown shows as images. */
const images: ReadonlySet<string> = new Set(['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff', 'ico', 'webp', 'svg']);

/** Returns the name under which a file is stored: without folders, and with letters, digits, `_`, `.`, `-` and `+` only. */
export function storedName(sent: string | undefined): string {
  const base = (sent ?? '').split(/[/\\]/).at(-1) ?? '';
  const plain = base
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}.+-]/gu, '_');
  const characters = [...plain];
  const { extension } = partsOf(plain);
  const short =
    characters.length <= MAX_NAME
      ? plain
      : `${characters.slice(0, Math.max(1, MAX_NAME - extension.length)).join('')}${extension.slice(0, MAX_NAME - 1)}`;
  if (short === '') return 'unnamed';
  return /^\.+$/.test(short) ? `_${short}` : short;
}

/** Splits a name before its last dot. `extension` begins with the dot, or is empty. */
function partsOf(name: string): { readonly stem: string; readonly extension: string } {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? { stem: name, extension: '' } : { stem: name.slice(0, dot), extension: name.slice(dot) };
}

/** Returns the path of an upload as texts of its project contain it. */
export function uploadPath({ secret, filename }: { readonly secret: string; readonly filename: string }): string {
  return `/uploads/${secret}/${filename}`;
}

/** Returns the description of an upload and the Markdown that shows it: an image, or a link to any other file. */
export function markdownOf(upload: { readonly secret: string; readonly filename: string }): {
  readonly alt: string;
  readonly markdown: string;
} {
  const { stem, extension } = partsOf(upload.filename);
  const isImage = images.has(extension.slice(1).toLowerCase());
  const alt = isImage ? stem : upload.filename;
  return { alt, markdown: `${isImage ? '!' : ''}[${alt}](${uploadPath(upload)})` };
}
