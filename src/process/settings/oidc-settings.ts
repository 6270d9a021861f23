import { Type } from '@sinclair/typebox';
import type { OidcSettings } from '../../accounts/operators/oidc/provider.js';
import { Setting } from './setting.js';

export const OIDC_SETTINGS = {
  OIDC_ISSUER: Type.Optional(
    Type.String({
      format: 'oidc-issuer',
      description:
        'OpenID Connect issuer that lets operators sign in to the console, exactly as it identifies itself, e.g. https://login.example.com/realms/staff. Unset: off.',
    }),
  ),
  OIDC_CLIENT_ID: Type.Optional(Setting.text('Client ID of Heliograph at the issuer. Needed with OIDC_ISSUER.')),
  OIDC_CLIENT_SECRET: Type.Optional(
    Setting.text('Client secret of Heliograph at the issuer. Needed with OIDC_ISSUER.'),
  ),
  OIDC_SCOPES: Type.String({
    format: 'oidc-scopes',
    description: 'Scopes to request from the issuer, separated by spaces.',
    default: 'openid email',
  }),
  OIDC_LABEL: Setting.text('Name of the issuer that the sign-in button shows.', { default: 'single sign-on' }),
};

const REQUIRED_TOGETHER = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/** Finds missing settings for OpenID Connect, which would otherwise go unnoticed until somebody signs in. */
export function oidcProblems(
  values: Readonly<Record<string, string | undefined>>,
): { setting: string; problem: string }[] {
  const setNames = REQUIRED_TOGETHER.filter((name) => values[name] !== undefined);
  if (setNames.length === 0) return [];
  const problem = `must be set, because ${setNames.join(' and ')} ${setNames.length === 1 ? 'is' : 'are'} set`;
  return REQUIRED_TOGETHER.filter((name) => !setNames.includes(name)).map((setting) => ({ setting, problem }));
}

interface OidcConfig {
  oidcIssuer?: string;
  oidcClientId?: string;
  oidcClientSecret?: string;
  oidcScopes: string;
  oidcLabel: string;
}

/** Returns null if OpenID Connect is off. */
export function oidcSettings(config: OidcConfig): OidcSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return { issuer, clientId, clientSecret, scopes: config.oidcScopes, label: config.oidcLabel };
}
