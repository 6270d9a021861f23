import { Type } from '@sinclair/typebox';
import type { OidcSettings } from '../../accounts/operators/oidc/provider.js';
import { Setting } from './setting.js';

/** Signing in by OpenID Connect. */
export const OIDC_SETTINGS = {
  OIDC_ISSUER: Type.Optional(
    Type.String({
      format: 'oidc-issuer',
      description:
        'OpenID Connect issuer by which operators may sign in at the console, as it names itself, e.g. https://login.example.com/realms/staff. Unset: they cannot.',
    }),
  ),
  OIDC_CLIENT_ID: Type.Optional(Setting.text('Id that the issuer has given to Heliograph. Needed with OIDC_ISSUER.')),
  OIDC_CLIENT_SECRET: Type.Optional(
    Setting.text('Secret that the issuer has given to Heliograph. Needed with OIDC_ISSUER.'),
  ),
  OIDC_SCOPES: Type.String({
    format: 'oidc-scopes',
    description: 'What is asked of the issuer, separated by spaces.',
    default: 'openid email',
  }),
  OIDC_LABEL: Setting.text('What the button at the sign-in calls the issuer.', { default: 'single sign-on' }),
};

/** Without one of them there is no sign-in by OpenID Connect; with one, the others are needed. */
const NEEDED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/**
 * What is missing where OpenID Connect is configured in part, which else nobody would notice before they sign in.
 * @param given settings by the names of their environment variables
 */
export function oidcProblems(
  given: Readonly<Record<string, string | undefined>>,
): { setting: string; problem: string }[] {
  const set = NEEDED.filter((name) => given[name] !== undefined);
  if (set.length === 0) return [];
  const problem = `must be set, since ${set.join(' and ')} ${set.length === 1 ? 'is' : 'are'}`;
  return NEEDED.filter((name) => !set.includes(name)).map((setting) => ({ setting, problem }));
}

interface OidcConfig {
  oidcIssuer?: string;
  oidcClientId?: string;
  oidcClientSecret?: string;
  oidcScopes: string;
  oidcLabel: string;
}

/** How operators sign in by OpenID Connect; null where they do not. */
export function oidcSettings(config: OidcConfig): OidcSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return { issuer, clientId, clientSecret, scopes: config.oidcScopes, label: config.oidcLabel };
}
