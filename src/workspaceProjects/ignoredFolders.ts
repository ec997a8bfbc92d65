/** Folders with the code of others and with what programs have made. */
export const IGNORED: ReadonlySet<string> = new Set([
  ...['node_modules', 'bower_components', 'vendor', '.git', '.venv', 'venv', 'site-packages'],
  ...['dist', 'build', 'out', 'target', 'coverage', '.cache', '__pycache__'],
]);
