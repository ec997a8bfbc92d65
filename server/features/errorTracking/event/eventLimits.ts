/**
 * Limits of the parts of an event (docs/interface.md#event-payloads). Lengths of texts are in UTF-16 units, including the `…`
 * that marks a cut.
 */
export const limits = {
  message: 8192,
  exceptionType: 256,
  exceptionValue: 8192,
  /** Function, module or path of a frame. */
  frameText: 1024,
  contextLine: 1024,
  /** Lines before a frame's own line, and as many after it. */
  contextLines: 20,
  tagKey: 200,
  tagValue: 200,
  transaction: 200,
  appRelease: 250,
  fingerprintPart: 1024,
  crumbMessage: 4096,
  headerValue: 2048,
  url: 4096,
  /** Any other text. */
  text: 200,

  exceptions: 50,
  /** Exceptions that are read, and grouped before the others are left out. */
  readExceptions: 1000,
  frames: 250,
  /** Frames of a stack that are read, and grouped before the others are left out. */
  readFrames: 10_000,
  threads: 50,
  breadcrumbs: 100,
  tags: 100,
  headers: 100,
  fingerprint: 32,
  modules: 500,
  images: 200,
  problems: 100,

  /** Names and texts of a tree together. */
  context: 8 * 1024,
  extraItem: 16 * 1024,
  extra: 256 * 1024,
  vars: 8 * 1024,
  httpData: 8 * 1024,
  crumbData: 4 * 1024,
  /** Pairs per map in a tree. */
  pairs: 50,
  depth: 100,

  /** Bytes of an uploaded source map. */
  sourceMap: 32 * 1024 * 1024,
} as const;
