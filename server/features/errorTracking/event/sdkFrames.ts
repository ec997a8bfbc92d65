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

/** Platforms whose SDKs mark functions of the runtime as those of the program. */
export const nativePlatforms: ReadonlySet<string> = new Set(['native', 'rust', 'cocoa', 'c', 'objc', 'swift']);

/** Functions of Rust, C and Swift that start a program, and those that run after it has failed. */
const runtimeFunction =
  /^(?:<?(?:core|std|alloc|backtrace|panic_unwind)::|__rustc(?:$|::|\[)|rust_(?:begin_unwind|panic)|__rust_|_Unwind_|swift_|_?_?(?:abort|raise|gsignal|pthread_kill|cxa_throw|assert_fail|assert_rtn|libc_start_main|restore_rt)$|_?sigtramp|_assertionFailure|objc_exception_throw)/;

/** Returns true for a function of the runtime of a native program. */
export function isRuntimeFunction(name: string | undefined): boolean {
  return name !== undefined && runtimeFunction.test(name);
}

/** Modules that write log messages: of Java, Python, PHP and C#. */
const loggerModule =
  /^(?:ch\.qos\.logback|org\.slf4j|org\.apache\.(?:logging|log4j|juli|commons\.logging)|java\.util\.logging|sun\.util\.logging|org\.jboss\.(?:logging|logmanager)|org\.tinylog|org\.pmw\.tinylog|com\.google\.common\.flogger|com\.typesafe\.scalalogging|mu\.(?:internal|KLogger)|io\.github\.oshai\.kotlinlogging|timber\.log|android\.util\.Log$|io\.vertx\.core\.logging|io\.netty\.util\.internal\.logging|reactor\.util\.Logger|org\.springframework\.core\.log|clojure\.tools\.logging|taoensso\.timbre|logging|structlog|loguru|Microsoft\.Extensions\.Logging|Serilog|NLog|log4net)(?:$|[.$\\])/;
/** Functions with the namespace or package of loggers: of PHP, Go and Rust. */
const loggerFunction = /^(?:Monolog\\|Psr\\Log\\|Illuminate\\Log\\|log::__private_api|tracing(?:_core|_log)?::)/;
const loggerPath =
  /(?:^|[\\/])(?:node_modules[\\/](?:winston|pino|bunyan|log4js|loglevel)|logger\.rb$|sirupsen[\\/]logrus|go\.uber\.org[\\/]zap|log[\\/]slog|rs[\\/]zerolog)/;

/** Returns true for a frame of a logger, which wrote a message but did not cause it. */
export function isLoggerFrame({ module, function: name, filename, absPath }: Frame): boolean {
  if (module !== undefined && (loggerModule.test(module) || loggerPath.test(module))) return true;
  if (name !== undefined && loggerFunction.test(name)) return true;
  const path = filename ?? absPath;
  return path !== undefined && loggerPath.test(path);
}
