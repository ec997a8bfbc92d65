// Globals of Node and browsers that src/contract uses. Only its tsconfig.json includes this file: the other programs have the types of
// their platform.

interface URL {
  readonly protocol: string;
  readonly username: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

declare const URL: {
  new (url: string): URL;
  canParse(url: string): boolean;
};
