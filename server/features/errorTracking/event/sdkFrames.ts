import type { Frame } from './trackedEvent.ts';

/** Modules of SDKs: of Python, Java, Go and Node. */
const sdkModule =
  /^(?:sentry_sdk(?:\.|$)|io\.sentry\.|com\.getsentry\.raven\.|net\.kencochrane\.raven\.|github\.com\/getsentry\/(?:sentry|raven)-go(?:$|[/.])|@sentry[./])/;
/** The former SDK of Python. Programs may have a module of this name, too. */
const formerModule = /^raven(?:\.|$)/;
/** Functions with the namespace or crate of SDKs: of Rust and PHP. */
const sdkFunction = /^(?:<?sentry(?:_[a-z]+)*::|Sentry\\|Raven_)/;
/** Folders of packages that are SDKs. */
const sdkPath =
  /(?:^|[\\/])(?:node_modules[\\/](?:@sentry|raven)|gems[\\/]sentry-[a-z_-]+-\d[^\\/]*|vendor[\\/]sentry|site-packages[\\/](?:sentry_sdk|raven)|getsentry[\\/](?:sentry|raven)-go(?:@[^\\/]*)?)[\\/]/;

/** Returns true for a frame of an SDK itself, such as `capture_message`, which noticed an error but did not cause it. */
export function isSdkFrame({ module, function: name, filename, absPath, inApp }: Frame): boolean {
  if (module !== undefined && (sdkModule.test(module) || (!inApp && formerModule.test(module)))) return true;
  if (name !== undefined && sdkFunction.test(name)) return true;
  return (filename !== undefined && sdkPath.test(filename)) || (absPath !== undefined && sdkPath.test(absPath));
}
