let latest = { baseUrl: '', host: '', hostname: '' };

/** Returns the host of a base URL, with and without its port. The latest result is cached, because lists ask for each of their rows. */
export function baseHost(baseUrl: string): { readonly host: string; readonly hostname: string } {
  if (latest.baseUrl !== baseUrl) {
    const { host, hostname } = new URL(baseUrl);
    latest = { baseUrl, host, hostname };
  }
  return latest;
}
