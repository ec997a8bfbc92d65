import * as l10n from '@vscode/l10n';
import type { Dialect, Offering, Tier } from '../contract/emulation.ts';

export function tierName(tier: Tier): string {
  switch (tier) {
    case 'free':
      return l10n.t('Free');
    case 'premium':
      return l10n.t('Premium');
    case 'ultimate':
      return l10n.t('Ultimate');
  }
}

export function offeringName(offering: Offering): string {
  switch (offering) {
    case 'self-managed':
      return l10n.t('Self-managed');
    case 'multi-tenant':
      return l10n.t('Multi-tenant');
    case 'dedicated':
      return l10n.t('Dedicated');
  }
}

export function dialectName(dialect: Dialect): string {
  switch (dialect) {
    case 'documented':
      return l10n.t('Documented');
    case 'observed':
      return l10n.t('Observed');
  }
}
