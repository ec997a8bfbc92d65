// Details of the server in the hover of the status bar item. A separate bundle, loaded when an instance is selected that can respond.
import * as vscode from 'vscode';
import { useTranslations } from '../support/translations.ts';
import { createKnownServer, type ServerDetails, type ServerDetailsSettings } from './knownServer.ts';

export function createServerDetails(settings: Omit<ServerDetailsSettings, 'locale'>): ServerDetails {
  useTranslations();
  return createKnownServer({ ...settings, locale: vscode.env.language });
}
