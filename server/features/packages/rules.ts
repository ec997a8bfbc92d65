/** Types of packages. */
export const packageTypes = [
  'maven',
  'npm',
  'conan',
  'nuget',
  'pypi',
  'composer',
  'generic',
  'golang',
  'debian',
  'rubygems',
  'helm',
  'terraform_module',
  'rpm',
  'ml_model',
  'cargo',
] as const;

export type PackageType = (typeof packageTypes)[number];

export const packageStatuses = ['default', 'hidden', 'processing', 'error', 'pending_destruction', 'deprecated'] as const;

export type PackageStatus = (typeof packageStatuses)[number];

/** Statuses shown in lists without a filter. */
export const shownStatuses: readonly PackageStatus[] = ['default', 'error', 'deprecated'];
