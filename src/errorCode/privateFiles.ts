/** Names of files with keys, credentials or the state of programs, in lower case. */
const NAMES: readonly RegExp[] = [
  /(?:^|[._-])id_(?:rsa|dsa|ecdsa|ed25519)|_(?:rsa|dsa|ecdsa|ed25519)$/,
  /(?:^|[._-])kubeconfig(?:$|[._-])/,
  /^(?:ssh_host_.*_key|authorized_keys|known_hosts|htpasswd|htdigest|shadow)$/,
  /^_?(?:netrc|npmrc|pypirc|pgpass|my\.cnf)$/,
  /^env(?:\.(?:local|prod|production|dev|development|test|staging))?$/,
  /\.tfstate(?:\.|$)/,
  /^(?:credentials?|secrets?|passwords?|passwd|tokens?|client[-_]secrets?[^.]*|service[-_]?account[^.]*|vault)(?:\.(?:json|ya?ml|toml|ini|cfg|conf|xml|properties|csv|txt|enc|gpg))*$/,
];

/** Extensions of files with keys, certificates with keys, stores of passwords, and variables. */
const EXTENSION =
  /\.(?:pem|key|p8|p12|pfx|pkcs12|pkcs8|jks|jceks|bcfks|keystore|truststore|keytab|ppk|asc|gpg|pgp|age|kdb|kdbx|psafe3|agilekeychain|opvault|keychain|keychain-db|ovpn|mobileprovision|env|tfvars|kubeconfig|npmrc|netrc|pypirc)$/;

/** Ends of copies that editors and people make of a file. */
const COPY = /(?:~|\.(?:bak|backup|old|orig|save|sav|swp|tmp|copy|dist|enc|\d+))$/;

/**
 * Returns true if a file may hold keys or credentials, or is a dot file or in a dot folder. `path` is relative to the repository or the open
 * folder, with `/` as separator.
 */
export function isPrivateFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const [name = '', ...folders] = parts.toReversed();
  if ([name, ...folders].some((part) => part.startsWith('.'))) return true;
  const plain = withoutCopies(name);
  return [name, plain].some((one) => EXTENSION.test(one) || NAMES.some((pattern) => pattern.test(one)));
}

function withoutCopies(name: string): string {
  const shorter = name.replace(COPY, '');
  return shorter === name || shorter === '' ? name : withoutCopies(shorter);
}
