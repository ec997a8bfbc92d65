/** Returns the URL of the page of an error, or of the list of all errors of a project. `address` is that of the instance. */
export function errorPage(address: string, projectPath: string, errorId?: string): string {
  const all = `${pagesOf(address, projectPath)}/error_tracking`;
  return errorId === undefined ? all : `${all}/${encodeURIComponent(errorId)}/details`;
}

/** Returns the URL of the page of a commit. */
export function commitPage(address: string, projectPath: string, hash: string): string {
  return `${pagesOf(address, projectPath)}/commit/${encodeURIComponent(hash)}`;
}

function pagesOf(address: string, projectPath: string): string {
  return `${address}/${projectPath.split('/').map(encodeURIComponent).join('/')}/-`;
}
